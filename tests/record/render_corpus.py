"""The requests whose answers `render.py` records from a real vLLM render server.

`CASES` maps a golden file's name to cases `(name, path, body)`. A body that is bytes goes out as
it stands, anything else as JSON. Values are ours; none comes from vLLM's tests.
"""

from __future__ import annotations

from typing import Any

Case = tuple[str, str, Any]

CHAT = "/v1/chat/completions/render"
COMPLETION = "/v1/completions/render"
TOKENIZE = "/tokenize"
DETOKENIZE = "/detokenize"

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
    return (name, CHAT, {"messages": HI, **fields})


def completion(name: str, **fields: Any) -> Case:
    return (name, COMPLETION, {"prompt": "Once upon", **fields})


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


def message_cases() -> list[Case]:
    shapes: list[Any] = [
        [],
        None,
        "hi",
        {"role": "user"},
        ["hi"],
        [{"role": "user"}],
        [{"content": "x"}],
        [{"role": "user", "content": None}],
        [{"role": "user", "content": 5}],
        [{"role": "user", "content": {"type": "text", "text": "a"}}],
        [{"role": 5, "content": "x"}],
        [{"role": "critic", "content": "x"}],
        [{"role": "critic"}],
        [{"role": "critic", "content": None}],
        [{"role": "user", "content": "x"}, {"role": "assistant"}],
        [{"role": "user", "content": "x"}, {"role": "assistant", "content": None}],
        [{"role": "user", "content": "x"}, {"role": "assistant", "content": []}],
        [{"role": "user", "content": "x", "name": "ann", "extra": 1}],
        [{"role": "user", "content": "x", "name": 5}],
        [
            {
                "role": "user",
                "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
            }
        ],
        [{"role": "user", "content": ["a", "b"]}],
        [{"role": "user", "content": [{"type": "text"}]}],
        [{"role": "user", "content": [{"type": "nope", "nope": 1}]}],
        [{"role": "user", "content": [{"text": "a"}]}],
        [{"role": "user", "content": [5]}],
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://a/b"}}]}],
        [
            {
                "role": "user",
                "content": [{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}],
            }
        ],
        [{"role": "system", "content": [{"type": "text", "text": "s"}]}, *HI],
        [{"role": "developer", "content": "d"}, *HI],
        [{"role": "tool", "content": "t"}],
        [{"role": "tool", "content": "t", "tool_call_id": 5}],
        [{"role": "function", "content": "f", "name": "n"}],
        TOOL_HISTORY,
        [*TOOL_HISTORY, {"role": "assistant", "content": "Rain.", "reasoning": "Done."}, *HI],
        [
            *HI,
            {
                "role": "assistant",
                "content": "x",
                "tool_calls": [{**CALL, "function": {"name": "a", "arguments": "{"}}],
            },
        ],
        [
            *HI,
            {
                "role": "assistant",
                "content": "x",
                "tool_calls": [{**CALL, "function": {"name": "a", "arguments": ""}}],
            },
        ],
        [
            *HI,
            {
                "role": "assistant",
                "content": "x",
                "tool_calls": [{**CALL, "function": {"name": "a", "arguments": {"b": 1}}}],
            },
        ],
        [
            *HI,
            {
                "role": "assistant",
                "content": "x",
                "tool_calls": [{**CALL, "function": {"name": "a"}}],
            },
        ],
        [*HI, {"role": "assistant", "content": "x", "tool_calls": [{"id": "a"}]}],
        [*HI, {"role": "assistant", "content": "x", "tool_calls": []}],
        [*HI, {"role": "assistant", "content": "x", "tool_calls": None}],
        [*HI, {"role": "assistant", "content": "x", "tool_calls": "call"}],
        [*HI, {"role": "assistant", "content": "x", "reasoning": 5}],
        [*HI, {"role": "assistant", "content": "x", "refusal": "no", "reasoning": "why"}],
        [
            *HI,
            {"role": "assistant", "content": "x", "reasoning_content": "old", "reasoning": "new"},
        ],
    ]
    return [chat(f"messages {index}", messages=shape) for index, shape in enumerate(shapes)]


