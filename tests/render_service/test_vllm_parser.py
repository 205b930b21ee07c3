"""The adapter with a plugin's parsers: on vLLM where it is installed, else on a small one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from render_service import derender, render
from render_service.errors import RequestError
from render_service.fingerprint import Fingerprint
from render_service.hub import StartupError
from render_service.model import Model
from render_service.startup import describe
from tests.conftest import ROOT

from .derender_client import (
    CHAT,
    CHAT_TOOLS,
    Json,
    chat,
    chat_chunk,
    chunk,
    cut,
    demo,
    ids_of,
    joined,
    message_of,
    prompt_of,
    stream,
    whole,
)
from .small_vllm import make_importable

PLUGIN = str(ROOT / "tests" / "render_service" / "plugins" / "angle_parsers.py")
TEXT = 'So.</think>Well, <<get_weather {"city": "Zürich 🏔️"}>> <<get_weather#own1 {"a": 1}>>'
PLUGINS = {"tool_parser_plugin": PLUGIN, "reasoning_parser_plugin": PLUGIN}
NAMES = {"tool_call_parser": "angle", "enable_auto_tool_choice": True}


@pytest.fixture(scope="module", autouse=True)
def _vllm() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        make_importable(patch)
        yield


def plugged(reasoning: str | None = "until_think_ends", **settings: Any) -> Model:
    return demo(**{**PLUGINS, **NAMES, "reasoning_parser": reasoning, **settings})


@pytest.fixture(scope="module")
def model(_vllm: None) -> Model:
    return plugged()


@pytest.fixture(scope="module")
def without_cache(_vllm: None) -> Model:
    return plugged(parser_cache_bytes=0)


@pytest.fixture(scope="module")
def reading_prompt(_vllm: None) -> Model:
    return plugged("reads_the_prompt")


def streamed(model: Model, text: str, size: int, request: Json = CHAT_TOOLS) -> list[Json]:
    ids = ids_of(model, text)
    chunks = cut(ids, [size] * len(ids))
    return stream(model, chunks, request, prompt_token_ids=prompt_of(model))


def expected(text: str = "Well,  ", reasoning: str = "So.") -> Json:
    weather = {"name": "get_weather", "args": '{"city": "Zürich 🏔️"}'}
    own = {"id": "own1", "name": "get_weather", "args": '{"a": 1}'}
    return {
        "content": text,
        "reasoning": reasoning,
        "calls": [{"id": derived(), **weather}, own],
        "finish_reason": "tool_calls",
    }


def derived(index: int = 0) -> str:
    from render_service.tool_call_id import tool_call_id

    return tool_call_id("chatcmpl-1", 0, index, "get_weather")


def test_a_whole_output(model: Model) -> None:
    assert message_of(whole(model, ids_of(model, TEXT), CHAT_TOOLS)) == expected()


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_streams(model: Model, without_cache: Model, size: int) -> None:
    answers = streamed(model, TEXT, size)
    assert joined(answers)["calls"] == expected()["calls"]
    assert joined(answers)["reasoning"] == "So."
    assert joined(answers)["finish_reason"] == "tool_calls"
    replayed = streamed(without_cache, TEXT, size)
    drop_time = [{**a["chunk"], "created": 0} for a in answers]
    assert drop_time == [{**a["chunk"], "created": 0} for a in replayed]
    assert [a["stream_state"]["p"] for a in answers] == [a["stream_state"]["p"] for a in replayed]


@given(st.lists(st.integers(1, 9), max_size=30))
def test_a_stream_may_be_cut_and_moved_anywhere(sizes: list[int]) -> None:
    model = CUT_MODELS[0]
    ids = ids_of(model, TEXT)
    state, answers = None, []
    for at, part in enumerate(cut(ids, sizes)):
        body = {"generate_chunk": part, "chat_request": CHAT_TOOLS, "stream_state": state}
        if state is None:
            body["prompt_token_ids"] = prompt_of(model)
        answers.append(chat_chunk(CUT_MODELS[at % 2], **body))
        state = answers[-1]["stream_state"]
    assert joined(answers)["calls"] == expected()["calls"]


CUT_MODELS: list[Model] = []


@pytest.fixture(scope="module", autouse=True)
def _two_replicas(model: Model, without_cache: Model) -> None:
    CUT_MODELS[:] = [model, without_cache]


def reads() -> int:
    count: int = sys.modules["angle_parsers"].AngleToolParser.reads
    return count


def steps_of(model: Model, monkeypatch: pytest.MonkeyPatch, tokens: int) -> int:
    """Chunks that vLLM's parser reads in a stream of so many one-token chunks."""
    from render_service.vllm_reader import Reader

    count, step = 0, Reader.step

    def counted(self: Reader, *args: Any) -> Any:
        nonlocal count
        count += 1
        return step(self, *args)

    monkeypatch.setattr(Reader, "step", counted)
    text = "So.</think>" + "The weather is fine. " * tokens
    ids = ids_of(model, text)[:tokens]
    stream(model, cut(ids, [1] * tokens), CHAT_TOOLS, prompt_token_ids=prompt_of(model))
    return count


