"""Filters of chat templates: `tojson` as transformers has it, since Jinja's own escapes HTML, and
an `indent` that leaves a list as it was.

Rule: what a value's JSON takes grows as the value does, but not with `indent`, where each value
within 100 others costs 400 spaces: that has a bound, of all such JSON of one rendering.
"""

from __future__ import annotations

import json
from typing import Any

import jinja2
from jinja2.filters import do_indent

from .template_context import TemplateContext

MOST_INDENTED = 16 * 1024 * 1024
"""Characters of one rendering, more than any context holds."""

# What came as JSON is no circle, and looking for one takes a fifth of the time.
_plain = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


@jinja2.pass_context
def tojson(
    context: TemplateContext,
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Raises jinja2.TemplateError for too much of it."""
    if not ensure_ascii and indent is None and separators is None and not sort_keys:
        return _plain(value)
    encoder = json.JSONEncoder(
        ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )
    if indent is None:
        return encoder.encode(value)
    parts = []
    for part in encoder.iterencode(value):
        context.indented += len(part)
        if context.indented > MOST_INDENTED:
            raise jinja2.TemplateError(
                f"The chat template writes more than {MOST_INDENTED} characters of indented JSON."
            )
        parts.append(part)
    return "".join(parts)


def indent(value: Any, *args: Any, **kwargs: Any) -> Any:
    """Jinja's, which adds a line end to the value itself; that of a list others would see."""
    own: Any = list(value) if isinstance(value, list) else value
    return do_indent(own, *args, **kwargs)
