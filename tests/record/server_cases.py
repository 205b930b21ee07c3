"""Requests for `render.py` that are about a server's flags and model."""

from __future__ import annotations

from typing import Any

from render_service.corpus.case import CHAT, DETOKENIZE, TOKENIZE, Case
from render_service.corpus.fields import (
    CLOCK,
    HI,
    TOOL_HISTORY,
    WEATHER,
    chat,
    completion,
    each,
)


def grammar_cases() -> list[Case]:
    """Requests whose answer holds a grammar that vLLM builds for the tool parser."""
    return [
        *each(
            chat,
            "tool_choice",
            "required",
            {"type": "function", "function": {"name": "weather"}},
            tools=[WEATHER, CLOCK],
        ),
        chat("single call", tools=[WEATHER], parallel_tool_calls=False),
        chat(
            "strict tool", tools=[{"type": "function", "function": {"name": "a", "strict": True}}]
        ),
    ]


def plain_cases() -> list[Case]:
    """For the server without parsers and with every flag that changes a rendered request."""
    long = "word " * 300
    named = {"type": "function", "function": {"name": "weather"}}
    return [
        chat("plain"),
        chat("model alpha", model="alpha"),
        chat("model beta", model="beta"),
        chat("model other", model="gamma"),
        chat("tools none", tools=[WEATHER], tool_choice="none"),
        *each(chat, "tool_choice", "auto", "required", named, None, tools=[WEATHER]),
        chat("tools", tools=[WEATHER]),
        *each(
            chat,
            "chat_template",
            "{{ messages[0].content }}!",
            "{{ x",
            "{{ raise_exception('no') }}",
            "{{ enable_thinking }}",
        ),
        *each(chat, "chat_template_kwargs", {"enable_thinking": True}, {"chat_template": "x"}),
        *each(chat, "reasoning_effort", "none", "low", "high"),
        chat("thinking off", include_reasoning=False),
        *each(chat, "max_tokens", 10, 60, 257, None),
        *each(chat, "temperature", 1.0, None),
        *each(chat, "stop_token_ids", [9], None),
        *each(
            chat,
            "truncate_prompt_tokens",
            -1,
            100,
            256,
            257,
            messages=[{"role": "user", "content": long}],
        ),
        chat("too long", messages=[{"role": "user", "content": long}]),
        chat("far too long", messages=[{"role": "user", "content": long * 200}]),
        chat(
            "truncate left",
            messages=[{"role": "user", "content": long}],
            truncate_prompt_tokens=20,
            truncation_side="left",
            return_token_offsets=True,
        ),
        chat(
            "truncate far left",
            messages=[{"role": "user", "content": long * 200}],
            truncate_prompt_tokens=20,
            truncation_side="left",
            return_token_offsets=True,
        ),
        chat(
            "truncate far right",
            messages=[{"role": "user", "content": long * 200}],
            truncate_prompt_tokens=20,
            truncation_side="right",
        ),
        completion("plain"),
        completion("too long", prompt=long),
        completion("ids too long", prompt=[5] * 300),
        completion("ids one too long", prompt=[5] * 257),
        completion("ids full", prompt=[5] * 256),
        completion("ids almost full", prompt=[5] * 255),
        completion("truncate all", prompt=[5] * 300, truncate_prompt_tokens=-1),
        completion(
            "truncate all no output", prompt=[5] * 300, truncate_prompt_tokens=-1, max_tokens=0
        ),
        *each(completion, "max_tokens", 10, 60, 256, 257, None),
        Case("tokenize long", TOKENIZE, {"prompt": long}),
        Case("tokenize chat", TOKENIZE, {"messages": HI}),
        Case(
            "tokenize template",
            TOKENIZE,
            {"messages": HI, "chat_template": "{{ messages[0].content }}"},
        ),
        Case(
            "reuse", CHAT, {"messages": HI, "kv_transfer_params": {"prompt_token_ids": [5] * 300}}
        ),
    ]


def llama_cases() -> list[Case]:
    """A tokenizer that adds special tokens."""
    return [
        chat("plain"),
        chat("add special", add_special_tokens=True),
        chat("tools", tools=[WEATHER, CLOCK], tool_choice=None),
        chat("tools none", tools=[WEATHER], tool_choice="none"),
        chat("history", messages=TOOL_HISTORY, tools=[WEATHER], tool_choice="none"),
        chat("offsets", add_special_tokens=True, return_token_offsets=True),
        *each(completion, "add_special_tokens", True, False),
        *each(completion, "truncate_prompt_tokens", -1, 0, 1, 2, 3, prompt="one two three four"),
        *each(
            completion,
            "truncation_side",
            "left",
            "right",
            None,
            prompt="one two three four",
            truncate_prompt_tokens=3,
            return_token_offsets=True,
        ),
        Case("tokenize", TOKENIZE, {"prompt": "Hello", "return_token_strs": True}),
        Case("tokenize plain", TOKENIZE, {"prompt": "Hello", "add_special_tokens": False}),
        Case("tokenize chat", TOKENIZE, {"messages": HI, "add_special_tokens": True}),
        Case("detokenize", DETOKENIZE, {"tokens": [128000, 9906, 128009]}),
    ]


def coder_cases() -> list[Case]:
    """A tool parser that keeps special tokens beside a reasoning parser that does not."""
    thinking = [*HI, {"role": "assistant", "content": "<think>\nhm"}]
    done = [*HI, {"role": "assistant", "content": "<think>\nhm\n</think>\n\nSo"}]
    again = [*done, *HI]
    proceed: dict[str, Any] = {"continue_final_message": True, "add_generation_prompt": False}
    return [
        chat("plain"),
        chat("thinking off", chat_template_kwargs={"enable_thinking": False}),
        chat("open", messages=thinking, **proceed),
        chat("closed", messages=done, **proceed),
        chat("earlier turn", messages=again),
        chat("no reasoning", include_reasoning=False),
        *each(chat, "tool_choice", "none", "auto", None, tools=[WEATHER]),
        chat("null choice", tool_choice=None),
    ]


def filler_cases() -> list[Case]:
    """A model that fills in the middle."""
    return [
        *each(completion, "suffix", "end", "", None),
        completion("suffix of two", suffix="end", prompt=["one", "two"]),
        completion("suffix of nothing", suffix="end", prompt=[]),
        completion("suffix of ids", suffix="end", prompt=[5, 6]),
        completion("suffix of both", suffix="end", prompt=[[5], [6]]),
        completion("suffix echo", suffix="end", echo=True),
        completion("suffix truncate", suffix="end", truncate_prompt_tokens=4),
        completion("suffix plain", suffix="end", add_special_tokens=False),
        completion("suffix offsets", suffix="end", return_token_offsets=True),
        completion("suffix embeds", suffix="end", prompt_embeds="AAAA"),
        completion("suffix with markers", suffix="<｜fim▁hole｜>", prompt="<｜fim▁end｜>"),
        completion("embeds echo", prompt_embeds="AAAA", echo=True),
    ]