def chat_cases() -> list[Case]:
    named = {"type": "function", "function": {"name": "weather"}}
    return [
        *sampling(chat),
        *message_cases(),
        ("no messages", CHAT, {}),
        *each(chat, "max_completion_tokens", 0, 10, 1000000, None),
        chat("both max tokens", max_completion_tokens=9, max_tokens=5),
        *each(chat, "logprobs", True, False, None, "x"),
        *each(chat, "top_logprobs", 0, 3, None, "3", -1),
        *each(chat, "top_logprobs", 0, 3, 20, 21, -1, -2, None, "3", 2.5, logprobs=True),
        chat("label logprobs", logprobs=True, logprob_token_ids=[5, 6]),
        chat("label logprobs beam", logprob_token_ids=[5], use_beam_search=True),
        chat("echo logprobs", echo=True, logprobs=True, top_logprobs=2),
        *each(chat, "tools", [], [WEATHER], [WEATHER, CLOCK], None, [{}], [{"type": "x"}], "x"),
        chat("tool extras", tools=[{**WEATHER, "x": 1, "defer_loading": True}]),
        chat(
            "tool strict",
            tools=[{"type": "function", "function": {"name": "a", "strict": False, "y": 2}}],
        ),
        chat("tool no type", tools=[{"function": {"name": "a", "parameters": {}}}]),
        chat("tool bad name", tools=[{"type": "function", "function": {"name": 5}}]),
        *each(chat, "tool_choice", "none", "auto", "required", None, named, "x", 5),
        *each(
            chat,
            "tool_choice",
            "none",
            "auto",
            None,
            {},
            {"function": {}},
            {"function": {"name": ""}},
            {"function": {"name": "other"}},
            {"type": "x", "function": {"name": "weather"}},
            "x",
            5,
            tools=[WEATHER],
        ),
        *each(chat, "parallel_tool_calls", True, None, tools=[WEATHER]),
        *each(chat, "include_reasoning", True, False, None),
        *each(chat, "reasoning_effort", "none", "low", "high", "max", "huge", None),
        *each(
            chat,
            "chat_template_kwargs",
            {"enable_thinking": False},
            {"enable_thinking": True, "x": None, "y": "auto"},
            {"chat_template": "x"},
            {"tokenize": True},
            {"add_generation_prompt": False},
            {"tools": [CLOCK]},
            {},
            None,
            [],
        ),
        *each(chat, "chat_template", "{{ messages[0].content }}!", "", None),
        *each(chat, "documents", [{"title": "t", "text": "x"}], [], None, [{"a": 1}]),
        chat(
            "continue",
            messages=[*HI, {"role": "assistant", "content": "I am"}],
            continue_final_message=True,
            add_generation_prompt=False,
        ),
        chat(
            "continue alone",
            messages=[*HI, {"role": "assistant", "content": "I am"}],
            continue_final_message=True,
        ),
        chat("continue both", continue_final_message=True, add_generation_prompt=True),
        chat("continue user", continue_final_message=True, add_generation_prompt=False),
        chat("no generation prompt", add_generation_prompt=False),
        chat(
            "open thinking",
            messages=[*HI, {"role": "assistant", "content": "<think>\nhm"}],
            continue_final_message=True,
            add_generation_prompt=False,
        ),
        chat(
            "marker in user text", messages=[{"role": "user", "content": "</think> <|im_start|>"}]
        ),
        chat("history with tools", messages=TOOL_HISTORY, tools=[WEATHER, CLOCK]),
        *each(chat, "mm_processor_kwargs", {"a": 1}, {}, None),
        *each(chat, "media_io_kwargs", {"image": {"a": 1}}, {"image": 5}, {}, None),
        *each(
            chat,
            "kv_transfer_params",
            {"prompt_token_ids": [5, 6, 7], "k": 1},
            {"prompt_token_ids": []},
            {"prompt_token_ids": [5.0]},
            {"prompt_token_ids": [10**9]},
            {"prompt_token_ids": None},
        ),
        chat("reuse echo", echo=True, kv_transfer_params={"prompt_token_ids": [5, 6]}),
        chat("reuse with thinking", kv_transfer_params={"prompt_token_ids": [151668, 6]}),
        chat(
            "structured and named",
            structured_outputs={"regex": "a"},
            tools=[WEATHER],
            tool_choice=named,
        ),
        chat("schema tools auto", tools=[WEATHER], response_format={"type": "json_object"}),
        chat("two checks", cache_salt="", stream_options={"include_usage": True}),
        chat("lone surrogate", messages=[{"role": "user", "content": "a"}], user="é"),
    ]


