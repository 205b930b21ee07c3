"""Record how vLLM constrains tool calls, into `golden/structural_tags.jsonl`.

    RENDER_PEERS=FOLDER python tests/record/structural_tags.py

FOLDER as in `parsers.py`. The first line holds the tools by name and the cases: a strict level
(--tool-strict-level) and a request whose tools are names. Each other line holds a case, the
parser names with the same answer, and that answer: `structured_outputs` as they go to the
engine, without null and false, a structural tag as JSON instead of its text (json.dumps); or
`error`; `tools` where vLLM changed the request's.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "structural_tags.jsonl"
LEFT = {"beam", "cohere_command3", "cohere_command4", "hf", "mistral"}
"""Names whose grammars are made by other rules, on tokenizers or templates of their own."""


def main() -> None:
    # The real vLLM, not this folder's `parsers`.
    sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE]
    sys.path.append(str(HERE.parent.parent))
    logging.disable(logging.CRITICAL)
    from vllm.tool_parsers import ToolParserManager

    from tests.parsers.families import FAMILIES
    from tests.record.parsers import combinations
    from tests.record.structural_tag_cases import TOOLS, cases
    from tests.record.vllm_parser import Oracle

    models = Path(os.environ["RENDER_PEERS"]).expanduser() / "models"
    places: dict[str, tuple[str, list[str]]] = {}
    for tool, reasoning, _, model, added in combinations().values():
        if tool and reasoning is None:
            places.setdefault(tool, (model, added))
    for family in FAMILIES.values():
        for tool, _ in family.golden.values():
            if tool:
                places.setdefault(tool, (family.model, [*family.added, *family.parts]))
    places["llama4_json"] = places["llama3_json"]
    every = cases()
    answers: dict[str, dict[str, list[str]]] = {name: {} for name in every}
    for tool in ToolParserManager.list_registered():
        if tool in LEFT:
            continue
        model, added = places.get(tool, ("qwen3", []))
        try:
            oracle = Oracle(models / model, tool, None, added)
            found = {name: answer(oracle, tool, case, TOOLS) for name, case in every.items()}
        except Exception as error:
            print(f"{tool}: not recorded: {type(error).__name__}: {error}")
            continue
        for name, given in found.items():
            answers[name].setdefault(compact(given), []).append(tool)
        print(f"{tool}: {len(found)} cases", flush=True)
    lines = [compact({"tools": TOOLS, "cases": every})]
    for name, groups in answers.items():
        for given, tools in groups.items():
            start = compact({"case": name, "parsers": tools})
            lines.append(f'{start[:-1]},"answer":{given}}}')
    GOLDEN.write_text("\n".join(lines) + "\n", encoding="utf-8")


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def answer(oracle: Any, tool: str, case: dict[str, Any], tools: dict[str, Any]) -> dict[str, Any]:
    import msgspec
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.tool_parsers.tool_strict_level import ToolStrictLevel

    level = case["level"]
    oracle.parser.tool_strict_level = level and ToolStrictLevel.from_name(level)
    body = case["request"] | {"tools": [tools[name] for name in case["request"]["tools"]]}
    fields = {"messages": [{"role": "user", "content": "hi"}], **body}
    try:
        request = ChatCompletionRequest.model_validate(json.loads(json.dumps(fields)))
        before = [tool.model_dump(mode="json") for tool in request.tools or []]
        parser = oracle.parser(
            oracle.tokenizer, request.tools, chat_template_kwargs={}, model_config=None
        )
        if request.tool_choice != "none" or tool == "openai":
            request = parser.adjust_request(request)
        outputs = request.extract_structured_outputs()
    except Exception as error:
        return {"error": str(error)}
    given = msgspec.to_builtins(outputs) if outputs else {}
    given = {
        name: value for name, value in given.items() if value is not None and value is not False
    }
    if tag := given.get("structural_tag"):
        given["structural_tag"] = json.loads(tag)
        assert json.dumps(given["structural_tag"]) == tag
    found: dict[str, Any] = {"structured_outputs": given or None}
    after = [tool.model_dump(mode="json") for tool in request.tools or []]
    return found | ({"tools": after} if after != before else {})


if __name__ == "__main__":
    from peers import under_vllm  # beside this file, whose folder is on the path

    under_vllm(__file__)
    main()
