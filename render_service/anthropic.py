"""Anthropic Messages requests to generate requests: `POST /v1/messages/render`.

Rule: a Messages request is put into a chat's words, and is a chat from there on. Source: vLLM
0.33.0's `AnthropicServingMessages.to_chat_completion_request` (`entrypoints/anthropic/serving.py`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from .answer import Answer
from .anthropic_traits import disabled_thinking_effort, system_comes_first
from .errors import RequestError
from .messages import BILLING_HEADER, Message
from .protocol.anthropic import (
    CHANGES,
    Block,
    Content,
    DefinedTool,
    Disabled,
    Enabled,
    MessagesRequest,
    Tool,
    Turn,
    decode_messages_request,
)
from .protocol.chat import ChatRequest, NamedToolChoice, ToolChoice
from .protocol.fields import (
    FunctionDefinition,
    JsonSchemaFormat,
    NamedFunction,
    ReasoningEffort,
    ResponseFormat,
    StreamOptions,
    ToolParam,
)
from .render import answer_chat

if TYPE_CHECKING:
    from .model import Model

_CHOICES: dict[str, ToolChoice] = {"auto": "auto", "any": "required", "none": "none"}


def messages(
    model: Model, body: bytes, request_id: str | None, *, with_state: bool = False
) -> Answer:
    """One generate request, as `render.chat` makes it."""
    request = as_chat(model, decode_messages_request(body))
    return answer_chat(model, request, request_id, with_state=with_state)


def as_chat(model: Model, request: MessagesRequest) -> ChatRequest:
    """The same in a chat's words. RequestError (400) for tools that come or go unknown."""
    tools = _tools(request)
    choice = request.tool_choice
    parallel = choice is None or not choice.disable_parallel_tool_use
    return ChatRequest(
        model=request.model,
        messages=list(_chat_messages(request, merge=system_comes_first(model))),
        max_tokens=request.max_tokens,
        max_completion_tokens=request.max_tokens,
        stop=request.stop_sequences,
        stream=bool(request.stream),
        stream_options=StreamOptions(True, True) if request.stream else None,
        tools=tools,
        tool_choice=_tool_choice(request, tools),
        parallel_tool_calls=parallel,
        response_format=_response_format(request),
        reasoning_effort=_reasoning_effort(model, request),
        thinking_token_budget=(
            request.thinking.budget_tokens if isinstance(request.thinking, Enabled) else None
        ),
        temperature=request.temperature,
        top_p=request.top_p,
        top_k=request.top_k,
        watermarking=request.watermarking,
        cache_salt=request.cache_salt,
        kv_transfer_params=request.kv_transfer_params,
        ec_transfer_params=request.ec_transfer_params,
        vllm_xargs=request.vllm_xargs,
        chat_template_kwargs=request.chat_template_kwargs,
        previous_token_ids=request.previous_token_ids,
    )


def _reasoning_effort(model: Model, request: MessagesRequest) -> ReasoningEffort | None:
    if isinstance(request.thinking, Disabled):
        return disabled_thinking_effort(model)
    return request.output_config.effort if request.output_config else None


def _response_format(request: MessagesRequest) -> ResponseFormat | None:
    wanted = request.output_config and request.output_config.format
    if not wanted or not wanted.schema:
        return None
    return ResponseFormat(
        wanted.type, json_schema=JsonSchemaFormat(wanted.type, schema=wanted.schema)
    )


def _tool_choice(request: MessagesRequest, tools: list[ToolParam] | None) -> ToolChoice:
    choice = request.tool_choice
    if choice is None:
        return None if tools is None else "auto"
    if choice.type == "tool":
        return NamedToolChoice(NamedFunction(choice.name or ""))
    return _CHOICES[choice.type]


def _tools(request: MessagesRequest) -> list[ToolParam] | None:
    """Those in force at the end of the conversation, which is where a template shows them."""
    changes = [
        block
        for turn in request.messages
        if isinstance(turn.content, list)
        for block in turn.content
        if block.type in CHANGES
    ]
    if not changes:
        return None if request.tools is None else [_tool_param(tool) for tool in request.tools]
    tools = {tool.name: tool for tool in request.tools or ()}
    removed: set[str] = set()
    for block in changes:
        name = _change(block, tools)
        (removed.add if block.type == "tool_removal" else removed.discard)(name)
    return [_tool_param(tool) for name, tool in tools.items() if name not in removed]


def _change(block: Block, tools: dict[str, Tool]) -> str:
    """The changed tool's name; `tools` gets it as it is from here on."""
    if isinstance(block.tool, DefinedTool):
        tools[block.tool.definition.name] = block.tool.definition
        return block.tool.definition.name
    assert block.tool is not None
    name = block.tool.name
    if name not in tools:
        raise RequestError(f"{block.type} references tool {name!r}, which is not declared in tools")
    if block.type == "tool_addition":
        tools[name] = msgspec.structs.replace(tools[name], defer_loading=None)
    return name


