"""Cohere's Command models: chats as text, by their maker's `cohere_melody` (extra `cohere`).

Source of the rules: vLLM 0.33.0's `renderers/cohere.py`: what of a request and of
`chat_template_kwargs` becomes which field of melody's configuration. All other template arguments
are variables of the template.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import RequestError
from ..hub import StartupError
from ..messages import Message, conversation
from .chat import Chat, digest

FORMATS = ("cmd3", "cmd4")
ROLES = {
    "assistant": "chatbot",
    "chatbot": "chatbot",
    "developer": "system",
    "system": "system",
    "tool": "tool",
    "user": "user",
}
GROUNDING = {
    "accurate": "enabled",
    "disabled": "disabled",
    "enabled": "enabled",
    "fast": "enabled",
    "off": "disabled",
    "on": "enabled",
    "unknown": "unknown",
}
FOREIGN = ("template_jinja", "template")
"""Arguments of Cohere's own service, which would carry a template past the operator."""
CONSUMED = frozenset(
    (
        *FOREIGN,
        *("cohere_format", "template_id", "use_jinja", "documents", "available_tools", "tools"),
        *("reasoning_type", "thinking", "dev_instruction", "response_format", "json_schema"),
        *("json_mode", "safety_mode", "citation_quality", "citation_options", "skip_preamble"),
        *("grounding", "platform_instruction", "_messages_citations", "_position_to_source"),
        "_tool_message_v2_content",
    )
)
"""Arguments that are no variables of the template."""


class CohereRenderer:
    """chat_template: --chat-template's text. Raises StartupError without the package."""

    def __init__(self, chat_template: str | None) -> None:
        try:
            import cohere_melody
        except ImportError as error:
            raise StartupError(
                "--tokenizer-mode cohere needs cohere-melody: "
                "pip install 'render-service[cohere]', or render by the chat template with "
                "--tokenizer-mode hf"
            ) from error
        from importlib.metadata import version

        self._render = {"cmd3": cohere_melody.render_cmd3, "cmd4": cohere_melody.render_cmd4}
        self._chat_template = chat_template
        self.facts: Mapping[str, Any] = {
            "renderer": "cohere",
            "melody": version("cohere-melody"),
            "template": digest(chat_template),
        }

    def render(self, chat: Chat) -> str:
        kwargs = {"tools": chat.tools, "tokenize": False, **chat.kwargs}
        kwargs = {name: value for name, value in kwargs.items() if value is not None}
        name = kwargs.get("cohere_format", "cmd4")
        if name not in FORMATS:
            raise RequestError(f"Invalid cohere_format={name!r}; expected one of {FORMATS}")
        for foreign in FOREIGN:
            if foreign in kwargs:
                raise RequestError(
                    f"chat_template_kwargs.{foreign!r} is not accepted in vLLM (it is a "
                    "Cohere-only field); pass the template body via the standard "
                    "'chat_template' request field instead (requires "
                    "--trust-request-chat-template)."
                )
        messages = conversation(chat.messages, content_format="openai")
        template = chat.chat_template or self._chat_template
        try:
            config = {
                "messages": list(map(_message, messages)),
                "use_jinja": True,
                **({"template_jinja": template} if template else {}),
                **dict(_common(kwargs)),
                **dict((_cmd3 if name == "cmd3" else _cmd4)(kwargs)),
            }
            return str(self._render[name](config))
        except RequestError:
            raise
        # Arguments of a wrong type, and what melody and the template refuse.
        except Exception as error:
            raise RequestError(str(error)) from error


def _message(message: Message) -> dict[str, Any]:
    role = ROLES.get(message["role"].lower())
    if role is None:
        raise RequestError(
            f"Unsupported message role for the cohere renderer: {message['role'].lower()!r}. "
            "Expected one of: system, developer, user, assistant, chatbot, tool."
        )
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    blocks = [_block(part) for part in parts]
    reasoning = message.get("reasoning")
    if role == "chatbot" and reasoning:
        blocks.insert(0, {"type": "thinking", "thinking": reasoning})
    found: dict[str, Any] = {
        "role": role,
        "content": blocks,
        "tool_calls": [_call(call) for call in message.get("tool_calls") or ()],
    }
    if message.get("tool_call_id"):
        found["tool_call_id"] = message["tool_call_id"]
    return found


