"""Targets of request bodies: each decoder by itself, each endpoint as a whole, and states."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import orjson

from render_service import derender
from render_service.endpoints import ENDPOINTS
from render_service.errors import RequestError
from render_service.loading import DEMO_MODEL
from render_service.protocol import derender as wire
from render_service.protocol.anthropic import decode_messages_request
from render_service.protocol.chat import decode_chat_request
from render_service.protocol.completion import decode_completion_request
from render_service.protocol.decode import decode
from render_service.protocol.responses import decode_responses_request
from render_service.protocol.tokenize import decode_detokenize_request, decode_tokenize_request
from tests.render_service.altered_states import states_of
from tests.render_service.derender_client import (
    CALL,
    CHAT,
    CHAT_TOOLS,
    REASONED,
    chunk,
    ids_of,
    parsed_demo,
    prompt_of,
)
from tests.render_service.door_bodies import MESSAGES, RESPONSES

from .target import Target

Json = dict[str, Any]
LARGEST_STATE = 64 << 10
"""Bytes of a state that comes of one of at most 8 KiB and a chunk as large."""
CALLED: Json = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Weather? <|im_end|>"}]},
        {
            "role": "assistant",
            "reasoning": "Hm.",
            "content": None,
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c", "content": "18"},
    ],
    "tools": CHAT_TOOLS["tools"],
    "tool_choice": {"type": "function", "function": {"name": "get_weather"}},
    "chat_template_kwargs": {"enable_thinking": False},
    "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}},
    "stop": ["a"],
    "logit_bias": {"5": -1},
    "temperature": 0.5,
    "max_completion_tokens": 5,
    "stream_options": {"include_usage": True},
    "logprobs": True,
    "top_logprobs": 2,
}
PROMPTS: tuple[Json, ...] = (
    {"prompt": "Hi", "max_tokens": 5, "stop": "x", "seed": 1, "echo": True, "logprobs": 1},
    {"prompt": [[1, 2], [3]]},
    {"prompt": ["a", "b"], "n": 2, "best_of": 2, "structured_outputs": {"regex": "a+"}},
)
TEMPLATES = (
    "{% for m in messages %}{{ m.role }}: {{ m['content'] | trim }}\n{% endfor %}",
    "{% set ns = namespace(a=1) %}{% macro f(x) %}{{ x | tojson(indent=2) }}{% endmacro %}"
    "{{ f(tools) }}{% generation %}{{ messages[-1].content }}{% endgeneration %}",
    "{{ raise_exception('no') }}{% if tools is defined %}{{ strftime_now('%Y') }}{% endif %}",
)
JINJA = tuple(
    b"{{ }} {% %} {# #} if endif for endfor set macro endmacro in is not defined none messages "
    b"tools [0] [-1] .content .role |tojson |length |trim |join |map('upper') |list |items "
    b"loop.index .__class__ .format( namespace( raise_exception( - ~ () % {%- -%} break "
    b"continue self".split()
)


def _words(*bodies: Json) -> list[bytes]:
    """Every key of the bodies."""
    text = b" ".join(orjson.dumps(body) for body in bodies)
    return sorted(set(re.findall(rb'"\w+":', text)))


def outcome(error: Exception) -> str:
    """The wording of a refusal, without what it cites of the input."""
    return re.sub(r"""'.*'|".*"|`.*`|\d+|[^\x20-\x7e]""", "", str(error))[:80]


def refusing(function: Callable[[bytes], object]) -> Callable[[bytes], str]:
    """The function as a target: an answer, or a RequestError that says why."""

    def run(data: bytes) -> str:
        try:
            function(data)
        except RequestError as error:
            if not 400 <= error.status < 500:
                raise
            error.body()
            return (
                f"{error.status} {error.param and outcome(Exception(error.param))} {outcome(error)}"
            )
        return "200"

    return run


def _target(
    function: Callable[[bytes], object], *seeds: Json, words: Sequence[bytes] = ()
) -> Target:
    keys = [*_words(*seeds), *words]
    return Target(refusing(function), [orjson.dumps(seed) for seed in seeds], keys)


def decoders() -> dict[str, Target]:
    whole, streamed = _outputs()
    return {
        "decode-chat": _target(decode_chat_request, CALLED, CHAT_TOOLS),
        "decode-completion": _target(decode_completion_request, *PROMPTS),
        "decode-responses": _target(decode_responses_request, RESPONSES),
        "decode-messages": _target(decode_messages_request, {**MESSAGES}),
        "decode-tokenize": _target(decode_tokenize_request, CALLED, {"prompt": "Hi"}),
        "decode-detokenize": _target(decode_detokenize_request, {"tokens": [1, 2]}),
        "decode-derender-chat": _target(partial(decode, wire.chat_decoder), whole, streamed),
        "decode-derender-completion": _target(
            partial(decode, wire.completion_decoder), whole, streamed
        ),
    }


def endpoints() -> dict[str, Target]:
    """All of an endpoint: decoder, template, tokenizer, detokenizer, parser, encoder."""
    model = parsed_demo()
    whole, streamed = _outputs()
    seeds: dict[str, tuple[Json, ...]] = {
        "/v1/chat/completions/render": (CALLED, CHAT_TOOLS, CHAT),
        "/v1/completions/render": PROMPTS,
        "/v1/responses/render": (RESPONSES,),
        "/v1/messages/render": ({**MESSAGES, "model": str(DEMO_MODEL)},),
        "/v1/chat/completions/derender": (whole, streamed),
        "/v1/completions/derender": (
            {"generate_responses": [whole["generate_response"]], "completion_request": PROMPTS[0]},
            {**streamed, "completion_request": PROMPTS[0]},
        ),
        "/tokenize": (CALLED, {"prompt": "Hi"}),
        "/detokenize": ({"tokens": [1, 2]},),
    }
    found = {}
    for endpoint in ENDPOINTS:
        name = endpoint.path.removeprefix("/v1").strip("/").replace("/", "-")

        def answer(data: bytes, function: Any = endpoint.function) -> None:
            orjson.loads(function(model, data, None).body)

        found[name] = _target(answer, *seeds[endpoint.path])
    return found


def templates() -> dict[str, Target]:
    """A client's own template, the input of a request that is fixed."""
    model = parsed_demo(trust_request_chat_template=True)

    def render(data: bytes) -> None:
        body = {**CALLED, "chat_template": data.decode(errors="replace")}
        ENDPOINTS[0].function(model, orjson.dumps(body), None)

    return {"template": Target(refusing(render), [text.encode() for text in TEMPLATES], JINJA)}


