"""How an output ended: which token or string is left out of its text.

The engine has no text, so what its detokenizer would leave out is left out here, by the rules
of vLLM's derenderer (`renderers/online_derenderer.py`, `v1/engine/detokenizer.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .generation import GenerationDefaults

StopReason = int | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRules:
    """What a request says about stopping; the defaults hold where there is no request.

    stop: stop strings, none empty. min_tokens: stop strings that end within as many tokens do
    not count.
    """

    stop: tuple[str, ...] = ()
    stop_token_ids: frozenset[int] = frozenset()
    include_stop_str_in_output: bool = False
    ignore_eos: bool = False
    min_tokens: int = 0


def drop_stop_token(
    token_ids: Sequence[int],
    finish_reason: str | None,
    stop_reason: StopReason,
    rules: StopRules,
    generation: GenerationDefaults,
) -> tuple[Sequence[int], StopReason]:
    """The IDs without the token that ended the output, and the stop reason.

    An engine reports the token as `stop_reason`, but none for the primary EOS, and some never
    report one: then the last ID counts if the request or the model would stop on it, and is
    named as the reason unless it is the primary EOS.
    """
    if finish_reason != "stop" or isinstance(stop_reason, str) or not token_ids:
        return token_ids, stop_reason
    last = token_ids[-1]
    if stop_reason is not None:
        stopped = last == stop_reason
    elif last == generation.eos_token_id and not rules.ignore_eos:
        stopped = True
    else:
        stopped = last in rules.stop_token_ids or (
            last in generation.eos_token_ids and not rules.ignore_eos
        )
        stop_reason = last if stopped else None
    if stopped and not rules.include_stop_str_in_output:
        token_ids = token_ids[:-1]
    return token_ids, stop_reason


def find_stop_string(
    text: str, new_chars: int, stop: Sequence[str], include: bool
) -> tuple[str, int] | None:
    """The stop string that is complete first, and the length that the text then keeps.

    new_chars: characters at the end of the text in which a stop string may end.
    include: whether the text keeps the stop string. Of strings that end together, the one that
    is first in the list counts.
    """
    found: tuple[int, str] | None = None
    if new_chars > 0:
        for string in stop:
            at = text.find(string, max(len(text) - new_chars - len(string) + 1, 0))
            if at >= 0 and (found is None or at + len(string) < found[0]):
                found = at + len(string), string
    if found is None:
        return None
    end, string = found
    return string, end if include else end - len(string)
