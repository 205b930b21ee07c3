"""The harmony format of gpt-oss: messages to token IDs.

Source of the rules: oss-harmony 0.0.11 and vLLM 0.33.0's `entrypoints/openai/parser/harmony_utils`,
which writes the headers of earlier tool calls as the model was trained to. Only the format's own
markers become special tokens: whatever spells one inside a message is text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import parsers

from ..hub import StartupError
from .harmony_tools import Function, namespace

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

START, CHANNEL, CONSTRAIN, MESSAGE, END, CALL = MARKERS = tuple(
    parsers.Special(f"<|{name}|>")
    for name in ("start", "channel", "constrain", "message", "end", "call")
)

IDENTITY = "You are ChatGPT, a large language model trained by OpenAI."
KNOWLEDGE_CUTOFF = "2024-06"
CHANNELS = (
    "# Valid channels: analysis, commentary, final. Channel must be included for every message."
)
CALLS_CHANNEL = "Calls to these tools must go to the commentary channel: 'functions'."

Piece = str
"""Text, or a marker (`parsers.Special`)."""


class Message(NamedTuple):
    """role: system, developer, user, assistant or tool. texts: each is tokenized by itself.

    name: of the tool that answers. recipient: whom the message is for, as `functions.f`.
    content_type: of a tool call's arguments, as `json`.
    """

    role: str
    texts: tuple[str, ...]
    name: str | None = None
    channel: str | None = None
    recipient: str | None = None
    content_type: str | None = None


def system_text(*, effort: str, date: str, identity: str = IDENTITY, functions: bool) -> str:
    """effort: low, medium or high. functions: some message declares functions."""
    lines = (
        f"{identity}\nKnowledge cutoff: {KNOWLEDGE_CUTOFF}\nCurrent date: {date}",
        f"Reasoning: {effort}",
        f"{CHANNELS}\n{CALLS_CHANNEL}" if functions else CHANNELS,
    )
    return "\n\n".join(lines)


def developer_text(instructions: str | None, functions: Sequence[Function] = ()) -> str:
    sections = [] if instructions is None else [f"# Instructions\n\n{instructions}"]
    if functions:
        sections.append(f"# Tools\n\n{namespace('functions', functions)}")
    return "\n\n".join(sections)


class HarmonyEncoding:
    """Tokenizes harmony messages. Raises StartupError where the tokenizer lacks a marker."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        added = tokenizer.added_tokens
        missing = [marker for marker in MARKERS if marker not in added]
        if missing:
            raise StartupError(f"the tokenizer has no {', '.join(missing)}: harmony needs them")
        self._encode = tokenizer.encode_ordinary
        self._markers = {marker: added[marker] for marker in MARKERS}

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """Token IDs of a conversation, up to where the assistant's next message starts."""
        ids: list[int] = []
        for message in without_old_analysis(messages):
            self._add(ids, _pieces(message))
        self._add(ids, (START, "assistant"))
        return ids

    def _add(self, ids: list[int], pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            if isinstance(piece, parsers.Special):
                ids.append(self._markers[piece])
            else:
                ids += self._encode(piece)


def without_old_analysis(messages: Sequence[Message]) -> list[Message]:
    """Reasoning counts only as long as it has not led to an answer."""
    answers = [i for i, m in enumerate(messages) if m.role == "assistant" and m.channel == "final"]
    last = answers[-1] if answers else -1
    return [m for i, m in enumerate(messages) if i >= last or m.channel != "analysis"]


def _pieces(message: Message) -> Iterator[Piece]:
    yield START
    yield from _header(message)
    yield MESSAGE
    yield from message.texts
    yield CALL if message.role == "assistant" and message.recipient else END


def _header(message: Message) -> Iterator[Piece]:
    named = message.name if message.role == "tool" else None
    author = message.role if named is None else named
    to = f" to={message.recipient}" if message.recipient not in (None, "all") else ""
    channel, kind = message.channel, message.content_type
    in_commentary = channel == "commentary"
    if message.role == "assistant" and to and kind and in_commentary:
        yield f"{author}{to}"
        yield CHANNEL
        yield f"{channel} {kind}"
        return
    yield author
    if not in_commentary:
        yield to
    if channel is not None:
        yield CHANNEL
        yield channel
    if in_commentary:
        yield to
    if kind:
        yield from (" ", CONSTRAIN, kind)
