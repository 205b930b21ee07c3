"""Response templates that are refused when the server starts, and what is said of each."""

from __future__ import annotations

import json
from typing import Any

import pytest

import parsers
from parsers import Format, ResponseTemplateError

from .families import FAMILIES

JSON = FAMILIES["response template"].response_template
CODER = FAMILIES["response template, coder"].response_template


def of(template: Any, tool: str | None = "hf", reasoning: str | None = "hf") -> Format:
    return parsers.load(tool, reasoning, response_template=template)


def changed(template: Any, *path: str, **changes: Any) -> Any:
    copy = json.loads(json.dumps(template))
    node = copy
    for key in path:
        node = node[key]
    for key, value in changes.items():
        node.pop(key, None)
        if value is not None:
            node[key] = value
    return copy


CALLS = ("fields", "tool_calls")
REFUSED: dict[str, Any] = {
    "must be an object": [],
    "version 2 is not known": changed(JSON, version=2),
    "unknown keys stop": changed(JSON, stop="x"),
    "defaults must be an object": changed(JSON, defaults=[]),
    "unsupported fields name": changed(JSON, "defaults", name="x"),
    "unsupported fields citations": changed(JSON, "fields", citations={"open": "<c>"}),
    "'fields' is empty": changed(JSON, fields={}),
    "fields must be an object": changed(JSON, fields=None),
    "field 'thinking' must be an object": changed(JSON, "fields", thinking="<think>"),
    "field 'thinking': unknown keys shut": changed(JSON, "fields", "thinking", shut="x"),
    "both 'open' and 'open_pattern'": changed(JSON, "fields", "thinking", open_pattern="x"),
    "'open' must be text": changed(JSON, "fields", "thinking", open=3),
    "'open' has a text that is empty": changed(JSON, "fields", "thinking", open=["a", ""]),
    "open_pattern must be a string": changed(JSON, *CALLS, open_pattern=3),
    "is no regular expression": changed(JSON, *CALLS, open_pattern="("),
    "cannot be matched as text comes": changed(JSON, *CALLS, open_pattern=r"(a)\1"),
    "may match no text at all": changed(JSON, *CALLS, open_pattern=r"\s*"),
    "only one field can be without": changed(JSON, "fields", "thinking", open=None),
    "'start_anchor' or": changed(JSON, start_anchor=None),
    "unknown content parser 'yaml'": changed(JSON, *CALLS, content="yaml"),
    "content_args must be an object": changed(JSON, *CALLS, content_args=[]),
    "'string_delims' must be a list": changed(
        JSON, *CALLS, content_args={"string_delims": ["<q>"]}
    ),
    "it streams as it is": changed(JSON, "fields", "thinking", content="json"),
    "and no 'join'": changed(JSON, *CALLS, join=","),
    "it needs 'open' or 'open_pattern'": changed(
        changed(JSON, *CALLS, open_pattern=None), "fields", content=None
    ),
    "have groups name, and no 'transform'|has groups name": changed(CODER, *CALLS, transform=None),
    "'transform_each' is true or false": changed(JSON, *CALLS, transform_each=1),
    "mixes a placeholder with text": changed(JSON, *CALLS, transform={"function": "f {content}"}),
    "'{tool}' in 'transform' has no value": changed(JSON, *CALLS, transform={"function": "{tool}"}),
    "'transform' must make a call": changed(JSON, *CALLS, transform={"function": {"name": "x"}}),
    "xml-inline needs a 'tag_pattern'": changed(CODER, *CALLS, content_args={}),
    "'tag_pattern' must have a group": changed(
        CODER, *CALLS, content_args={"tag_pattern": r"<(?P<key>\w+)>(?P<value>.*)</"}
    ),
    "must have text before the key": changed(
        CODER, *CALLS, content_args={"tag_pattern": r"<(?P<key>\w+)>(?P<value>.*?)"}
    ),
    "'value_parser' must be an object": changed(CODER, *CALLS, "content_args", value_parser="json"),
    "'line_sep' and 'kv_sep' must be text": changed(
        JSON, *CALLS, content="kv-lines", content_args={"kv_sep": ""}
    ),
}


@pytest.mark.parametrize(("words", "template"), REFUSED.items(), ids=REFUSED)
def test_templates_that_cannot_be_used(words: str, template: Any) -> None:
    with pytest.raises(ResponseTemplateError, match=words) as refused:
        of(template)
    assert str(refused.value).startswith(
        "--reasoning-parser hf and --tool-call-parser hf: the response_template in the "
        "tokenizer's configuration cannot be used: "
    )


def test_names_that_do_not_fit_the_template() -> None:
    with pytest.raises(ResponseTemplateError, match="hf requires a response_template in the tok"):
        of(None)
    bare = {"start_anchor": "a", "fields": {"thinking": {"open": "<think>"}}}
    assert of(bare, None, "hf").reasoning == "hf"
    with pytest.raises(
        ResponseTemplateError, match=r"--tool-call-parser hf requires a .* tool_call"
    ):
        of(bare)
    with pytest.raises(parsers.CombinationError, match=r"parser beam and .* hf cannot be combined"):
        of(JSON, "hf", "beam")
    with pytest.raises(
        parsers.CombinationError, match=r"parser qwen3 and .* hf cannot be combined"
    ):
        of(JSON, "hf", "qwen3")
    with pytest.raises(parsers.UnknownParserError, match="invalid reasoning parser: nope"):
        of(JSON, "hf", "nope")
