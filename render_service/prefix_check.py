"""Whether each prompt of a conversation, with the output that followed, begins the next prompt.

That is what an engine's KV cache holds after a turn, and what a client relies on that keeps it
and sends only what is new. Templates break it: some leave older reasoning out, trim content or
write calls anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .errors import RequestError
from .prefix_break import Break, find_break
from .prefix_output import Turn, output_of
from .prefix_prompts import Prompts

if TYPE_CHECKING:
    from .model import Model
    from .protocol.chat import ChatRequest


class Checked(NamedTuple):
    """broken: None where all that is cached can be used again."""

    turn: Turn
    broken: Break | None

    @property
    def reusable(self) -> int:
        """Cached tokens that begin the next prompt."""
        return len(self.turn.cached) if self.broken is None else self.broken.position

    @property
    def lost(self) -> int:
        return len(self.turn.cached) - self.reusable


def check(model: Model, request: ChatRequest) -> Iterator[Checked]:
    """One for each assistant message that has messages before and behind it.

    The next prompt is that of the next assistant message, or of all messages. Raises RequestError
    where one cannot be rendered; its message names the messages.
    """
    prompts = Prompts(model, request)
    roles = [message["role"] for message in request.messages]
    answers = [index for index, role in enumerate(roles) if role == "assistant" and index]
    prompt = None
    for answer, until in pairwise([*answers, len(roles)]):
        if answer + 1 == len(roles):
            return
        try:
            prompt = prompt or prompts.render(request.messages[:answer])
            following = prompts.render(request.messages[:until])
            output = output_of(prompts, answer, prompt, following)
            turn = Turn(answer, until, prompt, output, following)
            broken = find_break(prompts, turn)
        except RequestError as error:
            error.message = f"messages[:{until}]: {error.message}"
            raise
        yield Checked(turn, broken)
        prompt = following
