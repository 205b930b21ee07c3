"""Helpers of the derender tests: a model, outputs as token IDs, streams cut anyhow and joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson

from render_service import derender
from render_service.loading import load_model
from render_service.model import Model
from render_service.settings import Settings
from tests.conftest import DEMO_MODEL

PARSERS = (
    "--reasoning-parser",
    "qwen3",
    "--tool-call-parser",
    "hermes",
    "--enable-auto-tool-choice",
)
Json = dict[str, Any]
Post = Callable[[bytes], Json]

TOOL: Json = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
REASONED = "<think>\nThe café 東京 is open. 🎉\n</think>\n\n"
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zürich 🏔️"}}\n</tool_call>'
CHAT: Json = {"messages": [{"role": "user", "content": "Hi"}]}
CHAT_TOOLS: Json = {**CHAT, "tools": [TOOL]}


def demo(**settings: Any) -> Model:
    return load_model(Settings(model=str(DEMO_MODEL), **settings))


def parsed_demo(**settings: Any) -> Model:
    return demo(
        reasoning_parser="qwen3",
        tool_call_parser="hermes",
        enable_auto_tool_choice=True,
        **settings,
    )


def ids_of(model: Model, text: str) -> list[int]:
    return model.tokenizer.encode(text, add_special_tokens=False)


def prompt_of(model: Model) -> list[int]:
    return ids_of(model, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n")


def chunk(ids: Sequence[int] | None, finish: str | None = None, **choice: Any) -> Json:
    return {
        "request_id": "chatcmpl-1",
        "choices": [{"index": 0, "token_ids": ids, "finish_reason": finish, **choice}],
    }


def next_body(generate: Json, ids: Sequence[int], *, last: bool, state: Any) -> Json:
    """Of the next chunk for what /render gave, with all that the first one needs."""
    generated = chunk(ids, "stop" if last else None)
    body: Json = {
        "stream": True,
        "generate_chunk": {**generated, "request_id": generate["request_id"]},
        "stream_state": state,
    }
    if state is None:
        body |= {"prompt_token_ids": generate["token_ids"], "chat_request": CHAT_TOOLS}
    return body


def complete(model: Model, generate: Json, ids: Sequence[int]) -> Json:
    """What a single process makes of the whole output."""
    choice = {"index": 0, "token_ids": ids, "finish_reason": "stop"}
    return chat(
        model,
        generate_response={"request_id": generate["request_id"], "choices": [choice]},
        chat_request=CHAT_TOOLS,
        prompt_token_ids=generate["token_ids"],
    )


def cut(ids: Sequence[int], sizes: Iterable[int], finish: str | None = "stop") -> list[Json]:
    """Chunks of the given sizes, the rest in one; `finish` with the last."""
    chunks, at = [], 0
    for size in [*sizes, len(ids)]:
        part = ids[at : at + size]
        at += size
        last = at >= len(ids)
        chunks.append(chunk(list(part), finish if last else None))
        if last:
            break
    return chunks


def chat(model: Model, **body: Any) -> Json:
    answer: Json = orjson.loads(derender.chat(model, orjson.dumps(body), None).body)
    return answer


def chat_chunk(model: Model, **body: Any) -> Json:
    return chat(model, stream=True, **body)


def completion(model: Model, **body: Any) -> Json:
    answer: Json = orjson.loads(derender.completion(model, orjson.dumps(body), None).body)
    return answer


def stream(model: Model, chunks: Iterable[Json], request: Json | None, **first: Any) -> list[Json]:
    """The answers to all chunks; `first` (the prompt's IDs and so on) goes with the first only."""
    answers, state = [], None
    for generated in chunks:
        body = {"stream": True, "generate_chunk": generated, "stream_state": state}
        if request is not None:
            body["chat_request"] = request
        answer = chat(model, **body, **(first if state is None else {}))
        state = answer["stream_state"]
        answers.append(answer)
    return answers


def whole(model: Model, ids: Sequence[int], request: Json | None, **fields: Any) -> Json:
    choice = {"index": 0, "token_ids": list(ids), "finish_reason": "stop"}
    response = {"request_id": "chatcmpl-1", "choices": [choice]}
    body = {"generate_response": response, **fields}
    if request is not None:
        body["chat_request"] = request
    return chat(model, **body)


def joined(answers: Iterable[Json]) -> Json:
    """What a client has at the end of a stream, in the shape of `message_of`."""
    text = {"content": "", "reasoning": ""}
    calls: dict[int, Json] = {}
    finish = None
    for answer in answers:
        for choice in answer["chunk"]["choices"]:
            finish = choice["finish_reason"]
            for kind in text:
                text[kind] += choice["delta"][kind] or ""
            for part in choice["delta"].get("tool_calls", []):
                call = calls.setdefault(part["index"], {"id": part["id"], "name": "", "args": ""})
                call["name"] += part["function"]["name"] or ""
                call["args"] += part["function"]["arguments"] or ""
    return {
        "content": text["content"] or None,
        "reasoning": text["reasoning"] or None,
        "calls": list(calls.values()),
        "finish_reason": finish,
    }


def message_of(answer: Json) -> Json:
    choice = answer["choices"][0]
    message = choice["message"]
    return {
        "content": message["content"] or None,
        "reasoning": message["reasoning"] or None,
        "calls": [
            {"id": c["id"], "name": c["function"]["name"], "args": c["function"]["arguments"]}
            for c in message.get("tool_calls", [])
        ],
        "finish_reason": choice["finish_reason"],
    }
