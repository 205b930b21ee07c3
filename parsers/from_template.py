"""The names whose format is the model's own response template."""

from __future__ import annotations

from .format import Format
from .response_format import Decode, TemplateFormat
from .response_template import CALLS, THINKING, load_template
from .response_values import ResponseTemplateError

FROM_TEMPLATE = ("beam", "hf")
"""Of both kinds. vLLM's differ in how they constrain the model, and not in how they read it."""


def format_from_template(
    tool: str | None, reasoning: str | None, source: object, decode: Decode | None
) -> Format:
    """tool, reasoning: names of `FROM_TEMPLATE`. Raises ResponseTemplateError."""
    names = {THINKING: ("--reasoning-parser", reasoning), CALLS: ("--tool-call-parser", tool)}
    wanted = {field: f"{flag} {name}" for field, (flag, name) in names.items() if name}
    title = " and ".join(wanted.values())
    if source is None:
        raise ResponseTemplateError(
            f"{title} requires a response_template in the tokenizer's configuration "
            "(tokenizer_config.json), and there is none"
        )
    try:
        template = load_template(source)
    except ResponseTemplateError as error:
        raise ResponseTemplateError(
            f"{title}: the response_template in the tokenizer's configuration cannot be used: "
            f"{error}"
        ) from error
    for field, flag in wanted.items():
        if field not in template.fields:
            raise ResponseTemplateError(f"{flag} requires a response_template with a {field} field")
    return TemplateFormat(template, tool, reasoning, decode)
