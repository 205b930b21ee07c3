from __future__ import annotations

import re

from render_service.tool_call_id import tool_call_id


def test_the_shape_is_that_of_vllm() -> None:
    assert re.fullmatch(r"chatcmpl-tool-[0-9a-f]{16}", tool_call_id("chatcmpl-1", 0, 0))


def test_the_same_call_has_the_same_id_everywhere() -> None:
    assert tool_call_id("r", 1, 2) == tool_call_id("r", 1, 2)


def test_requests_choices_and_calls_have_ids_of_their_own() -> None:
    ids = {tool_call_id(r, c, i) for r in ("a", "b", "a\0") for c in range(3) for i in range(3)}
    assert len(ids) == 27
