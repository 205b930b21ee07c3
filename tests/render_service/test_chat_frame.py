"""A request whose frame is known is answered as if it were not: each of the corpus, with the
messages of others, and refused where they are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from render_service import render
from render_service.chat_frame import kept_frame
from render_service.corpus.chats import chat_cases
from render_service.corpus.conversations import CONVERSATIONS
from render_service.errors import RequestError
from render_service.loading import load_model
from render_service.model import Model
from render_service.protocol.chat_split import split
from render_service.request_cache import RequestCache
from render_service.settings import Settings

HI = [{"role": "user", "content": "Hi"}]
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
MESSAGES: list[Any] = [*(request["messages"] for request in CONVERSATIONS.values()), HI * 60]
MESSAGES += [[], None, "x", [{"role": 1}], [{"content": "Hi"}], [{"role": "user", "content": {}}]]
MESSAGES += [[{"role": "tool", "content": "no ID"}], [{"role": "user", "content": [{"type": "x"}]}]]
PARSERS = {"reasoning_parser": "qwen3", "tool_call_parser": "hermes"}


@pytest.fixture(scope="module", params=[{}, {"enable_auto_tool_choice": True, **PARSERS}])
def model(request: pytest.FixtureRequest) -> Model:
    return load_model(Settings(**request.param))


def outcome(model: Model, body: bytes) -> tuple[Any, ...]:
    try:
        answer = render.chat(model, body, "r")
    except RequestError as error:
        return error.status, error.body()
    return answer.body, answer.tokens, answer.headers


def written(value: Any) -> bytes:
    return json.dumps(value).encode()


def known(model: Model, body: bytes) -> bool:
    parts = split(body)
    return parts is not None and kept_frame(model, parts.frame) is not None


def twice(model: Model, body: dict[str, Any]) -> bytes:
    """The body, after which its frame is known if it is one to keep."""
    raw = written(body)
    for _ in range(2):
        outcome(model, raw)
    return raw


FRAMES = {
    case.name: {name: value for name, value in case.body.items() if name != "messages"}
    for case in chat_cases()
    if isinstance(case.body, dict)
}


@pytest.mark.parametrize("name", FRAMES)
def test_the_answer_is_the_same(model: Model, name: str) -> None:
    frame = FRAMES[name]
    twice(model, {"messages": HI, **frame})
    for number, messages in enumerate(MESSAGES):
        if number % 40 == len(name) % 40 or number > len(CONVERSATIONS):
            body = written({"messages": messages, **frame})
            fresh = replace(model, requests=RequestCache(0))
            assert outcome(model, body) == outcome(fresh, body), messages


def test_most_frames_are_kept(model: Model) -> None:
    fresh = replace(model, requests=RequestCache())
    kept = sum(known(fresh, twice(fresh, {**frame, "messages": HI})) for frame in FRAMES.values())
    assert kept > len(FRAMES) / 4


@pytest.mark.parametrize("max_tokens", [None, 0, 1, 15, 16, 17, 10**6])
@pytest.mark.parametrize("words", [1, 15, 1000, 10**5])
def test_output_tokens_are_those_that_the_prompt_leaves(
    model: Model, max_tokens: int | None, words: int
) -> None:
    frame = {"tools": [TOOL], "max_tokens": max_tokens, "min_tokens": 1}
    twice(model, {**frame, "messages": HI})
    body = written({**frame, "messages": [{"role": "user", "content": "word " * words}]})
    assert outcome(model, body) == outcome(replace(model, requests=RequestCache(0)), body)


def fields(**more: Any) -> dict[str, Any]:
    return {"messages": HI, **more}


@pytest.mark.parametrize(
    "body",
    [
        fields(kv_transfer_params={"prompt_token_ids": [1, 2]}),
        fields(previous_token_ids=[1, 2]),
        fields(max_tokens=-1),
        fields(vllm_xargs={"a": 2**70}),
        fields(tool_choice="required"),
    ],
)
def test_some_are_not_kept(model: Model, body: dict[str, Any]) -> None:
    assert not known(model, twice(model, body))


@pytest.mark.parametrize(
    "change", ["{% set t.name %}new{% endset %}", "{{ t.parameters.required | indent }}"]
)
def test_a_template_changes_nothing_for_others(change: str) -> None:
    """Jinja lets it set an item of a mapping by a block, and `indent` adds to a list."""
    change = "{% if messages[0].content == 'change' %}" + change + "{% endif %}"
    tools = "{% for tool in tools %}{% set t = tool.function %}{{ t.name ~ t.parameters }}"
    model = load_model(Settings(chat_template=tools + change + "{% endfor %}"))
    function = {"name": "weather", "parameters": {"type": "object", "required": ["city"]}}
    frame = fields(tools=[{"type": "function", "function": function}], tool_choice="none")
    first = outcome(model, twice(model, frame))
    outcome(model, written({**frame, "messages": [{"role": "user", "content": "change"}]}))
    assert outcome(model, written(frame)) == first


def test_one_that_came_once_is_not_kept() -> None:
    model = load_model(Settings())
    raw = written(fields(seed=1))
    render.chat(model, raw, None)
    assert not known(model, raw)
    render.chat(model, raw, None)
    assert known(model, raw)


def test_frames_are_bounded_in_bytes() -> None:
    model = replace(load_model(Settings()), requests=RequestCache(1 << 20))
    raws = [
        twice(model, fields(user=str(number), tools=[TOOL] * 9, tool_choice="none"))
        for number in range(200)
    ]
    found = [known(model, raw) for raw in raws]
    assert (found[0], found[-1]) == (False, True)
    assert sum(found) > 10


def spelled(*parts: bytes) -> bytes:
    return b"".join(parts)


SPELLINGS: list[Callable[[bytes], bytes]] = [
    lambda m: spelled(b'{"messages":', m, b"}"),
    lambda m: spelled(b' {\n"messages" : ', m, b' , "seed":1}\n'),
    lambda m: spelled(b'{"messages":[],"messages":', m, b"}"),
    lambda m: spelled(b'{"user":', m[:-1] + b"]", b',"messages":', m, b"}"),
    lambda m: spelled(b'{"metadata":', m, b',"messages":', m, b"}"),
    lambda m: spelled(b'{"messages":', m, b',"metadata":', m, b"}"),
    lambda m: spelled(
        b'{"metadata":{"messages":', m, b'},"messages":[{"role":"user","content":"a"}]}'
    ),
    lambda m: spelled(b'{"\\u006dessages":', m, b"}"),
    lambda m: spelled(b'{"messages":', m, b',"metadata":"', b"\\u0000", b'"}'),
    lambda m: spelled(b'{"messages":', m, b"} trailing"),
    lambda m: spelled(b'{"messages":', m, b',"seed":1e999}'),
    lambda m: spelled(b'{"messages":', m, b',"user":"\xff"}'),
]


VALID = len(SPELLINGS) - 3  # the last ones are refused


@pytest.mark.parametrize("spelling", range(len(SPELLINGS)))
def test_a_body_is_split_where_its_messages_are(model: Model, spelling: int) -> None:
    spell = SPELLINGS[spelling]
    texts = ["a", "Hi", "Hi]", "\\", '"', "[[" * 200, "\0"]
    bodies = [spell(written([{"role": "user", "content": text}])) for text in texts]
    for body in (*bodies[:1] * 2, *bodies):
        parts = split(body)
        if parts is not None:
            if spelling < VALID:
                read = msgspec.json.decode(body)["messages"]
                assert msgspec.json.decode(parts.value) == read
            assert parts.frame.replace(b"\0", parts.value) == body
        assert outcome(model, body) == outcome(replace(model, requests=RequestCache(0)), body)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"messages"', b"\xff", b'{"messages":' + b"[" * 9999]
)
def test_what_has_no_messages_is_not_split(body: bytes) -> None:
    assert split(body) is None


@pytest.mark.parametrize("levels", [125, 126, 127])
def test_nesting_counts_from_the_body(model: Model, levels: int) -> None:
    name = b'[{"role":"user","content":"Hi","x":' + b"[" * levels + b"]" * levels + b"}]"
    bodies = [b'{"messages":' + value + b"}" for value in (written(HI), name)]
    for body in (*bodies[:1] * 2, *bodies):
        assert outcome(model, body) == outcome(replace(model, requests=RequestCache(0)), body)
