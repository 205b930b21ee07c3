"""Chat messages as OpenAI writes them, made into what a chat template sees.

vLLM's `parse_chat_messages` for a text model (vllm/renderers/chat_utils). Tool calls keep the order
of their keys, which a template that prints a call shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from .errors import RequestError
from .protocol.json_bounds import no_collection
from .protocol.json_texts import check_texts, load_text
from .protocol.message_shape import ordered

ContentFormat = Literal["string", "openai"]
Message = dict[str, Any]

# Part type -> the field that holds its text.
TEXT_PARTS = {
    "text": "text",
    "input_text": "text",
    "output_text": "text",
    "refusal": "refusal",
    "thinking": "thinking",
}
MEDIA_PARTS = frozenset(
    ("image_url", "input_image", "image_pil", "audio_url", "input_audio", "video_url")
)
EMBEDS_PARTS = frozenset(("image_embeds", "audio_embeds", "video_embeds"))
PART_TYPES = sorted((*TEXT_PARTS, *MEDIA_PARTS, *EMBEDS_PARTS, "prompt_embeds", "tool_reference"))
# A part without a type is known by the field that it has.
TYPED_BY_FIELD = (
    "image_url",
    "image_pil",
    "image_embeds",
    "audio_embeds",
    "video_embeds",
    "prompt_embeds",
    "audio_url",
    "input_audio",
    "video_url",
    "tool_reference",
)
# Fields of parts that are not passed on to the template; any other field is.
PART_FIELDS = frozenset(
    (
        *("audio_embeds", "audio_url", "closed", "data", "file", "image_embeds", "image_pil"),
        *("image_url", "input_audio", "name", "prompt_cache_breakpoint", "refusal", "text"),
        *("thinking", "type", "uuid", "video_embeds", "video_url"),
    )
)
# A line that one client puts before its system prompt, changing with each request.
BILLING_HEADER = "x-anthropic-billing-header"
# In refusals: what, and its field.
ARGUMENTS = ("The arguments of the messages' tool calls", "tool_calls")


def conversation(messages: list[dict[str, Any]], *, content_format: ContentFormat) -> list[Message]:
    """What the template sees: with "string", part lists are joined by newlines; with "openai"
    all content is a list of parts.

    messages: of the shape that `protocol.message_shape` lets through; they are not changed.
    Raises RequestError (400).
    """
    found = [_message(message, content_format == "openai") for message in messages]
    called = [call["function"] for m in found if "tool_calls" in m for call in m["tool_calls"]]
    if called:
        _read_arguments(called)
    return found


def _message(message: Mapping[str, Any], as_parts: bool) -> Message:
    role, content = message["role"], message.get("content")
    if role == "user" and len(message) == 2 and type(content) is str and not as_parts:
        return {"role": role, "content": content}  # most of them
    out: Message = {"role": role, "content": _content(content, role, as_parts)}
    if role == "assistant":
        _add_assistant_fields(message, out)
    elif role == "tool":
        if "tool_call_id" in message:
            out["tool_call_id"] = message["tool_call_id"]
        if as_parts:
            out["content"] = _joined_if_text(out["content"])
    for field in ("name", "task"):
        if isinstance(message.get(field), str):
            out[field] = message[field]
    if role == "developer":
        out["tools"] = _developer_tools(message.get("tools"))
    return out


def _content(content: Any, role: str, as_parts: bool) -> Any:
    if isinstance(content, str):
        if not (role == "system" and content.startswith(BILLING_HEADER)):
            return [{"type": "text", "text": content}] if as_parts else content
        content = [content]
    parts = content or ()
    if role == "system":
        parts = _without_billing_header(parts)
    found = filter(None, (_part(part, as_parts) for part in parts))
    return list(found) if as_parts else "\n".join(found)


def _without_billing_header(parts: Iterable[Any]) -> Iterable[Any]:
    for part in parts:
        text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else part
        if isinstance(text, str) and text.startswith(BILLING_HEADER):
            rest = text.partition("\n")[2]
            if rest:
                yield rest if part is text else {**part, "text": rest}
        else:
            yield part


def _part(part: Any, as_parts: bool) -> Any:
    """A part for the template: text, or a mapping where it wants parts; None to leave it out."""
    if isinstance(part, str):
        return {"type": "text", "text": part} if as_parts else part
    if not isinstance(part, dict):
        raise RequestError("A content part must be an object or a string.")
    kind = _part_type(part)
    if kind in TEXT_PARTS:
        return _text_part(part, kind, as_parts)
    if kind == "tool_reference":
        name = part.get("name")
        if name is not None and not isinstance(name, str):
            raise RequestError("The name of a tool_reference must be a string.")
        return {"type": "tool_reference", "name": name} if as_parts else name
    raise _refused(kind)


def _part_type(part: Mapping[str, Any]) -> str:
    kind = part.get("type")
    if kind is None or part.get("uuid") is not None:
        found = next((field for field in TYPED_BY_FIELD if field in part), None)
        if found is None:
            raise RequestError(
                "Missing 'type' field in multimodal part. (parameter=type)", param="type"
            )
        return found
    if not isinstance(kind, str):
        raise RequestError(
            "Invalid 'type' field in multimodal part. (parameter=type)", param="type"
        )
    if kind not in PART_TYPES:
        raise RequestError(
            f"Unsupported chat content part type: {kind!r}. "
            f"Supported types: {', '.join(PART_TYPES)}. (parameter=type, value={kind})",
            param="type",
        )
    return kind


def _text_part(part: Mapping[str, Any], kind: str, as_parts: bool) -> Any:
    field = TEXT_PARTS[kind]
    text = part.get(field)
    if text is None and (not as_parts or kind in ("text", "refusal")):
        return None
    if text is not None and not isinstance(text, str):
        raise RequestError(f"The {field} of a content part must be a string.")
    if not as_parts:
        return text
    own = {key: value for key, value in part.items() if key not in PART_FIELDS}
    return {"type": "text", "text": text, **own}


class NotMultimodal(RequestError):
    """An image, audio or video part; who knows the model's name may put it into the message."""


