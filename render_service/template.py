"""Chat templates: where they come from, and a conversation rendered by one.

A template runs in Jinja's immutable sandbox with the extensions, filters and globals that
transformers gives it (`utils/chat_template_utils.py`), is compiled once and sees the variables
that vLLM lets through (`resolve_chat_template_kwargs` in vllm/renderers/hf.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import jinja2
import jinja2.ext
import jinja2.meta
from jinja2 import nodes
from jinja2.parser import Parser

from .content_format import detect_content_format
from .errors import RequestError
from .messages import ContentFormat, Message
from .template_json import CountingContext, tojson
from .template_sandbox import Sandbox

# Arguments of the render call itself: a request must not set them.
CALL_ARGUMENTS = ("conversation", "model_config", "self", "tokenizer")
# Accepted and without effect on a text rendering.
IGNORED = frozenset(
    (
        "chat_template",
        "max_length",
        "padding",
        "return_dict",
        "return_tensors",
        "tokenize",
        "tokenizer_kwargs",
        "truncation",
    )
)
# Let through whether or not the template names them.
ALWAYS = frozenset(("add_generation_prompt", "continue_final_message", "documents", "tools"))
# Marks the end of the final message while it is rendered to be continued.
CONTINUE_TAG = "CONTINUE_FINAL_MESSAGE_TAG "


class _Generation(jinja2.ext.Extension):
    """`{% generation %}` marks the assistant's tokens for training; here its body is all."""

    tags = {"generation"}  # noqa: RUF012 - Jinja's own declaration of this attribute

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


def _raise_exception(message: Any) -> None:
    raise jinja2.TemplateError(message)


def _strftime_now(format: str) -> str:
    return datetime.now().strftime(format)


_GLOBALS = {"raise_exception": _raise_exception, "strftime_now": _strftime_now}


