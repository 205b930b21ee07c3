"""What models write, to be derendered: thoughts, calls in the formats of several families, cuts.

Rule: well-formed output, as a model of that family ends it, or cut by its length. A server with
another parser, or with none, reads it as content.
"""

from __future__ import annotations

from typing import Any

from .case import CHAT, COMPLETION, Case, Output
from .conversations import WRITING
from .fields import HI, WEATHER

Json = dict[str, Any]

WRITE: Json = {
    "type": "function",
    "function": {
        "name": "write_file",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        },
    },
}
TOOLS: Json = {"tools": [WEATHER, WRITE]}
NAMED = {"type": "function", "function": {"name": "weather"}}
NO_THINKING = {"chat_template_kwargs": {"enable_thinking": False}}

THOUGHT = "<think>\nHm, 東京.\n</think>\n\n"
END = "<|im_end|>"
CALL = '<tool_call>\n{"name": "weather", "arguments": {"town": "Oslo", "days": 2}}\n</tool_call>'
WRITTEN = (
    '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.py", '
    '"content": "x = \\"<tool_call>\\"\\nprint(\\"na\\u00efve 東京 🎉\\")"}}\n</tool_call>'
)
TAGGED = (
    "<tool_call>\n<function=weather>\n<parameter=town>\nOslo\n</parameter>\n"
    "<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>"
)
LLAMA = '{"name": "weather", "parameters": {"town": "Oslo", "days": 2}}'
PYTHONIC = '[weather(town="Oslo", days=2), write_file(path="a", content="b")]'
MISTRAL = '[TOOL_CALLS][{"name": "weather", "arguments": {"town": "Oslo", "days": 2}}]'
DEEPSEEK = (
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n"
    '{"town": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>'
)
HARMONY = (
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary "
    'to=functions.weather <|constrain|>json<|message|>{"town": "Oslo"}<|call|>'
)
HARMONY_FINAL = (
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>"
    "Hello.<|return|>"
)

