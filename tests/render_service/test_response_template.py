"""A response template in a model's tokenizer configuration, from start-up to the answer."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from parsers import Context
from render_service import cli, render
from render_service.adjust import joins_special_tokens, keeps_special_tokens
from render_service.errors import RequestError
from render_service.loading import StartupError, load_model
from render_service.model import Model
from render_service.protocol.chat import decode_chat_request
from render_service.settings import Settings
from tests.conftest import DEMO_MODEL

from .derender_client import (
    CHAT_TOOLS,
    cut,
    ids_of,
    joined,
    message_of,
    prompt_of,
    stream,
    whole,
)

TEMPLATE: dict[str, Any] = {
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "thinking": {"open": "<think>", "close": "</think>"},
        "content": {},
        "tool_calls": {
            "open_pattern": r"\s*<tool_call>\s*",
            "close": "</tool_call>",
            "content": "json",
            "repeats": True,
            "transform": {"function": "{content}"},
        },
    },
}
OUTPUT = (
    "<think>Hm.</think>So.\n<tool_call>\n"
    '{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
)
BOTH: dict[str, Any] = {
    "reasoning_parser": "hf",
    "tool_call_parser": "hf",
    "enable_auto_tool_choice": True,
}


def changed(template: Any, **calls: Any) -> Any:
    fields = template["fields"]
    return template | {"fields": fields | {"tool_calls": fields["tool_calls"] | calls}}


def folder_with(tmp_path: Path, template: Any) -> Path:
    """The demo model with this response template."""
    folder = Path(shutil.copytree(DEMO_MODEL, tmp_path / "model"))
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text("utf-8")) | {"response_template": template}
    path.write_text(json.dumps(config), "utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_with(tmp_path, TEMPLATE)


@pytest.fixture
def model(folder: Path) -> Model:
    return load_model(Settings(model=str(folder), **BOTH))


def asked(**fields: Any) -> bytes:
    return json.dumps(CHAT_TOOLS | fields).encode()


def test_a_stream_is_read_by_the_template(model: Model) -> None:
    ids, prompt = ids_of(model, OUTPUT), prompt_of(model)
    answers = stream(model, cut(ids, [1] * len(ids)), CHAT_TOOLS, prompt_token_ids=prompt)
    whole_answer = whole(model, ids, CHAT_TOOLS, prompt_token_ids=prompt)
    for said in (joined(answers), message_of(whole_answer)):
        assert (said["reasoning"], said["content"]) == ("Hm.", "So.")
        assert [call["args"] for call in said["calls"]] == ['{"city": "Paris"}']
        assert said["finish_reason"] == "tool_calls"


def test_the_prompt_says_where_the_output_begins(model: Model) -> None:
    assert model.format
    prompt = ids_of(model, "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n")
    assert model.outputs.reasoning_ended(prompt, {}) is False
    assert model.outputs.reasoning_ended([*prompt, *ids_of(model, "</think>")], {}) is True
    context = model.format.needs(Context())
    result = model.format.parse(["a</think>b"], context, prompt)
    assert (result.reasoning, result.content) == ("a", "b")


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"tool_choice": "required"}, "tool_choice"),
        (
            {"tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
            "tool_choice",
        ),
        ({"parallel_tool_calls": False}, "parallel_tool_calls"),
        (
            {"tools": [{"type": "function", "function": {"name": "get_weather", "strict": True}}]},
            "tools",
        ),
    ],
)
def test_guarantees_that_need_a_grammar_are_refused(
    model: Model, fields: dict[str, Any], param: str
) -> None:
    with pytest.raises(
        RequestError, match=r"^response_template parsing cannot guarantee"
    ) as refused:
        render.chat(model, asked(**fields), None)
    assert (refused.value.status, refused.value.param) == (400, param)
    render.chat(model, asked(**fields | {"tool_choice": "none"}), None)


def test_the_engine_keeps_special_tokens_without_spaces() -> None:
    for name in ("hf", "beam"):
        for settings in (
            Settings(reasoning_parser=name),
            Settings(tool_call_parser=name, enable_auto_tool_choice=True),
        ):
            request = decode_chat_request(asked(tool_choice="none"))
            assert keeps_special_tokens(settings, request)
            assert joins_special_tokens(settings, request)


def test_the_fingerprint_covers_the_template(folder: Path, tmp_path: Path) -> None:
    other = folder_with(tmp_path / "other", changed(TEMPLATE, close="</call>"))

    def names(of: Path, **settings: Any) -> set[str]:
        mine = load_model(Settings(model=str(folder), **settings)).fingerprint.components
        theirs = load_model(Settings(model=str(of), **settings)).fingerprint.components
        return {name for name in mine if mine[name] != theirs[name]}

    assert names(other, **BOTH) == {"reasoning_parser", "tool_call_parser"}
    assert names(other, reasoning_parser="hf") == {"reasoning_parser"}
    assert names(other, reasoning_parser="qwen3") == set()


@pytest.mark.parametrize(
    ("template", "settings", "words"),
    [
        (None, BOTH, "requires a response_template in the tokenizer's configuration"),
        ({}, BOTH, "--tool-call-parser hf: the response_template in .* 'fields'|fields must be"),
        (changed(TEMPLATE, close_pattern=r"\bx"), BOTH, "has both 'close' and 'close_pattern'"),
        (TEMPLATE, BOTH | {"reasoning_parser": "beam"}, "beam and .* hf cannot be combined"),
        (
            {"start_anchor": "x", "fields": {"content": {}}},
            {"reasoning_parser": "beam"},
            "--reasoning-parser beam requires a response_template with a thinking field",
        ),
    ],
)
def test_what_cannot_be_served(
    tmp_path: Path, template: Any, settings: dict[str, Any], words: str
) -> None:
    folder = folder_with(tmp_path, template)
    with pytest.raises(StartupError, match=words):
        load_model(Settings(model=str(folder), **settings))


class Input:
    def __init__(self, text: str) -> None:
        self.buffer = io.BytesIO(text.encode())


def test_parse_reads_the_template_of_the_model(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["parse", "--tool-call-parser", "hf", "--reasoning-parser", "hf"]
    monkeypatch.setattr(sys, "stdin", Input(OUTPUT))
    assert cli.main([*flags, "--model", str(folder), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    assert (result["reasoning"], result["content"]) == ("Hm.", "So.")
    assert result["calls"] == [{"name": "get_weather", "arguments": '{"city": "Paris"}'}]
    monkeypatch.setattr(sys, "stdin", Input(OUTPUT))
    with pytest.raises(SystemExit, match="2"):
        cli.main(flags)
    assert "--model is needed: hf is what the model's response template says" in (
        capsys.readouterr().err
    )


def test_the_list_says_where_the_format_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["parsers"]) == 0
    out = capsys.readouterr().out
    assert out.count("  read from       response_template in tokenizer_config.json\n") == 4
