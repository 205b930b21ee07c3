"""OpenAI Responses requests to generate requests: `POST /v1/responses/render`.

Rule: a Responses request is a chat request in other words. Here it is put into those words, with
what vLLM does otherwise for it. Source: vLLM 0.33.0's `render_responses_request`
(`entrypoints/scale_out/render/serving.py`) and `openai/responses/protocol.py`.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from .answer import Answer
from .call_constraints import holds_calls
from .chat_prompt import (
    chat_prompt,
    check_template_trust,
    prompt_limits,
    reasoning_effort,
    template_kwargs,
)
from .chat_sampling import constrained_sampling
from .common_prefix import prefix_header
from .errors import RequestError
from .fingerprint_check import suffix
from .generate_request import encode, generate_request
from .prompt import Prompt, limit_ids
from .protocol.chat import ChatRequest
from .protocol.fields import StructuredOutputs, invalid
from .protocol.response_tools import function_tools
from .protocol.responses import (
    LOGPROBS,
    JsonFormat,
    ResponsesRequest,
    SchemaFormat,
    decode_responses_request,
)
from .render import check_model, check_not_empty
from .renderers.harmony_chat import HarmonyRenderer
from .renderers.harmony_responses import responses_prompt
from .response_input import chat_messages, is_unfinished
from .stream_start import chat_state

if TYPE_CHECKING:
    from .model import Model


_NAMES = """
temperature top_p top_k min_p presence_penalty frequency_penalty repetition_penalty seed
stop_token_ids include_stop_str_in_output ignore_eos skip_special_tokens
spaces_between_special_tokens watermarking logit_bias top_logprobs stream chat_template_kwargs
media_io_kwargs mm_processor_kwargs priority cache_salt kv_transfer_params ec_transfer_params
vllm_xargs parallel_tool_calls model
"""
_SAME = _NAMES.split()
"""Fields that mean the same in a chat."""


MAX_TOKENS = "max_output_tokens"


def responses(
    model: Model, body: bytes, request_id: str | None, *, with_state: bool = False
) -> Answer:
    """One generate request. request_id: not used, as in vLLM; the body may hold one.

    with_state: beside it the state that a stream of its output begins with, as a chat's.
    """
    request = decode_responses_request(body)
    given = request.body
    check_model(model, given.model)
    if given.previous_response_id is not None:
        raise RequestError(
            "previous_response_id is not supported by the stateless render endpoint.",
            type="invalid_request_error",
            param="previous_response_id",
        )
    check_template_trust(model, None, given.chat_template_kwargs)
    chat = as_chat(request, harmony=isinstance(model.renderer, HarmonyRenderer))
    kwargs = template_kwargs(model, chat)
    prompt = _prompt(model, request, chat, kwargs)
    check_not_empty(prompt)
    constrained, sampling = constrained_sampling(
        model, chat, prompt, response=True, text_format=request.format is not None
    )
    _check_constraint(model, request, chat, constrained.request)
    own_id = f"resp_{uuid.uuid4().hex}" if given.request_id is UNSET else given.request_id
    reasoning = model.outputs.reasoning is not None
    answer = generate_request(
        chat,
        prompt,
        sampling,
        request_id=own_id + suffix(model),
        reasoning_parser_kwargs={"chat_template_kwargs": kwargs} if reasoning else None,
    )
    headers = prefix_header(model, given.previous_token_ids, [prompt])
    if with_state:
        answer["stream_state"], needs = chat_state(model, chat, prompt.ids)
        headers += needs
    return Answer(encode(answer), tokens=len(prompt.ids), headers=headers)


def _prompt(
    model: Model, request: ResponsesRequest, chat: ChatRequest, kwargs: dict[str, Any]
) -> Prompt:
    if isinstance(model.renderer, HarmonyRenderer):
        ids = responses_prompt(model.renderer, request, reasoning_effort(model, chat))
        return limit_ids(model, ids, prompt_limits(model, chat, MAX_TOKENS))
    tools = None if chat.tools is None else msgspec.to_builtins(chat.tools)
    choice = request.body.tool_choice if request.body.tools else None
    return chat_prompt(model, chat, tools, kwargs, MAX_TOKENS, choice)


def as_chat(request: ResponsesRequest, *, harmony: bool = False) -> ChatRequest:
    """The same in a chat's words. RequestError (400) for input that no chat has.

    harmony: without the messages, which are not written as a chat's.
    """
    given = request.body
    proceed = is_unfinished(request.input)
    return ChatRequest(
        messages=[] if harmony else chat_messages(given.instructions, request.input),
        tools=function_tools(request.tools) if given.tools else None,
        tool_choice=request.tool_choice,
        max_completion_tokens=given.max_output_tokens,
        truncate_prompt_tokens=None if given.truncation == "disabled" else -1,
        add_special_tokens=True,
        add_generation_prompt=not proceed,
        continue_final_message=proceed,
        reasoning_effort=None if given.reasoning is None else given.reasoning.effort,
        structured_outputs=_constraint(request),
        stop=given.stop or None,
        logprobs=LOGPROBS in (given.include or ()),
        **{name: getattr(given, name) for name in _SAME},
    )


def _constraint(request: ResponsesRequest) -> StructuredOutputs | None:
    wanted = request.format
    if isinstance(wanted, JsonFormat):
        return StructuredOutputs(json_object=True)
    if isinstance(wanted, SchemaFormat):
        return StructuredOutputs(json=wanted.schema)
    return request.body.structured_outputs


def _check_constraint(
    model: Model, request: ResponsesRequest, chat: ChatRequest, constrained: ChatRequest
) -> None:
    """Refuse what no output could satisfy."""
    if chat.tool_choice == "required" and not chat.tools and holds_calls(model.settings):
        raise invalid(
            "tool_choice requires a function call, but tools contains no "
            "function tool the model can call.",
            "tool_choice",
        )
    own, held = request.body.structured_outputs, constrained.structured_outputs
    # A JSON schema of calls is a text format in vLLM, which does not take its place.
    added = held is not None and held is not own and held.structural_tag is None
    if own is not None and (added or request.format is not None):
        raise invalid(
            "Cannot specify both structured_outputs and text.format", "structured_outputs"
        )
