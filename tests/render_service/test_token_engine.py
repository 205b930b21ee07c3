"""The scripted token engine against the recording of `vllm serve --tokens-only` 0.33.0."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from tokenizers import Tokenizer

from render_service.token_answers import TokenAnswers
from render_service.token_engine import application, main
from render_service.token_script import ScriptError, TokenScript, answer, example, load_script
from tests.record.engine import EOS, REQUESTS

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "golden" / "engine" / "vllm.json").read_text("utf-8")
)["answers"]
DEMO = Path(__file__).parent.parent.parent / "render_service" / "demo_model"
PATH = "/inference/v1/generate"
SAID = [101, 102, 103, 104, 105, 106, 107]


def ask(
    method: str, path: str, body: Any = None, *, headers: Any = None, **options: Any
) -> httpx.Response:
    script = TokenScript(DEMO, options.pop("outputs", ()), options.pop("chunk_tokens", (1,)))
    app = application(TokenAnswers(script, "demo"))

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://engine") as client:
            if isinstance(body, str):
                kind = {"content-type": "application/json", **(headers or {})}
                return await client.request(method, path, content=body, headers=kind)
            return await client.request(method, path, json=body, headers=headers)

    return asyncio.run(send())


def generate(body: Any, **options: Any) -> httpx.Response:
    return ask("POST", PATH, body, **options)


def events(text: str) -> list[str]:
    assert text.endswith("\n\n")
    parts = text[:-2].split("\n\n")
    assert all(part.startswith("data: ") for part in parts)
    return [part.removeprefix("data: ") for part in parts]


def by_choice(bodies: list[str]) -> list[Any]:
    """Events in the order of their choices, which vLLM mixes as they come."""
    decoded = [json.loads(body) for body in bodies]
    return sorted(decoded, key=lambda event: [choice["index"] for choice in event["choices"]])


def shape(value: Any) -> Any:
    """Keys and types of an answer; token IDs and numbers are a model's own."""
    if isinstance(value, dict):
        if all(key.isdigit() for key in value) and value:
            return ["by token ID", shape(next(iter(value.values())))]
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return type(value).__name__


def of_demo(name: str) -> Any:
    """A recorded request for the demo model, whose length and end token are its own."""
    body = json.loads(json.dumps(REQUESTS[name]).replace(f'"{EOS}"', '"1502"'))
    if name == "default_max_tokens":
        body["token_ids"] = [11] * (32768 - 6)
    if name == "error_prompt_too_long":
        body["token_ids"] = [11] * 40000
    return body


SUCCESSES = [n for n in REQUESTS if n.startswith("batch") or n == "default_max_tokens"]
STREAMS = [n for n in REQUESTS if n.startswith("stream")]
ERRORS = [n for n in REQUESTS if n.startswith("error")]


def output_of(name: str) -> list[list[int]]:
    return [[1502] * 4] if "eos" in name else [SAID, SAID[::-1]]


@pytest.mark.parametrize("name", SUCCESSES)
def test_whole_answers_have_vllm_s_keys_in_vllm_s_order(name: str) -> None:
    expected = GOLDEN[name]
    reply = generate(of_demo(name), outputs=output_of(name))
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-type"] == expected["content_type"]
    body = reply.json()
    ours, theirs = shape(body), shape(expected["body"])
    if name == "batch_kv_transfer_params":  # nulled there, since no KV connector is configured
        assert body["kv_transfer_params"] == {"a": 1}
        ours["kv_transfer_params"] = "NoneType"
    if "logprobs" in name:  # how many candidates depends on the rank of what was sampled
        for side in (ours, theirs):
            for choice in side["choices"]:
                if isinstance(choice["logprobs"], dict):
                    for entry in choice["logprobs"]["content"]:
                        entry["top_logprobs"] = entry["top_logprobs"][0]
    assert ours == theirs
    assert list(body) == list(expected["body"])
    assert list(body["choices"][0]) == list(expected["body"]["choices"][0])
    for choice, theirs in zip(body["choices"], expected["body"]["choices"], strict=True):
        assert choice["finish_reason"] == theirs["finish_reason"]
        assert len(choice["token_ids"]) == len(theirs["token_ids"])
    assert body["usage"]["completion_tokens"] == expected["body"]["usage"]["completion_tokens"]


