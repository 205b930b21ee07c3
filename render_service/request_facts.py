"""What derendering needs of the original request: flags and parser context, never messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import parsers

from .chat_prompt import template_kwargs
from .errors import RequestError
from .logprobs import chat_top_limit, completion_top_limit
from .protocol.chat import ChatRequest, NamedToolChoice, decode_chat_request
from .protocol.completion import CompletionRequest, decode_completion_request
from .protocol.derender import given
from .protocol.message_shape import history_tool_calls
from .request_cache import footprint
from .stop import StopRules
from .tool_call_id import numbers_calls

if TYPE_CHECKING:
    from msgspec import Raw

    from .model import Model


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """top_limit: logprob candidates kept, None for all. named_tool: tool_choice names a tool.

    forces_calls: tool_choice is `required` or names a tool. context: what parsing needs.
    numbered_from: calls the conversation had before, for models that number them; else None.
    request: the chat request as it came, where the parser reads it itself.
    memory: bytes that it holds, for the caches.
    """

    stop: StopRules = field(default_factory=StopRules)
    skip_special_tokens: bool = True
    spaces_between_special_tokens: bool = True
    return_token_ids: bool = False
    include_reasoning: bool = True
    top_limit: int | None = None
    named_tool: bool = False
    forces_calls: bool = False
    context: parsers.Context = field(default_factory=parsers.Context)
    numbered_from: int | None = None
    request: bytes = b""
    memory: int = field(default=0, compare=False)


# vLLM's behaviour where the caller sent no request.
NO_REQUEST = RequestFacts()


def chat_facts(model: Model, raw: Raw) -> RequestFacts | None:
    """The facts of `chat_request`, None where it was not sent."""
    if not given(raw):
        return None

    def build(data: bytes) -> tuple[RequestFacts, int]:
        with _at("chat_request"):
            request = decode_chat_request(data)
        facts = facts_of_chat(model, request)
        if model.outputs.reads_request:
            facts = replace(facts, request=data)
        return sized(facts)

    return model.requests.get("chat", bytes(raw), build)


def completion_facts(model: Model, raw: Raw) -> RequestFacts | None:
    """The facts of `completion_request`, None where it was not sent."""
    if not given(raw):
        return None

    def build(data: bytes) -> tuple[RequestFacts, int]:
        with _at("completion_request"):
            request = decode_completion_request(data)
        return sized(facts_of_completion(request))

    return model.requests.get("completion", bytes(raw), build)


def sized(facts: RequestFacts) -> tuple[RequestFacts, int]:
    """The facts with their `memory`, and that again for the cache of requests."""
    context = facts.context
    tools = [(tool.name, tool.parameters) for tool in context.tools]
    stop = facts.stop
    memory = footprint(
        tools,
        context.named_tool,
        dict(context.template_kwargs),
        stop.stop,
        stop.stop_token_ids,
        facts.request,
    )
    return replace(facts, memory=memory), memory


@contextmanager
def _at(field: str) -> Iterator[None]:
    """Errors of the request inside name its place in the derender body."""
    try:
        yield
    except RequestError as error:
        if error.param is not None and error.param.split(".")[0] == "body":
            error.param = f"body.{field}{error.param.removeprefix('body')}"
        raise


def context_of_chat(model: Model, request: ChatRequest) -> parsers.Context:
    """What the parsers are told. RequestError where they cannot read such outputs."""
    choice = request.tool_choice
    named = choice.function.name if isinstance(choice, NamedToolChoice) else None
    context = parsers.Context(
        tools=tuple(
            parsers.Tool(tool.function.name, tool.function.parameters)
            for tool in request.tools or ()
        ),
        tool_choice="named" if isinstance(choice, NamedToolChoice) else choice or "none",
        named_tool=named,
        parallel_tool_calls=request.parallel_tool_calls is not False,
        include_reasoning=request.include_reasoning,
        template_kwargs=template_kwargs(model, request),
    )
    model.outputs.check(context)
    return context


def facts_of_chat(model: Model, request: ChatRequest) -> RequestFacts:
    """The facts of a decoded request."""
    context = context_of_chat(model, request)
    return RequestFacts(
        stop=_stop_rules(request),
        skip_special_tokens=request.skip_special_tokens is not False,
        spaces_between_special_tokens=request.spaces_between_special_tokens,
        return_token_ids=bool(request.return_token_ids),
        include_reasoning=request.include_reasoning,
        top_limit=chat_top_limit(request),
        named_tool=context.named_tool is not None,
        forces_calls=context.tool_choice in ("required", "named"),
        context=context,
        numbered_from=history_tool_calls(request.messages) if numbers_calls(model.config) else None,
    )


def facts_of_completion(request: CompletionRequest) -> RequestFacts:
    """The facts of a decoded request."""
    return RequestFacts(
        stop=_stop_rules(request),
        skip_special_tokens=request.skip_special_tokens is not False,
        spaces_between_special_tokens=request.spaces_between_special_tokens,
        return_token_ids=bool(request.return_token_ids),
        top_limit=completion_top_limit(request),
    )


def _stop_rules(request: ChatRequest | CompletionRequest) -> StopRules:
    stop = request.stop
    return StopRules(
        stop=(stop,) if isinstance(stop, str) and stop else tuple(s for s in stop or () if s),
        stop_token_ids=frozenset(request.stop_token_ids or ()),
        include_stop_str_in_output=request.include_stop_str_in_output,
        ignore_eos=request.ignore_eos,
        min_tokens=request.min_tokens,
    )