def completion_cases() -> list[Case]:
    prompts: list[Any] = [
        "",
        None,
        "héllo 😀 <|im_start|>",
        ["a", "b c"],
        [""],
        ["a", ""],
        [],
        [5, 6, 7],
        [[5, 6], [7]],
        [[]],
        [[5], "a"],
        [5, "a"],
        [5.0, 6],
        ["5"],
        [-1],
        [10**9],
        [151936],
        [151935],
        [True],
        5,
        {"prompt": "a"},
        [["a"]],
        ["a"] * 1025,
    ]
    return [
        *sampling(completion),
        *[completion(f"prompt {index}", prompt=prompt) for index, prompt in enumerate(prompts)],
        ("no prompt", COMPLETION, {}),
        *each(completion, "logprobs", 0, 3, 20, 21, -1, -2, None, "3", True, 2.5),
        completion("label logprobs", logprobs=1, logprob_token_ids=[5, 6]),
        completion(
            "label logprobs echo", logprobs=1, logprob_token_ids=[5], echo=True, max_tokens=0
        ),
        completion("label logprobs beam", logprobs=1, logprob_token_ids=[5], use_beam_search=True),
        completion("echo beam", logprobs=1, echo=True, use_beam_search=True),
        completion("echo only", echo=True, max_tokens=0),
        completion("echo only logprobs", echo=True, max_tokens=0, logprobs=2),
        *each(completion, "suffix", "end", "", None),
        completion("suffix echo", suffix="x", echo=True),
        completion("suffix truncate", suffix="x", truncate_prompt_tokens=4),
        completion("suffix ids", suffix="x", prompt=[5]),
        *each(completion, "prompt_embeds", "AAAA", ["AAAA"], [], 5),
        completion("embeds only", prompt=None, prompt_embeds="AAAA"),
        completion("embeds echo", prompt_embeds="AAAA", echo=True),
        completion("embeds prompt logprobs", prompt_embeds="AAAA", prompt_logprobs=1),
        completion("embeds suffix", prompt_embeds="AAAA", suffix="x"),
        completion("ids offsets", prompt=[5, 6], return_token_offsets=True),
        completion("list offsets", prompt=["ab cd", "é 😀"], return_token_offsets=True),
        completion("list request id", prompt=["a", "b"], request_id="mine"),
        completion("ids echo", prompt=[5, 6], echo=True),
        completion(
            "truncate ids left",
            prompt=[1, 2, 3, 4],
            truncate_prompt_tokens=2,
            truncation_side="left",
        ),
        completion(
            "truncate offsets",
            prompt="ab cd ef gh",
            truncate_prompt_tokens=2,
            truncation_side="left",
            return_token_offsets=True,
        ),
    ]


