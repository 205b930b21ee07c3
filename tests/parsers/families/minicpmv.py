"""MiniCPM-V: Qwen 3's reasoning and calls; newlines are spelt as a backslash and a letter."""

from __future__ import annotations

from . import Case, Family
from .tagged import FAMILY as TAGGED
from .tagged import call, odd

_OFF = {"chat_template_kwargs": {"enable_thinking": False}}
_TEXTS = {
    "newline": r"one\ntwo\n\nthree",
    "carriage return": r"one\rtwo\r\nthree\r\r\n",
    "doubled backslashes": r"one\\ntwo\\\nthree\\",
    "fence": "a\\n```py\nprint('\\n')\n```\\nb",
    "inline code": r"a\n`\n`\nb ``\n``\nc",
    "dollars": r"a\n$\nu$\nb$$\nabla$$\nc",
    "brackets": r"a\n\(\nu\)\nb\[\nabla\]\nc",
    "code left open": r"a\n`\nb",
    "ends in a backslash": "a\\",
    "ends in a letter": r"a\n",
    "ends in a carriage return": r"a\r",
    "ends in a return and a backslash": "a\\r\\",
    "ends in backticks": "a``",
    "ends in a dollar": "a$",
    "other escapes": r"\t \x \" \name \rho",
    "backslash, newline": "a\\\nb",
}


def _cases() -> tuple[Case, ...]:
    plain = {name: f"</think>{text}" for name, text in _TEXTS.items()}
    thought = {f"{name}, thought": f"{text}</think>{text}" for name, text in _TEXTS.items()}
    run = call("run", {"a": r"x\ny"})
    more = {
        "reserved": "<|reserved_12|>a<reserved_13></think>b<reserved_14>c<|reserved_15|>d",
        "turn end": "a</think>b<|im_end|>",
        "turn end in a thought": "a<|im_end|>b</think>c",
        "newline in an argument": f"a</think>b\\n{run}",
        "newlines around a call": f"a</think>\\n{run}\\nc",
        "code around a call": f"a</think>b `x\\n{run}\\nc`\\nd",
        "thought, call": f"a\\n{run}",
        "backslash before a call": f"a</think>b\\{run}nc",
    }
    cases = plain | thought | more
    off = [("off, newline", r"a\nb"), ("off, think block", "a<think>b</think>c"),
           ("off, turn end", "a<|im_end|>")]  # fmt: skip
    return (
        *({"name": name, "text": text} for name, text in cases.items()),
        *({"name": name, "text": text, "request": _OFF} for name, text in off),
    )


FAMILY = Family(
    golden={
        "minicpmv": (None, "minicpmv"),
        "qwen3_coder+minicpmv": ("qwen3_coder", "minicpmv"),
    },
    call=call,
    added=tuple(f"<|reserved_{n}|>" for n in range(12, 16)),
    odd=odd(),
    markup=(*TAGGED.markup, "\\", "\\n", "\\r", "`", "```", "$", "\\(", "\\)", "<reserved_13>"),
    exact=False,
    extra=_cases(),
)
