"""Numbers, truth values and nulls spelt as another JSON type, and bodies of two forms at once."""

from __future__ import annotations

from typing import Any

from .case import COMPLETION, DETOKENIZE, TOKENIZE, Case
from .fields import HI, WEATHER, chat, completion, each

FLOATS = (" .5\n", "1_0", "1__0", "1.", "-.5e0", "nan", "Infinity", "٣", " 1_0 ", "null", "")
INTEGERS = (" 12 ", "\u20035", "\x1c5", "+1", "-007", "1_000", "1__0", "_5", "1_0.00", "1.", "1e0")
TRUTHS = (1.0, -0.0, 2.0, 1.5, "TrUe", " true", "1.0", "OFF", "null", "")


def spelling_cases() -> list[Case]:
    return [*_shared(chat), *_shared(completion), *_chats(), *_tokenized()]


def _shared(make: Any) -> list[Case]:
    return [
        *each(make, "temperature", *FLOATS),
        *each(make, "min_p", "nan", " .5 ", "null"),
        *each(make, "seed", *INTEGERS, "null", 2.0**62, 2.0**63),
        *each(make, "ignore_eos", *TRUTHS),
        *each(make, "skip_special_tokens", 1.0, "null", "no"),
        *each(make, "stop_token_ids", ["1", " 2", 3.0, True], ["1.5"], [None], "null"),
        *each(make, "allowed_token_ids", [True], ["+7", 7]),
        *each(make, "logit_bias", {"1": " 2 "}, {"1": True}, {"1": "null"}, "null"),
        *each(make, "vllm_xargs", {"a": True}, {"a": [True, "x"]}, {"a": "1"}, {"a": None}),
        *each(make, "kv_transfer_params", "null", {"a": "null", "b": "1"}),
        *each(make, "stream_options", {"include_usage": "yes"}, {"include_usage": 1.0}, stream=1.0),
        *each(make, "response_format", "null", {"type": "json_object", "json_schema": "null"}),
        *each(
            make,
            "structured_outputs",
            {"json_object": 1.0},
            {"regex": "null", "disable_any_whitespace": "yes"},
            {"choice": "null"},
        ),
        make("repetition spelt", repetition_detection={"max_pattern_size": "4", "min_count": 3.0}),
        make("null in words", user="null", cache_salt="null", stop=["null"], bad_words=["1"]),
    ]


def _chats() -> list[Case]:
    function: Any = WEATHER["function"]
    strict = {**WEATHER, "function": {**function, "strict": 1.0}}
    spelt = {"messages": [*HI, {**HI[0], "tool_calls": "x"}]}
    return [
        *each(chat, "include_reasoning", *TRUTHS),
        *each(chat, "tools", "null", [strict]),
        *each(chat, "documents", "null", [{"a": "null"}]),
        *each(chat, "reasoning_effort", "null", "LOW"),
        *each(chat, "top_logprobs", "0", True, logprobs="yes"),
        *each(chat, "chat_template_kwargs", {"tools": {}}, {"documents": {}}, "null"),
        chat("no choice and regex", tool_choice=None, structured_outputs={"regex": "a"}),
        chat("calls of a user", **spelt),
        Case("ids spelt", COMPLETION, {"prompt": [True, "2", 3.0]}),
        Case("ids spelt in lists", COMPLETION, {"prompt": [["1"], [True]]}),
    ]


def _tokenized() -> list[Case]:
    bodies: list[dict[str, Any]] = [
        {"prompt": "a", "messages": HI},
        {"prompt": 5, "messages": HI},
        {"prompt": "a", "messages": 5},
        {"prompt": "a", "messages": HI, "add_generation_prompt": "maybe"},
        {"prompt": "a", "media_io_kwargs": {"image": {}}},
        {"prompt": "a", "media_io_kwargs": {}},
        {"prompt": "a", "mm_processor_kwargs": "x"},
        {"prompt": "a", "add_special_tokens": 1.0, "return_token_strs": "on"},
        {"prompt": "a", "return_token_strs": "null"},
        {"messages": 5},
        {"messages": None},
        {"messages": HI, "model": 5},
        {"messages": HI, "add_generation_prompt": 0.0},
    ]
    return [Case(f"tokenize two forms {at}", TOKENIZE, body) for at, body in enumerate(bodies)] + [
        Case("detokenize spelt", DETOKENIZE, {"tokens": ["5", 6.0, True]})
    ]
