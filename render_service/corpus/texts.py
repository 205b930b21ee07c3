"""Completions, tokenizing and detokenizing, and bodies that are no request at all."""

from __future__ import annotations

from typing import Any

from .case import CHAT, COMPLETION, DETOKENIZE, TOKENIZE, Case
from .fields import HI, TOOL_HISTORY, WEATHER, completion, each, sampling


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
        Case("no prompt", COMPLETION, {}),
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
        return Case(name, TOKENIZE, fields)

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
            Case(f"detokenize {i}", DETOKENIZE, {"tokens": t})
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
        Case("detokenize nothing", DETOKENIZE, {}),
        Case("detokenize model", DETOKENIZE, {"tokens": [5], "model": "nobody"}),
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
        Case(f"raw {index} {path}", path, body)
        for index, body in enumerate(raw)
        for path in (CHAT, COMPLETION, TOKENIZE, DETOKENIZE)
    ]
