"""One call of a chat template: its arguments, checked once, for any messages.

Rules: those of transformers' `apply_chat_template` and of vLLM's `vllm/renderers/hf.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import jinja2

from .errors import RequestError
from .template_context import Variables

if TYPE_CHECKING:
    from .messages import Message
    from .template import ChatTemplate

# Arguments of the render call itself: a request must not set them.
CALL_ARGUMENTS = ("conversation", "model_config", "self", "tokenizer")
# Marks the end of the final message while it is rendered to be continued.
CONTINUE_TAG = "CONTINUE_FINAL_MESSAGE_TAG "


class TemplateCall:
    """See `ChatTemplate.render`. Immutable; safe to share between threads.

    content_format: of the template.
    """

    def __init__(
        self,
        template: ChatTemplate,
        tools: list[dict[str, Any]] | None,
        kwargs: Mapping[str, Any],
    ) -> None:
        given = _accepted(template, kwargs)
        tools = given.pop("tools", tools)
        documents = given.pop("documents", None)
        generate = given.pop("add_generation_prompt", False)
        self._proceed = given.pop("continue_final_message", False)
        if self._proceed and generate:
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
        self._variables = {
            **template.own_variables,
            **given,
            "tools": tools,
            "documents": documents,
            "add_generation_prompt": generate,
        }
        self.content_format = template.content_format
        self._source = template.source
        self._knows_developer = template.knows_developer
        compiled = template.compiled
        self._root = compiled.root_render_func
        self._context = partial(compiled.environment.context_class, compiled.environment)
        self._about = compiled.name, compiled.blocks

    def render(self, messages: list[Message]) -> str:
        """The prompt's text. Raises RequestError (400)."""
        if not messages:
            raise no_messages()
        if not self._knows_developer:
            messages = _with_one_system_message(messages)
        final = ""
        if self._proceed:
            messages, final = self._tagged(messages)
        variables = Variables(self._variables)
        variables["messages"] = messages
        try:
            # Jinja's `Template.render` copies all globals slowly: a third of a short chat.
            text = "".join(self._root(self._context(variables, *self._about)))
        # A template may fail in any way that an expression can; vLLM answers 400 to all of them.
        except Exception as error:
            raise RequestError(_reason(error)) from error
        return _cut(text, final) if self._proceed else text

    def _tagged(self, messages: list[Message]) -> tuple[list[Message], str]:
        """The final message with the tag after its text, and that text."""
        message = dict(messages[-1])
        content = message["content"]
        if "content" not in self._source:
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


def no_messages() -> RequestError:
    """A conversation without any."""
    return RequestError(
        "Cannot apply chat template to an empty conversation. Provide at least one message."
    )


def _accepted(template: ChatTemplate, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in kwargs.items() if _is_set(value)}
    for name in CALL_ARGUMENTS:
        if name in given:
            raise RequestError(f"chat_template_kwargs must not set '{name}'.")
    if "messages" in given and "messages" in template.variables:
        raise RequestError("chat_template_kwargs must not set 'messages'.")
    if given.get("return_assistant_tokens_mask"):
        raise RequestError(
            "`return_assistant_tokens_mask=True` requires `return_dict=True` and `tokenize=True`"
        )
    return {key: value for key, value in given.items() if key in template.accepts}


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
    for message in messages:
        if message["role"] == "developer":
            break
    else:
        return messages
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
