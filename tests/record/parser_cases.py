"""The model outputs that `record/parsers.py` shows to vLLM, by parser family.

A case's `text` is what the model wrote. In a list, each part is tokenized by itself, so that a
marker spelt over two parts is text and no special token.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from parsers.registry import TOOL_FORMATS
from tests.parsers.families import FAMILIES, Case, Family, Text

from .parser_calls import AUTO, NAMED, TOOLS, coder, hermes, llama
from .parser_odd_calls import CODER_ODD, HERMES_ODD, LLAMA_ODD


def joined(text: Text) -> list[str]:
    return [text] if isinstance(text, str) else text


def common(call: Callable[[str, dict[str, Any]], str], glue: str) -> Iterator[tuple[str, Text]]:
    """Outputs that every family writes, in its own syntax."""
    one = call("get_weather", {"city": "Paris", "days": 2})
    two = call("run", {"code": "print(1)"})
    yield "no call", "Hello there.\n\nHow are you?"
    yield "blank only", "\n\n"
    yield "one call", one
    yield "call after a blank line", "\n\n" + one
    yield "call then newline", one + "\n"
    yield "content before", "Let me check.\n" + one
    yield "content with blank lines before", "\n\nLet me check.\n\n" + one
    yield "content between", one + "\nAnd now the other:\n" + two
    yield "content after", one + "\nDone, as asked."
    yield "content before and after", "First.\n" + one + "\nLast."
    yield "two calls", one + glue + two
    yield "three glued calls", glue.strip().join([one, two, one])
    yield "two calls with blank lines", one + "\n\n" + two
    deep = {"where": {"lat": 1.5, "deep": [{"a": [1, [2, {"b": None}]]}, []]}, "tags": ["x", "y"]}
    yield "nested arguments", call("get_weather", deep)
    yield "no arguments", call("bare", {})
    yield "escapes", call("run", {"code": 'a "q" \\ / \t tab\nline\r\u0007 \u00e9 \u2028'})
    yield "unicode", call("run", {"code": "café 日本語 العربية ½ 𝄞"})
    yield "split emoji", "Look 👩‍👩‍👧‍👦 🤷🏽: " + call("run", {"code": "👩‍👩‍👧‍👦🇫🇷 🤷🏽"})
    yield "emoji in content", "🎉👩‍👩‍👧‍👦 done 🤷🏽."
    yield "numbers", call("get_weather", {"days": -12345678901234567890, "limit": 2.50, "free": 0})
    yield "literals", call("get_weather", {"metric": True, "maybe": None, "one": False})
    yield "tag in a string", call("run", {"code": "<tool_call> and </think> and {x} </b>"})
    yield "split tag in a string", _split(call("run", {"code": "say TAG now"}), "TAG")
    yield "html in a string", call("run", {"code": '<div class="a">1 < 2 && 3 > 2</div>'})
    yield "unknown tool", call("no_such_tool", {"x": "1", "y": [1, 2]})
    yield "unknown parameter", call("get_weather", {"zip": "75001", "city": "Paris"})
    yield "long string", call("run", {"code": "\n".join(f"line {i} = {i * i};" for i in range(40))})
    yield "code block", "```json\n[1, 2]\n```\nUse <b>bold</b> & <i>."
    yield "lone angle", "a < b and c > d <"


def _split(text: str, mark: str) -> list[str]:
    before, after = text.split(mark)
    return [before + "</tool", "_call>" + after]


def cuts(text: str) -> Iterator[tuple[str, str]]:
    """The text cut short at eleven places."""
    for tenth in range(1, 11):
        yield f"cut at {tenth}", text[: len(text) * tenth // 11]
    yield "cut before its last character", text[:-1]


def reasoning_cases(call: str) -> Iterator[Case]:
    """Outputs whose point is the reasoning."""
    yield {"name": "reasoning and content", "text": "<think>\nHm.\n</think>\n\nHello."}
    yield {"name": "no opening tag", "text": "Hm.\n</think>\n\nHello."}
    yield {"name": "reasoning alone", "text": "<think>\nHm, let me see."}
    yield {"name": "reasoning closed alone", "text": "<think>\nHm.</think>"}
    yield {"name": "no tags", "text": "Just text, no tags."}
    yield {"name": "empty reasoning", "text": "<think></think>Hello."}
    yield {"name": "blank reasoning", "text": "<think>\n\n</think>\n\nHello."}
    yield {"name": "newline before", "text": "\n<think>Hm.</think>Hello."}
    yield {"name": "blank before closing", "text": "\n</think>Hello."}
    yield {"name": "text before", "text": "Well. <think>Hm.</think>Hello."}
    yield {"name": "opened twice", "text": "<think>a<think>b</think>c"}
    yield {"name": "closed twice", "text": "<think>a</think>b</think>c"}
    yield {"name": "closed, reopened", "text": "<think>a</think>b<think>c</think>d"}
    yield {"name": "unopened, opened later", "text": "a</think>b <think> c"}
    yield {"name": "spelt think tags", "text": ["<think>a </thi", "nk> b</think>c <th", "ink> d"]}
    yield {"name": "only the opening tag", "text": "<think>"}
    yield {"name": "only the closing tag", "text": "</think>"}
    yield {
        "name": "special token in reasoning",
        "text": "<think>a<|im_start|>b</think>c<|im_start|>d",
    }
    yield {"name": "call without closing", "text": "<think>Hm.\n" + call + "\nDone."}
    yield {"name": "call in reasoning", "text": f"<think>Maybe {call} ?</think>No."}
    yield {"name": "call tag in reasoning", "text": "<think>use <tool_call> here</think>No."}
    yield {
        "name": "spelt call tag in reasoning",
        "text": ["<think>use <tool", "_call> here</think>No."],
    }
    yield {
        "name": "reasoning, content, call",
        "text": "<think>\nHm.\n</think>\n\nLet me see.\n" + call,
    }
    yield {"name": "reasoning, call", "text": "<think>\nHm.\n</think>\n\n" + call}
    yield {"name": "emoji in reasoning", "text": "<think>👩‍👩‍👧‍👦 🤷🏽</think>🇫🇷"}
    for name, prompt in {
        "prompt opens": "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n",
        "prompt closes": (
            "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
        ),
        "prompt closes in an earlier turn": (
            "<|im_start|>assistant\n<think>a</think>b<|im_end|>\n<|im_start|>assistant\n"
        ),
        "prompt continues the answer": "<|im_start|>assistant\n<think>a</think>Hello",
        "prompt ends in a call": "<|im_start|>assistant\n<think>a<tool_call>",
    }.items():
        yield {"name": name, "text": "Hm.</think>Yes.\n" + call, "prompt": prompt}
        yield {"name": name + ", opened again", "text": "<think>Hm.</think>Yes.", "prompt": prompt}
        yield {"name": name + ", text", "text": "Yes, text.", "prompt": prompt}
    hidden = {"include_reasoning": False}
    yield {"name": "hidden", "text": "<think>Hm.</think>Yes.", "request": hidden}
    yield {
        "name": "hidden, with call",
        "text": "<think>Hm.</think>" + call,
        "request": AUTO | hidden,
    }
    for flag in (False, True):
        request = {"chat_template_kwargs": {"enable_thinking": flag}}
        yield {"name": f"thinking {flag}", "text": "Yes.", "request": request}
        yield {
            "name": f"thinking {flag}, tags",
            "text": "<think>a</think>b<|im_start|>",
            "request": request,
        }
        yield {
            "name": f"thinking {flag}, call",
            "text": "a</think>" + call,
            "request": AUTO | request,
        }


def request_cases(call: str, other: str) -> Iterator[Case]:
    """The same few outputs under every kind of request."""
    requests: dict[str, dict[str, Any]] = {
        "choice none": {"tools": TOOLS, "tool_choice": "none"},
        "choice required": {"tools": TOOLS, "tool_choice": "required"},
        "choice named": {"tools": TOOLS, "tool_choice": NAMED},
        "not parallel": AUTO | {"parallel_tool_calls": False},
        "parallel": AUTO | {"parallel_tool_calls": True},
        "no tools": {},
    }
    outputs = {
        "call": call,
        "two calls": f"Well.\n{call}\n{other}\nDone.",
        "text": "Just text.",
        "blank": "\n ",
        "prose": "<tool_call> is a tag, {x} a brace.",
    }
    for what, request in requests.items():
        for how, text in outputs.items():
            yield {"name": f"{what}: {how}", "text": text, "request": request}


def forced_cases() -> Iterator[Case]:
    """Calls as plain JSON, where vLLM forces that for `tool_choice` required and named."""
    one = {"name": "get_weather", "parameters": {"city": "Paris \u2028 é", "days": 2}}
    two = {"name": "run", "parameters": {"code": "a[0]}]", "deep": [{"a": [1.50, None]}]}}
    empty = {"name": "bare", "parameters": {}}
    required = {"tools": TOOLS, "tool_choice": "required"}
    for name, calls in {"one": [one], "two": [one, two], "no arguments": [empty, one]}.items():
        yield {"name": f"required, {name}", "text": json.dumps(calls), "request": required}
        text = "\n" + json.dumps(calls, indent=1, ensure_ascii=False) + "\n"
        yield {"name": f"required, {name}, indented", "text": text, "request": required}
        single = required | {"parallel_tool_calls": False}
        yield {"name": f"required, {name}, not parallel", "text": json.dumps(calls),
               "request": single}  # fmt: skip
    text = json.dumps([one, two], separators=(",", ":"))
    yield {"name": "required, compact", "text": text, "request": required}
    yield {"name": "required, cut short", "text": text[:-20], "request": required,
           "finish_reason": "length"}  # fmt: skip
    yield {"name": "required, text after", "text": f"{text} Done.", "request": required}
    named = {"tools": TOOLS, "tool_choice": NAMED}
    arguments = one["parameters"]
    for name, text in {
        "one": json.dumps(arguments),
        "compact": json.dumps(arguments, separators=(",", ":"), ensure_ascii=False),
        "indented": json.dumps(arguments, indent=2),
        "no arguments": "{}",
        "numbers": '{"days": 1E2, "limit": -0.50, "metric" :true}',
        "blanks around": '\n {"city": "Paris"} \n',
        "text after": '{"city": "Paris"} Done.',
    }.items():
        yield {"name": f"named, {name}", "text": text, "request": named}
    yield {"name": "named, cut short", "text": '{"city": "Par', "request": named,
           "finish_reason": "length"}  # fmt: skip


def cases(tool: str | None, reasoning: str | None, style: str) -> list[Case]:
    """All cases of one combination; style is the call syntax that its model writes."""
    family = FAMILIES.get(style) or BASE[style]
    call = family.call or hermes
    one = call("get_weather", {"city": "Paris", "days": 2})
    other = call("run", {"code": "1"})
    opens, closes = family.think
    found: list[Case] = []
    if tool:
        before = f"{opens}\nHm.\n{closes}\n\n" if reasoning else family.lead
        texts: list[tuple[str, Text]] = [*common(call, family.glue), *family.odd.items()]
        for name, text in texts:
            parts = joined(text)
            whole: Text = [before + parts[0], *parts[1:]] if parts[1:] else before + parts[0]
            found.append({"name": name, "text": whole, "request": AUTO})
        for name, text in cuts(f"{before}Let me see.\n{one}"):
            found.append({"name": name, "text": text, "request": AUTO, "finish_reason": "length"})
        found += [c | {"text": before + c["text"]} for c in request_cases(one, other)]
        if tool in TOOL_FORMATS and TOOL_FORMATS[tool].forced:
            found += [c | {"text": before + c["text"]} for c in forced_cases()]
    if reasoning:
        for case in reasoning_cases(one):
            found.append({"request": AUTO if tool else {}} | _with_tags(case, opens, closes))
    found += [_asked(case, AUTO if tool else {}) for case in family.extra]
    found = [case | {"request": _merged(family.request, case["request"])} for case in found]
    names = [case["name"] for case in found]
    assert len(names) == len(set(names)), "two cases of one name"
    return found


def _merged(every: Mapping[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """The case's own request, with what every request of the family has."""
    key = "chat_template_kwargs"
    kwargs = {**every.get(key, {}), **own.get(key, {})}
    return {**every, **own, **({key: kwargs} if kwargs else {})}


def _asked(case: Case, request: dict[str, Any]) -> Case:
    """The case with its request, to which its own `kwargs` of the template belong."""
    if "kwargs" in case:
        request = request | {"chat_template_kwargs": case["kwargs"]}
    return {"request": request} | {key: case[key] for key in case if key != "kwargs"}


def _with_tags(case: Case, opens: str, closes: str) -> Case:
    """The case with a family's own reasoning tags."""

    def told(text: str) -> str:
        return text.replace("</think>", closes).replace("<think>", opens)

    text = case["text"]
    changed = {"text": told(text) if isinstance(text, str) else [told(part) for part in text]}
    if "prompt" in case:
        changed["prompt"] = told(case["prompt"])
    return case | changed


BASE = {
    "hermes": Family(golden={}, call=hermes, odd=HERMES_ODD),
    "coder": Family(golden={}, call=coder, odd=CODER_ODD),
    "llama": Family(golden={}, call=llama, odd=LLAMA_ODD, glue="; "),
}