def _tool_param(tool: Tool) -> ToolParam:
    return ToolParam(
        function=FunctionDefinition(
            name=tool.name,
            description=tool.description,
            parameters=tool.input_schema,
            strict=tool.strict,
            defer_loading=tool.defer_loading,
        )
    )


def _chat_messages(request: MessagesRequest, *, merge: bool) -> Iterator[Message]:
    """merge: system messages further down go into the first."""
    texts = [_system_text(request.system)] if isinstance(request.system, list) else [request.system]
    if merge:
        texts += [_system_text(turn.content) for turn in request.messages if turn.role == "system"]
    system = "".join(text or "" for text in texts)
    if system:
        yield {"role": "system", "content": system}
    for turn in request.messages:
        if turn.role != "system":
            yield from _turn(turn)
        elif not merge and (text := _system_text(turn.content)):
            yield {"role": "system", "content": text}


def _system_text(content: Content) -> str:
    """Without the line of a client that differs with each request."""
    texts = (
        [content]
        if isinstance(content, str)
        else [block.text or "" for block in content if block.type == "text"]
    )
    return "".join(text for text in texts if not text.startswith(BILLING_HEADER))


def _turn(turn: Turn) -> Iterator[Message]:
    """Results of tools come in front of what a user says beside them."""
    message: Message = {"role": turn.role}
    if isinstance(turn.content, str):
        message["content"] = turn.content
    else:
        yield from _results(turn)
        message |= _fields(turn.role, turn.content)
    if turn.role == "assistant" or "content" in message:
        yield message


def _results(turn: Turn) -> Iterator[Message]:
    if turn.role == "user":
        for block in turn.content:
            if isinstance(block, Block) and block.type == "tool_result":
                yield from _tool_result(block)


def _fields(role: str, blocks: list[Block]) -> Message:
    parts = [part for block in blocks for part in _part(block, role)]
    thoughts = [b.thinking for b in blocks if b.type == "thinking" and b.thinking is not None]
    calls = [_tool_call(block) for block in blocks if block.type == "tool_use"]
    fields: Message = {}
    if thoughts:
        fields["reasoning"] = "".join(thoughts)
    if calls:
        fields["tool_calls"] = calls
    if parts:
        text = len(parts) == 1 and parts[0]["type"] == "text"
        fields["content"] = parts[0]["text"] if text else parts
    return fields


def _part(block: Block, role: str) -> Iterator[dict[str, Any]]:
    """What a block says as a content part, if it does."""
    if block.type == "text" and block.text:
        yield {"type": "text", "text": block.text}
    elif block.type == "image" and block.source:
        yield _image(block.source)
    elif block.type == "tool_result" and role != "user":
        # As Python writes it, in vLLM too.
        yield {"type": "text", "text": f"Tool result: {block.content or ''}"}


def _image(source: Any) -> dict[str, Any]:
    """Refused by a text model; what it shows does not matter."""
    return {"type": "image_url", "image_url": source}


def _shows(source: Any) -> bool:
    """An image without its URL is left out."""
    no_url = isinstance(source, dict) and source.get("type") == "url" and not source.get("url")
    return not no_url


def _tool_call(block: Block) -> dict[str, Any]:
    return {
        "id": block.id or f"call_{int(time.time())}",
        "function": {"arguments": json.dumps(block.input or {}), "name": block.name or ""},
        "type": "function",
    }


def _tool_result(block: Block) -> Iterator[Message]:
    """Text as one message, then images and names of tools as others."""
    items = block.content if isinstance(block.content, list) else ()
    text = (
        block.content
        if isinstance(block.content, str)
        else "\n".join(_text(item) for item in items if item.get("type") == "text")
    )
    about: Message = {"role": "tool", "tool_call_id": block.tool_use_id or ""}
    yield {**about, "content": text}
    sources = [item.get("source", {}) for item in items if item.get("type") == "image"]
    images = [_image(source) for source in sources if _shows(source)]
    if images:
        yield {"role": "user", "content": images}
    names = [
        item.get("tool_name") or item.get("name")
        for item in items
        if item.get("type") == "tool_reference"
    ]
    references = [{"type": "tool_reference", "name": name} for name in names if name]
    if references:
        yield {**about, "content": references}


def _text(item: dict[str, Any]) -> str:
    text = item.get("text", "")
    if not isinstance(text, str):
        raise RequestError("The text of a tool_result's block must be a string.")
    return text
