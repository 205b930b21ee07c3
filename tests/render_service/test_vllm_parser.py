"""The adapter with a plugin's parsers: on vLLM where it is installed, else on a small one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from render_service import derender, render
from render_service.errors import RequestError
from render_service.fingerprint import Fingerprint
from render_service.hub import StartupError
from render_service.model import Model
from render_service.startup import describe

from .derender_client import (
    CHAT,
    CHAT_TOOLS,
    Json,
    chat,
    demo,
    ids_of,
    joined,
    message_of,
    whole,
)
from .plugged import PLUGIN, TEXT, expected, plugged, streamed
from .small_vllm import make_importable


@pytest.fixture(scope="module", autouse=True)
def _vllm() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        make_importable(patch)
        yield


@pytest.fixture(scope="module")
def model(_vllm: None) -> Model:
    return plugged()


@pytest.fixture(scope="module")
def without_cache(_vllm: None) -> Model:
    return plugged(parser_cache_bytes=0)


def test_a_whole_output(model: Model) -> None:
    assert message_of(whole(model, ids_of(model, TEXT), CHAT_TOOLS)) == expected()


@pytest.mark.parametrize("word", ["BOOM", "VALUE"])
def test_a_parser_that_fails_fails_one_request(
    model: Model, without_cache: Model, word: str
) -> None:
    reason = "TypeError: cannot read this" if word == "BOOM" else "ValueError: not a call \ufffd"
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
