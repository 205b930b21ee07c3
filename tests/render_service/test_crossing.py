"""Streams that cross between vLLM and this service, against recorded streams of vLLM."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from render_service import derender
from render_service.loading import load_model
from render_service.model import Model
from render_service.settings import Settings

GOLDEN = Path(__file__).parents[1] / "golden" / "crossing"
FILES = sorted(path.stem for path in GOLDEN.glob("*.jsonl"))
# Words behind a call are content here; vLLM's stream leaves them out for these names.
NO_LAST_WORDS = ("hermes",)

Json = dict[str, Any]
ModelFolder = Callable[[str], Path]

ENDPOINTS = {
    "/v1/chat/completions/derender": derender.chat,
    "/v1/completions/derender": derender.completion,
}


def recorded(file: str) -> tuple[Json, list[Json]]:
    """What was served, and the streams, with whole states again."""
    served, *streams = map(json.loads, (GOLDEN / f"{file}.jsonl").open(encoding="utf-8"))
    for stream in streams:
        ids: list[int] = []
        lengths: list[int] = []
        for step in stream["steps"]:
            ids, lengths = [*ids, *step["ids"]], [*lengths, len(step["ids"])]
            state = step["state"]
            state["output_token_ids"] = ids[: state["output_token_ids"]]
            state["output_chunk_lens"] = lengths[: state["output_chunk_lens"]]
    return served, streams


def served_model(served: Json, folder: ModelFolder, **settings: Any) -> Model:
    tool, _, reasoning = served["parsers"].partition("+")
    if tool.startswith(("plain", "completion")):
        tool = ""
    return load_model(
        Settings(
            model=str(folder(served["model"])),
            tool_call_parser=tool or None,
            reasoning_parser=reasoning or None,
            enable_auto_tool_choice=bool(tool),
            **settings,
        )
    )


@pytest.fixture(scope="module", params=FILES)
def file(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def mixed(file: str, model_folder: ModelFolder) -> Model:
    return served_model(recorded(file)[0], model_folder, stream_state_format="vllm")


@pytest.fixture(scope="module")
def native(file: str, model_folder: ModelFolder) -> Model:
    return served_model(recorded(file)[0], model_folder)


def send(model: Model, served: Json, stream: Json, at: int, state: Json | None) -> Json:
    """Our answer to the chunk at this place."""
    step, last = stream["steps"][at], len(stream["steps"]) - 1
    choice = {"index": 0, "token_ids": step["ids"]}
    choice["finish_reason"] = stream["reason"] if at == last else None
    if "logprobs" in step:
        choice["logprobs"] = step["logprobs"]
    chunk = {"request_id": "generate-tokens-recorded", "choices": [choice]}
    body = {**stream["body"], "stream": True, "generate_chunk": chunk, "stream_state": state}
    answer: Json = json.loads(
        ENDPOINTS[served["path"]](model, json.dumps(body).encode(), None).body
    )
    return answer


def without_last_words(file: str, choices: list[Json]) -> list[Json]:
    """The choices, without content behind a call where vLLM has none."""
    if file.split("+")[0] not in NO_LAST_WORDS:
        return choices
    kept, called = [], False
    for choice in choices:
        delta = choice["delta"]
        kept.append({**choice, "delta": {**delta, "content": None}} if called else choice)
        called = called or bool(delta.get("tool_calls"))
    return kept


def shown(choice: Json) -> Json:
    """A choice with one part a call, without IDs, which are each server's own, and what is null."""
    choice = json.loads(json.dumps(choice))
    delta = choice.get("delta", {})
    calls: dict[int, Json] = {}
    for part in delta.pop("tool_calls", None) or ():
        function = part["function"]
        call = calls.setdefault(part["index"], {"ids": 0, "name": "", "arguments": ""})
        call["ids"] += part.get("id") is not None
        call["name"] += function.get("name") or ""
        call["arguments"] += function.get("arguments") or ""
    return {"choice": _present(choice), "calls": calls}


def _present(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _present(one) for key, one in value.items() if one is not None}
    return [_present(one) for one in value] if isinstance(value, list) else value


def joined(choices: list[Json]) -> Json:
    """What a client has in the end."""
    text: Json = {"text": "", "reasoning": "", "content": "", "calls": {}, "roles": 0}
    for choice in choices:
        text["text"] += choice.get("text") or ""
        delta = choice.get("delta") or {}
        text["reasoning"] += delta.get("reasoning") or ""
        text["content"] += delta.get("content") or ""
        text["roles"] += delta.get("role") is not None
        for call in delta.get("tool_calls") or ():
            made = text["calls"].setdefault(call["index"], ["", "", 0])
            made[0] += call["function"].get("name") or ""
            made[1] += call["function"].get("arguments") or ""
            made[2] += call.get("id") is not None
        text["logprobs"] = [*text.get("logprobs", []), choice.get("logprobs")]
        text["finish_reason"] = choice["finish_reason"]
    return text


def test_each_chunk_and_state_is_vllms(file: str, mixed: Model) -> None:
    """So vLLM can go on after any chunk: it finds its own state, and a client that has as much."""
    served, streams = recorded(file)
    for stream in streams:
        state, choices = None, []
        for at, step in enumerate(stream["steps"]):
            answer = send(mixed, served, stream, at, state)
            state = answer["stream_state"]
            choices.append(answer["chunk"]["choices"][0])
            for field, theirs in step["state"].items():
                if field in ("prev_tokens", "prefix_offset", "read_offset", "role_sent"):
                    continue  # its window may be another one, with the same meaning
                ours = state.get(field, type(theirs)())
                if field == "last_tool_call_ids":
                    ours, theirs = len(ours), len(theirs)
                assert ours == theirs, f"{stream['name']}, chunk {at}: {field}"
        theirs = without_last_words(file, [step["answer"] for step in stream["steps"]])
        for at, choice in enumerate(without_last_words(file, choices)):
            assert shown(choice) == shown(theirs[at]), f"{stream['name']}, chunk {at}"


@pytest.mark.parametrize("back", [False, True])
def test_a_stream_of_vllms_goes_on_here(file: str, native: Model, mixed: Model, back: bool) -> None:
    """From every chunk on: the joined answer is vLLM's, which a client has the beginning of."""
    served, streams = recorded(file)
    model = mixed if back else native
    for stream in streams:
        steps = stream["steps"]
        theirs = [step["answer"] for step in steps]
        whole = joined(without_last_words(file, theirs))
        for crossing in range(1, len(steps), 1 if len(steps) < 20 else 5):
            state, choices = steps[crossing - 1]["state"], theirs[:crossing]
            for at in range(crossing, len(steps)):
                answer = send(model, served, stream, at, state)
                state = answer["stream_state"]
                choices.append(answer["chunk"]["choices"][0])
            where = f"{stream['name']} from chunk {crossing} on"
            assert joined(without_last_words(file, choices)) == whole, where
