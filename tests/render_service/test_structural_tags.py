"""How tools constrain the output: as vLLM 0.33.0 answers (`tests/record/structural_tags.py`)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import parsers
from render_service.call_constraints import constrain_calls
from render_service.errors import RequestError
from render_service.protocol.chat import ChatRequest, decode_chat_request
from render_service.protocol.fields import StructuredOutputs
from render_service.sampling import structured_outputs
from render_service.settings import Settings
from render_service.structural_tag_formats import JSON_CALLS, NATIVE_CALLS
from render_service.structural_tags import BUILDERS

GOLDEN = Path(__file__).parent.parent / "golden" / "structural_tags.jsonl"
COVERED = {*BUILDERS, *JSON_CALLS, *NATIVE_CALLS}


ELSEWHERE = {"beam", "hf", "mistral"}
"""`test_beam_constraints.py` and `test_constraints.py` have these, and Cohere's names."""


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


def given(answer: dict[str, Any]) -> dict[str, Any]:
    """The fields of the answer's `structured_outputs`."""
    fields = dict(answer["structured_outputs"])
    if "structural_tag" in fields:
        fields["structural_tag"] = json.dumps(fields["structural_tag"])
    return fields


def adjusted(name: str, level: str | None, body: str) -> ChatRequest:
    settings = Settings(
        tool_call_parser=name, enable_auto_tool_choice=True, tool_strict_level=level
    )
    return constrain_calls(settings, decode_chat_request(body.encode()), harmony=name == "openai")


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
        expected = StructuredOutputs(**given(answer)) if answer["structured_outputs"] else None
        assert outputs == expected, name
        if outputs is not None and outputs.json is not None and expected is not None:
            assert json.dumps(outputs.json) == json.dumps(expected.json), "order of the keys"
        tools = answer.get("tools") or msgspec.to_builtins(decode_chat_request(body.encode()).tools)
        assert msgspec.to_builtins(request.tools) == tools, name


def test_every_name_is_covered_or_known_to_be_left() -> None:
    assert {*parsers.names()["tool"]} <= COVERED | ELSEWHERE
    assert not COVERED & ELSEWHERE


def test_nothing_changes_where_tools_may_not_be_called() -> None:
    body = b'{"messages": [{"role": "user", "content": "hi"}]}'
    request = decode_chat_request(body)
    assert constrain_calls(Settings(tool_call_parser="hermes"), request) is request
    used = Settings(tool_call_parser="hermes", enable_auto_tool_choice=True)
    assert constrain_calls(used, request) is request


def deep_tool(**fields: Any) -> str:
    function = {"name": "a", "strict": True, "parameters": {"properties": {"b": {}}}}
    tools = [{"type": "function", "function": function | fields.pop("function", {})}]
    return json.dumps({"messages": [{"role": "user", "content": "hi"}], "tools": tools, **fields})


@pytest.mark.parametrize(
    "outputs",
    [
        {"json": "[" * 5000},
        {"json": "[]"},
        {"grammar": "start: 'a' // ::= no rule"},
        {"structural_tag": "{"},
        {"structural_tag": '{"structures": [{"begin": "a"}], "triggers": ["a"]}'},
        {"structural_tag": '{"structures": 1, "triggers": ["a"]}'},
        {"structural_tag": '{"type": "structural_tag", "format": {"type": "any_text"}}'},
    ],
)
def test_what_cannot_stand_beside_calls_holds_alone(outputs: dict[str, str]) -> None:
    request = adjusted("hermes", None, deep_tool(structured_outputs=outputs))
    assert request.structured_outputs == msgspec.convert(outputs, StructuredOutputs)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 65 + "1" + "}" * 65, "{"])
def test_harmony_refuses_json_text_that_is_none_or_too_deep(text: str) -> None:
    with pytest.raises(RequestError):
        adjusted("openai", None, deep_tool(structured_outputs={"json": text}))


@pytest.mark.parametrize("depth", range(900, 1000, 7))
def test_text_that_can_be_read_but_not_written_again(depth: int) -> None:
    """It nests almost as deep as Python can go."""
    text = '{"a":' * depth + "1" + "}" * depth
    body = deep_tool(structured_outputs={"json": text})
    outputs = adjusted("hermes", None, body).structured_outputs
    assert outputs is not None
    assert outputs.json == text, "it holds alone"
    with pytest.raises(RequestError, match="nested too deeply"):
        adjusted("openai", None, body)


def test_the_suffix_of_a_vocabulary_is_in_all_tags() -> None:
    body = deep_tool(tool_choice="required").encode()
    settings = Settings(tool_call_parser="hy_v4", enable_auto_tool_choice=True)
    found = []
    for suffix in ("", ":6124c78e"):
        vocab = ["<other:1>", f"<tool_call{suffix}>", "<think:2>"]
        request = constrain_calls(settings, decode_chat_request(body), vocab=vocab)
        assert request.structured_outputs is not None
        found.append(request.structured_outputs.structural_tag or "")
    assert re.sub(r"(</?(?:tool|arg)\w+)>", r"\1:6124c78e>", found[0]) == found[1]


@pytest.mark.parametrize("schema", [{"required": 1}, {"required": [{}]}, {"properties": [1]}])
def test_hunyuan_keys_that_are_none_give_no_grammar(schema: dict[str, Any]) -> None:
    body = deep_tool(tool_choice="required", function={"parameters": schema})
    assert adjusted("hy_v4", None, body).structured_outputs is None


def test_glm_takes_any_value_where_a_schema_is_true() -> None:
    """vLLM answers that with the text of a Python TypeError."""
    found = []
    for schema in (True, {}):
        function = {"strict": False, "parameters": {"properties": {"b": schema}}}
        body = deep_tool(tool_choice="required", function=function)
        found.append(adjusted("glm45", None, body).structured_outputs)
    assert found[0] == found[1]


def test_definitions_are_not_repeated_without_bound() -> None:
    properties = {f"p{number}": {"type": "object"} for number in range(2000)}
    parameters = {"properties": properties, "$defs": {"a": {"title": "x" * 10_000}}}
    body = deep_tool(tool_choice="required", function={"parameters": parameters})
    with pytest.raises(RequestError, match="too large"):
        adjusted("kimi_k3", None, body)
