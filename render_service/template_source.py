"""Which template serves a request: the operator's, one of the model's, or the request's own.

The order is vLLM's `resolve_chat_template` (vllm/renderers/hf.py) over transformers' rules for the
files: chat_template.jinja and additional_chat_templates/ win over tokenizer_config.json; of named
templates `tool_use` serves requests with tools and `default` the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2

from .errors import RequestError
from .hub import ModelFiles, StartupError
from .messages import ContentFormat
from .template import ChatTemplate

# Compiled templates that requests brought are kept, so many and none longer than this.
REQUEST_TEMPLATES = 32
REQUEST_TEMPLATE_LENGTH = 128 * 1024
JINJA_CHARACTERS = "{}\n"


@dataclass(frozen=True, slots=True)
class Source:
    text: str
    origin: str


class ChatTemplates:
    """The templates of a served model. Immutable but for a bounded cache; thread-safe.

    sources: by name; a single template is `default` and serves all requests.
    special_tokens: `bos_token` and so on, as variables. content_format: None to detect it.
    Raises StartupError where a template that serves requests has a syntax error.
    """

    def __init__(
        self,
        sources: Mapping[str, Source],
        *,
        special_tokens: Mapping[str, str],
        content_format: ContentFormat | None = None,
    ) -> None:
        self.sources = sources
        self._special_tokens = special_tokens
        self._content_format = content_format
        self.default = self._own("default")
        self.tool_use = self._own("tool_use")
        self._of_request = lru_cache(maxsize=REQUEST_TEMPLATES)(self._compile)

    def pick(self, *, tools: Any = None, source: str | None = None) -> ChatTemplate:
        """The template for a request with these tools.

        source: the request's own template, or the name of one of the model's; only where the
        operator trusts requests with it. Raises RequestError (400).
        """
        if source is not None:
            named = self.sources.get(source)
            text = source if named is None else named.text
            kept = len(text) <= REQUEST_TEMPLATE_LENGTH
            try:
                return (self._of_request if kept else self._compile)(text, "request")
            # Compiling may meet more than syntax errors: deep nesting, a `break` outside a loop,
            # a number that is too long. All are the client's.
            except Exception as error:
                raise RequestError(str(error)) from error
        template = self.default
        if tools is not None and self.tool_use is not None:
            template = self.tool_use
        if template is None:
            raise RequestError(
                "As of transformers v4.44, default chat template is no longer allowed, so you "
                "must provide a chat template if the tokenizer does not define one."
            )
        return template

    def _own(self, name: str) -> ChatTemplate | None:
        source = self.sources.get(name)
        if source is None:
            return None
        try:
            return self._compile(source.text, source.origin)
        except jinja2.TemplateSyntaxError as error:
            raise StartupError(
                f"chat template {source.origin}, line {error.lineno}: {error.message}"
            ) from error
        except Exception as error:  # see above
            raise StartupError(f"chat template {source.origin}: {error}") from error

    def _compile(self, text: str, origin: str) -> ChatTemplate:
        return ChatTemplate(
            text,
            origin=origin,
            special_tokens=self._special_tokens,
            content_format=self._content_format,
        )


def find_templates(
    given: str | None, files: ModelFiles, config: Mapping[str, Any]
) -> dict[str, Source]:
    """Sources by name. given: --chat-template; files, config: those of the tokenizer."""
    if given is not None:
        return {"default": operator_template(given)}
    found: dict[str, Source] = {}
    text = files.text("chat_template.jinja")
    if text is not None:
        found["default"] = Source(text, "chat_template.jinja")
    for path in sorted(files.folder.glob("additional_chat_templates/*.jinja")):
        name = f"{path.parent.name}/{path.name}"
        found[path.stem] = Source(files.text(name) or "", name)
    return found or _configured(config.get("chat_template")) or _of_processor(files)


def operator_template(given: str) -> Source:
    """--chat-template: a file's path, or the template itself where it looks like one."""
    inline = any(character in given for character in JINJA_CHARACTERS)
    try:
        return Source(Path(given).read_text(encoding="utf-8"), given)
    except UnicodeDecodeError as error:
        raise StartupError(f"--chat-template {given} is not UTF-8 text: {error}") from error
    # ValueError: a null character, which no path has.
    except (OSError, ValueError) as error:
        if inline:
            return Source(given, "--chat-template, inline")
        raise StartupError(
            f"--chat-template {given} looks like a path, but cannot be opened: {error}"
        ) from error


def _configured(value: Any) -> dict[str, Source]:
    """tokenizer_config.json: one template, or named ones as a list or an object."""
    origin = "tokenizer_config.json"
    if value is None:
        return {}
    if isinstance(value, str):
        return {"default": Source(value, origin)}
    try:
        pairs = value if isinstance(value, Mapping) else {v["name"]: v["template"] for v in value}
        return {name: Source(text, f"{origin}, {name!r}") for name, text in pairs.items()}
    except (TypeError, KeyError) as error:
        raise StartupError(
            f"the chat_template of {origin} is neither text nor a list of name and template"
        ) from error


def _of_processor(files: ModelFiles) -> dict[str, Source]:
    """chat_template.json, which multimodal models had before chat_template.jinja."""
    stored = files.json("chat_template.json") or {}
    text = stored.get("chat_template")
    return {"default": Source(text, "chat_template.json")} if isinstance(text, str) else {}
