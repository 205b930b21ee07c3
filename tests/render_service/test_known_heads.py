from __future__ import annotations

from collections.abc import Mapping

import pytest

from render_service.known_heads import LONGEST, MOST, KnownHead, KnownHeads
from render_service.reply import Reply


class Handler:
    def at_once(self, headers: Mapping[bytes, bytes], body: bytes) -> Reply:
        return Reply(200, body)


def head(number: int = 0, more: bytes = b"") -> bytes:
    return b"POST /%d HTTP/1.1\r\nContent-Length: 4\r\n%b\r\n" % (number, more)


def known(length: int = 4) -> KnownHead:
    return KnownHead(Handler(), {}, b"/", length)


def test_a_whole_request_is_found_again() -> None:
    heads, first = KnownHeads(), known()
    heads.keep(head() + b"body", first)
    assert heads.find(head() + b"else") == (first, b"else")
    assert heads.find(head() + b"\r\n\r\n") == (first, b"\r\n\r\n")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\r\n\r\n",
        head(),
        head() + b"bod",
        head() + b"body ",
        (head() + b"body") * 2,
        head(1) + b"body",
        b"\r\n" + head() + b"body",
        head().lower() + b"body",
    ],
)
def test_what_is_not_just_that_is_not_found(data: bytes) -> None:
    heads = KnownHeads()
    heads.keep(head() + b"body", known())
    assert heads.find(data) is None


@pytest.mark.parametrize(
    ("data", "length"),
    [
        (b"", 0),
        (b"", 4),
        (head()[20:-2] + b"body", 4),  # the end of a head that began earlier
        ((head() + b"body") * 2, 4),
        (head() + b"body\r\n", 4),
        (head(more=b"a: %b\r\n" % (b"x" * LONGEST)) + b"body", 4),
    ],
)
def test_what_is_more_or_less_is_not_kept(data: bytes, length: int) -> None:
    heads = KnownHeads()
    heads.keep(data, known(length))
    assert heads.find(data) is None


def test_there_is_a_bound_on_them() -> None:
    heads = KnownHeads()
    for number in range(3 * MOST):
        heads.keep(head(number) + b"body", known())
    found = [heads.find(head(number) + b"body") is not None for number in range(3 * MOST)]
    assert 0 < sum(found) <= MOST
    assert found[-1]
