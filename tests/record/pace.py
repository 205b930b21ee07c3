"""Record what vLLM's streaming parsers have sent after each chunk, into `golden/pace/`.

    RENDER_PEERS=FOLDER python tests/record/pace.py [NAME ...]

NAME is a file of golden/parsers/, by default each of which all parsers have a pace in
`parsers/pace.py`. See `record/parsers.py` for FOLDER. A line is a stream of one of the well-formed
outputs CASES, in chunks of one token or of changing length: per chunk its pieces and what came.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "pace"
MIXED = (1, 4, 2, 7, 3, 1, 1, 5)
CASES = (
    "no call", "blank only", "one call", "call after a blank line", "call then newline",
    "content before", "content with blank lines before", "two calls", "three glued calls",
    "two calls with blank lines", "nested arguments", "no arguments", "escapes", "split emoji",
    "numbers", "literals", "html in a string", "code block", "unknown parameter", "long string",
    "types", "reasoning, content, call", "reasoning, call", "reasoning alone",
    "no reasoning", "choice none: call",
)  # fmt: skip


def recorded(oracle: Any, case: dict[str, Any], sizes: tuple[int, ...]) -> list[Any]:
    """Steps: [pieces, reasoning, content, calls], a call: [index, name, arguments]."""
    from tokenizers.decoders import DecodeStream
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.entrypoints.openai.chat_completion.stream_processor import ChatStreamProcessor

    tokenizer = oracle.tokenizer
    parts = [case["text"]] if isinstance(case["text"], str) else case["text"]
    ids = [t for part in parts for t in tokenizer.encode(part, add_special_tokens=False)]
    prompt = tokenizer.encode(case.get("prompt", "hi"), add_special_tokens=False)
    decode = DecodeStream(skip_special_tokens=False)
    texts = [decode.step(tokenizer._tokenizer, token) or "" for token in ids]
    added = set(tokenizer.get_added_vocab().values())
    fields = {"messages": [{"role": "user", "content": "hi"}], **case.get("request", {})}
    request = ChatCompletionRequest.model_validate(json.loads(json.dumps(fields)))
    kwargs = request.chat_template_kwargs or {}
    parser = oracle.parser(tokenizer, request.tools, chat_template_kwargs=kwargs, model_config=None)
    steps = ChatStreamProcessor(request, parser, enable_auto_tools=True, parser_cls=oracle.parser)
    found, at, turn = [], 0, 0
    while at < len(ids):
        end = min(at + sizes[turn % len(sizes)], len(ids))
        reason = case.get("finish_reason", "stop") if end == len(ids) else None
        delta, _ = steps.step("".join(texts[at:end]), ids[at:end], reason, prompt)
        pieces = [
            [text] if token in added else text
            for text, token in zip(texts[at:end], ids[at:end], strict=True)
            if text
        ]
        calls = [
            [call.index, call.function.name or "", call.function.arguments or ""]
            for call in (delta.tool_calls if delta else None) or ()
        ]
        reasoning, content = (delta.reasoning, delta.content) if delta else ("", "")
        found.append([pieces, reasoning or "", content or "", calls])
        at, turn = end, turn + 1
    return found


def main(wanted: list[str]) -> None:
    sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE]
    sys.path.append(str(HERE.parent.parent))
    logging.disable(logging.ERROR)
    from parsers.pace import PaceError
    from tests.parsers.families import FAMILIES
    from tests.parsers.support import format_of
    from tests.record.parser_cases import cases
    from tests.record.parsers import combinations
    from tests.record.vllm_parser import Oracle

    models = Path(os.environ["RENDER_PEERS"]).expanduser() / "models"
    GOLDEN.mkdir(parents=True, exist_ok=True)
    every = combinations()
    for style, family in FAMILIES.items():
        for name, (tool, reasoning) in family.golden.items():
            every[name] = (tool, reasoning, style, family.model, [*family.added, *family.parts])
    seen = set()
    for name, (tool, reasoning, style, model, added) in every.items():
        if wanted and name not in wanted:
            continue
        try:
            paced = format_of(name).at_vllm_pace()
        except (PaceError, FileNotFoundError):
            continue
        if (paced.tool, paced.reasoning) in seen:  # another name of the same format
            continue
        seen.add((paced.tool, paced.reasoning))
        oracle = Oracle(models / model, tool, reasoning, added)
        lines = []
        for case in cases(tool, reasoning, style):
            if case["name"] not in CASES:
                continue
            for plan, sizes in {"one": (1,), "mixed": MIXED}.items():
                steps = recorded(oracle, case, sizes)
                lines.append({"name": case["name"], "plan": plan, "steps": steps})
        path = GOLDEN / f"{name}.jsonl"
        with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        print(f"{name}: {len(lines)} streams", flush=True)


if __name__ == "__main__":
    from peers import under_vllm  # beside this file, whose folder is on the path

    under_vllm(__file__)
    main(sys.argv[1:])
