"""Response templates, prompts and requests for `beam_constraints.py`."""

from __future__ import annotations

import json
from typing import Any

from tests.parsers.families import response_held, response_messages, response_template
from tests.parsers.families.response_template import CHAT, FUNCTION, THINK

Json = dict[str, Any]
TAG = '{"type": "structural_tag", "format": {"type": "any_text"}}'
ANSWER = {"open": "<answer>", "close": ["</answer>", "<|im_end|>"]}
FORMATS = ("date", "time", "date-time", "email", "hostname", "ipv4", "uuid", "uri")
WITH_SCHEMAS = ("json", "messages", "tags", "tags, ahead", "tags, json", "tags, trimmed")
FEW = ("nothing", "not called", "two", "required", "named", "own schema, tools", "own tag, tools")
STRICT: Json = {"value_parser": {"name": "text", "args": {"strip": False}}}


def _template(pattern: str, close: Any = "</fn>", fields: Any = None, **args: Any) -> Json:
    """Calls whose opener names the tool. args: of tagged parameters."""
    calls = {
        "open_pattern": pattern,
        "content": "xml-inline" if args else "json",
        "repeats": True,
        "transform": {"type": "function", "function": FUNCTION},
        **({"content_args": args} if args else {}),
        **({"close": close} if close else {}),
    }
    more = {"thinking": THINK, "content": ANSWER} if fields is None else fields
    return {"start_anchor": CHAT, "fields": {**more, "tool_calls": calls}}


def templates() -> dict[str, Json]:
    word, tagged = r"<fn (?P<name>\w+)>", r"<p (?P<key>[^>]+)>(?P<value>.*?)</p>"
    started = r"(?:^|<\|im_start\|>assistant\n)<fn (?P<name>[^>\n]+)>"
    found = {
        "messages": response_messages.MESSAGES,
        "coder": response_template.CODER,
        "named": response_template.NAMED,
        "rest": response_template.REST,
        "object": response_template.JSON,
        "lax": response_held.LAX,
        "lines": response_held.LINES,
        "list": response_held.LIST,
        "merged": response_held.MERGED,
        "json": _template(word),
        "json, at the beginning": _template(started),
        "json, odd names": _template(r"<fn (?P<name>[a-z._-]+)>", ["</fn>", "<end>"]),
        "json, no end": _template(word, None),
        "json, end of JSON": _template(word, "}}"),
        "json, end that begins as JSON": _template(word, ["}</fn>", "e</fn>"]),
        "no thoughts": _template(word, fields={"content": ANSWER}),
        "thoughts alone": _template(word, fields={"thinking": {"close": "</think>"}}),
        "open answer": _template(word, fields={"thinking": THINK, "content": {"open": "<answer>"}}),
        "thoughts without end": _template(
            word, fields={"thinking": {"open": "<think>"}, "content": ANSWER}
        ),
        "thoughts of patterns": _template(
            word,
            fields={
                "thinking": {
                    "open_pattern": r"(?:^|<\|im_start\|>assistant\n)(?:<think>|<t>)\n?",
                    "close_pattern": r"</t(?:hink)?>|<<t>",
                },
                "content": {
                    "open_pattern": r"(?:<\|im_start\|>assistant)?\n<answer>",
                    "close": "</a>",
                },
            },
        ),
        "tags": _template(word, tag_pattern=tagged, **STRICT),
        "tags, bare": _template(word, tag_pattern=tagged),
        "tags, trimmed": _template(
            word,
            tag_pattern=r"<p (?P<key>\w+)>\n?(?P<value>.*?)\n?</p>",
            value_parser={"name": "text"},
        ),
        "tags, json": _template(word, tag_pattern=tagged, value_parser={"name": "json"}),
        "tags, int": _template(word, tag_pattern=tagged, value_parser={"name": "int"}),
        "tags, lax json": _template(
            word,
            tag_pattern=tagged,
            value_parser={"name": "json", "args": {"allow_non_json": True}},
        ),
        "tags, two ways": _template(
            r"<fn (?P<name>\S+)>",
            ["</fn>", "<|im_end|>"],
            tag_pattern=r"<(?:p|arg) (?P<key>[^>:]+)(?:>|:)(?P<value>.*?)(?:</p>|</arg>)",
            merge_duplicates=True,
            **STRICT,
        ),
        "tags, ahead": _template(
            word,
            tag_pattern=r"<p (?P<key>[^>]+)>(?P<value>.*?)(?:</p>\n?|(?=<p ))",
            **STRICT,
        ),
        "tags, end in them": _template(
            word, "</p><", tag_pattern=tagged, **STRICT
        ),
        "tags, end in a name": _template(
            word, "wn></fn>", tag_pattern=tagged, **STRICT
        ),
        "tags, class": _template(word, tag_pattern=r"<p (?P<key>\w+)\s*>(?P<value>.*?)</p>"),
    }  # fmt: skip
    pattern = json.loads(json.dumps(found["json"]))
    del pattern["start_anchor"]
    return found | {
        "anchor of a pattern": pattern | {"start_anchor_pattern": r"<\|im_start\|>assistant\s"},
        "anchor of texts": pattern | {"start_anchor_pattern": r"<\|im_start\|>(?:assistant|me)\n"},
    }