@pytest.mark.parametrize("name", STREAMS)
def test_streams_are_framed_as_vllm_s(name: str) -> None:
    expected = GOLDEN[name]
    reply = generate(of_demo(name), outputs=output_of(name))
    assert reply.status_code == 200
    assert reply.headers["content-type"] == expected["content_type"]
    ours, theirs = events(reply.text), events(expected["body"])
    assert ours[-1] == theirs[-1] == "[DONE]"
    assert len(ours) == len(theirs)
    for mine, other in zip(by_choice(ours[:-1]), by_choice(theirs[:-1]), strict=True):
        assert list(mine) == list(other)
        for field in ("usage", "prompt_token_ids"):
            assert shape(mine.get(field)) == shape(other.get(field))
        assert len(mine["choices"]) == len(other["choices"])
        for choice, recorded in zip(mine["choices"], other["choices"], strict=True):
            assert list(choice) == list(recorded)
            assert choice["finish_reason"] == recorded["finish_reason"]
            assert shape(choice["stop_reason"]) == shape(recorded["stop_reason"])
            assert shape(choice["weight_versions"]) == shape(recorded["weight_versions"])
            assert list(choice["logprobs"] or ()) == list(recorded["logprobs"] or ())


@pytest.mark.parametrize("name", ERRORS)
def test_errors_have_vllm_s_status_and_type(name: str) -> None:
    expected = GOLDEN[name]
    body = of_demo(name)
    reply = generate(body)
    assert reply.status_code == expected["status"]
    error, recorded = reply.json()["error"], expected["body"]["error"]
    assert list(error) == list(recorded)
    assert error["type"] == recorded["type"]
    assert error["code"] == recorded["code"]


@pytest.mark.parametrize(
    "name",
    ["error_max_tokens", "error_n", "error_n_greedy", "error_logprobs", "error_stop_strings"],
)
def test_refused_values_are_named_in_vllm_s_words(name: str) -> None:
    assert generate(of_demo(name)).json() == GOLDEN[name]["body"]


def test_the_request_id_of_the_header_wins_and_is_prefixed() -> None:
    body = REQUESTS["batch"]
    assert generate(body).json()["request_id"] == "generate-tokens-r1"
    headed = generate(body, headers={"X-Request-Id": "from-header"}).json()
    assert headed["request_id"] == GOLDEN["header_request_id"]["body"]["request_id"]
    assert len(generate({**body, "request_id": None}).json()["request_id"]) > 20


def test_content_type_must_be_json() -> None:
    reply = ask("POST", PATH, "{}", headers={"content-type": "text/plain"})
    assert reply.json() == GOLDEN["error_content_type"]["body"]


def test_health_and_models() -> None:
    assert ask("GET", "/health").content == b""
    card = ask("GET", "/v1/models").json()["data"][0]
    recorded = GOLDEN["/v1/models"]["body"]["data"][0]
    assert set(card) <= set(recorded)
    assert card["id"] == "demo"


@pytest.mark.parametrize(
    "sampling",
    [
        {"n": 257},
        {"temperature": 3},
        {"logprobs": -1},
        {"prompt_logprobs": -2},
        {"prompt_logprobs": 21},
        {"n": "many"},
    ],
)
def test_sampling_out_of_bounds_is_refused(sampling: Any) -> None:
    assert generate({"token_ids": [1], "sampling_params": sampling}).status_code == 400


def test_an_unknown_token_id_is_refused() -> None:
    reply = generate({"token_ids": [99999], "sampling_params": {}})
    assert reply.status_code == 400
    assert "out of vocabulary" in reply.json()["error"]["message"]


def test_the_end_token_stops_and_names_itself() -> None:
    body = {"token_ids": [1], "sampling_params": {"extra_args": {"outputs": ["hello"]}}}
    choice = generate(body).json()["choices"][0]
    assert choice["finish_reason"] == "stop"
    assert choice["token_ids"][-1] == choice["stop_reason"] == 1502


def test_min_tokens_and_ignore_eos_carry_on_past_the_end_token() -> None:
    output = [[5, 1502, 6, 1502]]
    for sampling, tokens in (({}, 2), ({"min_tokens": 3}, 4), ({"ignore_eos": True}, 4)):
        body = {"token_ids": [1], "sampling_params": sampling}
        assert len(generate(body, outputs=output).json()["choices"][0]["token_ids"]) == tokens


def test_chunk_sizes_repeat() -> None:
    body = {"token_ids": [1], "sampling_params": {}, "stream": True}
    text = generate(body, outputs=[SAID], chunk_tokens=(1, 3)).text
    sizes = [len(json.loads(e)["choices"][0]["token_ids"]) for e in events(text)[:-1]]
    assert sizes == [1, 3, 1, 2]


def test_a_choice_that_has_ended_sends_no_more_events() -> None:
    body = {"token_ids": [1], "sampling_params": {"n": 2}, "stream": True}
    parts = [
        json.loads(e)["choices"][0] for e in events(generate(body, outputs=[[5], [6, 7]]).text)[:-1]
    ]
    assert [(part["index"], part["token_ids"]) for part in parts] == [(0, [5]), (1, [6]), (1, [7])]


