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
from .messages import ContentFormat, Message
from .template_call import TemplateCall, no_messages
from .template_context import TemplateContext
from .template_json import indent, tojson
from .template_sandbox import Sandbox

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
    variables: names that it looks at. accepts: those of a request's that it is given.
    knows_developer: it has messages of that role.
    changes_values: Jinja lets it change what it is given, by `{% set tool.name %}...{% endset %}`.
    own_variables: what it has whatever a request says. compiled: Jinja's.
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
        environment.filters["indent"] = indent
        environment.context_class = TemplateContext
        tree = environment.parse(source)
        self.detected_format: ContentFormat = detect_content_format(tree)
        self.content_format: ContentFormat = content_format or self.detected_format
        # Before the globals are set, which a request's variables may replace, as in vLLM.
        self.variables = frozenset(jinja2.meta.find_undeclared_variables(tree))
        self.accepts = (self.variables | ALWAYS) - IGNORED
        environment.globals.update(_GLOBALS)
        self.changes_values = any(
            isinstance(block.target, nodes.NSRef) for block in tree.find_all(nodes.AssignBlock)
        )
        self.knows_developer = '"developer"' in source or "'developer'" in source
        self.compiled = environment.from_string(source)
        self.own_variables = {**environment.globals, **special_tokens}

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
            raise no_messages()
        return self.call(tools=tools, kwargs=kwargs).render(messages)

    def call(
        self, *, tools: list[dict[str, Any]] | None, kwargs: Mapping[str, Any]
    ) -> TemplateCall:
        """For many conversations with these arguments; see `render`."""
        return TemplateCall(self, tools, kwargs)
