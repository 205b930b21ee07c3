"""Response templates whose calls are known only at their end."""

from __future__ import annotations

from typing import Any

from .response_template import CHAT, FUNCTION, dumped, family, template

# JSON in a dialect of its own, and lists of markers.
_QUOTE = "<|q|>"


def _lax(name: str, arguments: dict[str, Any]) -> str:
    return f"<|call|>call:{name}{_lax_value(arguments)}<|/call|>"


def _lax_value(value: Any) -> str:
    if isinstance(value, str):
        return f"{_QUOTE}{value}{_QUOTE}"
    if isinstance(value, list):
        return f"[{','.join(map(_lax_value, value))}]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_lax_value(v)}" for key, v in value.items()) + "}"
    return dumped(value)


LAX = {
    "start_anchor": [CHAT, "<|response|>"],
    "fields": {
        "thinking": {"open": ["<|think|>", "<think>"], "close": ["<|/think|>", "</think>"]},
        "tool_calls": {
            "open_pattern": r"<\|call\|>call:(?P<name>\w+)",
            "close": "<|/call|>",
            "repeats": True,
            "content": "json",
            "content_args": {"unquoted_keys": True, "string_delims": [[_QUOTE, _QUOTE]]},
            "transform": {"type": "function", "function": FUNCTION},
        },
        "content": {"close": ["<|im_end|>", "<|response|>"]},
    },
}
LAX_ODD = {
    "keys in quotes": '<|call|>call:run{"a":1,b:"c"}<|/call|>',
    "string left open": f"<|call|>call:run{{a:{_QUOTE}b}}<|/call|>",
    "call end in a string": f"<|call|>call:run{{a:{_QUOTE}b<|/call|>c{_QUOTE}}}<|/call|>",
    "no body": "<|call|>call:run<|/call|> then",
    "prose body": "<|call|>call:run it<|/call|> then",
    "other markers": "<|think|>Hm.<|/think|>So.<|response|>More.",
    "no closing marker": "<|call|>call:run{a:1}",
    "string parameters": _lax("get_weather", {"days": "2", "metric": "true"}),
}

# Lines of keys and values, which are JSON or text. All text without a marker is reasoning.


def _lines(name: str, arguments: dict[str, Any]) -> str:
    lines = (f"{key}: {dumped(value)}" for key, value in arguments.items())
    return "\n".join([f"CALL {name}", *lines, "END"])


LINES = {
    "version": 1,
    "start_anchor_pattern": r"<\|im_start\|>assistant\s",
    "fields": {
        "thinking": {"close": "</think>"},
        "content": {"open_pattern": r"(?:^|</?think>\s*)ANSWER:?\s?", "close": "<|im_end|>"},
        "tool_calls": {
            "open_pattern": r"CALL (?P<name>\w+)\n?",
            "close_pattern": r"\n?END",
            "content": "kv-lines",
            "content_args": {"value_parser": {"name": "json", "args": {"allow_non_json": True}}},
            "repeats": True,
            "transform": {"function": FUNCTION},
        },
    },
}
LINES_ODD = {
    "answer": "ANSWER: It is so.<|im_end|>",
    "thought, answer": "Hm.</think>\nANSWER: It is so.<|im_end|>more",
    "text values": "CALL get_weather\ncity: Paris\n days : 2\nno value\n\nEND",
    "thought, call": f"Hm.</think>{_lines('run', {'a': [1, 'b']})}",
    "no lines": "CALL bare\nEND and then",
}

# A list of calls in JSON between markers that are no tokens, and an answer that may be empty.


def _list(name: str, arguments: dict[str, Any]) -> str:
    return f"<list>{dumped([{'tool': name, 'with': arguments}])}</list>"


LIST = template(
    {
        "open": "<list>",
        "close": "</list>",
        "content": "json",
        "transform": {"function": {"name": "{tool}", "arguments": "{with}"}},
        "transform_each": True,
    }
)
LIST_ODD = {
    "two in one": '<list>[{"tool": "run", "with": {"a": 1}}, {"tool": "bare", "with": {}}]</list>',
    "nested lists": '<list>[{"tool": "run", "with": {"a": [[1]]}}]</list>',
    "no list": '<list>{"tool": "run", "with": {}}</list> then',
    "a key is missing": '<list>[{"tool": "run"}]</list> then',
    "empty list": "<list>[]</list> then",
    "string arguments": '<list>[{"tool": "run", "with": "{\\"a\\": 1}"}]</list>',
}

# Parameters whose repeated values are a list, with a name that is one, and a limit of lookahead.


def _merged(name: str, arguments: dict[str, Any]) -> str:
    body = "".join(f"<{key}:{dumped(value)}" for key, value in arguments.items())
    return f"<do {name}>{body}</do>"


MERGED = template(
    {
        "open_pattern": r"<do (?P<name>\w{1,64})>",
        "close": "</do>",
        "content": "xml-inline",
        "content_args": {
            "tag_pattern": r"<(?P<key>\w+):(?P<value>.*?)(?=<\w|\Z)",
            "value_parser": {"name": "json"},
            "merge_duplicates": True,
        },
        "transform": {"function": FUNCTION},
    }
)
MERGED_ODD = {
    "repeated parameter": "<do run><a:1<b:2<a:3<a:4</do>",
    "no value": "<do run><a:</do> then",
    "text values": "<do run><a:x</do> then",
}


# Messages as they are, without a transform, whose functions have a text of arguments.


def _message(name: str, arguments: dict[str, Any]) -> str:
    return f"<m>{dumped([{'function': {'name': name, 'arguments': arguments}}])}</m>"


MESSAGE = template(
    {
        "open": ["<m>", "<message>"],
        "close": ["</m>", "</message>"],
        "content": "json",
        "content_args": {"allow_non_json": True},
    }
)
MESSAGE_ODD = {
    "not in a list": '<message>{"function": {"name": "run", "arguments": {}}}</message>',
    "string arguments": '<m>{"function": {"name": "run", "arguments": "{\\"a\\": 1}"}}</m>',
    "prose arguments": '<m>{"function": {"name": "run", "arguments": "soon"}}</m> then',
    "null arguments": '<m>{"function": {"name": "run", "arguments": null}}</m> then',
    "empty name": '<m>{"function": {"name": "", "arguments": {}}}</m> then',
    "no function": '<m>{"name": "run", "arguments": {}}</m> then',
    "prose body": "<m>I will call run.</m> then",
    "list of strings": '<m>{"function": {"name": "get_weather", "arguments": {"days": ["1"]}}}</m>',
    "typed": dumped({"a": 1}),
    "not a number": '<m>{"function": {"name": "run", "arguments": {"a": NaN}}}</m>',
}


FAMILIES = {
    "response template, lax": family(
        "lax", LAX, _lax, odd=LAX_ODD, markup=("<|call|>call:", "<|/call|>", _QUOTE, "a:"),
    ),
    "response template, lines": family(
        "lines", LINES, _lines, odd=LINES_ODD, think=("", "</think>"),
        markup=("CALL ", "END", "ANSWER:", "a: "),
    ),
    "response template, list": family(
        "list", LIST, _list, odd=LIST_ODD,
        markup=("<list>", "</list>", '{"tool": "run", "with": {'),
    ),
    "response template, merged": family(
        "merged", MERGED, _merged, odd=MERGED_ODD, markup=("<do run>", "</do>", "<a:"),
    ),
    "response template, message": family(
        "message", MESSAGE, _message, odd=MESSAGE_ODD, markup=("<m>", "</m>", '{"function": {'),
    ),
}  # fmt: skip
