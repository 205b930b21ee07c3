"""What counts as a difference between two answers, and what is a server's own."""

from __future__ import annotations

from typing import Any

import pytest

from render_service.answer_differences import (
    ABSENT,
    answer_differences,
    as_whole,
    differences,
    joined_chat,
)
from render_service.compare_report import shown

HEX = "0123456789abcdef"


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ({"request_id": f"chatcmpl-{HEX}"}, {"request_id": f"chatcmpl-{HEX * 2}-rf0123456789ab"}),
        ({"request_id": "chatcmpl-mine"}, {"request_id": "chatcmpl-mine-rf0123456789ab"}),
        ({"created": 1}, {"created": 2}),
        ({"stream_state": {"a": 1}}, {"stream_state": "x"}),
        ({"tool_calls": [{"id": f"call_{HEX}"}]}, {"tool_calls": [{"id": f"call_{HEX[::-1]}"}]}),
        ({"a": [1, None, {"b": "c"}]}, {"a": [1, None, {"b": "c"}]}),
    ],
)
def test_equal(theirs: Any, ours: Any) -> None:
    assert list(differences(theirs, ours)) == []


@pytest.mark.parametrize(
    ("theirs", "ours", "path", "field"),
    [
        ({"request_id": "chatcmpl-mine"}, {"request_id": "chatcmpl-yours"}, "request_id", None),
        ({"request_id": None}, {"request_id": "x"}, "request_id", None),
        ({"created": 1}, {}, "created", None),
        ({"stream_state": None}, {"stream_state": "x"}, "stream_state", None),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "a[1].b", "a.b"),
        ({"a": [1]}, {"a": [1, 2]}, "a", None),
        ({"a": 1}, {"a": 1.0}, "a", None),
        ({"a": 1}, {"a": True}, "a", None),
        ({"parameters": {"id": HEX}}, {"parameters": {"id": HEX[::-1]}}, "parameters.id", None),
        ([], {}, "", None),
    ],
)
def test_different(theirs: Any, ours: Any, path: str, field: str | None) -> None:
    (found,) = differences(theirs, ours)
    assert found.path == path
    assert found.field == (field or path)


def test_absent_is_not_null() -> None:
    (found,) = differences({}, {"a": None})
    assert (found.theirs, found.ours) == (ABSENT, None)
    assert (shown(found.theirs), shown(found.ours)) == ("(absent)", "null")


def test_errors_by_what_people_act_on() -> None:
    def error(kind: str, message: str) -> dict[str, Any]:
        return {"error": {"type": kind, "message": message, "param": "n", "code": 400}}

    schema = answer_differences((400, error("Bad Request", "a")), (400, error("Bad Request", "b")))
    assert schema == []
    (found,) = answer_differences((400, error("x", "a")), (400, error("x", "b")))
    assert found.path == "error.message"
    (found,) = answer_differences((200, {"a": 1}), (400, error("x", "b")))
    assert found == ("status", 200, [400, "b"])
    assert answer_differences((401, {"error": "no"}), (401, {"error": "no"})) == []


def test_terminals_are_safe() -> None:
    assert shown("\x1b[31m\u202e東") == '"\\u001b[31m\\u202e東"'
    assert len(shown("x" * 999)) < 200


def delta(index: int = 0, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    choice = {"index": index, "delta": fields, "finish_reason": finish, "stop_reason": None}
    return {"choices": [choice]}


def call(index: int, name: str | None, arguments: str | None) -> dict[str, Any]:
    return {"index": index, "function": {"name": name, "arguments": arguments}}


def test_joined() -> None:
    chunks = [
        delta(role="assistant", reasoning="a"),
        delta(reasoning="b", content="\n"),
        delta(tool_calls=[call(0, "f", None)]),
        delta(tool_calls=[call(0, None, '{"a":'), call(1, "g", "{")]),
        delta(finish="tool_calls", tool_calls=[call(0, None, " 1}")]),
        {"choices": [], "usage": {"total_tokens": 5}},
    ]
    joined = joined_chat(chunks)
    choice = joined["choices"]["0"]
    assert (choice["role"], choice["reasoning"], choice["content"]) == (1, "ab", "")
    assert choice["calls"] == [
        {"name": "f", "arguments": {"a": 1}},
        {"name": "g", "arguments": "{"},
    ]
    assert joined["usage"] == {"total_tokens": 5}
    calls = [
        {"id": "x", "function": {"name": "f", "arguments": '{"a":1}'}},
        {"id": "y", "function": {"name": "g", "arguments": "{"}},
    ]
    message = {"reasoning": "ab", "content": None, "tool_calls": calls}
    whole = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    assert as_whole(joined, whole)
    assert not as_whole(joined_chat(chunks[:-2]), whole)