def states() -> dict[str, Target]:
    """A chunk with a client's state: of a server without a key, with one, and in vLLM's form."""
    kinds: dict[str, Json] = {
        "state": {},
        "state-signed": {"state_key": ("a key",)},
        "state-vllm": {"stream_state_format": "vllm"},
    }
    return {name: _state_target(settings) for name, settings in kinds.items()}


def _state_target(settings: Json) -> Target:
    model = parsed_demo(**settings)
    head = orjson.dumps(
        {"stream": True, "generate_chunk": chunk([65, 60]), "chat_request": CHAT_TOOLS}
    )

    def resume(data: bytes) -> None:
        answer = derender.chat(model, head[:-1] + b',"stream_state":' + data + b"}", None)
        state = orjson.loads(answer.body)["stream_state"]
        assert len(orjson.dumps(state)) < LARGEST_STATE

    return _target(resume, *states_of(model)[::7])


def _outputs() -> tuple[Json, Json]:
    """Bodies of the whole answer and of one chunk, for the demo model."""
    model = parsed_demo()
    ids = ids_of(model, REASONED + CALL)
    tops = {"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": []}
    part = chunk(ids, "stop", logprobs={"content": [tops]})
    head = {"chat_request": CHAT_TOOLS, "prompt_token_ids": prompt_of(model)}
    return (
        {**head, "generate_response": part},
        {**head, "stream": True, "generate_chunk": part, "stream_state": None},
    )
