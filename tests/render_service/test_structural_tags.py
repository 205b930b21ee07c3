"""How tools constrain the output: as vLLM 0.33.0 answers (`tests/record/structural_tags.py`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import parsers
from render_service.call_constraints import constrain_calls
from render_service.errors import RequestError
from render_service.protocol.chat import ChatRequest, decode_chat_request
from render_service.sampling import structured_outputs
from render_service.settings import Settings
from render_service.structural_tag_formats import JSON_CALLS, NATIVE_CALLS
from render_service.structural_tags import BUILDERS

GOLDEN = Path(__file__).parent.parent / "golden" / "structural_tags.jsonl"
COVERED = {*BUILDERS, *JSON_CALLS, *NATIVE_CALLS}


LEFT = {"beam", "cohere_command3", "cohere_command4", "hf", "mistral", "hy_v4", "kimi_k3", "openai"}


def records() -> list[Any]:
    first, *lines = map(json.loads, GOLDEN.read_text(encoding="utf-8").splitlines())
    found = []
    for line in lines:
        case = first["cases"][line["case"]]
        tools = [first["tools"][name] for name in case["request"]["tools"]]
        body = {"messages": [{"role": "user", "content": "hi"}], **case["request"], "tools": tools}
        names = [name for name in line["parsers"] if name in COVERED]
        if names:
            values = (names, case["level"], json.dumps(body), line["answer"])
            found.append(pytest.param(*values, id=f"{line['case']}-{names[0]}"))
    return found


def adjusted(name: str, level: str | None, body: str) -> ChatRequest:
    settings = Settings(
        tool_call_parser=name, enable_auto_tool_choice=True, tool_strict_level=level
    )
    return constrain_calls(settings, decode_chat_request(body.encode()))


@pytest.mark.parametrize(("names", "level", "body", "answer"), records())
def test_same_constraint_as_vllm(
    names: list[str], level: str | None, body: str, answer: dict[str, Any]
) -> None:
    for name in names:
        if "error" in answer:
            with pytest.raises(RequestError) as refused:
                adjusted(name, level, body)
            assert refused.value.message == answer["error"]
            continue
        request = adjusted(name, level, body)
        outputs = structured_outputs(request.structured_outputs, request.response_format)
        found = outputs and msgspec.to_builtins(outputs)
        assert found == answer["structured_outputs"], name
        assert json.dumps(found) == json.dumps(answer["structured_outputs"]), "order of the keys"
        tools = answer.get("tools") or msgspec.to_builtins(decode_chat_request(body.encode()).tools)
        assert msgspec.to_builtins(request.tools) == tools, name


def test_every_name_is_covered_or_known_to_be_left() -> None:
    assert {*parsers.names()["tool"]} <= COVERED | LEFT
    assert not COVERED & LEFT


def test_nothing_changes_where_tools_may_not_be_called() -> None:
    body = b'{"messages": [{"role": "user", "content": "hi"}]}'
    request = decode_chat_request(body)
    assert constrain_calls(Settings(tool_call_parser="hermes"), request) is request
    used = Settings(tool_call_parser="hermes", enable_auto_tool_choice=True)
    assert constrain_calls(used, request) is request
