"""Harmony (gpt-oss): channels, recipients, and what is no message.

The shared outputs are final messages with calls between them; what models really write, and what
goes wrong in it, is in EXTRA.
"""

from __future__ import annotations

import json
from typing import Any

from . import Case, Family

START, ANSWER = "<|start|>assistant", "<|channel|>final<|message|>"
THOUGHT = "<|channel|>analysis<|message|>"
NEXT_ANSWER = f"<|end|>{START}{ANSWER}"


def call(name: str, arguments: dict[str, Any]) -> str:
    body = json.dumps(arguments, ensure_ascii=False)
    head = f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>"
    return f"<|end|>{START}{head}{body}{NEXT_ANSWER}"


RUN = '<|channel|>commentary to=functions.run <|constrain|>json<|message|>{"a": 1}<|call|>'
THOUGHTS = f"{THOUGHT}Hm.<|end|>{START}"
OUTPUTS = {
    "thought, answer": f"{THOUGHTS}{ANSWER}Hello.<|return|>",
    "answer alone": f"{ANSWER}Hello.<|return|>",
    "thought, call": THOUGHTS + RUN,
    "call alone": RUN,
    "preamble": f"{THOUGHTS}<|channel|>commentary<|message|>I will look.<|end|>{START}{RUN}",
    "thought, two calls": f"{THOUGHTS}{RUN}{START}{RUN}",
    "two thoughts": f"{THOUGHTS}{THOUGHT}So.<|end|>{START}{ANSWER}Hello.<|return|>",
    "two answers": f"{ANSWER}One.<|end|>{START}{ANSWER}Two.<|return|>",
    "empty thought": f"{THOUGHT}<|end|>{START}{ANSWER}Hello.",
    "empty answer": f"{THOUGHTS}{ANSWER}<|return|>",
    "three answers, one empty": f"{ANSWER}A<|end|>{START}{ANSWER}<|end|>{START}{ANSWER}B",
    "recipient first": ' to=functions.run<|channel|>commentary json<|message|>{"a":1}<|call|>',
    "recipient after the role": f"{THOUGHTS} to=functions.run<|channel|>commentary "
    '<|constrain|>json<|message|>{"a":1}<|call|>',
    "call without a space": RUN.replace(" <|constrain|>", "<|constrain|>"),
    "call without a type": RUN.replace(" <|constrain|>json", ""),
    "call, plain type": RUN.replace(" <|constrain|>json", " json"),
    "call in analysis": RUN.replace("commentary", "analysis"),
    "call in final": RUN.replace("commentary", "final"),
    "call without functions": RUN.replace("functions.", ""),
    "call of functions.python": RUN.replace("functions.run", "functions.python"),
    "call closed by end": RUN.replace("<|call|>", "<|end|>"),
    "call left open": RUN.replace("<|call|>", ""),
    "python": "<|channel|>commentary to=python code<|message|>print(1)<|call|>",
    "python in analysis": "<|channel|>analysis to=python code<|message|>print(1)<|call|>",
    "browser": f'{THOUGHTS}<|channel|>commentary to=browser.search<|message|>{{"q": 1}}<|call|>',
    "constrained answer": ANSWER.replace("<|message|>", " <|constrain|>json<|message|>") + "{}",
    "json answer": ANSWER.replace("<|message|>", " json<|message|>") + '{"a": 1}<|return|>',
    "an empty object": '<|channel|>commentary to=functions.bare json<|message|>{}<|call|>',
    "empty arguments": "<|channel|>commentary to=functions.bare json<|message|><|call|>",
    "spaced arguments": RUN.replace('{"a": 1}', '\n{ "a" : [ 1,2 ] , "b":{} }\n'),
    "json numbers": RUN.replace("1}", '1e3, "b": 1.0, "c": -0, "d": 1E-7, "e": 0.10}'),
    "json escapes": RUN.replace("1}", '"\\u00e9\\/\\ud83d\\ude00\\n\\"\\\\é😀"}'),
    "DEL in a string": RUN.replace("1}", '"a\x7fé"}'),
    "number arguments": RUN.replace('{"a": 1}', "12"),
    "list arguments": RUN.replace('{"a": 1}', "[1,2]"),
    "code arguments": RUN.replace(" <|constrain|>json", " code").replace('{"a": 1}', "print(1)"),
    "prose arguments": RUN.replace('{"a": 1}', "a is 1"),
    "broken arguments": RUN.replace("1}", "1,, 2}"),
    "arguments left open": RUN.replace("1}", "1"),
    "text after arguments": RUN.replace("1}", "1} so"),
    "repeated key": RUN.replace("1}", '1, "a": 2}'),
    "not a number": RUN.replace("1}", "NaN}"),
    "no messages": "Just text, with no header at all.",
    "long text without messages": "Just text, with no header at all. " * 20,
    "text, then a message": f"Well.{START}{ANSWER}Hello.",
    "text, end": "Well.<|end|>",
    "no channel": "<|message|>Hello.<|return|>",
    "empty channel": "<|channel|><|message|>Hello.<|return|>",
    "unknown channel": "<|channel|>summary<|message|>Hello.<|return|>",
    "header cut in the channel": f"{THOUGHTS}<|channel|>fin",
    "header cut in the recipient": f"{THOUGHTS}<|channel|>commentary to=func",
    "only a start": f"{THOUGHT}Hm.<|end|><|start|>",
    "start at the start": f"{START}{ANSWER}Hello.",
    "text between messages": f"{THOUGHT}Hm.<|end|>So: {START}{ANSWER}Hello.",
    "text at the end": f"{ANSWER}Hello.<|return|> More.",
    "no start": f"{THOUGHT}Hm.<|end|>{ANSWER}Hello.",
    "markers in an answer": f"{ANSWER}a <|channel|> b <|message|> c <|constrain|> d {START} e",
    "markers in a thought": f"{THOUGHT}a <|channel|>final<|message|> b<|end|>",
    "end twice": f"{THOUGHT}Hm.<|end|><|end|>{START}{ANSWER}Hello.<|return|><|return|>",
    "another role": f"{THOUGHT}Hm.<|end|><|start|>user<|channel|>final<|message|>Hi.<|end|>",
    "a tool's answer": f"{RUN}<|start|>functions.run to=assistant<|channel|>commentary"
    "<|message|>ok<|end|>",
    "unknown role": f"{THOUGHT}Hm.<|end|><|start|>robot<|channel|>final<|message|>Hi.",
    "too many words": "<|channel|>final so be it<|message|>Hi.",
    "blanks around the channel": "<|channel|>final \n<|message|>Hi.",
    "blanks kept": f"{THOUGHT} \n Hm. \n<|end|>{START}{ANSWER} \n Hello. \n ",
    "other tokens": f"{ANSWER}a<|endoftext|>b<|startoftext|>c",
}  # fmt: skip


def _cases() -> tuple[Case, ...]:
    spelt = ["<|chan", "nel|>final<|mess", "age|>Hi.<|e", "nd|>"]
    found: list[Case] = [{"name": name, "text": text} for name, text in OUTPUTS.items()]
    return (*found, {"name": "spelt markers", "text": spelt})


FAMILY = Family(
    golden={
        "openai+openai_gptoss": ("openai", "openai_gptoss"),
        "openai": ("openai", None),
        "openai_gptoss": (None, "openai_gptoss"),
    },
    call=call,
    model="gptoss",
    added=("<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|return|>",
           "<|call|>"),
    glue="",
    think=(THOUGHT, NEXT_ANSWER),
    lead=ANSWER,
    extra=_cases(),
    markup=(START, ANSWER, RUN, THOUGHTS, "analysis", "final", "commentary", " to=functions.run",
            " to=python", " json", " code"),
    exact=False,
)  # fmt: skip
