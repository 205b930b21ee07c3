from __future__ import annotations

import pytest

from render_service.request_cache import ENTRY_BYTES, RequestCache


class Builder:
    """Counts what it builds, so that hits show."""

    def __init__(self, size: int = 0) -> None:
        self.built: list[bytes] = []
        self.size = size

    def __call__(self, raw: bytes) -> tuple[str, int]:
        self.built.append(raw)
        return raw.decode(), self.size


def test_the_same_bytes_are_built_once() -> None:
    cache, build = RequestCache(), Builder()
    assert [cache.get("chat", b"a", build) for _ in range(3)] == ["a", "a", "a"]
    assert build.built == [b"a"]


def test_kinds_do_not_meet() -> None:
    cache, build = RequestCache(), Builder()
    cache.get("chat", b"a", build)
    cache.get("completion", b"a", build)
    assert build.built == [b"a", b"a"]


def test_the_least_recently_used_goes_first() -> None:
    cache, build = RequestCache(4 * (100 + ENTRY_BYTES)), Builder(100)
    for raw in (b"1", b"2", b"3", b"4", b"1", b"5", b"1", b"2"):
        cache.get("chat", raw, build)
    assert build.built == [b"1", b"2", b"3", b"4", b"5", b"2"]


def test_a_value_of_more_than_its_share_is_not_kept() -> None:
    cache, build = RequestCache(1000), Builder(900)
    cache.get("chat", b"a", build)
    cache.get("chat", b"a", build)
    assert build.built == [b"a", b"a"]


def test_a_refused_request_is_refused_each_time() -> None:
    cache = RequestCache()

    def refuse(raw: bytes) -> tuple[str, int]:
        raise ValueError(raw)

    for _ in range(2):
        with pytest.raises(ValueError, match="a"):
            cache.get("chat", b"a", refuse)
