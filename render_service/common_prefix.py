"""How much of a prompt an earlier sequence shares: `previous_token_ids` of /render.

For clients that keep an engine's KV cache over turns: it holds for these tokens and no further.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .errors import RequestError
from .prompt import Prompt, check_token_ids
from .protocol.fields import invalid

if TYPE_CHECKING:
    from .model import Model

FIELD = "previous_token_ids"
HEADER = b"x-render-common-prefix"
SLICE = 512
MAX_PREFIXES = 256  # in one answer: proxies bound the size of a header


def common_prefix(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Items (token IDs, characters) that both begin with."""
    at, length = 0, min(len(one), len(other))
    # Slices are compared many times faster than items.
    while at < length and one[at : at + SLICE] == other[at : at + SLICE]:
        at += SLICE
    while at < length and one[at] == other[at]:
        at += 1
    return min(at, length)


def prefix_header(
    model: Model, previous: Sequence[int | list[int]] | None, prompts: Sequence[Prompt]
) -> tuple[tuple[bytes, bytes], ...]:
    """The answer's header, one length a prompt; none where the request does not ask.

    previous: token IDs, for every prompt, or a list of them for each. Raises RequestError (400).
    """
    if previous is None:
        return ()
    if len(prompts) > MAX_PREFIXES:
        raise invalid(f"{FIELD} is for at most {MAX_PREFIXES} prompts", FIELD, len(prompts))
    earlier = _one_each(model, previous, len(prompts))
    lengths = (common_prefix(a, b.ids) for a, b in zip(earlier, prompts, strict=True))
    return ((HEADER, ", ".join(map(str, lengths)).encode()),)


def _one_each(
    model: Model, previous: Sequence[int | list[int]], prompts: int
) -> list[Sequence[int]]:
    lists: list[Sequence[int]] = [item for item in previous if isinstance(item, list)]
    if not lists:
        shared = [item for item in previous if isinstance(item, int)]
        _check(model, shared)
        return [shared] * prompts
    if len(lists) != len(previous) or len(lists) != prompts:
        raise invalid(f"{FIELD} must hold token IDs, or one list of them for each prompt", FIELD)
    for ids in lists:
        _check(model, ids)
    return lists


def _check(model: Model, ids: Sequence[int]) -> None:
    if len(ids) > model.max_model_len:
        raise RequestError(
            f"{FIELD} length ({len(ids)}) exceeds max_model_len ({model.max_model_len}).",
            param=FIELD,
        )
    if ids:
        check_token_ids(model, ids, FIELD)