def _block(part: Mapping[str, Any]) -> dict[str, Any]:
    text = part.get("name") or "" if part["type"] == "tool_reference" else part.get("text", "")
    return {"type": "text", "text": text}


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    return {
        "id": call.get("id") or "",
        "name": function["name"],
        "parameters": json.dumps(function["arguments"], ensure_ascii=False),
    }


def _common(kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Fields of both formats."""
    if kwargs.get("template_id"):
        yield "template_id", kwargs["template_id"]
    if kwargs.get("documents"):
        yield "documents", [_document(document) for document in kwargs["documents"]]
    tools = kwargs.get("available_tools") or kwargs.get("tools")
    if tools:
        yield "available_tools", [_tool(tool) for tool in tools]
    thinking = kwargs.get("thinking")
    thinking = thinking.get("type") if isinstance(thinking, dict) else thinking
    if "reasoning_type" in kwargs:
        yield "reasoning_type", str(kwargs["reasoning_type"])
    elif thinking in ("enabled", "disabled"):
        yield "reasoning_type", thinking
    if "dev_instruction" in kwargs:
        yield "dev_instruction", str(kwargs["dev_instruction"])
    yield from _answer_format(dict(kwargs.get("response_format") or {}))
    if "json_schema" in kwargs:
        yield "json_schema", _as_text(kwargs["json_schema"])
    if "json_mode" in kwargs:
        yield "json_mode", bool(kwargs["json_mode"])
    others = {name: value for name, value in kwargs.items() if name not in CONSUMED}
    if others:
        yield "additional_template_fields", others


def _answer_format(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    kind = given.get("type")
    if kind == "json_object":
        yield "json_mode", True
    elif kind in ("json_schema", "json"):
        schema = given.get("schema") or given.get("json_schema")
        if isinstance(schema, dict) and "schema" in schema:
            schema = schema["schema"]
        if schema is not None:
            yield "json_schema", _as_text(schema)


def _cmd3(kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if "safety_mode" in kwargs:
        yield "safety_mode", str(kwargs["safety_mode"]).lower()
    quality, mode = kwargs.get("citation_quality"), _citation_mode(kwargs)
    if quality is None and mode is not None:
        quality = "off" if str(mode).lower() == "off" else "on"
    if quality is not None:
        yield "citation_quality", str(quality).lower()
    if "skip_preamble" in kwargs:
        yield "skip_preamble", bool(kwargs["skip_preamble"])


def _cmd4(kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    mode = kwargs.get("grounding", _citation_mode(kwargs))
    if mode is not None:
        grounding = GROUNDING.get(mode.lower())
        if grounding is None:
            raise RequestError(
                f"Unrecognized cmd4 grounding value: {mode!r}. Expected one of ENABLED / DISABLED "
                "/ FAST / ACCURATE / OFF (from citation_options.mode), or the direct melody "
                "values enabled / disabled / unknown."
            )
        yield "grounding", grounding
    if "platform_instruction" in kwargs:
        yield "platform_instruction", str(kwargs["platform_instruction"])


def _citation_mode(kwargs: Mapping[str, Any]) -> Any:
    options = kwargs.get("citation_options")
    return options.get("mode") if isinstance(options, dict) else None


def _document(document: Any) -> dict[str, Any]:
    """Cohere wraps a document's fields in `data`, beside its `id`."""
    if isinstance(document, str):
        return {"text": document}
    if not isinstance(document, dict):
        raise RequestError(f"Unsupported document type: {type(document).__name__}")
    if not isinstance(document.get("data"), dict):
        return document
    own = {} if document.get("id") is None else {"id": document["id"]}
    return {**document["data"], **{k: v for k, v in own.items() if k not in document["data"]}}


def _tool(tool: Any) -> dict[str, Any]:
    if not isinstance(tool, dict):
        raise RequestError(f"Unsupported tool type: {type(tool).__name__}")
    function = tool["function"] if isinstance(tool.get("function"), dict) else tool
    return {
        "name": function.get("name", ""),
        "description": function.get("description") or "",
        "parameters": function.get("parameters") or {},
    }


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