# name: the request beside its messages, and what the model wrote for each choice.
CHATS: dict[str, tuple[Json, tuple[Output, ...]]] = {
    "content": ({}, (Output(f"{THOUGHT}Hello there! 👋🏽{END}"),)),
    "thought left out": ({}, (Output(f"Hello there!{END}"),)),
    "thought opened by the prompt": ({}, (Output(f"Hm.\n</think>\n\nHello.{END}"),)),
    "cut in a thought": ({}, (Output("<think>\nLet me see, 東京 is", "length"),)),
    "cut in content": ({}, (Output(f"{THOUGHT}The answer is", "length"),)),
    "cut in an emoji": ({}, (Output(f"{THOUGHT}Family: 👨‍👩‍👧", "length"),)),
    "nothing": ({}, (Output([], "length"),)),
    "end token alone": ({}, (Output(END),)),
    "stopped by a token": ({}, (Output(f"{THOUGHT}One.", "stop", 13),)),
    "two choices": (
        {"n": 2, "return_token_ids": True},
        (Output(f"{THOUGHT}One.{END}"), Output(f"{THOUGHT}Two, 東", "length")),
    ),
    "token IDs": ({"return_token_ids": True}, (Output(f"{THOUGHT}One.{END}"),)),
    "specials kept": ({"skip_special_tokens": False}, (Output(f"{THOUGHT}One.{END}"),)),
    "logprobs": (
        {"logprobs": True, "top_logprobs": 2},
        (Output(f"{THOUGHT}Naïve café, 東京 🎉{END}"),),
    ),
    "logprobs without candidates": ({"logprobs": True}, (Output("One, 🎉", "length"),)),
    "logprobs of a hidden thought": (
        {"logprobs": True, "include_reasoning": False, "return_token_ids": True},
        (Output(f"{THOUGHT}One.{END}"),),
    ),
    "usage": (
        {"stream": True, "stream_options": {"include_usage": True}},
        (Output(f"{THOUGHT}One.{END}"),),
    ),
    "stop string": ({"stop": ["two"]}, (Output(f"{THOUGHT}one two three{END}"),)),
    "hidden thought": ({"include_reasoning": False}, (Output(f"{THOUGHT}Hello.{END}"),)),
    "thinking off": (NO_THINKING, (Output(f"Hello.{END}"),)),
    "call": (TOOLS, (Output(f"{THOUGHT}{CALL}{END}"),)),
    "call, thinking off": ({**TOOLS, **NO_THINKING}, (Output(f"Sure.{CALL}{END}"),)),
    "words and two calls": (TOOLS, (Output(f"{THOUGHT}Sure.\n{CALL}\n{WRITTEN}{END}"),)),
    "one of two calls": (
        {**TOOLS, "parallel_tool_calls": False},
        (Output(f"{THOUGHT}{CALL}\n{CALL}{END}"),),
    ),
    "hidden thought and a call": (
        {**TOOLS, "include_reasoning": False},
        (Output(f"{THOUGHT}Sure.{CALL}{END}"),),
    ),
    "call in tags, required": (
        {**TOOLS, "tool_choice": "required"},
        (Output(f"{CALL}\n{WRITTEN}{END}"),),
    ),
    "required, as an array": (
        {**TOOLS, "tool_choice": "required"},
        (Output('[{"name": "weather", "parameters": {"town": "Oslo"}}]'),),
    ),
    "call in tags, named": ({**TOOLS, "tool_choice": NAMED}, (Output(f"{CALL}{END}"),)),
    "named, arguments alone": (
        {**TOOLS, "tool_choice": NAMED},
        (Output('{"town": "Oslo"}'),),
    ),
    "thought, then required": (
        {**TOOLS, "tool_choice": "required"},
        (Output(f"{THOUGHT}{CALL}\n{WRITTEN}{END}"),),
    ),
    "thought, then required, as an array": (
        {**TOOLS, "tool_choice": "required"},
        (Output(f'{THOUGHT}[{{"name": "weather", "parameters": {{"town": "Oslo"}}}}]{END}'),),
    ),
    "thought, then named": (
        {**TOOLS, "tool_choice": NAMED},
        (Output(f"{THOUGHT}{CALL}{END}"),),
    ),
    "thought, then named, arguments alone": (
        {**TOOLS, "tool_choice": NAMED},
        (Output(f'{THOUGHT}{{"town": "Oslo"}}{END}'),),
    ),
    "no calls wanted": ({**TOOLS, "tool_choice": "none"}, (Output(f"{THOUGHT}No.{CALL}{END}"),)),
    "call without tools": ({}, (Output(f"{THOUGHT}{CALL}{END}"),)),
    "call in tags": (TOOLS, (Output(f"{THOUGHT}{TAGGED}{END}"),)),
    "Llama's call": (TOOLS, (Output(f"{LLAMA}<|eot_id|>"),)),
    "Pythonic calls": (TOOLS, (Output(PYTHONIC),)),
    "Mistral's call": (TOOLS, (Output(f"{MISTRAL}</s>"),)),
    "DeepSeek's call": (TOOLS, (Output(DEEPSEEK),)),
    "Harmony's call": (TOOLS, (Output(HARMONY),)),
    "Harmony's answer": ({}, (Output(HARMONY_FINAL),)),
    **{
        f"content, {name}": ({}, (Output(f"{THOUGHT}{text}{END}"),))
        for name, text in WRITING.items()
        if name.split()[0] in ("vietnamese", "arabic", "hindi", "thai", "chinese", "japanese")
        or name in ("korean", "emoji", "emoji joined", "flags and keycaps", "zalgo", "python")
        or name in ("tabs and returns", "runs of spaces", "control characters", "latex", "markdown")
    },
}

COMPLETIONS: dict[str, tuple[Json, tuple[Output, ...]]] = {
    "text": ({"prompt": "Once upon"}, (Output(" a time, 東京 🎉", "length"),)),
    "ended": ({"prompt": "Once upon"}, (Output(f" a time.{END}"),)),
    "specials kept": (
        {"prompt": "Once upon", "skip_special_tokens": False},
        (Output(f" a time.{END}"),),
    ),
    "logprobs": (
        {"prompt": "Once", "logprobs": 2},
        (Output(" upon a café, 東京 🎉", "length"),),
    ),
    "logprobs without candidates": ({"prompt": "Once", "logprobs": 0}, (Output(" upon"),)),
    "usage": (
        {"prompt": "Once", "stream": True, "stream_options": {"include_usage": True}},
        (Output(" upon a time", "length"),),
    ),
    "two prompts": ({"prompt": ["One", "Two"]}, (Output(" dog"), Output(" cats", "length"))),
    "echo": ({"prompt": "Once upon", "echo": True}, (Output(" a time", "length"),)),
    "token IDs": (
        {"prompt": "Once", "return_token_ids": True},
        (Output(" upon a time", "length"),),
    ),
    "stop string": ({"prompt": "One", "stop": ["three"]}, (Output(" two three four"),)),
}


def output_cases() -> list[Case]:
    return [
        *(
            Case(f"output, {name}", CHAT, {"messages": HI, **fields}, outputs)
            for name, (fields, outputs) in CHATS.items()
        ),
        *(
            Case(f"output, {name}", COMPLETION, fields, outputs)
            for name, (fields, outputs) in COMPLETIONS.items()
        ),
    ]
