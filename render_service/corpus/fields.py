"""Values of each field of a request: usual ones, those at a bound, beyond it, and of a wrong type.

Values are ours; none comes from vLLM's tests. Here is what chats and completions share.
"""

from __future__ import annotations

from typing import Any

from .case import CHAT, COMPLETION, Case

HI = [{"role": "user", "content": "Hi"}]
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather in a town.",
        "parameters": {
            "type": "object",
            "properties": {"town": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["town"],
        },
    },
}
CLOCK = {"type": "function", "function": {"name": "clock"}}
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "weather", "arguments": '{"town": "Bergen"}'},
}
TOOL_HISTORY = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Weather in Bergen?"},
    {"role": "assistant", "content": None, "reasoning_content": "Ask.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "rain"},
]
JSON_SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
INT64 = 2**63


def chat(name: str, **fields: Any) -> Case:
    return Case(name, CHAT, {"messages": HI, **fields})


def completion(name: str, **fields: Any) -> Case:
    return Case(name, COMPLETION, {"prompt": "Once upon", **fields})


def each(make: Any, field: str, *values: Any, **fields: Any) -> list[Case]:
    """One case a value of `field`."""
    return [make(f"{field}={value!r}"[:60], **{field: value}, **fields) for value in values]


def sampling(make: Any) -> list[Case]:
    """The fields that chat and completions share."""
    return [
        *each(make, "temperature", 0, 0.005, 0.7, 2, 2.1, -0.1, None, "0.5", "hot", [1], True),
        *each(make, "top_p", 0, 0.5, 1, 1.5, None),
        *each(make, "top_k", -2, -1, 0, 5, 5.0, 5.5, "7", None, 2**70),
        *each(make, "min_p", -0.1, 0, 0.3, 1.5, None),
        *each(make, "presence_penalty", -2.5, -2, 1, 3, None),
        *each(make, "frequency_penalty", -2.5, 2, None),
        *each(make, "repetition_penalty", 0, -1, 1.2, None),
        *each(make, "seed", 0, -1, 7, None, INT64, -INT64 - 1, INT64 - 1, "12", 1.5),
        *each(make, "n", 0, -1, 2, 16384, 16385, "3", 1.0, True),
        make("n greedy", n=2, temperature=0),
        *each(make, "stop", None, "", "END", ["a", "b"], ["a", ""], [], ["x"] * 200, 5, [1]),
        *each(make, "stop_token_ids", None, [], [5, 5, 6], [-1], ["9"], "x", 5),
        make("stop ignore eos", stop=["a"], ignore_eos=True, include_stop_str_in_output=True),
        *each(make, "min_tokens", -1, 0, 5, 40000000),
        make("min over max tokens", min_tokens=9, max_tokens=4),
        *each(make, "max_tokens", -1, 0, 1, 40000, 1000000, None, "20", 2.5),
        *each(make, "logit_bias", {"5": 200, "6": -200.5}, {"x": 1}, {"5": "x"}, {}, None, []),
        *each(make, "allowed_token_ids", [1, 2], [], None, "a"),
        *each(make, "bad_words", ["a", "a"], [""], None, "a"),
        *each(make, "thinking_token_budget", 0, 5, -1, -2, 1.5, True, "5", None),
        *each(make, "stream_interval", 0, 1, 5, None),
        *each(make, "watermarking", True, False, None, "x"),
        *each(make, "skip_special_tokens", True, False, None),
        *each(make, "spaces_between_special_tokens", True, False, None),
        *each(make, "ignore_eos", True, "true", "yes", 1, 2, None),
        *each(make, "use_beam_search", True, False),
        *each(make, "length_penalty", 2.0, None),
        *each(make, "priority", 3, -3, INT64, "4"),
        *each(make, "stream", True, False, None, "x"),
        *each(make, "stream_options", {}, {"include_usage": True}, None, "x"),
        make("stream options", stream=True, stream_options={"include_usage": True}),
        make("stream options null", stream=True, stream_options={"include_usage": None, "x": 1}),
        make("stream options bad", stream=True, stream_options={"include_usage": "maybe"}),
        *each(make, "return_token_ids", True, False, None),
        *each(make, "return_token_offsets", True, False, None),
        *each(make, "cache_salt", "abc", "", "a/b", "x" * 129, 5, None),
        *each(make, "kv_transfer_params", {"a": {"b": 1}}, {}, None, "x"),
        *each(make, "ec_transfer_params", {"c": 1}, {}, None),
        *each(make, "vllm_xargs", {"a": 1, "b": "x", "c": [1, "y", 2.5]}, {}, {"a": {}}, None),
        make("xargs with transfer", vllm_xargs={"a": 1}, kv_transfer_params={"k": 1}),
        make("xargs huge int", vllm_xargs={"a": 2**70}),
        *each(make, "routed_experts_prompt_start", 0, 3, -1),
        *each(make, "return_weight_versions", True, None),
        *each(make, "truncate_prompt_tokens", -2, -1, 0, 1, 3, 41000, None, "x"),
        *each(make, "truncation_side", "left", "right", "up", None, truncate_prompt_tokens=2),
        *each(make, "echo", True, False),
        *each(make, "mm_payload", "none", "tensors", "x"),
        *each(make, "return_mm_kwargs", True, False, None),
        *each(make, "prompt_logprobs", 0, 3, -1, -2, 30, "3", None),
        make("prompt logprobs stream", prompt_logprobs=1, stream=True),
        *each(make, "model", None, "", "nobody", 5),
        *each(make, "request_id", "mine", "", None, 5),
        *each(make, "user", "u", 5),
        *each(make, "session_id", "s", 5),
        make("unknown field", frobnicate=1, guided_json={}),
        *each(make, "add_special_tokens", True, False, None),
        *each(
            make,
            "repetition_detection",
            {"max_pattern_size": 4, "min_pattern_size": 1, "min_count": 3},
            {"max_pattern_size": 4, "min_count": 1},
            {"max_pattern_size": 1, "min_pattern_size": 2, "min_count": 2},
            {},
            None,
            5,
        ),
        *each(
            make,
            "response_format",
            {"type": "text"},
            {"type": "json_object"},
            {"type": "json_schema"},
            {"type": "json_schema", "json_schema": {"name": "n", "schema": JSON_SCHEMA}},
            {"type": "json_schema", "json_schema": {"name": "n"}},
            {"type": "json_schema", "json_schema": {"schema": JSON_SCHEMA}},
            {"type": "nope"},
            {},
            "json",
            None,
        ),
        *each(
            make,
            "structured_outputs",
            {"json": JSON_SCHEMA},
            {"json": '{"type": "object"}'},
            {"regex": "a+", "whitespace_pattern": " "},
            {"choice": ["a", "b"]},
            {"choice": []},
            {"grammar": 'root ::= "a"'},
            {"json_object": True},
            {"json_object": False},
            {"disable_any_whitespace": True},
            {},
            {"json": {}, "regex": "a"},
            {"json": {}, "grammar": "a"},
            {"choice": "a"},
            None,
            "x",
        ),
        make(
            "structured and format",
            structured_outputs={"regex": "a"},
            response_format={"type": "json_object"},
        ),
        make(
            "structured options and format",
            structured_outputs={"json_object": True, "disable_any_whitespace": True},
            response_format={"type": "json_object"},
        ),
        *each(make, "logprob_token_ids", [5, 6], [], None),
        make("two wrong", temperature="hot", top_p="x"),
        make("wrong and invalid", temperature="hot", stream_options={"include_usage": True}),
    ]
