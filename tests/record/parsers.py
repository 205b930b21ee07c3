"""Record what vLLM makes of the outputs in `parser_cases.py`, into `golden/parsers/`.

    RENDER_PEERS=FOLDER python tests/record/parsers.py [NAME ...]

FOLDER holds vLLM 0.33.0 (`venv/bin/python`, and `overlay/` where vLLM itself lies in a folder
to put on the path) and `models/{qwen3,llama31,gptoss}` with their tokenizers; for Cohere's
names it also needs the package `cohere_melody`. Each file holds a line
of facts about the vocabulary, then a line a case: the pieces that its tokens decode to (a
special token as a list of its text), the request (`tools` true: those of the first line), and
vLLM's answers: whole (`batch`), and streamed in chunks of 1, 3 and 7 tokens and all at once,
where that differs. Names that read a response template have it in the first line, and the texts of
the prompts' tokens.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "parsers"
THINK = ["<think>", "</think>"]

STYLES = {
    None: "hermes",
    "hermes": "hermes",
    "qwen3_json": "hermes",
    "qwen3_coder": "coder",
    "qwen3_xml": "coder",
    "llama3_json": "llama",
}
REASONING = (None, "qwen3", "deepseek_r1")


def combinations() -> dict[str, tuple[str | None, str | None, str, str, list[str]]]:
    """File name: tool name, reasoning name, call syntax, model, tokens to add to its vocabulary."""
    found = {}
    for tool, style in STYLES.items():
        for reasoning in REASONING:
            if not (tool or reasoning):
                continue
            name = "+".join(filter(None, (tool, reasoning)))
            if style == "llama":
                added = ["<|python_tag|>", *(THINK if reasoning else [])]
                found[name] = (tool, reasoning, style, "llama31", added)
            else:
                found[name] = (tool, reasoning, style, "qwen3", [])
    # Vocabularies without the markers, where text is all there is.
    found["hermes@plain"] = ("hermes", None, "hermes", "llama31", [])
    found["qwen3_coder@plain"] = ("qwen3_coder", None, "coder", "llama31", [])
    found["qwen3_coder+qwen3@plain"] = ("qwen3_coder", "qwen3", "coder", "llama31", [])
    return found


def main(wanted: list[str]) -> None:
    # The real vLLM, not this folder's `parsers`.
    sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE]
    sys.path.append(str(HERE.parent.parent))
    logging.disable(logging.ERROR)
    from tests.parsers.families import FAMILIES
    from tests.record.parser_calls import TOOLS
    from tests.record.parser_cases import cases
    from tests.record.vllm_parser import Oracle

    models = Path(os.environ["RENDER_PEERS"]).expanduser() / "models"
    GOLDEN.mkdir(parents=True, exist_ok=True)
    every = combinations()
    for style, family in FAMILIES.items():
        for name, (tool, reasoning) in family.golden.items():
            every[name] = (tool, reasoning, style, family.model, [*family.added, *family.parts])
    for name, (tool, reasoning, style, model, added) in every.items():
        if wanted and name not in wanted:
            continue
        template = FAMILIES[style].response_template if style in FAMILIES else None
        oracle = Oracle(models / model, tool, reasoning, added, template)
        facts: dict[str, Any] = {"tool": tool, "reasoning": reasoning, **oracle.facts()}
        lines = [facts | {"tools": TOOLS}]
        for case in cases(tool, reasoning, style):
            answer = oracle.answer(case)
            if "error" in answer["batch"]:  # vLLM answers such an output with a failure
                print(f"{name}: {case['name']}: {answer['batch']['error']}")
                continue
            if "tools" in answer["request"]:
                answer["request"] = answer["request"] | {"tools": True}
            lines.append(answer)
        if template:
            prompts = {token for line in lines[1:] for token in line["prompt_ids"]}
            lines[0] |= {"response_template": template, "texts": oracle.texts(prompts)}
        path = GOLDEN / f"{name}.jsonl"
        # vLLM's streams may have half of a surrogate pair: as JSON spells it.
        with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        print(f"{name}: {len(lines) - 1} cases", flush=True)


if __name__ == "__main__":
    from peers import under_vllm  # beside this file, whose folder is on the path

    under_vllm(__file__)
    main(sys.argv[1:])
