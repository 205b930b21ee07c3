"""Rendering on the bundled demo model: what test_render_golden.py cannot record."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from render_service import render
from render_service.adjust import keeps_special_tokens
from render_service.errors import RequestError
from render_service.loading import load_model
from render_service.model import Model
from render_service.protocol.chat import ChatRequest, decode_chat_request
from render_service.protocol.completion import CompletionRequest
from render_service.request_cache import RequestCache
from render_service.settings import Settings
from render_service.template_source import ChatTemplates

from .json_values import bodies, values

HI = [{"role": "user", "content": "Hi"}]
TOOL = {"type": "function", "function": {"name": "weather"}}
PARSERS = {
    "enable_auto_tool_choice": True,
    "tool_call_parser": "hermes",
    "reasoning_parser": "qwen3",
}


@lru_cache(maxsize=8)
def _model(**given: Any) -> Model:
    return load_model(Settings(**given))


def model(**given: Any) -> Model:
    return _model(**given)


def chat(of: Model, header: str | None = None, **fields: Any) -> dict[str, Any]:
    body = json.dumps({"messages": HI, **fields}).encode()
    answer = render.chat(of, body, header)
    found: dict[str, Any] = json.loads(answer.body)
    assert answer.tokens == len(found["token_ids"])
    return found


def complete(of: Model, header: str | None = None, **fields: Any) -> list[dict[str, Any]]:
    body = json.dumps({"prompt": "Hi", **fields}).encode()
    answer = render.completion(of, body, header)
    found: list[dict[str, Any]] = json.loads(answer.body)
    assert answer.tokens == sum(len(item["token_ids"]) for item in found)
    return found


def refused(of: Model, **fields: Any) -> RequestError:
    with pytest.raises(RequestError) as caught:
        chat(of, **fields)
    return caught.value


def test_request_ids() -> None:
    of = model(fingerprint="off")
    assert chat(of, "header", request_id="body")["request_id"] == "chatcmpl-header"
    assert chat(of, request_id="body")["request_id"] == "chatcmpl-body"
    assert chat(of, request_id="")["request_id"] == "chatcmpl-"
    assert len(chat(of)["request_id"]) == len("chatcmpl-") + 32
    assert chat(of)["request_id"] != chat(of)["request_id"]
    one, two = complete(of, "x", prompt=["a", "b"])
    assert (one["request_id"], two["request_id"]) == ("cmpl-x-0", "cmpl-x-1")
    assert complete(of, "x")[0]["request_id"] == "cmpl-x"


def test_request_ids_end_with_the_fingerprint() -> None:
    of = model()
    end = f"-rf{of.fingerprint.value}"
    assert chat(of, "header")["request_id"] == f"chatcmpl-header{end}"
    one, two = complete(of, "x", prompt=["a", "b"])
    assert (one["request_id"], two["request_id"]) == (f"cmpl-x-0{end}", f"cmpl-x-1{end}")
    assert complete(of, "x")[0]["request_id"] == f"cmpl-x{end}"


def test_the_prompt_is_the_template_and_the_tokenizer() -> None:
    of = model()
    found = chat(of, messages=[{"role": "user", "content": "Good morning"}])
    text = of.tokenizer.decode(found["token_ids"], skip_special_tokens=False)
    assert "Good morning" in text
    assert found["token_ids"] == of.tokenizer.encode(text, add_special_tokens=False)
    assert found["sampling_params"]["max_tokens"] == of.max_model_len - len(found["token_ids"])


def test_offsets_point_into_the_text() -> None:
    of = model()
    found = complete(of, prompt="Good morning", return_token_offsets=True)[0]
    pieces = ["Good morning"[start:end] for start, end in found["token_offsets"]]
    assert "".join(pieces) == "Good morning"


def test_tools_are_left_out_where_none_may_be_called() -> None:
    tools = {"tools": [TOOL], "tool_choice": "none"}
    shown, hidden = model(), model(exclude_tools_when_tool_choice_none=True)
    assert len(chat(shown, **tools)["token_ids"]) > len(chat(hidden, **tools)["token_ids"])
    assert chat(hidden, **tools)["parse_context"]["tools"] is not None


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("auto", '"auto" tool choice requires'),
        ("required", 'tool_choice="required" requires'),
        ({"function": {"name": "weather"}}, 'tool_choice=function "weather" requires'),
    ],
)
def test_calls_need_a_tool_parser(choice: Any, words: str) -> None:
    assert words in refused(model(), tools=[TOOL], tool_choice=choice).message
    assert chat(model(**PARSERS), tools=[TOOL], tool_choice=choice)


def test_reasoning_of_the_prompt() -> None:
    of = model(**PARSERS)
    assert chat(of)["reasoning_ended"] is False
    assert chat(of, include_reasoning=False)["reasoning_ended"] is True
    assert chat(of, chat_template_kwargs={"enable_thinking": False})["reasoning_ended"] is True
    assert chat(model())["reasoning_ended"] is None
    assert chat(model())["reasoning_parser_kwargs"] is None
    assert chat(model(), include_reasoning=False)["reasoning_ended"] is True


def test_template_arguments() -> None:
    defaults = {"enable_thinking": False, "style": "brief"}
    of = load_model(
        Settings(default_chat_template_kwargs=defaults, reasoning_effort_map={"low": "medium"})
    )
    request = decode_chat_request(
        json.dumps(
            {
                "messages": HI,
                "reasoning_effort": "low",
                "chat_template_kwargs": {"style": None, "extra": "auto", "add": 1},
                "documents": [],
            }
        ).encode()
    )
    assert render.template_kwargs(of, request) == {
        "enable_thinking": True,
        "style": "brief",
        "cohere_format": "cmd4",
        "add": 1,
        "add_generation_prompt": True,
        "continue_final_message": False,
        "documents": [],
        "reasoning_effort": "medium",
    }


def test_template_of_the_request() -> None:
    trusting = model(trust_request_chat_template=True)
    template = "{{ messages[0].content }}"
    assert "untrusted" in refused(model(), chat_template=template).message
    assert "untrusted" in refused(model(), chat_template_kwargs={"chat_template": "x"}).message
    plain = trusting.tokenizer.encode("Hi", add_special_tokens=False)
    assert chat(trusting, chat_template=template)["token_ids"] == plain
    by_argument = {"chat_template_kwargs": {"chat_template": template}}
    assert chat(trusting, **by_argument)["token_ids"] == plain
    assert refused(trusting, chat_template="{% if").status == 400


def test_the_operators_template_wins_over_an_argument() -> None:
    of = model(trust_request_chat_template=True, chat_template="{{ messages[0].content }}")
    found = chat(of, chat_template_kwargs={"chat_template": "other"})
    assert found["token_ids"] == of.tokenizer.encode("Hi", add_special_tokens=False)


def test_prompt_of_an_earlier_step() -> None:
    of = model()
    found = chat(of, kv_transfer_params={"prompt_token_ids": [5, 6], "k": 1})
    assert found["token_ids"] == [5, 6]
    assert found["kv_transfer_params"] == {"k": 1}
    echoed = chat(of, echo=True, kv_transfer_params={"prompt_token_ids": [5, 6]})
    assert echoed["token_ids"] != [5, 6]
    assert refused(of, kv_transfer_params={"prompt_token_ids": [True]}).status == 400
    assert (
        "out of vocabulary" in refused(of, kv_transfer_params={"prompt_token_ids": [10**6]}).message
    )


def test_numbers_beyond_64_bits_are_written() -> None:
    assert chat(model(), top_k=2**70)["sampling_params"]["top_k"] == 2**70


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"suffix": "x", "echo": True}, "Echo is unsupported with suffix"),
        ({"suffix": "x", "prompt_embeds": "A"}, "suffix is not supported with prompt_embeds"),
        ({"suffix": "x", "truncate_prompt_tokens": 1}, "truncate_prompt_tokens"),
        ({"suffix": "x", "prompt": [5]}, "suffix requires text"),
        ({"suffix": "x"}, "FIM"),
        ({"echo": True, "prompt_embeds": "A"}, "Echo is unsupported"),
        ({"prompt_logprobs": 1, "prompt_embeds": "A"}, "not compatible"),
        ({"prompt_embeds": "A"}, "--enable-prompt-embeds"),
        ({"prompt": []}, "at least one prompt"),
        ({"prompt": [[]]}, "No token_ids"),
        ({"use_beam_search": True}, "Beam search"),
        ({"echo": True, "suffix": ""}, "Echo is unsupported with suffix"),
        ({"model": "nobody"}, "does not exist"),
    ],
)
def test_refused_completions(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(RequestError, match=words):
        complete(model(), **fields)


@pytest.mark.parametrize(
    ("tool", "reasoning", "fields", "kept"),
    [
        (None, None, {}, False),
        (None, "qwen3", {}, True),
        (None, "deepseek_r1", {}, False),
        ("hermes", None, {}, False),
        ("hermes", None, {"tools": [TOOL]}, True),
        ("hermes", None, {"tools": [TOOL], "tool_choice": "none"}, False),
        ("hermes", None, {"tool_choice": None}, False),
        ("qwen3_xml", None, {"tools": [TOOL]}, True),
        ("qwen3_xml", None, {}, False),
        ("qwen3_xml", "deepseek_r1", {}, True),
        ("llama3_json", None, {"tools": [TOOL]}, False),
    ],
)
def test_parsers_keep_special_tokens(
    tool: str | None, reasoning: str | None, fields: dict[str, Any], kept: bool
) -> None:
    request = decode_chat_request(json.dumps({"messages": HI, **fields}).encode())
    given = Settings(
        tool_call_parser=tool, enable_auto_tool_choice=True, reasoning_parser=reasoning
    )
    assert keeps_special_tokens(given, request) is kept
    assert not keeps_special_tokens(Settings(tool_call_parser=tool), request)


def outcome(endpoint: Any, body: Any) -> Any:
    """The JSON of the answer, or the error's."""
    of = model(**PARSERS, trust_request_chat_template=True)
    try:
        return json.loads(endpoint(of, json.dumps(body).encode(), None).body)
    except RequestError as error:
        refusal = error
    assert 400 <= refusal.status < 500
    return json.loads(refusal.body())


