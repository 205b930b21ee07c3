"""JSON that a body holds as text, such as arguments of calls: bounded as the body is.

Rule: what bounds a body does not look into its texts, so each place that reads one asks here first;
all texts of a kind share one bound, as many could hold what one may not. The reader is Python's,
as in vLLM: it takes NaN, and numbers and surrogates that a body may not have.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..errors import RequestError
from .json_bounds import FREE_CONTAINERS, MAX_NESTING, brackets, nests, too_many


def check_texts(texts: Sequence[str], what: str, param: str | None = None) -> int:
    """The characters of all of them, if these may hold so many objects and arrays.

    what: they are, in the plural. param: the field. Raises RequestError (400).
    """
    size = sum(map(len, texts))
    # A container is two characters at least; see `json_bounds.check_size`.
    if size <= 2 * FREE_CONTAINERS:
        return size
    if not too_many(sum(text.count("[") + text.count("{") for text in texts), size):
        return size
    # One by one: a quote that one leaves open must not hide what stands in the next.
    if too_many(sum(_brackets(text).count(b"[") for text in texts), size):
        raise RequestError(f"{what} hold too many objects and arrays.", param=param)
    return size


def load_text(text: str, what: str, param: str | None = None) -> Any:
    """The value of a text that `check_texts` has let through; see also `no_collection`.

    ValueError where it is no JSON. Raises RequestError (400) where it nests deeper than a body may.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        found = _brackets(text)
        if 2 * found.count(b"[") != len(found):  # such as a model that opened arrays to its end
            raise ValueError("it is not closed") from None
        raise _too_deep(what, param) from None
    if len(text) > 2 * MAX_NESTING and nests(value, MAX_NESTING):
        raise _too_deep(what, param)
    return value


def _brackets(text: str) -> bytes:
    return brackets(text.encode(errors="surrogatepass"))


def _too_deep(what: str, param: str | None) -> RequestError:
    return RequestError(
        f"{what} nest objects and arrays deeper than {MAX_NESTING} levels.", param=param
    )