def _refused(kind: str) -> RequestError:
    if kind == "prompt_embeds":
        return RequestError(
            "You must set `--enable-prompt-embeds` to input `prompt_embeds` "
            "(parameter=prompt_embeds)",
            param="prompt_embeds",
        )
    if kind in EMBEDS_PARTS:
        return RequestError("The model is not multimodal.")
    return NotMultimodal("The served model is not a multimodal model")


def _joined_if_text(parts: list[dict[str, Any]]) -> Any:
    """Tool results are text for most templates; parts stay only where one is not text."""
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] or "" for part in parts)
    return parts


def _add_assistant_fields(message: Mapping[str, Any], out: Message) -> None:
    calls = message.get("tool_calls")
    if calls:
        out["tool_calls"] = [_tool_call(call) for call in calls]
    reasoning = message.get("reasoning")
    if isinstance(reasoning, dict) and reasoning.get("type") == "prompt_embeds":
        raise _refused("prompt_embeds")
    if reasoning is not None:
        out["reasoning"] = out["reasoning_content"] = reasoning


def _tool_call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function")
    if call.get("type") != "function" or not isinstance(function, dict):
        raise RequestError(
            "chat completions only support assistant tool_calls of type 'function'. "
            "(parameter=tool_calls)",
            param="tool_calls",
        )
    return {**call, "function": {**function}}


def _developer_tools(tools: Any) -> Any:
    if not isinstance(tools, list):
        return tools
    return [ordered(tool, "function", "type") if isinstance(tool, dict) else tool for tool in tools]


def _read_arguments(functions: list[dict[str, Any]]) -> None:
    size = check_texts([function["arguments"] for function in functions], *ARGUMENTS)
    with no_collection(size):
        for function in functions:
            function["arguments"] = _arguments(function["arguments"])


def _arguments(text: str) -> dict[str, Any]:
    """Templates want an object. What is none becomes an empty one: it is history, and refusing
    it would end the conversation.
    """
    try:
        value = load_text(text, *ARGUMENTS) if text else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
