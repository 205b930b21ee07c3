"""/v1/responses/render, where recorded answers (test_render_golden.py) do not say it."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest

from render_service import render, responses
from render_service.errors import RequestError
from render_service.model import Model
from tests.conftest import Serve

from .derender_client import chat_chunk, demo, ids_of, parsed_demo

USER = {"role": "user", "content": "Hi"}


@pytest.fixture(scope="module")
def model() -> Model:
    return demo()


def answered(model: Model, header: str | None = None, **fields: Any) -> Any:
    body = json.dumps({"input": "Hi", **fields}).encode()
    return json.loads(responses.responses(model, body, header).body)


def refused(model: Model, **fields: Any) -> RequestError:
    with pytest.raises(RequestError) as caught:
        answered(model, **fields)
    return caught.value


def as_chat(model: Model, *messages: Any, **fields: Any) -> Any:
    body = json.dumps({"messages": messages, **fields}).encode()
    return json.loads(render.chat(model, body, None).body)["token_ids"]


def test_the_body_names_the_request_and_the_header_does_not(model: Model) -> None:
    mark = f"-rf{model.fingerprint.value}"
    assert answered(model, "header", request_id="mine")["request_id"] == "mine" + mark
    own = answered(model, "header")["request_id"]
    assert re.fullmatch("resp_[0-9a-f]{32}" + mark, own)


def test_the_prompt_is_that_of_the_same_chat(model: Model) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    items = [
        USER,
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "a"}]},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "b"}],
        },
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"x": 1}'},
        {"type": "function_call_output", "call_id": "c", "output": "d"},
        USER,
    ]
    rendered = answered(model, instructions="Be brief.", input=items)
    assert rendered["token_ids"] == as_chat(
        model,
        {"role": "system", "content": "Be brief."},
        USER,
        {"role": "assistant", "reasoning": "a", "content": "b", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "d"},
        USER,
    )


def test_what_vllm_fails_on_is_rendered(model: Model) -> None:
    def said(*parts: Any) -> dict[str, Any]:
        return {"type": "message", "role": "assistant", "content": parts}

    refusal = {"type": "refusal", "refusal": "No."}
    for parts, words in (((refusal,), "No."), ((), "")):
        rendered = answered(model, input=[USER, said(*parts), USER])["token_ids"]
        assert rendered == as_chat(model, USER, {"role": "assistant", "content": words}, USER)


def test_the_length_of_a_common_prefix(model: Model) -> None:
    ids = answered(model)["token_ids"]
    body = json.dumps({"input": "Hi", "previous_token_ids": [*ids[:4], 0]}).encode()
    assert responses.responses(model, body, None).headers == ((b"x-render-common-prefix", b"4"),)
    assert refused(model, previous_token_ids=["x"]).param == "body.previous_token_ids.0"


def test_faults_of_items_name_the_item(model: Model) -> None:
    call = {"type": "function_call", "name": "f", "arguments": {}, "call_id": "c"}
    assert "`input.1`: `arguments` must be a string" in refused(model, input=[USER, call]).message
    assert "`input.0` has an unknown `type`" in refused(model, input=[{"type": "x"}]).message
    assert "`input.1` must be an object" in refused(model, input=[USER, 5]).message
    assert "`input.0`: `content` is required" in refused(model, input=[{"role": "user"}]).message
    output = {"type": "custom_tool_call_output", "output": "x"}
    assert "`call_id` is required" in refused(model, input=[output]).message


def test_faults_of_tools_name_the_tool(model: Model) -> None:
    error = refused(model, tools=[{"type": "web_search"}, {"type": "mcp"}])
    assert error.param == "body.tools.1.FunctionTool.name"
    assert "`tools.1` is no tool that is known here" in error.message
    wrong = {"type": "function", "name": "f", "strict": "x"}
    assert refused(model, tools=[wrong]).param == "body.tools.0.FunctionTool.strict"


def test_tools_of_a_namespace_that_are_none_are_no_names(model: Model) -> None:
    """They are refused by the schema, not by the look-up of a tool's name before it."""
    choice = {"type": "function", "name": "f"}
    for inside in (5, [5], [{"name": 5}]):
        tools = [5, {"type": "namespace", "name": "n", "description": "", "tools": inside}]
        assert refused(model, tools=tools, tool_choice=choice).param == "tool_choice"


def test_calls_that_are_required_of_nothing() -> None:
    search: dict[str, Any] = {"tools": [{"type": "web_search"}], "tool_choice": "required"}
    assert refused(parsed_demo(), **search).param == "tool_choice"
    assert answered(demo(), **search)["sampling_params"].get("structured_outputs") is None


def test_the_state_is_that_of_the_same_chat() -> None:
    """Of a Responses request there is no chat request that later chunks could bring."""
    model, function = parsed_demo(), {"name": "f", "parameters": {"properties": {}}}
    body = {"input": "Hi", "tools": [{"type": "function", **function}]}
    chat = {"messages": [USER], "tools": [{"type": "function", "function": function}]}
    ours, theirs = (
        json.loads(door(model, json.dumps(sent).encode(), None, with_state=True).body)
        for door, sent in ((responses.responses, body), (render.chat, chat))
    )
    assert ours["stream_state"] == theirs["stream_state"]
    answer = chat_chunk(
        model,
        generate_chunk={"choices": [{"index": 0, "token_ids": ids_of(model, "<think>Hm")}]},
        stream_state=ours["stream_state"],
    )
    assert answer["chunk"]["choices"][0]["delta"]["reasoning"] == "Hm"


def test_over_http(serve: Serve) -> None:
    server = serve()
    answer = httpx.post(f"{server.url}/v1/responses/render?stream_state=1", json={"input": "Hi"})
    assert answer.json()["stream_state"]
    assert answer.status_code == 200
    assert answer.headers["x-render-fingerprint"] in answer.json()["request_id"]
    name = httpx.get(f"{server.url}/v1/models").json()["data"][0]["id"]
    message = {"model": name, "max_tokens": 5, "messages": [USER]}
    answer = httpx.post(
        f"{server.url}/v1/messages/render",
        json=message,
        headers={"x-request-id": "mine", "x-render-stream-state": "1"},
    )
    assert answer.status_code == 200
    assert answer.json()["request_id"].startswith("chatcmpl-mine-rf")
    assert answer.json()["stream_state"]
