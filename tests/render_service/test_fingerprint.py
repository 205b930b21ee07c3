from __future__ import annotations

import re

import pytest

from render_service.errors import RequestError
from render_service.fingerprint import Fingerprint, carried

PARTS = {f"part{i}": {"a": i, "b": [i, None]} for i in range(14)}


def test_it_is_twelve_digits_and_stays_the_same() -> None:
    value = Fingerprint(PARTS).value
    assert re.fullmatch("[0-9a-f]{12}", value)
    assert value == Fingerprint(PARTS).value


def test_the_order_of_keys_does_not_matter() -> None:
    turned = {name: dict(reversed(value.items())) for name, value in PARTS.items()}
    assert Fingerprint(turned).value == Fingerprint(PARTS).value


@pytest.mark.parametrize("name", PARTS)
def test_each_component_alone_changes_it(name: str) -> None:
    ours, named = Fingerprint(PARTS), 0
    for change in range(50):
        theirs = Fingerprint({**PARTS, name: change})
        assert theirs.value != ours.value
        assert set(ours.differing(theirs.value)) <= {name}
        named += ours.differing(theirs.value) == [name]
    assert named > 25, "two bits name three of four changes"


def test_a_mismatch_is_a_409_that_names_what_differs() -> None:
    ours = Fingerprint(PARTS)
    ours.check(ours.value)
    for change in range(20):
        theirs = Fingerprint({**PARTS, "part3": change})
        with pytest.raises(RequestError, match=theirs.value) as refused:
            ours.check(theirs.value)
        assert (refused.value.status, refused.value.type) == (409, "ConfigFingerprintMismatch")
        told = "part3" if ours.differing(theirs.value) else "a component that the digits"
        assert told in refused.value.message


def test_it_is_found_behind_what_an_engine_puts_before_an_id() -> None:
    suffix = Fingerprint(PARTS).suffix
    assert carried(f"generate-tokens-chatcmpl-1{suffix}") == Fingerprint(PARTS).value
    for other in ("", "chatcmpl-1", f"chatcmpl-1{suffix}x", "chatcmpl-rf12", f"x{suffix.upper()}"):
        assert carried(other) is None
