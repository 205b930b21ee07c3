"""Conversations are what vLLM makes of the same messages."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from render_service.errors import RequestError
from render_service.messages import ContentFormat, conversation
from tests.render_service.golden_chat import lines, rendered

PRINTS_STRING = "{{ messages | tojson }}"
PRINTS_PARTS = (
    "{% for m in messages %}{% for c in m.content %}{% endfor %}{% endfor %}{{ messages | tojson }}"
)
LINES = {line["name"]: line for line in lines("messages")}
# vLLM reads this field only where its request model has renamed it, as ours does.
LINES.pop("reasoning_content")


@pytest.mark.parametrize("content_format", ["string", "openai"])
@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_recorded(line: dict[str, Any], content_format: str) -> None:
    template = PRINTS_STRING if content_format == "string" else PRINTS_PARTS
    messages = copy.deepcopy(line["messages"])
    got = rendered({"messages": messages}, template)
    want = line[content_format]
    if "not a multimodal model" in str(want):  # vLLM names a path there
        want["error"]["message"] = "The served model is not a multimodal model"
    assert got == want
    assert messages == line["messages"]


def one(content: Any, content_format: ContentFormat = "string", role: str = "user") -> Any:
    message = {"role": role, "content": content}
    return conversation([message], content_format=content_format)[0]["content"]


def test_lists_without_a_text_part() -> None:
    """vLLM takes these parts beside a text part, and refuses them alone for standard roles."""
    assert one(["a", "b"]) == "a\nb"
    assert one([{"type": "input_text", "text": "a"}]) == "a"
    assert one([{"type": "text", "text": None}], "openai") == []


@pytest.mark.parametrize(
    "part",
    [
        3,
        None,
        ["text"],
        {"type": "text", "text": 3},
        {"type": "thinking", "thinking": {}},
        {"type": "tool_reference", "name": 3},
    ],
)
@pytest.mark.parametrize("content_format", ["string", "openai"])
def test_malformed_parts(part: Any, content_format: ContentFormat) -> None:
    with pytest.raises(RequestError) as refused:
        one([part], content_format)
    assert (refused.value.status, refused.value.type) == (400, "BadRequestError")


def test_part_with_a_type_that_is_no_string() -> None:
    with pytest.raises(RequestError, match="Invalid 'type'") as refused:
        one([{"type": 3}])
    assert refused.value.param == "type"


def test_billing_header_in_a_string_part() -> None:
    header = "x-anthropic-billing-header: 1"
    assert one([header + "\nBe brief.", header, "a"], role="system") == "Be brief.\na"


def test_tool_result_that_is_thinking_without_text() -> None:
    assert one([{"type": "thinking"}], "openai", role="tool") == ""


def test_tools_of_a_developer_that_are_no_objects() -> None:
    message = {"role": "developer", "content": "x", "tools": ["f"]}
    assert conversation([message], content_format="string")[0]["tools"] == ["f"]
