"""State keys in `fleet-check`: what one replica signs, the others must take."""

from __future__ import annotations

import json

import httpx
import pytest

from render_service import cli
from render_service.fleet_check import Replica, Report, differences
from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL, Serve

OLD, NEW = "a key that is old enough", "a key that is new enough"
KEY = ["state_key"]


def found(*keys: tuple[str, ...] | None) -> list[list[str]]:
    """What differs in replicas with these keys, which are alike otherwise."""
    reports = [Report("0" * 12, {}, "check", own) for own in keys]
    return differences([Replica(str(at), report) for at, report in enumerate(reports)])


@pytest.mark.parametrize(
    "keys",
    [
        [(), ()],
        [("old",), ("old",)],
        [("old",), ("old", "new")],
        [("old", "new"), ("new", "old")],
        [("new", "old"), ("new",), ("new",)],
        [("old",), None],  # a release that does not tell
        [None, None],
    ],
)
def test_keys_that_go_together(keys: list[tuple[str, ...] | None]) -> None:
    assert found(*keys) == [[] for _ in keys]
    assert found(*reversed(keys)) == [[] for _ in keys]


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ([("a",), ("a",), ("b",)], [[], [], KEY]),
        ([("b",), ("a",), ("a",)], [KEY, [], []]),
        ([("a",), ("b",)], [[], KEY]),
        ([("a",), ("a",), ()], [[], [], KEY]),
        ([(), (), ("a",)], [[], [], KEY]),
        # It signs with a key that the others have not yet.
        ([("old",), ("old",), ("new", "old")], [[], [], KEY]),
        # Each goes with the first two, and the last not with the third.
        ([("a", "b"), ("a", "b"), ("b", "a"), ("a",)], [[], [], [], KEY]),
    ],
)
def test_keys_that_do_not(keys: list[tuple[str, ...]], wanted: list[list[str]]) -> None:
    assert found(*keys) == wanted


def test_they_are_told_beside_other_differences() -> None:
    one, two = (
        Report("0" * 12, {"a": "0"}, "check", ("k",)),
        Report("1" * 12, {"a": "1"}, "off", ()),
    )
    assert differences([Replica("1", one), Replica("2", None, "gone"), Replica("3", two)]) == [
        [],
        [],
        ["a", "state_key"],
    ]


@pytest.fixture(scope="module")
def fleet(serve: Serve) -> list[LocalServer]:
    """old and new, new and old, old alone."""
    return [serve(DEMO_MODEL, "--state-key", *keys) for keys in ((OLD, NEW), (NEW, OLD), (OLD,))]


def test_running_replicas(fleet: list[LocalServer], capsys: pytest.CaptureFixture[str]) -> None:
    both, turned, old = (server.url for server in fleet)
    assert cli.main(["fleet-check", both, turned]) == 0
    assert cli.main(["fleet-check", both, old]) == 0
    capsys.readouterr()
    assert cli.main(["fleet-check", old, turned, old]) == 1
    _, first, second, third = capsys.readouterr().out.splitlines()
    assert (first.split()[-1], second.split()[-1], third.split()[-1]) == ("check", *KEY, "check")
    assert cli.main(["fleet-check", "--json", both, turned]) == 0
    one, two = json.loads(capsys.readouterr().out)["replicas"]
    assert one["state_keys"] == two["state_keys"][::-1]


def test_the_page_tells_no_key(fleet: list[LocalServer]) -> None:
    reports = [httpx.get(f"{server.url}/v1/fingerprint") for server in fleet]
    assert [len(report.json()["state_keys"]) for report in reports] == [2, 2, 1]
    assert len({report.json()["fingerprint"] for report in reports}) == 1
    assert not any(key in report.text for key in (OLD, NEW) for report in reports)


@pytest.mark.parametrize(("value", "keys"), [(f"{OLD},word1", 2), ('["p4ss,word1"]', 1)])
def test_a_short_key_is_warned_of(value: str, keys: int, fleet: list[LocalServer]) -> None:
    """A comma in the variable separates keys, but not within a JSON list."""
    words = "--state-key: one is shorter than 16 characters"
    assert not any(words in server.output() for server in fleet)
    command = ["render_service", "serve", str(DEMO_MODEL)]
    with LocalServer(command, env={"RENDER_STATE_KEY": value}) as server:
        assert words in server.output()
        assert "word1" not in server.output()
        assert len(httpx.get(f"{server.url}/v1/fingerprint").json()["state_keys"]) == keys