@settings(max_examples=150, deadline=None)
@given(bodies(list(ChatRequest.__struct_fields__), {"messages": HI}))
def test_any_chat_is_answered(body: dict[str, Any]) -> None:
    found = outcome(render.chat, body)
    assert found.get("token_ids") or found["error"]["message"]


@settings(max_examples=150, deadline=None)
@given(bodies(list(CompletionRequest.__struct_fields__), {"prompt": "Hi"}))
def test_any_completion_is_answered(body: dict[str, Any]) -> None:
    found = outcome(render.completion, body)
    assert isinstance(found, list) or found["error"]["message"]


@settings(max_examples=100, deadline=None)
@given(values, values)
def test_any_message_is_answered(content: Any, calls: Any) -> None:
    for role in ("user", "assistant", "tool", "critic"):
        message = {"role": role, "content": content, "tool_calls": calls}
        found = outcome(render.chat, {"messages": [message]})
        assert found.get("token_ids") or found["error"]["message"]


def test_fields_are_those_of_vllm() -> None:
    """Both requests have the fields that they share under one name and default."""
    both = ChatRequest.__struct_fields__, CompletionRequest.__struct_fields__
    shared = set(both[0]) & set(both[1])
    assert len(shared) > 40
    chat_fields, completion_fields = (
        {field.name: field.default for field in msgspec.structs.fields(of)}
        for of in (ChatRequest, CompletionRequest)
    )
    differ = {name for name in shared if chat_fields[name] != completion_fields[name]}
    assert differ == {"max_tokens", "logprobs", "add_special_tokens"}


@pytest.mark.parametrize(
    ("names", "said"), [(("pets",), "pets"), (("a", "b"), "a"), ((), "The served model")]
)
def test_an_image_is_refused_with_the_served_name(names: tuple[str, ...], said: str) -> None:
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    error = refused(model(served_model_name=names), messages=[{"role": "user", "content": [part]}])
    assert error.message == f"{said} is not a multimodal model"
    assert (error.status, error.type, error.param) == (400, "BadRequestError", None)


def test_faults_of_messages_come_before_a_missing_template() -> None:
    bare = replace(model(), templates=ChatTemplates({}, special_tokens={}), requests=RequestCache())
    assert refused(bare).message.startswith("As of transformers v4.44")
    picture = {"type": "image_url", "image_url": {"url": "http://a"}}
    error = refused(bare, messages=[{"role": "user", "content": [picture]}])
    assert error.message.endswith("not a multimodal model")