def test_2000_tokens_are_read_once_with_the_cache(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert steps_of(model, monkeypatch, 2000) == 2000


def test_without_the_cache_each_chunk_reads_all_before_it(
    without_cache: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert steps_of(without_cache, monkeypatch, 60) == 60 * 61 // 2


def test_the_state_is_the_history(model: Model) -> None:
    text = "So.</think>" + "The weather is fine. " * 100
    state = streamed(model, text, 1)[-2]["stream_state"]
    count = len(ids_of(model, text)) - 1
    assert len(state["p"][0]) <= count * 3 * 4 / 3 + 4  # a length and an ID of two bytes
    assert state["p"][1] is False


def test_the_prompt_is_needed_once(model: Model, reading_prompt: Model) -> None:
    """Whether it ends the reasoning is carried, or its IDs where a parser reads them."""
    prompt = prompt_of(model)
    closed = [*prompt, *ids_of(model, "<think></think>")]
    chunks = cut(ids_of(model, "Hi there"), [1])
    for ids, key in ((prompt, "reasoning"), (closed, "content")):
        got = joined(stream(model, chunks, CHAT_TOOLS, prompt_token_ids=ids))
        assert got[key] == "Hi there"
        got = joined(stream(reading_prompt, chunks, CHAT_TOOLS, prompt_token_ids=ids))
        said = f"[{len(ids)}]Hi there" if key == "reasoning" else "Hi there"
        assert got[key] == said


def test_the_prompt_survives_a_lost_replica(reading_prompt: Model) -> None:
    """The first chunk is replayed with the prompt's IDs out of the state."""
    reading_prompt.streams.__init__(0)  # type: ignore[misc] - the same model without its cache
    prompt = prompt_of(reading_prompt)
    chunks = cut(ids_of(reading_prompt, "Hi there, you"), [1, 1, 1])
    got = joined(stream(reading_prompt, chunks, CHAT_TOOLS, prompt_token_ids=prompt))
    assert got["reasoning"] == f"[{len(prompt)}]Hi there, you"


def test_a_request_goes_with_each_chunk(model: Model) -> None:
    first = chat_chunk(
        model,
        generate_chunk=chunk(ids_of(model, "So")),
        chat_request=CHAT_TOOLS,
        prompt_token_ids=prompt_of(model),
    )
    with pytest.raises(RequestError, match="chat_request is required with each chunk"):
        chat_chunk(model, generate_chunk=chunk([5]), stream_state=first["stream_state"])
    with pytest.raises(RequestError, match="chat_request is required"):
        chat_chunk(model, generate_chunk=chunk([5]), prompt_token_ids=prompt_of(model))
    with pytest.raises(RequestError, match="prompt_token_ids is required"):
        chat_chunk(model, generate_chunk=chunk([5]), chat_request=CHAT)


def test_a_stream_may_begin_with_the_state_of_render(model: Model) -> None:
    answer = orjson.loads(render.chat(model, orjson.dumps(CHAT_TOOLS), None, with_state=True).body)
    state, answers = answer["stream_state"], []
    for part in cut(ids_of(model, TEXT), [3, 3]):
        answers.append(
            chat_chunk(model, generate_chunk=part, chat_request=CHAT_TOOLS, stream_state=state)
        )
        state = answers[-1]["stream_state"]
    assert joined(answers)["calls"][1]["id"] == "own1"


def test_after_the_end_comes_usage(model: Model, without_cache: Model) -> None:
    for one in (model, without_cache):
        state = streamed(one, TEXT, 5)[-1]["stream_state"]
        assert state["p"] == [True]
        usage = {"prompt_tokens": 3, "completion_tokens": 5}
        last = {"request_id": "chatcmpl-1", "choices": [], "usage": usage}
        again = chat_chunk(one, generate_chunk=last, chat_request=CHAT_TOOLS, stream_state=state)
        assert again["chunk"]["usage"]["total_tokens"] == 8
        assert again["stream_state"]["p"] == [True]
        empty = chat_chunk(
            one, generate_chunk=chunk([]), chat_request=CHAT_TOOLS, stream_state=state
        )
        assert empty["chunk"]["choices"][0]["delta"]["content"] is None


@pytest.mark.parametrize(
    "parser",
    [
        None,
        [],
        ["AA"],
        ["AA", 1],
        [1, False],
        ["", "AA=="],
        ["!", True],
        ["AQ==", True],
        ["A/////8P", True],
        ["AQ//////Dw==", True],
        ["", True, 0],
    ],
)
def test_a_state_made_by_hand_is_refused(model: Model, parser: Any) -> None:
    state = {**streamed(model, TEXT, 5)[0]["stream_state"], "p": parser}
    with pytest.raises(RequestError, match="invalid stream_state") as caught:
        chat_chunk(model, generate_chunk=chunk([5]), chat_request=CHAT_TOOLS, stream_state=state)
    assert caught.value.status == 400


@pytest.mark.parametrize("word", ["BOOM", "VALUE"])
def test_a_parser_that_fails_fails_one_request(
    model: Model, without_cache: Model, word: str
) -> None:
    reason = "TypeError: cannot read this" if word == "BOOM" else "ValueError: not a call"
    for one in (model, without_cache):
        for request in (
            lambda one=one: whole(one, ids_of(one, f"So.</think>{word}"), CHAT_TOOLS),
            lambda one=one: streamed(one, f"So.</think>Some {word} here", 2),
        ):
            with pytest.raises(RequestError) as caught:
                request()
            assert caught.value.status == 400
            assert caught.value.message == f"the configured parser failed: {reason}"
        assert joined(streamed(one, TEXT, 5))["calls"] == expected()["calls"]


def test_the_chunk_after_a_failed_one_may_be_another(model: Model) -> None:
    """The stream that failed is gone, its state still stands."""
    ids = ids_of(model, "So.</think>Some ")
    first = chat_chunk(
        model,
        generate_chunk=chunk(ids),
        chat_request=CHAT_TOOLS,
        prompt_token_ids=prompt_of(model),
    )
    body = {"chat_request": CHAT_TOOLS, "stream_state": first["stream_state"]}
    for _ in range(2):
        with pytest.raises(RequestError, match="configured parser failed"):
            chat_chunk(model, generate_chunk=chunk(ids_of(model, "BOOM")), **body)
    good = chat_chunk(model, generate_chunk=chunk(ids_of(model, "words"), "stop"), **body)
    assert good["chunk"]["choices"][0]["delta"]["content"] == "words"


def test_half_a_surrogate_pair_can_be_written(model: Model) -> None:
    text = "So.</think>HALF<<get_weather {}>>"
    assert message_of(whole(model, ids_of(model, text), CHAT_TOOLS))["content"] == "\ufffd"
    assert joined(streamed(model, text, 100))["content"] == "\ufffd"


def test_a_request_that_vllm_refuses(model: Model) -> None:
    bad = {"messages": [{"role": "user", "content": "Hi"}], "documents": 5}
    with pytest.raises(RequestError) as caught:
        whole(model, ids_of(model, TEXT), bad)
    assert caught.value.status == 400


def test_tool_choice_none_parses_no_calls(model: Model) -> None:
    request = {**CHAT_TOOLS, "tool_choice": "none"}
    got = message_of(whole(model, ids_of(model, TEXT), request))
    assert got["calls"] == []
    assert got["finish_reason"] == "stop"
    assert joined(streamed(model, TEXT, 1000, request))["calls"] == []


def test_only_one_of_the_two_parsers() -> None:
    tools = plugged(None)
    assert (tools.outputs.tool, tools.outputs.reasoning) == ("angle", None)
    text = TEXT.removeprefix("So.</think>")
    got = message_of(whole(tools, ids_of(tools, text), CHAT_TOOLS))
    assert got["calls"] == expected()["calls"]
    assert joined(streamed(tools, text, 3))["calls"] == expected()["calls"]
    body = render.chat(tools, orjson.dumps(CHAT_TOOLS), None).body
    assert orjson.loads(body)["reasoning_ended"] is None
    reasoning = demo(reasoning_parser="until_think_ends", reasoning_parser_plugin=PLUGIN)
    got = message_of(whole(reasoning, ids_of(reasoning, "So.</think>Yes"), CHAT))
    assert (got["reasoning"], got["content"]) == ("So.", "Yes")
    assert (
        orjson.loads(render.chat(reasoning, orjson.dumps(CHAT), None).body)["reasoning_ended"]
        is False
    )


def test_without_auto_tool_choice_there_is_no_tool_parser() -> None:
    plain = plugged(None, enable_auto_tool_choice=False)
    assert not plain.outputs.parses
    assert message_of(whole(plain, ids_of(plain, "x << y"), CHAT))["content"] == "x << y"


def test_render_asks_the_parser_what_to_change(model: Model) -> None:
    answer = orjson.loads(render.chat(model, orjson.dumps(CHAT_TOOLS), None).body)
    assert answer["sampling_params"]["stop_token_ids"] == [7]
    assert answer["sampling_params"]["skip_special_tokens"] is False
    assert answer["reasoning_ended"] is False
    tools = plugged(None)
    for request in (CHAT, {**CHAT_TOOLS, "tool_choice": "none"}):
        answer = orjson.loads(render.chat(tools, orjson.dumps(request), None).body)
        assert answer["sampling_params"]["stop_token_ids"] == []


def test_it_says_who_parses(model: Model) -> None:
    assert "reasoning until_think_ends, tool calls angle (vLLM 0.33.0" in describe(model, "x")


def test_the_fingerprint_tells_backends_and_plugins_apart(model: Model, tmp_path: Path) -> None:
    changed = tmp_path / "angle_parsers.py"
    changed.write_text(Path(PLUGIN).read_text() + "\n# changed\n")
    other = plugged(tool_parser_plugin=str(changed))
    native = demo(reasoning_parser="qwen3")
    names = ("reasoning_parser", "tool_call_parser")
    assert _different(model, other) == {*names}
    assert "reasoning_parser" in _different(model, native)
    moved = tmp_path / "moved" / "angle_parsers.py"
    moved.parent.mkdir()
    moved.write_text(Path(PLUGIN).read_text())
    same = plugged(tool_parser_plugin=str(moved))
    assert _different(model, same) == set()


def _different(one: Model, other: Model) -> set[str]:
    mine, theirs = (m.fingerprint.components for m in (one, other))
    assert isinstance(one.fingerprint, Fingerprint)
    return {name for name in mine if mine[name] != theirs[name]}


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"tool_call_parser": "angel"}, "unknown --tool-call-parser 'angel': did you mean angle"),
        ({"reasoning_parser": "until"}, "unknown --reasoning-parser 'until'"),
        ({"tool_parser_plugin": "no/such.py"}, "--tool-parser-plugin no/such.py: cannot be loaded"),
    ],
)
def test_mistakes_at_start_up(settings: Any, why: str) -> None:
    with pytest.raises(StartupError, match=why):
        plugged(**settings)


