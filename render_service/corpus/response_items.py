"""Responses requests: items of `input`, each kind and each fault."""

from __future__ import annotations

from typing import Any

from .case import RESPONSES, Case

USER = {"role": "user", "content": "Hi"}
CALL = {
    "type": "function_call",
    "call_id": "call_1",
    "name": "weather",
    "arguments": '{"town": "Bergen"}',
}
RESULT = {"type": "function_call_output", "call_id": "call_1", "output": "rain"}
THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [],
    "content": [{"type": "reasoning_text", "text": "Ask."}],
}


def said(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An answer of the model, as it came."""
    return {"type": "message", "role": "assistant", "content": list(parts), **fields}


def text(words: str) -> dict[str, Any]:
    return {"type": "output_text", "text": words}


def typed(words: str) -> dict[str, Any]:
    return {"type": "input_text", "text": words}


RAIN = said(text("Rain."), id="msg_1", status="completed")
HISTORY = [{"role": "user", "content": "Weather?"}, THOUGHT, CALL, RESULT, RAIN, USER]


def response(name: str, **fields: Any) -> Case:
    return Case(name, RESPONSES, {"input": "Hi", **fields})


def item_cases() -> list[Case]:
    inputs: list[Any] = [
        "",
        "héllo 😀 <|im_start|>",
        None,
        5,
        [],
        ["Hi"],
        [5],
        [None],
        [{}],
        [[]],
        # Messages
        [USER],
        [{"role": "user", "content": ""}],
        [{"role": "user"}],
        [{"role": "user", "content": None}],
        [{"role": "user", "content": 5}],
        [{"content": "Hi"}],
        [{"role": "critic", "content": "Hi"}],
        [{"role": "tool", "content": "Hi"}],
        [
            {
                "type": "message",
                "role": "user",
                "content": "Hi",
                "status": "completed",
                "name": "ann",
            }
        ],
        [{"type": "other", "role": "user", "content": "Hi"}],
        [{"type": 5, "role": "user", "content": "Hi"}],
        [{"role": "user", "content": "Hi", "extra": 1, "id": "x"}],
        [{"role": "user", "content": "Hi", "type": "message", "phase": "commentary"}],
        [{"role": "user", "content": "Hi", "type": "message", "phase": "x"}],
        [{"role": "system", "content": "Be brief."}, USER],
        [{"role": "developer", "content": "Be brief."}, USER],
        [USER, {"role": "system", "content": "Be brief."}],
        [{"role": "user", "content": []}],
        [{"role": "user", "content": [typed("a"), typed("b")]}],
        [{"role": "user", "content": [{**typed("a"), "prompt_cache_breakpoint": None}]}],
        [
            {
                "role": "user",
                "content": [{**typed("a"), "prompt_cache_breakpoint": {"mode": "explicit"}}],
            }
        ],
        [{"role": "user", "content": [{"type": "input_text"}]}],
        [{"role": "user", "content": [{"type": "text", "text": "a"}]}],
        [{"role": "user", "content": ["a"]}],
        [{"role": "user", "content": [{"type": "input_image", "image_url": "http://a/b"}]}],
        [{"role": "user", "content": [{"type": "input_image", "detail": "x"}]}],
        [{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}],
        # The model's own messages
        [USER, {"role": "assistant", "content": "Hello"}, USER],
        [USER, {"role": "assistant", "content": [typed("Hello"), typed("!")]}, USER],
        [USER, {"role": "assistant", "content": [text("Hello")]}, USER],
        [USER, {"role": "assistant", "content": []}, USER],
        [USER, said(text("Hello")), USER],
        [USER, said(text("Hello"), text("!")), USER],
        [USER, said({**text("Hello"), "annotations": [], "logprobs": []}, id="m"), USER],
        [USER, said({**text("Hello"), "annotations": None}), USER],
        [USER, said(typed("Hello"), id="m", status="completed"), USER],
        [USER, said(text("Hello"), status="x"), USER],
        [USER, said(text("Hello"), id=5), USER],
        [USER, said(text("Hello"), phase="final_answer", extra=1), USER],
        [USER, said({"type": "other"}), USER],
        [USER, {"type": "message", "role": "assistant", "content": "Hello"}, USER],
        [USER, {"type": "message", "role": "assistant", "content": None}],
        [USER, said(text("A")), said(text("B")), USER],
        # Calls
        HISTORY,
        [CALL, RESULT],
        [USER, CALL, {**CALL, "call_id": "call_2"}, RESULT],
        [USER, said(text("Let me see.")), CALL, RESULT],
        [USER, {**CALL, "id": "fc_1", "status": "completed", "extra": 1}],
        [USER, {**CALL, "namespace": "files"}],
        [USER, {**CALL, "namespace": ""}],
        [USER, {**CALL, "caller": {"type": "direct"}}],
        [USER, {**CALL, "caller": {"type": "x"}}],
        [USER, {**CALL, "status": "x"}],
        [USER, {**CALL, "arguments": "{"}],
        [USER, {**CALL, "arguments": ""}],
        [USER, {**CALL, "arguments": {"town": "Bergen"}}],
        [USER, {**CALL, "name": None}],
        [USER, {"type": "function_call", "name": "weather", "arguments": "{}"}],
        [
            CALL,
            {"type": "function_call_output", "call_id": "c", "output": [typed("a"), typed("b")]},
        ],
        [CALL, {"type": "function_call_output", "output": "rain"}],
        [CALL, {"type": "function_call_output", "call_id": "c"}],
        [CALL, {"type": "function_call_output", "call_id": "c", "output": 5}],
        [CALL, {"type": "function_call_output", "call_id": 5, "output": "rain"}],
        [CALL, {**RESULT, "id": "o", "status": "completed"}],
        [CALL, {**RESULT, "status": "x"}],
        [CALL, {"type": "function_call_output", "call_id": "c", "output": [text("a")]}],
        [{"type": "custom_tool_call", "call_id": "c", "name": "shell", "input": 'ls "é"'}],
        [{"type": "custom_tool_call", "call_id": "c", "name": "shell", "input": ""}],
        [{"type": "custom_tool_call", "call_id": "c", "name": "shell"}],
        [{"type": "custom_tool_call", "name": "shell", "input": "ls", "id": "x"}],
        [USER, {"type": "custom_tool_call_output", "call_id": "c", "output": "a b"}],
        [USER, {"type": "custom_tool_call_output", "call_id": "c", "output": [typed("a")]}],
        [USER, {"type": "custom_tool_call_output", "output": "a b"}],
        # Reasoning
        [USER, THOUGHT, said(text("Rain.")), USER],
        [USER, THOUGHT, said(text("Rain."))],
        [USER, said(text("Rain.")), THOUGHT],
        [USER, THOUGHT, THOUGHT, said(text("Rain."))],
        [USER, {"type": "reasoning", "summary": [{"type": "summary_text", "text": "In short."}]}],
        [USER, {"type": "reasoning", "summary": []}, CALL],
        [USER, {"type": "reasoning", "summary": [], "content": []}],
        [USER, {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "a"}]}],
        [USER, {"type": "reasoning", "summary": ["a"]}],
        [USER, {"type": "reasoning", "summary": [], "content": [{"type": "text", "text": "a"}]}],
        [USER, {"type": "reasoning", "summary": [], "encrypted_content": "x"}],
        [USER, {"type": "reasoning", "summary": [], "encrypted_content": ""}],
        [USER, {"type": "reasoning", "summary": [], "status": "x"}],
        # To be continued
        [USER, said(text("I am"), status="incomplete")],
        [USER, said(text("I am"), status="in_progress")],
        [USER, {**USER, "status": "incomplete"}],
        [USER, {"role": "assistant", "content": "I am", "status": "incomplete"}],
        [USER, {**THOUGHT, "status": "incomplete"}],
        [USER, {**CALL, "status": "incomplete"}],
        [USER, said(text("I am"), status="incomplete"), USER],
        # What no chat has
        [{"type": "item_reference", "id": "msg_1"}],
        [{"id": "msg_1"}],
        [{"type": "other"}],
        [
            {
                "type": "web_search_call",
                "id": "ws",
                "status": "completed",
                "action": {"type": "search", "query": "x"},
            }
        ],
        [{"type": "mcp_approval_response", "approval_request_id": "a", "approve": True}],
        [{"type": "image_generation_call", "id": "i", "result": None, "status": "failed"}],
        [{"type": "compaction_trigger"}],
    ]
    return [
        *[response(f"input {index}", input=given) for index, given in enumerate(inputs)],
        *odd_items(),
    ]


def odd_items() -> list[Case]:
    """Items over which vLLM stumbles."""

    def output(**fields: Any) -> dict[str, Any]:
        return {"type": "function_call_output", "call_id": "c", "output": [typed("a")], **fields}

    picture = {"type": "input_image", "image_url": "http://a/b"}
    whole = {"id": "msg_1", "status": "completed"}
    return [
        response("object as input", input={}),
        response("picture as output", input=[CALL, output(output=[picture])]),
        response(
            "picture with detail as output",
            input=[CALL, output(output=[{**picture, "detail": "low"}])],
        ),
        response("refusal", input=[USER, said({"type": "refusal", "refusal": "No."}), USER]),
        response("nothing said", input=[USER, said(), USER]),
        response("wrong part said", input=[USER, said({"type": "other"}, **whole), USER]),
        response("reference with role", input=[{"role": "user", "id": "msg_1"}]),
        response(
            "more tools", input=[{"type": "additional_tools", "role": "developer", "tools": []}]
        ),
        response(
            "more tools with id",
            input=[{"type": "additional_tools", "role": "developer", "tools": [], "id": "a"}],
        ),
        response("other item without its fields", input=[{"type": "web_search_call"}]),
        response(
            "output of the server",
            input=[CALL, output(id="o", status="completed", created_by="me")],
        ),
        response("phase of parts", input=[{"role": "user", "content": [typed("a")], "phase": "x"}]),
    ]
