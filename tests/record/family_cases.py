"""Chats for models that vLLM renders without a template: those of the corpus, and their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from render_service.corpus import Case, conversation_cases
from render_service.corpus.case import CHAT, COMPLETION, TOKENIZE
from render_service.corpus.messages import SYSTEM, TOOL, USER, calls

THINK = {"chat_template_kwargs": {"thinking": True}}
NO_THINK = {"chat_template_kwargs": {"thinking": False}}
DONE = {"role": "assistant", "content": "It is 7 °C.", "reasoning": "It says 7."}
RESULTS = [
    {"role": "tool", "tool_call_id": "b", "content": "8"},
    {"role": "tool", "tool_call_id": "a", "content": "7"},
]
SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "parameters": {"type": "object", "properties": {"é": {"type": ["string", "null"]}}},
    },
}


def two_calls(**own: Any) -> dict[str, Any]:
    """Calls `a` and `b`, whose results come in the other order."""
    message = calls('{"city": "Köln"}', '{"city": 5, "days": [1, 2.5, null]}', **own)
    return {
        **message,
        "tool_calls": [
            {**call, "id": id} for call, id in zip(message["tool_calls"], "ab", strict=True)
        ],
    }


LONG = "chatcmpl-tool-0123456789"
DOCUMENTS = ["a text", {"id": "d1", "data": {"title": "T", "snippet": "s"}}, {"text": "é"}]
COHERE: dict[str, dict[str, Any]] = {
    "command 3": {"cohere_format": "cmd3"},
    "command 4": {"cohere_format": "cmd4", "reasoning_effort": "low"},
    "command 5": {"cohere_format": "cmd5"},
    "thinking": {"thinking": {"type": "enabled"}},
    "no thinking": {"thinking": "disabled"},
    "reasoning type": {"reasoning_type": "disabled", "thinking": {"type": "enabled"}},
    "developer": {"dev_instruction": "Be brief.", "platform_instruction": "Obey."},
    "documents": {"documents": DOCUMENTS},
    "documents, command 3": {"documents": DOCUMENTS, "cohere_format": "cmd3"},
    "a document that is none": {"documents": [5]},
    "tools, flat": {"available_tools": [{"name": "f", "parameters": {"type": "object"}}]},
    "tools of command 3": {
        "tools": [TOOL],
        "cohere_format": "cmd3",
        "safety_mode": "STRICT",
        "citation_options": {"mode": "FAST"},
        "skip_preamble": True,
    },
    "no citations, command 3": {"cohere_format": "cmd3", "citation_quality": "OFF"},
    "grounding": {"grounding": "FAST"},
    "grounding by options": {"citation_options": {"mode": "OFF"}},
    "an unknown grounding": {"grounding": "much"},
    "an object": {"response_format": {"type": "json_object"}},
    "a schema": {
        "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}
    },
    "a schema of its own": {"json_schema": {"type": "object"}, "json_mode": 1},
    "a template of Cohere's": {"template": "x"},
    "a template's name": {"template_id": "none"},
}

COMPLETIONS: dict[str, dict[str, Any]] = {
    "a suffix": {"prompt": "def f(x):\n    return", "suffix": "\n\nprint(f(1))"},
    "suffixes": {"prompt": ["a", "b"], "suffix": "c"},
    "an empty suffix": {"prompt": "a", "suffix": ""},
    "a suffix of tokens": {"prompt": [1, 2], "suffix": "c"},
    "offsets of a completion": {"prompt": "a b c", "return_token_offsets": True},
    "special tokens of a completion": {"prompt": "<s>[INST] a", "add_special_tokens": True},
    "no special tokens of a completion": {"prompt": "é \n b", "add_special_tokens": False},
    "a cut completion": {"prompt": "a b c d e f", "truncate_prompt_tokens": 3},
    "a completion cut on the right": {
        "prompt": "a b c d e f",
        "truncate_prompt_tokens": 3,
        "truncation_side": "right",
    },
}
OWN: dict[str, dict[str, Any]] = {
    "results in another order": {"messages": [USER, two_calls(), *RESULTS], "tools": [TOOL]},
    "results, then a question": {
        "messages": [USER, two_calls(reasoning="Two."), *RESULTS, USER],
        "tools": [TOOL, SEARCH],
    },
    "one result of two": {"messages": [USER, two_calls(content="x"), RESULTS[0]]},
    "results by position": {
        "messages": [
            USER,
            two_calls(),
            {"role": "tool", "tool_call_id": "get_weather:1", "content": "8"},
            {"role": "tool", "tool_call_id": "get_weather:0", "content": "7"},
        ]
    },
    "a result of no call": {
        "messages": [USER, two_calls(), {**RESULTS[0], "tool_call_id": "z"}, RESULTS[1]]
    },
    "thoughts and a question": {"messages": [USER, DONE, USER, DONE, USER], **THINK},
    "thoughts and no thinking": {"messages": [USER, DONE, USER], **NO_THINK},
    "thoughts kept": {
        "messages": [USER, DONE, USER],
        "chat_template_kwargs": {"thinking": True, "drop_thinking": False},
    },
    "thoughts in the last answer": {"messages": [USER, DONE], **THINK},
    "no thoughts in the last answer": {"messages": [USER, {**DONE, "reasoning": None}], **THINK},
    "a long turn": {
        "messages": [
            SYSTEM,
            USER,
            DONE,
            USER,
            two_calls(reasoning="Look."),
            *RESULTS,
            calls('{"city": "Bonn"}', reasoning="Once more."),
            {"role": "tool", "tool_call_id": "call_1", "content": "9"},
        ],
        "tools": [TOOL],
        **THINK,
    },
    "developer with tools, thinking": {
        "messages": [
            SYSTEM,
            {"role": "developer", "content": "Be brief.", "tools": [TOOL]},
            USER,
            DONE,
            {"role": "developer", "content": "Be long.", "tools": [SEARCH]},
        ],
        **THINK,
    },
    "system later, tools": {"messages": [USER, DONE, SYSTEM, USER], "tools": [TOOL]},
    "a reminder": {"messages": [USER, {"role": "latest_reminder", "content": "Today."}]},
    "a task": {"messages": [{**USER, "task": "title"}]},
    "a task of action": {"messages": [SYSTEM, {**USER, "task": "action"}], **NO_THINK},
    "a task of action, thinking": {"messages": [{**USER, "task": "action"}], **THINK},
    "a task done": {
        "messages": [{**USER, "task": "query"}, {"role": "assistant", "content": "q"}, USER]
    },
    "an unknown task": {"messages": [{**USER, "task": "dance"}]},
    "effort as a number": {"messages": [USER], "chat_template_kwargs": {"reasoning_effort": 50}},
    "effort as a share": {"messages": [USER], "chat_template_kwargs": {"reasoning_effort": 0.5}},
    "effort too large": {"messages": [USER], "chat_template_kwargs": {"reasoning_effort": 500}},
    "effort of its own": {"messages": [USER], "chat_template_kwargs": {"thinking_effort": "low"}},
    "an unknown effort": {"messages": [USER], "chat_template_kwargs": {"thinking_effort": "no"}},
    "no prompt for an answer": {"messages": [SYSTEM, USER], "add_generation_prompt": False},
    "tool choice required": {
        "messages": [USER],
        "tools": [TOOL, SEARCH],
        "tool_choice": "required",
    },
    "tool choice of one": {
        "messages": [USER],
        "tools": [TOOL],
        "tool_choice": {"type": "function", "function": {"name": "get_weather"}},
    },
    "tool choice none": {"messages": [USER], "tools": [TOOL], "tool_choice": "none"},
    "an object as answer": {"messages": [USER], "response_format": {"type": "json_object"}},
    "a schema as answer": {
        "messages": [USER],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "n", "schema": {"type": "object", "properties": {"a": {}}}},
        },
    },
    "an unfinished answer": {"messages": [USER, {**DONE, "wo_eos": True}, USER]},
    "an answer format in a message": {
        "messages": [{**SYSTEM, "response_format": {"type": "object"}}, USER]
    },
    "blocks of its own": {
        "messages": [{**USER, "content_blocks": [{"type": "text", "text": "own"}]}]
    },
    "long call IDs": {
        "messages": [
            USER,
            {**(message := calls("{}")), "tool_calls": [{**message["tool_calls"][0], "id": LONG}]},
            {"role": "tool", "tool_call_id": LONG, "content": "7"},
        ]
    },
    "truncated": {"messages": [SYSTEM, USER], "truncate_prompt_tokens": 5},
    "truncated on the right": {
        "messages": [SYSTEM, USER],
        "truncate_prompt_tokens": 5,
        "truncation_side": "right",
    },
    "offsets": {"messages": [USER], "return_token_offsets": True},
    "too many tokens asked for": {"messages": [USER], "max_tokens": 10_000_000},
    "a template": {"messages": [USER], "chat_template": "x"},
    "a template as an argument": {
        "messages": [USER],
        "chat_template_kwargs": {"chat_template": "x"},
    },
    "forwarded tokens": {
        "messages": [USER],
        "kv_transfer_params": {"prompt_token_ids": [1, 2, 3]},
    },
    "refused by the model's code": {"messages": [USER], "chat_template_kwargs": {"refuse": 1}},
    **{
        f"cohere, {name}": {"messages": [SYSTEM, USER], "chat_template_kwargs": kwargs}
        for name, kwargs in COHERE.items()
    },
    "media arguments": {"messages": [USER], "mm_processor_kwargs": {"a": 1}},
    "an echo": {"messages": [USER], "echo": True},
}


def _picked(number: int, case: Case) -> bool:
    """All that tell formats apart, and some of what people write."""
    kind = case.name.split(", ")[0]
    if kind in ("exchange", "called"):
        return number % 12 == 0
    return kind != "question" or number % 6 == 0 or "token" in case.name


def family_cases() -> Iterator[Case]:
    """Renders of all, and some of them for /tokenize."""
    chats = [case for number, case in enumerate(conversation_cases()) if _picked(number, case)]
    chats += [Case(f"family, {name}", CHAT, body) for name, body in OWN.items()]
    yield from chats
    yield from (Case(f"family, {name}", COMPLETION, body) for name, body in COMPLETIONS.items())
    for case in chats[::9]:
        yield case._replace(path=TOKENIZE)