def servers() -> dict[str, Json]:
    """prompt: behind the anchor. tool, reasoning: whether the parser is both.

    schemas: whether the cases of one schema are asked.
    """
    found: dict[str, Json] = {}
    for name in templates():
        both = {"template": name, "tool": True, "reasoning": "thinking" in _fields(name)}
        schemas = name in WITH_SCHEMAS
        found[name] = {**both, "prompt": "", "schemas": schemas}
        if not name.startswith("tags"):
            found[f"{name}, blank"] = {**both, "prompt": "\n"}
    for name in ("messages", "json", "tags", "no thoughts", "thoughts of patterns"):
        both = {"template": name, "tool": True, "reasoning": "thinking" in _fields(name)}
        thought = "<|channel|>analysis<|message|>" if name == "messages" else "<think>"
        answer = "<|channel|>final<|message|>" if name == "messages" else "<answer>"
        found[f"{name}, in thoughts"] = {**both, "prompt": thought + "Hm"}
        found[f"{name}, in an answer"] = {**both, "prompt": answer + "So"}
        found[f"{name}, no thinking"] = {**both, "prompt": "", "thinks": False}
        found[f"{name}, parameters"] = {**both, "prompt": "", "level": "parameter"}
        found[f"{name}, functions"] = {**both, "prompt": "", "level": "function"}
        found[f"{name}, calls"] = {**both, "reasoning": False, "prompt": ""}
        found[f"{name}, calls in thoughts"] = {**both, "reasoning": False, "prompt": thought}
        if both["reasoning"]:
            found[f"{name}, thoughts"] = {**both, "tool": False, "prompt": ""}
    return found


def _fields(name: str) -> Json:
    fields: Json = templates()[name]["fields"]
    return fields


def _text(**schema: Any) -> Json:
    return {"type": "string", **schema}


def tools() -> dict[str, Json]:
    """By name: parameters, or the whole function."""
    props: dict[str, Json] = {
        "sorted": {"b": _text(), "a": {"type": "integer"}, "c": True},
        "enums": {"unit": _text(enum=["C", " F", "\nx", ""]), "kind": {"const": "one"}},
        "formats": {name: _text(format=name) for name in FORMATS},
        "other_format": {"a": _text(format="ipv6")},
        "patterns": {"a": _text(pattern="^[a-z]+$"), "b": _text(pattern=r"\d{2}-[^<>\n]x?")},
        "pattern_any": {"a": _text(pattern="a.b")},
        "pattern_not": {"a": _text(pattern="[^a]")},
        "pattern_end": {"a": _text(pattern="(?:a|<b)*")},
        "pattern_never": {"a": _text(pattern="<{0}a"), "b": _text(pattern="[a-f]{2,3}|é")},
        "pattern_odd": {"a": _text(pattern="(?i)a")},
        "pattern_look": {"a": _text(pattern="(?=b)b")},
        "bounded": {"a": _text(minLength=2)},
        "union": {"a": {"anyOf": [_text(), {"type": "integer"}]}},
        "types": {"b": {"type": ["string", "null"]}},
        "union_enum": {"a": {"anyOf": [_text(enum=["x"]), {"type": "null"}]}},
        "nullable": {"a": {"type": "integer", "nullable": True}, "b": _text(nullable=True)},
        "mixed_enum": {"a": {"enum": [1, "x"]}},
        "int_enum": {"a": {"type": "integer", "enum": [1, 2]}},
        "never": {"a": False},
        "untyped": {"a": {"description": "any"}, "b": {}},
        "ref": {"a": {"$ref": "#/$defs/P"}},
        "odd_key": {"a>b": _text()},
        "town_key": {"town": _text(), "n": {"type": "number"}},
        "five": {name: _text() for name in "edcba"},
    }  # fmt: skip
    found: dict[str, Any] = {
        name: {"type": "object", "properties": given} for name, given in props.items()
    }
    found["ref"]["$defs"] = {"P": {"type": "object", "properties": {"x": {"type": "integer"}}}}
    found["needed"] = {**found["five"], "required": ["c", "b"]}
    found["lacking"] = {**found["sorted"], "required": ["z", "a"]}
    found["odd_required"] = {**found["sorted"], "required": [1]}
    found["closed"] = {**found["sorted"], "additionalProperties": False}
    found["open"] = {**found["sorted"], "additionalProperties": True}
    found["no_names"] = {"type": "object"}
    found["nothing"] = {"type": "object", "additionalProperties": False}
    found["other_keyword"] = {**found["sorted"], "minProperties": 1}
    found["none"] = None
    return {
        name: {"type": "function", "function": {"name": name, "parameters": given}}
        for name, given in found.items()
    } | {"a.b-c": {"type": "function", "function": {"name": "a.b-c", "parameters": None}}}


