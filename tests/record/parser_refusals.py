"""Record which template arguments vLLM's parsers refuse, into tests/golden/parser_refusals.jsonl.

    RENDER_PEERS=FOLDER python tests/record/parser_refusals.py

FOLDER is as for `parsers.py`. A line has the parser names, the arguments, and what is said to the
client; null where they are taken.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ARGUMENTS: dict[str, list[Any]] = {
    "reasoning_effort": ["high", "medium", "low", "none", "max", "High", "", 1, True, None, []],
    "tool_call_format": ["xml", "json", "xml_typed", "yaml", "XML", "", 0, None, {"a": 1}],
}
TOOLS = [{"type": "function", "function": {"name": "run"}}]


def said(oracle: Any, kwargs: dict[str, Any]) -> str | None:
    """By making the parser and adjusting a request, as rendering does."""
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

    request = ChatCompletionRequest.model_validate(
        {
            "messages": [{"role": "user", "content": "hi"}],
            "tools": TOOLS,
            "chat_template_kwargs": kwargs,
        }
    )
    try:
        oracle.parser(
            oracle.tokenizer, request.tools, chat_template_kwargs=kwargs, model_config=None
        ).adjust_request(request)
    except ValueError as error:
        return str(error)
    return None


def main() -> None:
    # The real vLLM, not this folder's `parsers`.
    sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE]
    sys.path.append(str(HERE.parent.parent))
    logging.disable(logging.ERROR)
    from tests.parsers.families import FAMILIES
    from tests.record.vllm_parser import Oracle

    family = FAMILIES["k2_horizon"]
    model = Path(os.environ["RENDER_PEERS"]).expanduser() / "models" / family.model
    names = {"tool": "k2_horizon", "reasoning": "k2_horizon"}
    oracle = Oracle(model, *names.values(), list(family.added))
    path = HERE.parent / "golden" / "parser_refusals.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for kwargs in [{}, *({key: v} for key, values in ARGUMENTS.items() for v in values)]:
            line = {**names, "kwargs": kwargs, "message": said(oracle, kwargs)}
            print(json.dumps(line, ensure_ascii=False), file=file)


main()
