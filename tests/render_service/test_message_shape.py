"""Messages whose parts no role reads, and those that a role needs."""

from __future__ import annotations

from typing import Any

import pytest

from render_service.errors import RequestError
from render_service.protocol.message_shape import check_messages

BAD_CALLS: tuple[Any, ...] = ("x", [None], [{}], [{"type": "custom", "custom": {}}, 5], {"a": 1})


@pytest.mark.parametrize("role", ["user", "system", "developer"])
@pytest.mark.parametrize("calls", BAD_CALLS)
def test_calls_of_a_role_that_makes_none_are_not_looked_at(role: str, calls: Any) -> None:
    check_messages([{"role": role, "content": "Hi", "tool_calls": calls}])


@pytest.mark.parametrize("calls", BAD_CALLS)
def test_calls_of_the_assistant_are(calls: Any) -> None:
    with pytest.raises(RequestError, match="must be an object"):
        check_messages([{"role": "assistant", "content": "Hi", "tool_calls": calls}])


@pytest.mark.parametrize("role", ["user", "assistant", "tool", "critic"])
@pytest.mark.parametrize("calls", [True, 0, 1.5])
def test_calls_that_are_no_list_are_refused(role: str, calls: Any) -> None:
    with pytest.raises(RequestError, match="must be an array of tool calls"):
        check_messages([{"role": role, "content": "Hi", "tool_calls": calls}])


@pytest.mark.parametrize("content", [{}, {"a": 1}])
def test_content_that_is_an_object_is_refused(content: Any) -> None:
    with pytest.raises(RequestError, match="a string or an array of content parts"):
        check_messages([{"role": "user", "content": content}])


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [None]},
        {"reasoning": {"a": 1}},
        {"tool_calls": [{"type": "custom", "custom": {}}]},
    ],
)
def test_what_another_role_has_no_use_for_is_not_looked_at(fields: dict[str, Any]) -> None:
    check_messages([{"role": "critic", "content": "Hi", **fields}])