def cases_of(server: Json) -> dict[str, Json]:
    """All cases for one server, fewer for the others, so that the record stays small."""
    template, found = server["template"], cases()
    if not server.get("schemas"):
        return {name: found[name] for name in FEW}
    if template != "json":
        found = {name: found[name] for name in found if not name.endswith(", tools")}
    if template not in ("json", "tags"):
        found = {name: found[name] for name in found if not name.startswith("loose ")}
    return found


def cases() -> dict[str, Json]:
    """Fields of requests; `tools` by name, `strict` where they are."""
    town = {"type": "object", "properties": {"town": {"type": "string"}}}
    found: dict[str, Json] = {
        "nothing": {},
        "not called": {"tools": ["sorted"], "tool_choice": "none"},
        "not called, schema": {
            "tools": ["sorted"],
            "tool_choice": "none",
            "structured_outputs": {"json": town},
        },
        "two": {"tools": ["sorted", "town_key"]},
        "two alike": {"tools": ["none", "none"]},
        "prefixes": {"tools": ["no_names", "none", "nothing", "never"]},
        "one call": {"tools": ["sorted", "none"], "parallel_tool_calls": False},
        "required": {"tools": ["sorted", "enums"], "tool_choice": "required"},
        "required, one call": {
            "tools": ["five"], "tool_choice": "required", "parallel_tool_calls": False,
        },
        "required, schema": {
            "tools": ["none"], "tool_choice": "required", "structured_outputs": {"json": town},
        },
        "named": {
            "tools": ["five", "sorted"],
            "tool_choice": {"type": "function", "function": {"name": "sorted"}},
        },
        "no reasoning shown": {"tools": ["none"], "include_reasoning": False},
        "no reasoning shown, required": {
            "tools": ["none"], "include_reasoning": False, "tool_choice": "required",
        },
        "odd name": {"tools": ["a.b-c"]},
        "odd name, required": {"tools": ["a.b-c"], "tool_choice": "required"},
    }  # fmt: skip
    for name in tools():
        found[f"strict {name}"] = {"tools": [name], "strict": True}
        found[f"loose {name}"] = {"tools": [name], "tool_choice": "required"}
    asked: dict[str, Json] = {
        "object": {"response_format": {"type": "json_object"}},
        "text": {"response_format": {"type": "text"}},
        "schema": {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "x", "schema": town},
            }
        },
        "format": {"response_format": {"type": "structural_tag", "format": {"type": "any_text"}}},
        "own schema": {"structured_outputs": {"json": json.dumps(town)}},
        "own object": {"structured_outputs": {"json_object": True}},
        "own choice": {"structured_outputs": {"choice": ["a", "b"]}},
        "own regex": {"structured_outputs": {"regex": "a+"}},
        "own grammar": {"structured_outputs": {"grammar": 'root ::= "a"'}},
        "own tag": {"structured_outputs": {"structural_tag": TAG}},
    }
    for name, fields in asked.items():
        found[name] = fields
        found[f"{name}, tools"] = {"tools": ["none"], **fields}
    return found


def request_of(case: Json) -> Json:
    """The body of the case's request."""
    known = tools()
    body = {key: value for key, value in case.items() if key != "strict"}
    chosen = json.loads(json.dumps([known[name] for name in case.get("tools", ())]))
    for tool in chosen if case.get("strict") else ():
        tool["function"]["strict"] = True
    return {**body, "messages": [{"role": "user", "content": "hi"}], "tools": chosen or None}


def prompt_of(server: Json) -> str:
    """The end of a prompt; without an anchor there is none before it."""
    anchor = "<|start|>assistant" if server["template"] == "messages" else CHAT
    return f"<|im_start|>user\nhi<|im_end|>\n{anchor}{server['prompt']}"
