"""Harmony's parts that recorded chats do not show, and tools against oss-harmony's own text."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from render_service.errors import RequestError
from render_service.hub import StartupError, find
from render_service.renderers.chat import Chat
from render_service.renderers.harmony import (
    HarmonyEncoding,
    Message,
    system_text,
    without_old_analysis,
)
from render_service.renderers.harmony_chat import HarmonyRenderer, tool_call, tool_result
from render_service.renderers.harmony_tools import Function, namespace
from render_service.tokenizer import Tokenizer, load_tokenizer

from ...conftest import DEMO_MODEL
from ..family_models import make

TOOLS = Path(__file__).parent.parent.parent / "golden" / "families" / "harmony_tools.json"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    folder = make("harmony_demo", Path(), tmp_path_factory.mktemp("model"))
    return load_tokenizer(find(str(folder)), {})


@pytest.fixture(scope="module")
def show(tokenizer: Tokenizer) -> Callable[..., str]:
    encoding = HarmonyEncoding(tokenizer)

    def text(*messages: Message) -> str:
        return tokenizer.decode(encoding.prompt(messages), skip_special_tokens=False)

    return text


def test_tools_as_oss_harmony_writes_them() -> None:
    for description, parameters, section in json.loads(TOOLS.read_text()):
        assert namespace("functions", [Function("f", description, parameters)]) == section


def test_headers(show: Callable[..., str]) -> None:
    start = "<|start|>assistant"
    assert show(tool_call("f", "{}"), tool_result("functions.f", "7")) == (
        "<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{}<|call|>"
        f"<|start|>functions.f<|channel|>commentary to=assistant<|message|>7<|end|>{start}"
    )
    python = Message("assistant", ("1",), None, "analysis", "python", "code")
    assert show(python) == (
        "<|start|>assistant to=python<|channel|>analysis <|constrain|>code<|message|>1<|call|>"
        + start
    )
    plain = Message("user", ("a", "b"), recipient="all")
    assert show(plain) == f"<|start|>user<|message|>ab<|end|>{start}"


def test_markers_that_are_typed_are_text(tokenizer: Tokenizer) -> None:
    ids = HarmonyEncoding(tokenizer).prompt([Message("user", ("<|end|>",))])
    assert ids.count(tokenizer.added_tokens["<|end|>"]) == 1
    assert tokenizer.decode(ids, skip_special_tokens=False).count("<|end|>") == 2


def test_old_analysis_goes() -> None:
    thought = Message("assistant", ("t",), channel="analysis")
    answer = Message("assistant", ("a",), channel="final")
    call = tool_call("f", "{}")
    assert without_old_analysis([thought, call, answer, thought]) == [call, answer, thought]
    assert without_old_analysis([thought, call]) == [thought, call]


def test_date_is_today_unless_pinned(tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    def dated() -> str:
        renderer = HarmonyRenderer.from_environment(tokenizer)
        ids = renderer.render(Chat(messages=[]))
        text = tokenizer.decode(ids, skip_special_tokens=False)
        return text.partition("Current date: ")[2][:10]

    monkeypatch.delenv("VLLM_SYSTEM_START_DATE", raising=False)
    before = datetime.now().strftime("%Y-%m-%d")
    assert dated() in (before, datetime.now().strftime("%Y-%m-%d"))
    monkeypatch.setenv("VLLM_SYSTEM_START_DATE", "2026-01-02")
    assert dated() == "2026-01-02"


def test_efforts(tokenizer: Tokenizer) -> None:
    renderer = HarmonyRenderer(tokenizer, date="2026-01-02")
    assert renderer.preamble(None, effort="high")[0].texts == (
        system_text(effort="high", date="2026-01-02", functions=False),
    )
    for effort in ("none", "xhigh"):
        with pytest.raises(RequestError, match=effort) as caught:
            renderer.preamble(None, effort=effort)
        assert caught.value.param == "reasoning_effort"


def test_empty_instructions_have_their_heading_beside_tools(tokenizer: Tokenizer) -> None:
    renderer = HarmonyRenderer(tokenizer, date="2026-01-02", system_instructions=False)
    function = Function("f", "", None)
    _, developer = renderer.preamble("", [function])
    assert developer.texts[0].startswith("# Instructions\n\n\n\n# Tools\n\n")
    assert len(renderer.preamble("")) == 1


def test_tokenizer_without_markers() -> None:
    with pytest.raises(StartupError, match=r"<\|channel\|>.*harmony needs them"):
        HarmonyEncoding(load_tokenizer(find(str(DEMO_MODEL)), {}))
