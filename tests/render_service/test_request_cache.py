from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from render_service.request_cache import ENTRY_BYTES, RequestCache, footprint

from .derender_client import CHAT, chat, completion, demo

T = TypeVar("T")
GENERATED = {"choices": [{"index": 0, "token_ids": [1, 2]}]}


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


class Sizes(RequestCache):
    """Notes what each value is said to hold."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[int] = []

    def get(self, kind: str, raw: bytes, build: Callable[[bytes], tuple[T, int]]) -> T:
        value, size = build(raw)
        self.noted.append(size)
        return value


TEXTS = {"x": [{"text": str(number)} for number in range(1000)]}


@pytest.mark.parametrize(
    "field",
    [
        {"chat_template_kwargs": TEXTS},
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": TEXTS}}]},
        {"stop_token_ids": list(range(1000, 9000))},
        {"stop": ["x" * 200_000]},
    ],
)
def test_whatever_is_kept_of_a_request_is_counted(field: dict[str, Any]) -> None:
    sizes = Sizes()
    model = replace(demo(), requests=sizes)
    chat(model, generate_response=GENERATED, chat_request={**CHAT, **field})
    assert sizes.noted[0] > 200_000
    if "chat_template_kwargs" not in field and "tools" not in field:
        completion(
            model, generate_responses=[GENERATED], completion_request={"prompt": "a", **field}
        )
        assert sizes.noted[1] > 200_000


def test_footprint_is_that_of_the_objects() -> None:
    assert footprint([{}] * 1000) > 60_000
    assert footprint({"a": ["b" * 5000]}) > 5000
    assert footprint(None, 1, frozenset((1, 2))) > 100