def test_a_plugin_that_fails(tmp_path: Path) -> None:
    plugin = tmp_path / "broken.py"
    plugin.write_text("1 / 0")
    with pytest.raises(StartupError, match=r"broken\.py: cannot be loaded"):
        plugged(tool_parser_plugin=str(plugin))


def test_a_tokenizer_that_the_parser_cannot_use(tmp_path: Path) -> None:
    plugin = tmp_path / "other_parsers.py"
    source = Path(PLUGIN).read_text().replace("</think>", "</no-such-token>")
    plugin.write_text(source.replace("until_think_ends", "until_other_end"))
    with pytest.raises(StartupError, match=r"vLLM's parser cannot be used: .*no-such-token"):
        plugged("until_other_end", reasoning_parser_plugin=str(plugin))


def test_names_that_ours_have_stay_ours() -> None:
    ours = demo(reasoning_parser="qwen3", parser_backend="native", reasoning_parser_plugin=PLUGIN)
    assert ours.outputs.backend is None
    assert demo(reasoning_parser_plugin=PLUGIN).outputs.backend is None  # no name, no parser


def test_derender_is_not_for_the_event_loop(model: Model) -> None:
    assert not model.outputs.quick
    assert demo().outputs.quick
    assert chat(model, **_batch(model))["object"] == "chat.completion"


def _batch(model: Model) -> Json:
    choice = {"index": 0, "token_ids": ids_of(model, "x"), "finish_reason": "stop"}
    response = {"request_id": "chatcmpl-1", "choices": [choice]}
    return {"generate_response": response, "chat_request": CHAT}


def test_completions_need_no_parser(model: Model) -> None:
    body = {
        "generate_responses": [
            {"request_id": "a", "choices": [{"index": 0, "token_ids": ids_of(model, "x << y")}]}
        ]
    }
    answer = orjson.loads(derender.completion(model, orjson.dumps(body), None).body)
    assert answer["choices"][0]["text"] == "x << y"
