"""Turns a model's output into reasoning, content and tool calls, a piece at a time.

    fmt = parsers.load(tool="hermes", reasoning="qwen3", vocab=added_tokens)
    stream = fmt.start(context, prompt_token_ids)
    events = stream.feed(pieces)
    state = stream.snapshot()
    stream = fmt.resume(state, context)
    events = stream.finish(reason)

No I/O, standard library only. However the output is cut, and wherever it is resumed, the joined
events are the same. docs/parsers.md says how it works.
"""

from .context import Context, Tool
from .events import Arguments, Call, Content, Event, Reasoning, Result, ToolCall
from .facts import Facts, describe
from .format import Format
from .from_template import FROM_TEMPLATE
from .pieces import Piece, Special
from .registry import CombinationError, MissingMarkerError, UnknownParserError, load, names
from .response_values import ResponseTemplateError
from .stream import Stream

__all__ = [
    "FROM_TEMPLATE", "Arguments", "Call", "CombinationError", "Content", "Context", "Event",
    "Facts", "Format", "MissingMarkerError", "Piece", "Reasoning", "ResponseTemplateError",
    "Result", "Special", "Stream", "Tool", "ToolCall", "UnknownParserError", "describe", "load",
    "names",
]  # fmt: skip
