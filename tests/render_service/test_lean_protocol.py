"""What a client need not send: after the first chunk the request; with a first state, nothing."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import httpx
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parsers
from render_service import carried_facts, derender, render
from render_service.errors import RequestError
from render_service.local_server import LocalServer
from render_service.model import Model
from render_service.request_facts import RequestFacts
from render_service.stop import StopRules
from render_service.stream_state import MAX_CARRIED
from tests.conftest import DEMO_MODEL, Serve

from .derender_client import (
    CALL,
    CHAT,
    CHAT_TOOLS,
    REASONED,
    Json,
    chat_chunk,
    chunk,
    completion,
    cut,
    demo,
    ids_of,
    joined,
    parsed_demo,
    prompt_of,
    stream,
)

TYPED: Json = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Looks around.",
        "parameters": {
            "type": "object",
            "properties": {
                "place": {"type": "string", "description": "Where."},
                "days": {"type": "integer", "minimum": 0},
                "tags": {"type": "array", "items": {"type": "string"}, "examples": [["a"]]},
                "near": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
            },
        },
    },
}
XML_CALL = (
    "<tool_call>\n<function=look>\n<parameter=place>\n12\n</parameter>\n<parameter=days>\n12\n"
    '</parameter>\n<parameter=tags>\n["1"]\n</parameter>\n<parameter=near>\nnull\n</parameter>\n'
    "</function>\n</tool_call>"
)
LONG = {
    **TYPED,
    "function": {
        "name": "long",
        "parameters": {"properties": {f"p{n}": {"type": "string"} for n in range(60)}},
    },
}
NEEDS = b"x-render-each-chunk-needs"


@cache
def plain() -> Model:
    return demo()


@pytest.fixture(scope="module")
def model() -> Model:
    return parsed_demo()


@pytest.fixture(scope="module")
def typed() -> Model:
    return demo(
        reasoning_parser="qwen3", tool_call_parser="qwen3_coder", enable_auto_tool_choice=True
    )


def lean(model: Model, chunks: list[Json], request: Json, state: Any = None) -> list[Json]:
    """Chunks with nothing but the state; where there is none, the first one brings the request."""
    answers: list[Json] = []
    for generated in chunks:
        first = state is None
        more = {"chat_request": request, "prompt_token_ids": prompt_of(model)} if first else {}
        answer = chat_chunk(model, generate_chunk=generated, stream_state=state, **more)
        state = answer["stream_state"]
        answers.append(answer)
    return answers


def first_state(model: Model, request: Json) -> Json:
    body = orjson.dumps(request)
    state: Json = orjson.loads(render.chat(model, body, None, with_state=True).body)["stream_state"]
    return state


@pytest.mark.parametrize(
    ("request_", "output"),
    [
        (CHAT_TOOLS, REASONED + "So.\n" + CALL),
        ({**CHAT_TOOLS, "tool_choice": "none"}, CALL),
        ({**CHAT_TOOLS, "include_reasoning": False, "return_token_ids": True}, REASONED + "So."),
        ({**CHAT_TOOLS, "parallel_tool_calls": False}, CALL + CALL),
        ({**CHAT, "chat_template_kwargs": {"enable_thinking": False}}, "So.<think>"),
        ({**CHAT_TOOLS, "tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
         '{"city": "Bern"}'),
        ({**CHAT, "stop_token_ids": [5], "include_stop_str_in_output": True}, "So."),
        ({**CHAT, "ignore_eos": True, "skip_special_tokens": False}, "So.<|im_end|>"),
    ],
)  # fmt: skip
def test_chunks_after_the_first_need_only_the_state(
    model: Model, request_: Json, output: str
) -> None:
    chunks = cut(ids_of(model, output), [1] * 200)
    complete = stream(model, chunks, request_, prompt_token_ids=prompt_of(model))
    answers = lean(model, chunks, request_)
    assert [a["chunk"]["choices"] for a in answers] == [a["chunk"]["choices"] for a in complete]
    assert [a["stream_state"] for a in answers] == [a["stream_state"] for a in complete]


def test_types_of_parameters_travel_in_the_state(typed: Model) -> None:
    chunks = cut(ids_of(typed, XML_CALL), [3] * 80)
    answers = lean(typed, chunks, {**CHAT, "tools": [TYPED]})
    (call,) = joined(answers)["calls"]
    assert json.loads(call["args"]) == {"place": "12", "days": 12, "tags": ["1"], "near": None}
    assert len(orjson.dumps(answers[0]["stream_state"])) < 1024


def test_a_first_state_stands_for_prompt_and_request(typed: Model) -> None:
    request = {**CHAT, "tools": [TYPED], "n": 2}
    state = first_state(typed, request)
    chunks = cut(ids_of(typed, REASONED + XML_CALL), [2] * 90)
    answers = lean(typed, chunks, request, state)
    assert joined(answers) == joined(lean(typed, chunks, request))
    second = [{**c, "choices": [{**c["choices"][0], "index": 1}]} for c in chunks]
    other = joined(lean(typed, second, request, state))
    assert other["calls"][0]["args"] == joined(answers)["calls"][0]["args"]


def test_a_first_state_knows_how_the_prompt_leaves_reasoning(model: Model) -> None:
    for kwargs, kind in (({}, "reasoning"), ({"enable_thinking": False}, "content")):
        state = first_state(model, {**CHAT, "chat_template_kwargs": kwargs})
        generated = chunk(ids_of(model, "Hm"), "stop")
        answer = chat_chunk(model, generate_chunk=generated, stream_state=state)
        assert answer["chunk"]["choices"][0]["delta"][kind] == "Hm"


def test_what_is_too_long_must_come_with_each_chunk_and_the_answer_says_so(typed: Model) -> None:
    request = {**CHAT, "tools": [TYPED, LONG]}
    rendered = render.chat(typed, orjson.dumps(request), None, with_state=True)
    assert (NEEDS, b"chat_request") in rendered.headers
    chunks = cut(ids_of(typed, XML_CALL), [5] * 40)
    body = {
        "stream": True,
        "generate_chunk": chunks[0],
        "chat_request": request,
        "prompt_token_ids": prompt_of(typed),
    }
    answer = derender.chat(typed, orjson.dumps(body), None)
    assert (NEEDS, b"chat_request") in answer.headers
    body["stream_state"] = orjson.loads(answer.body)["stream_state"]
    del body["prompt_token_ids"]
    assert (NEEDS, b"chat_request") in derender.chat(typed, orjson.dumps(body), None).headers
    del body["chat_request"]
    with pytest.raises(RequestError, match="chat_request is required with each chunk") as refused:
        derender.chat(typed, orjson.dumps(body), None)
    assert (refused.value.status, refused.value.param) == (400, "chat_request")


def test_short_requests_have_no_such_header(model: Model) -> None:
    answer = render.chat(model, orjson.dumps(CHAT_TOOLS), None, with_state=True)
    assert NEEDS not in dict(answer.headers)


def test_completions_too() -> None:
    model = demo()
    request = {
        "prompt": ["Hi", "Ho"],
        "skip_special_tokens": False,
        "return_token_ids": True,
        "logprobs": 1,
    }
    body = orjson.dumps(request)
    one, two = orjson.loads(render.completion(model, body, None, with_state=True).body)
    assert one["stream_state"]["k"] == two["stream_state"]["k"] == "completion"
    chunks = cut(ids_of(model, "So <|im_end|> é"), [1] * 9)
    texts = []
    for start in (None, one["stream_state"]):
        state = start
        text = ""
        for generated in chunks:
            more = {"completion_request": request, "prompt_token_ids": one["token_ids"]}
            answer = completion(
                model,
                stream=True,
                generate_chunk=generated,
                stream_state=state,
                **(more if state is None else {}),
            )
            state = answer["stream_state"]
            (choice,) = answer["chunk"]["choices"]
            assert choice["token_ids"] == generated["choices"][0]["token_ids"]
            text += choice["text"]
        texts.append(text)
    assert texts == ["So <|im_end|> é"] * 2


def test_stop_token_ids_without_end_are_not_carried() -> None:
    model = demo()
    request = {**CHAT, "stop_token_ids": list(range(200, 500))}
    answer = render.chat(model, orjson.dumps(request), None, with_state=True)
    assert (NEEDS, b"chat_request") in answer.headers


def test_stop_strings_are_refused_with_the_first_state(model: Model) -> None:
    body = orjson.dumps({**CHAT, "stop": ["x"]})
    assert render.chat(model, body, None).body
    with pytest.raises(RequestError, match="stop strings are not supported by streaming"):
        render.chat(model, body, None, with_state=True)


def test_states_of_version_1_carry_no_request() -> None:
    """A replica that writes them for older ones behaves as they do."""
    model = parsed_demo(stream_state_version=1)
    chunks = cut(ids_of(model, REASONED + CALL), [4] * 30)
    answers = stream(model, chunks, CHAT_TOOLS, prompt_token_ids=prompt_of(model))
    assert all(a["stream_state"]["v"] == 1 and "c" not in a["stream_state"] for a in answers)
    state = answers[0]["stream_state"]
    with pytest.raises(RequestError, match="chat_request is required when a tool or"):
        chat_chunk(model, generate_chunk=chunks[1], stream_state=state)
    # Which clients that send less must be told: plain chats and completions would not be refused.
    for door, body in ((render.chat, CHAT), (render.completion, {"prompt": "Hi"})):
        told = door(model, orjson.dumps(body), None, with_state=True)
        assert NEEDS in dict(told.headers)
    # A newer replica continues such a stream, in the version that the older ones read.
    newer = parsed_demo()
    body = {"generate_chunk": chunks[1], "chat_request": CHAT_TOOLS}
    answer = chat_chunk(newer, stream_state=state, **body)
    assert answer["stream_state"] == answers[1]["stream_state"]


KWARGS = st.dictionaries(
    st.sampled_from(["enable_thinking", "thinking", "x"]), st.booleans() | st.text(max_size=5)
)


@given(
    facts=st.builds(
        RequestFacts,
        stop=st.builds(
            StopRules,
            stop_token_ids=st.frozensets(st.integers(-9, 9)),
            include_stop_str_in_output=st.booleans(),
            ignore_eos=st.booleans(),
        ),
        skip_special_tokens=st.booleans(),
        spaces_between_special_tokens=st.booleans(),
        return_token_ids=st.booleans(),
        top_limit=st.none() | st.integers(0, 20),
        numbered_from=st.none() | st.integers(0, 20),
    ),
    context=st.builds(
        parsers.Context,
        tools=st.sampled_from(
            [
                (),
                (parsers.Tool("a"),),
                (parsers.Tool("b", {"properties": {"x": {"type": ["string", "null"]}}}),),
                (parsers.Tool("b", {"properties": {"x": None, "y": {}, "z": {"type": 3}}}),),
            ]
        ),
        tool_choice=st.sampled_from(["none", "auto", "required", "named"]),
        named_tool=st.none() | st.text(max_size=9),
        parallel_tool_calls=st.booleans(),
        template_kwargs=KWARGS,
    ),
)
def test_facts_come_back_as_they_were(facts: RequestFacts, context: parsers.Context) -> None:
    packed = carried_facts.pack(facts, context)
    found = carried_facts.unpack(plain(), packed)
    assert found.context == context
    assert found.stop == facts.stop
    for name in ("skip_special_tokens", "spaces_between_special_tokens", "return_token_ids",
                 "top_limit", "numbered_from"):  # fmt: skip
        assert getattr(found, name) == getattr(facts, name)
    assert found.named_tool is (context.tool_choice == "named")
    assert found.forces_calls is (context.tool_choice in ("named", "required"))


@pytest.mark.parametrize("carried", ["x", "[]", '{"o":3}', '{"o":[["a"]]}', '{"c":3}', "\x00"])
def test_what_is_carried_is_checked(model: Model, carried: str) -> None:
    state = first_state(model, CHAT_TOOLS)
    generated = chunk(ids_of(model, "a"))
    with pytest.raises(RequestError, match="invalid stream_state: what it carries") as refused:
        chat_chunk(model, generate_chunk=generated, stream_state={**state, "c": carried})
    assert refused.value.status == 400


@pytest.mark.parametrize("levels", [130, 255, 1000, 100_000])
def test_what_is_carried_is_bounded_however_it_nests(model: Model, levels: int) -> None:
    """It is JSON in a string, so the bound on how deep a body nests does not see it."""
    carried = '{"a":{"x":' + "[" * levels + "]" * levels + "}}"
    state = {**first_state(model, CHAT_TOOLS), "c": carried}
    generated = chunk(ids_of(model, "a"))
    if len(carried) <= MAX_CARRIED:
        assert chat_chunk(model, generate_chunk=generated, stream_state=state)["chunk"]
        return
    with pytest.raises(RequestError, match="length <= 512") as refused:
        chat_chunk(model, generate_chunk=generated, stream_state=state)
    assert refused.value.status == 400


# Over HTTP, with an engine


@pytest.fixture(scope="module")
def server(serve: Serve) -> LocalServer:
    return serve(
        DEMO_MODEL,
        *("--reasoning-parser", "qwen3", "--tool-call-parser", "hermes"),
        *("--enable-auto-tool-choice", "--state-key", "a", "--fingerprint", "require"),
    )


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("?stream_state=1", {}),
        ("?a=b&stream_state=true", {}),
        ("", {"X-Render-Stream-State": "1"}),
    ],
)
def test_a_first_state_by_query_or_header(
    server: LocalServer, engine: Serve, query: str, headers: dict[str, str]
) -> None:
    url = f"{server.url}/v1/chat/completions"
    request = {**CHAT_TOOLS, "stream": True, "max_tokens": 40}
    generate = httpx.post(f"{url}/render{query}", json=request, headers=headers).json()
    state = generate.pop("stream_state")
    answers: list[Json] = []
    with httpx.stream("POST", f"{engine().url}/inference/v1/generate", json=generate) as events:
        for line in events.iter_lines():
            if not line.startswith("data: {"):
                continue
            generated = json.loads(line.removeprefix("data: "))
            body = {"stream": True, "generate_chunk": generated, "stream_state": state}
            answer = httpx.post(f"{url}/derender", json=body)
            assert answer.status_code == 200, answer.text
            answers.append(answer.json())
            state = answers[-1]["stream_state"]
    assert joined(answers)["finish_reason"]


@pytest.mark.parametrize(
    ("query", "headers"),
    [("", {}), ("?stream_state=0", {}), ("", {"X-Render-Stream-State": "0"})],
)
def test_no_state_where_none_is_asked_for(
    server: LocalServer, query: str, headers: dict[str, str]
) -> None:
    url = f"{server.url}/v1/chat/completions/render{query}"
    assert "stream_state" not in httpx.post(url, json=CHAT, headers=headers).json()
