"""Chat and completion requests to generate requests: `POST .../render`.

Source of the rules, their order and the answer's keys: vLLM 0.33.0's
`entrypoints/scale_out/render/serving.py` and `renderers/online_renderer.py`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, UnsetType

from .answer import Answer
from .chat_frame import ChatFrame, keep_frame, kept_frame, make_frame
from .chat_prompt import chat_prompt, gives_offsets, template_kwargs
from .common_prefix import prefix_header
from .errors import RequestError, model_not_found
from .fill_in import prompts_of
from .fingerprint_check import suffix
from .generate_request import encode, generate_request, rest_of, with_ids
from .prompt import Prompt, PromptLimits, limit_ids, tokenize
from .protocol.chat import ChatRequest, NamedToolChoice, decode_chat_request
from .protocol.chat_split import split
from .protocol.completion import CompletionRequest, decode_completion_request
from .protocol.fields import invalid
from .protocol.message_shape import history_tool_calls
from .renderers.harmony_chat import HarmonyRenderer
from .renderers.mistral import MistralRenderer, check_mistral_request
from .sampling import Sampling, completion_sampling, max_output_tokens
from .stream_start import chat_state, completion_state

if TYPE_CHECKING:
    from .model import Model

__all__ = ["chat", "check_model", "completion", "template_kwargs"]

Request = ChatRequest | CompletionRequest

_NOT_RANDOM, _VERSION_4 = 0xF000_C000 << 48, 0x4000_8000 << 48


def chat(model: Model, body: bytes, request_id: str | None, *, with_state: bool = False) -> Answer:
    """One generate request. request_id: the X-Request-Id header.

    with_state: beside it the `stream_state` that goes with the first chunk of each choice.
    """
    parts = split(body)
    if parts is not None:
        frame = kept_frame(model, parts.frame)
        if frame is not None and (messages := parts.messages()) is not None:
            answer = _framed_chat(model, frame, messages, request_id, with_state)
            if answer is not None:
                return answer
    request, keep = decode_chat_request(body), None if parts is None else parts.frame
    return answer_chat(model, request, request_id, with_state=with_state, keep=keep)


def _framed_chat(
    model: Model,
    frame: ChatFrame,
    messages: list[dict[str, Any]],
    request_id: str | None,
    with_state: bool,
) -> Answer | None:
    """What `answer_chat` gives for a frame that is known; None where all has to be made anew."""
    prompt = frame.prompt(model, messages)
    check_not_empty(prompt)
    sampling = frame.sampling_for(model, prompt)
    if sampling is None:
        return None
    calls = history_tool_calls(messages)
    ended = frame.whole or _reasoning_ended(model, frame.request, prompt, frame.kwargs)
    if with_state or prompt.offsets is not None:
        answer = _generate(model, frame, prompt, sampling, ended, calls)
        request = frame.with_messages(messages)
        return _answered(model, request, prompt, answer, request_id, with_state)
    key = (sampling.params.get("max_tokens"), calls, ended)
    rest = frame.rest.get(key)
    if rest is None:
        rest = rest_of(_generate(model, frame, prompt, sampling, ended, calls))
        frame.keep_rest(key, rest)
    own_id = _chat_id(model, request_id, frame.request.request_id)
    return Answer(with_ids(own_id, prompt.ids, rest), tokens=len(prompt.ids))


def answer_chat(
    model: Model,
    request: ChatRequest,
    request_id: str | None,
    *,
    with_state: bool = False,
    keep: bytes | None = None,
) -> Answer:
    """The generate request of a chat, whatever door it came by.

    keep: the bytes to keep its frame by.
    """
    _check_chat(model, request)
    tools = None if request.tools is None else msgspec.to_builtins(request.tools)
    kwargs = template_kwargs(model, request)
    prompt = chat_prompt(model, request, tools, kwargs)
    check_not_empty(prompt)
    frame = make_frame(model, request, prompt, tools, kwargs)
    if keep is not None:
        keep_frame(model, keep, frame)
    calls = history_tool_calls(request.messages)
    # A constraint on the whole output is in force from its first token.
    ended = frame.whole or _reasoning_ended(model, request, prompt, kwargs)
    answer = _generate(model, frame, prompt, frame.sampling, ended, calls)
    return _answered(model, request, prompt, answer, request_id, with_state)


def _generate(
    model: Model,
    frame: ChatFrame,
    prompt: Prompt,
    sampling: Sampling,
    ended: bool | None,
    calls: int,
) -> dict[str, Any]:
    """The generate request without an ID. ended: reasoning has. calls: of earlier turns."""
    reasoning = model.outputs.reasoning is not None
    return generate_request(
        frame.request,
        prompt,
        sampling,
        reasoning_ended=ended,
        reasoning_parser_kwargs={"chat_template_kwargs": frame.kwargs} if reasoning else None,
        parse_context={**frame.context, "history_tool_call_cnt": calls},
    )


def _answered(
    model: Model,
    request: ChatRequest,
    prompt: Prompt,
    answer: dict[str, Any],
    request_id: str | None,
    with_state: bool,
) -> Answer:
    headers = prefix_header(model, request.previous_token_ids, [prompt])
    if with_state:
        answer["stream_state"], needs = chat_state(model, request, prompt.ids)
        headers += needs
    body = with_ids(_chat_id(model, request_id, request.request_id), prompt.ids, rest_of(answer))
    return Answer(body, tokens=len(prompt.ids), headers=headers)


def _check_chat(model: Model, request: ChatRequest) -> None:
    check_model(model, request.model)
    _check_beam_search(request)
    if isinstance(model.renderer, MistralRenderer):
        check_mistral_request(request)
    elif not isinstance(model.renderer, HarmonyRenderer):
        _check_tool_choice(model, request)


def completion(
    model: Model, body: bytes, request_id: str | None, *, with_state: bool = False
) -> Answer:
    """A list of generate requests, one for each prompt; with_state: see `chat`."""
    request = decode_completion_request(body)
    check_model(model, request.model)
    _check_beam_search(request)
    given = prompts_of(model, request)
    _check_completion(request)
    limits = _completion_limits(model, request)
    if request.prompt_embeds is not None and request.prompt_embeds != []:
        raise invalid(
            "You must set `--enable-prompt-embeds` to input `prompt_embeds`.", "prompt_embeds"
        )
    base = f"cmpl-{_base_id(request_id, request.request_id)}"
    prompts = [
        tokenize(model, prompt, limits)
        if isinstance(prompt, str)
        else limit_ids(model, prompt, limits)
        for prompt in given
    ]
    if not prompts:
        raise invalid("You must pass at least one prompt", "prompt")
    headers = prefix_header(model, request.previous_token_ids, prompts)
    answers = []
    for index, prompt in enumerate(prompts):
        check_not_empty(prompt)
        max_tokens = max_output_tokens(
            model.generation,
            model.max_model_len,
            request.max_tokens,
            len(prompt.ids),
            request.truncate_prompt_tokens,
        )
        sampling = completion_sampling(request, model.generation, max_tokens)
        own_id = (base if len(prompts) == 1 else f"{base}-{index}") + suffix(model)
        answers.append(generate_request(request, prompt, sampling, request_id=own_id))
    if with_state:
        for answer, prompt in zip(answers, prompts, strict=True):
            answer["stream_state"], needs = completion_state(model, request, prompt.ids)
        headers += needs
    tokens = sum(len(prompt.ids) for prompt in prompts)
    return Answer(encode(answers), tokens=tokens, headers=headers)


def check_model(model: Model, name: str | None) -> None:
    if name and name not in model.names:
        raise model_not_found(name, model.names)


def _base_id(header: str | None, own: str | UnsetType) -> str:
    if header is not None:
        return header
    return _random_id() if own is UNSET else own


def _chat_id(model: Model, header: str | None, own: str | UnsetType) -> str:
    return f"chatcmpl-{_base_id(header, own)}{suffix(model)}"


def _random_id() -> str:
    """`uuid.uuid4().hex` without an object for it, which costs thrice."""
    return f"{int.from_bytes(os.urandom(16)) & ~_NOT_RANDOM | _VERSION_4:032x}"


def _reasoning_ended(
    model: Model, request: ChatRequest, prompt: Prompt, kwargs: dict[str, Any]
) -> bool | None:
    """Whether generation starts behind the reasoning; None leaves that to the engine."""
    if not request.include_reasoning:
        return True
    return model.outputs.reasoning_ended(prompt.ids, kwargs)


def _check_beam_search(request: Request) -> None:
    if request.use_beam_search:
        raise RequestError("Beam search is not supported by the render endpoint")


def check_not_empty(prompt: Prompt) -> None:
    if not prompt.ids:
        raise RequestError("No token_ids rendered")


def _check_tool_choice(model: Model, request: ChatRequest) -> None:
    """Calls can only be asked for where a tool parser reads them."""
    choice = request.tool_choice
    if choice in (None, "none") or model.outputs.tool is not None:
        return
    if choice == "auto":
        raise RequestError(
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
        )
    wanted = f'"{choice}"'
    if isinstance(choice, NamedToolChoice):
        wanted = f'function "{choice.function.name}"'
    raise RequestError(f"tool_choice={wanted} requires --tool-call-parser to be set")


def _check_completion(request: CompletionRequest) -> None:
    embeds = request.prompt_embeds is not None
    if request.echo and embeds:
        raise RequestError("Echo is unsupported with prompt embeds.")
    if request.prompt_logprobs is not None and embeds:
        raise RequestError("prompt_logprobs is not compatible with prompt embeds.")


def _completion_limits(model: Model, request: CompletionRequest) -> PromptLimits:
    return PromptLimits(
        max_model_len=model.max_model_len,
        max_tokens=request.max_tokens or 0,
        truncate=request.truncate_prompt_tokens,
        side=request.truncation_side,
        add_special_tokens=request.add_special_tokens,
        offsets=gives_offsets(model, request),
    )
