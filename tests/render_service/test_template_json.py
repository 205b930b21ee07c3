"""The filter writes what `json.dumps` does, and JSON with `indent` only up to a bound."""

from __future__ import annotations

import json
from typing import Any

import pytest

from render_service.errors import RequestError
from render_service.template import ChatTemplate
from render_service.template_json import MOST_INDENTED

VALUE = {"b": [1, {"é": None}], "a": [], "c": "x<y", "d": {"e": [2.5, True]}}


def rendered(source: str, value: Any) -> str:
    template = ChatTemplate(source, origin="test", special_tokens={})
    message = {"role": "user", "content": "x", "value": value}
    return template.render([message], kwargs={})


@pytest.mark.parametrize(
    "options",
    [
        {"indent": 4},
        {"indent": 0},
        {"indent": 2, "sort_keys": True, "ensure_ascii": True},
        {"separators": [",", ":"]},
        {"indent": 1, "separators": [" , ", " : "]},
    ],
)
def test_as_python_writes_it(options: dict[str, Any]) -> None:
    given = ", ".join(f"{name}={value!r}" for name, value in options.items())
    for value in (VALUE, "text", 5, None, []):
        text = rendered(f"{{{{ messages[0].value | tojson({given}) }}}}", value)
        assert text == json.dumps(value, **{"ensure_ascii": False, **options})


def test_indented_json_is_bounded() -> None:
    """Of all in one rendering; each rendering begins anew."""
    value: Any = [1] * 2000
    for _ in range(100):
        value = [value]
    length = len(json.dumps(value, indent=4))
    assert length > 100 * len(json.dumps(value))
    source = (
        "{% macro f(x) %}{{ x | tojson(indent=4) }}{% endmacro %}"
        "{% for i in range(TIMES) %}{{ f(messages[0].value) }}{% endfor %}"
    )
    most = MOST_INDENTED // length
    for _ in range(2):
        assert len(rendered(source.replace("TIMES", str(most)), value)) == most * length
    with pytest.raises(RequestError, match="characters of indented JSON") as refused:
        rendered(source.replace("TIMES", str(most + 1)), value)
    assert refused.value.status == 400