def test_choices_say_the_outputs_in_turn() -> None:
    body = {"token_ids": [1], "sampling_params": {"n": 3}}
    choices = generate(body, outputs=[[5], [6, 7]]).json()["choices"]
    assert [choice["token_ids"] for choice in choices] == [[5], [6, 7], [5]]


def test_logprobs_hold_the_sampled_token_first_then_ranks() -> None:
    sampling = {"logprobs": 3, "extra_args": {"outputs": [list(range(50, 70))]}}
    reply = generate({"token_ids": [1], "sampling_params": sampling})
    lengths = set()
    for entry in reply.json()["choices"][0]["logprobs"]["content"]:
        sampled, *others = entry["top_logprobs"]
        assert sampled["token_id"] == entry["token_id"]
        ranks = [candidate["rank"] for candidate in others]
        assert ranks == sorted(ranks)
        assert sampled["rank"] not in ranks
        lengths.add(len(entry["top_logprobs"]))
    assert lengths == {3, 4}


@pytest.mark.parametrize(
    "extra",
    [
        {"outputs": []},
        {"outputs": "text"},
        {"outputs": [[]]},
        {"outputs": [[99999]]},
        {"outputs": [[True]]},
        {"outputs": ["x"], "chunk_tokens": [0]},
        {"outputs": ["x"], "chunk_tokens": 3},
    ],
)
def test_a_script_that_cannot_be_said_is_refused(extra: Any) -> None:
    reply = generate({"token_ids": [1], "sampling_params": {"extra_args": extra}, "stream": True})
    assert reply.status_code == 400
    assert reply.json()["error"]["param"] == "extra_args"


def test_answers_to_a_prompt() -> None:
    tool = {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "kelvin"]}},
            },
        },
    }
    question = "<|im_start|>user\nWhat is the weather in New York?<|im_end|>\n"
    start = "<|im_start|>assistant\n"
    system = f"<|im_start|>system\n<tools>\nwords\n{json.dumps(tool)}\n</tools><|im_end|>\n"
    called = answer(system + question + start)
    assert called.startswith("<think>\n")
    call = json.loads(called.split("<tool_call>\n")[1].split("\n</tool_call>")[0])
    assert call == {
        "name": "get_weather",
        "arguments": {"city": "New York", "unit": "celsius"},
    }
    result = "<|im_start|>user\n<tool_response>\n18 degrees\n</tool_response><|im_end|>\n"
    assert "18 degrees" in answer(system + question + result + start)
    assert answer(question + start + "<think>\n\n</think>\n\n").startswith("You said: What")
    assert "Hello!" in answer("")


def test_example_values_fit_their_schema() -> None:
    schema = {
        "type": "object",
        "properties": {
            "i": {"type": "integer"},
            "n": {"type": "number"},
            "b": {"type": "boolean"},
            "a": {"type": "array", "items": {"type": "string"}},
            "e": {"type": "array"},
            "s": {"type": "string"},
            "x": {},
            "y": 5,
        },
    }
    assert example(schema, "hm") == {
        "i": 1, "n": 1.5, "b": True, "a": ["hm"], "e": [], "s": "hm", "x": None, "y": None,
    }  # fmt: skip
    assert example({"type": "object", "properties": []}, "") == {}


def test_script_files(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    file.write_text(json.dumps({"outputs": ["hello"], "chunk_tokens": [2]}))
    script = load_script(DEMO, file, (1,))
    said, chunks = script.say([1], {}, 1)
    assert Tokenizer.from_file(str(DEMO / "tokenizer.json")).decode(said[0]) == "hello"
    assert chunks == [2]
    assert load_script(DEMO, None, (4,)).chunk_tokens == (4,)
    for bad in ("{", "[]", '{"outputs": [5]}'):
        file.write_text(bad)
        with pytest.raises(ScriptError):
            load_script(DEMO, file, (1,))
    with pytest.raises(ScriptError, match="no script"):
        load_script(DEMO, tmp_path / "mistyped.json", (1,))


def test_a_model_without_configuration(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text((DEMO / "tokenizer.json").read_text("utf-8"), "utf-8")
    script = TokenScript(tmp_path, ["hello"])
    assert script.vocab_size == 1509
    assert script.ends == []
    (tmp_path / "config.json").write_text('{"eos_token_id": 7, "vocab_size": 2000}')
    assert TokenScript(tmp_path).ends == [7]
    assert TokenScript(tmp_path).vocab_size == 2000


def test_a_missing_model_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--model", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("token engine: no tokenizer.json in")