class ChatTemplate:
    """One compiled template. Immutable; safe to share between threads.

    source: its text. origin: where it came from, for people.
    content_format: how it takes message content, detected unless given.
    special_tokens: `bos_token` and so on, as variables.
    Raises jinja2.TemplateSyntaxError.
    """

    def __init__(
        self,
        source: str,
        *,
        origin: str,
        special_tokens: Mapping[str, str],
        content_format: ContentFormat | None = None,
    ) -> None:
        self.source = source
        self.origin = origin
        environment = Sandbox(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[_Generation, "jinja2.ext.loopcontrols"],
        )
        environment.filters["tojson"] = tojson
        environment.context_class = CountingContext
        tree = environment.parse(source)
        self.detected_format: ContentFormat = detect_content_format(tree)
        self.content_format: ContentFormat = content_format or self.detected_format
        # Before the globals are set, which a request's variables may replace, as in vLLM.
        self.variables = frozenset(jinja2.meta.find_undeclared_variables(tree))
        self._accepts = (self.variables | ALWAYS) - IGNORED
        environment.globals.update(_GLOBALS)
        self._template = environment.from_string(source)
        self._own_variables = {**environment.globals, **special_tokens}
        self._knows_developer = '"developer"' in source or "'developer'" in source

    def render(
        self,
        messages: list[Message],
        *,
        tools: list[dict[str, Any]] | None = None,
        kwargs: Mapping[str, Any],
    ) -> str:
        """The prompt's text.

        messages: of `messages.conversation` with this template's content_format. kwargs: the
        effective template kwargs; None and "auto" count as absent, `tools` there replaces tools.
        RequestError (400) with the template's own words where it refuses the conversation.
        """
        if not messages:
            raise RequestError(
                "Cannot apply chat template to an empty conversation. Provide at least one message."
            )
        variables = self._accepted(kwargs)
        tools = variables.pop("tools", tools)
        documents = variables.pop("documents", None)
        generate = variables.pop("add_generation_prompt", False)
        proceed = variables.pop("continue_final_message", False)
        if proceed and generate:
            raise RequestError(
                "continue_final_message and add_generation_prompt are not compatible. Use "
                "continue_final_message when you want the model to continue the final message, "
                "and add_generation_prompt when you want to add a header that will prompt it to "
                "start a new assistant message instead."
            )
        _check_mappings(tools, "Tools should be a list of JSON schemas.")
        _check_mappings(
            documents, "Documents should be a list of dicts with 'title' and 'text' keys!"
        )
        if not self._knows_developer and any(m["role"] == "developer" for m in messages):
            messages = _with_one_system_message(messages)
        final = ""
        if proceed:
            messages, final = self._tagged(messages)
        try:
            text = self._text(
                {
                    **self._own_variables,
                    **variables,
                    "messages": messages,
                    "tools": tools,
                    "documents": documents,
                    "add_generation_prompt": generate,
                }
            )
        # A template may fail in any way that an expression can; vLLM answers 400 to all of them.
        except Exception as error:
            raise RequestError(_reason(error)) from error
        return _cut(text, final) if proceed else text

    def _text(self, variables: dict[str, Any]) -> str:
        """Jinja's `Template.render`, which copies all globals slowly: a third of a short chat."""
        template = self._template
        context = template.environment.context_class(
            template.environment, variables, template.name, template.blocks
        )
        return "".join(template.root_render_func(context))

    def _accepted(self, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        given = {key: value for key, value in kwargs.items() if _is_set(value)}
        for name in CALL_ARGUMENTS:
            if name in given:
                raise RequestError(f"chat_template_kwargs must not set '{name}'.")
        if "messages" in given and "messages" in self.variables:
            raise RequestError("chat_template_kwargs must not set 'messages'.")
        if given.get("return_assistant_tokens_mask"):
            raise RequestError(
                "`return_assistant_tokens_mask=True` requires `return_dict=True` and "
                "`tokenize=True`"
            )
        return {key: value for key, value in given.items() if key in self._accepts}

    def _tagged(self, messages: list[Message]) -> tuple[list[Message], str]:
        """The final message with the tag after its text, and that text."""
        message = dict(messages[-1])
        content = message["content"]
        if "content" not in self.source:
            raise RequestError(
                'continue_final_message is set to "content" but this is not an accepted field '
                "in the chat_template"
            )
        if isinstance(content, str):
            message["content"] = content + CONTINUE_TAG
            return [*messages[:-1], message], content
        at = next((i for i in reversed(range(len(content))) if content[i].get("text")), None)
        if at is None:
            raise RequestError(
                "continue_final_message is set but we could not find any text to continue in the "
                "final message!"
            )
        part = {**content[at], "text": content[at]["text"] + CONTINUE_TAG}
        message["content"] = [*content[:at], part, *content[at + 1 :]]
        return [*messages[:-1], message], content[at]["text"]


def _is_set(value: Any) -> bool:
    return value is not None and not (isinstance(value, str) and value == "auto")


def _check_mappings(values: Any, message: str) -> None:
    if values not in (None, {}) and not (
        isinstance(values, list) and all(isinstance(value, dict) for value in values)
    ):
        raise RequestError(message)


def _with_one_system_message(messages: list[Message]) -> list[Message]:
    """For templates that do not know the developer role: it becomes system, and all system
    messages one, at the start.
    """
    renamed = [
        {**{k: v for k, v in m.items() if k != "tools"}, "role": "system"}
        if m["role"] == "developer"
        else m
        for m in messages
    ]
    system = [m for m in renamed if m["role"] == "system"]
    if len(system) == 1 and renamed[0] is system[0]:
        return renamed
    texts = filter(None, (_text_of(m["content"]) for m in system))
    return [
        {"role": "system", "content": "\n\n".join(texts)},
        *(m for m in renamed if m["role"] != "system"),
    ]


def _text_of(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] or "" for part in content if "text" in part)


def _cut(text: str, final: str) -> str:
    """Up to the tag, without the white space that the template trimmed from the message."""
    tag = CONTINUE_TAG.strip()
    if final.strip() not in text or tag not in text:
        raise RequestError(
            "continue_final_message is set but the final message does not appear in the chat "
            "after applying the chat template! This can happen if the chat template deletes "
            "portions of the final message. Please verify the chat template and final message in "
            "your chat to ensure they are compatible."
        )
    at = text.rindex(tag)
    kept = text[:at]
    return kept if text.startswith(CONTINUE_TAG, at) else kept.rstrip()


def _reason(error: BaseException) -> str:
    """The template's own words where it raised, else what went wrong in it."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        if isinstance(current, jinja2.TemplateError):
            return str(current)
        seen.add(id(current))
        current = current.__cause__ or current.__context__
    return str(error)
