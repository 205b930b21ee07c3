"""DeepSeek V3 and R1: a header and fenced JSON in sections of special tokens."""

from __future__ import annotations

import json
from typing import Any

from . import Case, Family, Text

BEGIN, END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
CALL, CALL_END, SEP = "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>"


def one(name: str, body: str) -> str:
    return f"{CALL}function{SEP}{name}\n```json\n{body}\n```{CALL_END}"


def call(name: str, arguments: dict[str, Any]) -> str:
    return BEGIN + one(name, json.dumps(arguments, ensure_ascii=False)) + END


def odd(write: Any) -> dict[str, Text]:
    """Outputs of both dialects; write: one call with the text of its arguments."""
    return {
        "two in a section": BEGIN + write("run", '{"a": 1}') + "\n" + write("bare", "{}") + END,
        "compact": BEGIN + write("run", '{"a":1,"b":[1,2],"c":{}}') + END,
        "spread over lines": BEGIN + write("run", '{\n  "a": 1,\n  "b": [ ]\n}') + END,
        "json numbers": BEGIN + write("run", '{"a": 1e3, "b": 1.0, "c": -0, "d": 0.10}') + END,
        "json escapes": BEGIN + write("run", '{"a": "\\u00e9\\/\\ud83d\\ude00\\n\\""}') + END,
        "repeated key": BEGIN + write("run", '{"a": 1, "a": 2}') + END,
        "list arguments": BEGIN + write("run", "[1, 2]") + END,
        "string arguments": BEGIN + write("run", '"x"') + END,
        "number arguments": BEGIN + write("run", "12") + END,
        "empty arguments": BEGIN + write("run", "") + END,
        "prose arguments": BEGIN + write("run", "none needed") + END,
        "broken arguments": BEGIN + write("run", '{"a": 1,, "b": 2}') + END + " ok",
        "trailing comma": BEGIN + write("run", '{"a": 1,}') + END,
        "object left open": BEGIN + write("run", '{"a": 1') + END,
        "one brace too many": BEGIN + write("run", '{"a": 1}}') + END,
        "raw newline in a string": BEGIN + write("run", '{"a": "x\ny"}') + END,
        "not a number": BEGIN + write("run", '{"a": NaN}') + END,
        "fence in a string": BEGIN + write("run", '{"a": "x\\n```\\ny ``` z"}') + END,
        "call token in a string": BEGIN + write("run", '{"a": "x' + CALL_END + 'y"}') + END,
        "no section end": BEGIN + write("run", '{"a": 1}'),
        "no call end": BEGIN + write("run", '{"a": 1}').removesuffix(CALL_END) + END,
        "no section": "Well. " + write("run", '{"a": 1}'),
        "empty section": "Well. " + BEGIN + END + " Then.",
        "only the section": "Well. " + BEGIN,
        "text in the section": BEGIN + "hm " + write("run", "{}") + " so " + END + " ok",
        "text between calls": BEGIN + write("run", "{}") + " and " + write("bare", "{}") + END,
        "empty name": BEGIN + write("", '{"a": 1}') + END,
        "name with spaces": BEGIN + write(" run ", "{}") + END,
        "stray closing tokens": f"Well {CALL_END} then {END}.",
        "section twice": BEGIN + BEGIN + write("run", "{}") + END,
        "closing token twice": BEGIN + write("run", "{}") + END + END,
        "spelt tokens": [
            "Say <｜tool▁calls", "▁begin｜>" + CALL[:6], CALL[6:] + "run", SEP, '{"a": 1}'
        ],
        "special token in content": "One<｜User｜>two<｜fim▁hole｜>three",
        "special token in a string": BEGIN + write("run", '{"a": "x<｜User｜>y"}') + END,
        "end token": BEGIN + write("run", "{}") + END + "<｜end▁of▁sentence｜>",
    }  # fmt: skip


def thinking(call: str) -> tuple[Case, ...]:
    """The same few outputs where the request asks for reasoning, or not."""
    texts = {
        "both": "<think>Hm.</think>\n\nYes. " + call,
        "unopened": "Hm.</think>Yes.",
        "unclosed": "<think>Hm.",
        "none": "Yes.",
    }
    kwargs: dict[str, dict[str, Any]] = {
        "thinking": {"thinking": True},
        "no thinking": {"thinking": False},
        "both switches": {"thinking": False, "enable_thinking": True},
        "no effort": {"reasoning_effort": "none"},
    }
    return tuple(
        {"name": f"{what}: {how}", "text": text, "request": {"chat_template_kwargs": given}}
        for what, given in kwargs.items()
        for how, text in texts.items()
    )


FAMILY = Family(
    golden={
        "deepseek_v3": ("deepseek_v3", None),
        "deepseek_v3@reasoning": (None, "deepseek_v3"),
        "deepseek_v3+deepseek_v3": ("deepseek_v3", "deepseek_v3"),
        "holo2": (None, "holo2"),
    },
    call=call,
    model="deepseek_v3",
    added=("<think>", "</think>", "<|im_start|>", "<|im_end|>"),
    tokens=(BEGIN, END, CALL, CALL_END, SEP),
    odd={
        **odd(one),
        "no fence": f'{BEGIN}{CALL}function{SEP}run\n{{"a": 1}}{CALL_END}{END}',
        "fence left open": f'{BEGIN}{CALL}function{SEP}run\n```json\n{{"a": 1}}\n{CALL_END}{END}',
        "no line before the fence": (
            f'{BEGIN}{CALL}function{SEP}run\n```json\n{{"a": 1}}```{CALL_END}{END}'
        ),
        "no type": f'{BEGIN}{CALL}{SEP}run\n```json\n{{"a": 1}}\n```{CALL_END}{END}',
        "no separator": f'{BEGIN}{CALL}run\n```json\n{{"a": 1}}\n```{CALL_END}{END}',
    },
    extra=thinking(call("run", {"code": "1"})),
    markup=(CALL + "function" + SEP + "look\n```json\n", "```"),
)
