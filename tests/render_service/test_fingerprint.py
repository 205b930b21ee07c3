from __future__ import annotations

import re

import pytest

from render_service.fingerprint import Fingerprint, carried, is_value

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
    for change in range(20):
        theirs = Fingerprint({**PARTS, "part3": change})
        error = ours.mismatch(theirs.value, "stream_state")
        assert (error.status, error.type) == (409, "ConfigFingerprintMismatch")
        assert error.param == "stream_state"
        told = "part3" if ours.differing(theirs.value) else "The digits cannot name"
        for words in (ours.value, theirs.value, told, "fleet-check"):
            assert words in error.message


def test_it_is_found_behind_what_an_engine_puts_before_an_id() -> None:
    suffix = Fingerprint(PARTS).suffix
    assert carried(f"generate-tokens-chatcmpl-1{suffix}") == Fingerprint(PARTS).value
    for other in ("", "chatcmpl-1", f"chatcmpl-1{suffix}x", "chatcmpl-rf12", f"x{suffix.upper()}"):
        assert carried(other) is None


def test_what_is_a_value() -> None:
    assert is_value(Fingerprint(PARTS).value)
    for other in ("", "0" * 11, "0" * 13, "0" * 12 + "\n", "G" * 12, "\u0660" * 12):
        assert not is_value(other)


def test_any_json_value_can_be_covered() -> None:
    odd = {"huge": 10**400, "surrogate": "\ud800", "nan": float("nan"), "date": [None, True]}
    assert Fingerprint(odd).value == Fingerprint(odd).value
    assert Fingerprint({"a": 1}).value != Fingerprint({"a": True}).value