def tokenize_cases() -> list[Case]:
    def tokenize(name: str, **fields: Any) -> Case:
        return (name, TOKENIZE, fields)

    return [
        *[
            tokenize(f"prompt {i}", prompt=p)
            for i, p in enumerate(["Hello 😀", "", None, 5, ["a"], "<|im_end|>"])
        ],
        tokenize("strings", prompt="Hello 😀 wörld", return_token_strs=True),
        tokenize("no special", prompt="a", add_special_tokens=False),
        tokenize("model", prompt="a", model="nobody"),
        tokenize("chat", messages=HI),
        tokenize("chat strings", messages=HI, return_token_strs=True, add_generation_prompt=False),
        tokenize("chat tools", messages=TOOL_HISTORY, tools=[WEATHER]),
        tokenize("chat no tools", messages=HI, tools=[]),
        tokenize("chat bad tools", messages=HI, tools=[{}]),
        tokenize("chat kwargs", messages=HI, chat_template_kwargs={"enable_thinking": False}),
        tokenize("chat template", messages=HI, chat_template="{{ messages }}"),
        tokenize(
            "chat continue",
            messages=[*HI, {"role": "assistant", "content": "I"}],
            continue_final_message=True,
            add_generation_prompt=False,
        ),
        tokenize(
            "chat continue both",
            messages=HI,
            continue_final_message=True,
            add_generation_prompt=True,
        ),
        tokenize("chat special", messages=HI, add_special_tokens=True),
        tokenize("chat empty", messages=[]),
        tokenize("chat bad", messages="x"),
        tokenize(
            "chat reasoning content",
            messages=[*HI, {"role": "assistant", "content": "a", "reasoning_content": "b"}, *HI],
        ),
        tokenize("chat media kwargs", messages=HI, mm_processor_kwargs={"a": 1}),
        tokenize("chat and prompt", messages=HI, prompt="a"),
        tokenize("nothing"),
        *[
            (f"detokenize {i}", DETOKENIZE, {"tokens": t})
            for i, t in enumerate(
                [
                    [9707, 0],
                    [],
                    [-1],
                    [151645, 9707],
                    [151935],
                    [200000],
                    [10**12],
                    [2**64],
                    ["5"],
                    [5.0],
                    [5.5],
                    "a",
                    None,
                    [[5]],
                ]
            )
        ],
        ("detokenize nothing", DETOKENIZE, {}),
        ("detokenize model", DETOKENIZE, {"tokens": [5], "model": "nobody"}),
    ]


def raw_cases() -> list[Case]:
    """Bodies that are not a request at all."""
    raw: list[bytes] = [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"5",
        b"{",
        b'{"messages": [}',
        b'{"a": 1} x',
        b'{"messages": [{"role": "user", "content": "\xff"}]}',
        b'{"messages": [{"role": "user", "content": "\\ud800"}]}',
        b'{"messages": [{"role": "user", "content": "a"}], "temperature": NaN}',
        b'{"messages": [{"role": "user", "content": "a"}], "temperature": 1e400}',
        b'{"messages": [{"role": "user", "content": "a"}], "seed": 1, "seed": 2}',
        b'{"messages": [{"role": "user", "content": "a"}], "top_k": ' + b"9" * 400 + b"}",
        b'{"messages": ' + b"[" * 300 + b"]" * 300 + b"}",
    ]
    return [
        (f"raw {index} {path}", path, body)
        for index, body in enumerate(raw)
        for path in (CHAT, COMPLETION, TOKENIZE, DETOKENIZE)
    ]


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
        ("tokenize long", TOKENIZE, {"prompt": long}),
        ("tokenize chat", TOKENIZE, {"messages": HI}),
        (
            "tokenize template",
            TOKENIZE,
            {"messages": HI, "chat_template": "{{ messages[0].content }}"},
        ),
        ("reuse", CHAT, {"messages": HI, "kv_transfer_params": {"prompt_token_ids": [5] * 300}}),
    ]


CASES: dict[str, list[Case]] = {
    "chat": chat_cases(),
    "completion": completion_cases(),
    "tokenize": tokenize_cases(),
    "raw": raw_cases(),
    "grammar": grammar_cases(),
}
PLAIN_CASES: dict[str, list[Case]] = {"plain": plain_cases()}
