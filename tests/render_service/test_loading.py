"""Settings made into a model, and the one line that says why they cannot be."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from render_service import model_config
from render_service.errors import RequestError
from render_service.hub import find
from render_service.loading import StartupError, load_model
from render_service.settings import Settings
from render_service.tokenize import tokenize
from tests.conftest import DEMO_MODEL
from tests.render_service.family_models import make
from tests.render_service.golden_chat import answer, lines

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "golden" / "model_config.json").read_text(encoding="utf-8")
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the demo model."""
    return Path(shutil.copytree(DEMO_MODEL, tmp_path / "model"))


def change(folder: Path, name: str, **fields: Any) -> None:
    path = folder / name
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


# Lengths


@pytest.mark.parametrize("line", GOLDEN["lengths"])
def test_recorded_lengths(line: dict[str, Any]) -> None:
    config = line["config"]
    assert model_config.vocab_size(config, -1) == line["vocab_size"]
    if "error" in line:
        with pytest.raises(StartupError, match="is greater than the model's own"):
            model_config.max_model_len(config, line["asked"])
    else:
        assert model_config.max_model_len(config, line["asked"]) == line["length"]


def test_the_longest_on_the_operators_own_risk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_ALLOW_LONG_MAX_MODEL_LEN", "1")
    assert model_config.max_model_len({"max_position_embeddings": 8}, 9) == 9


def test_no_length_in_the_config() -> None:
    assert model_config.max_model_len({}, None) == model_config.FALLBACK_LENGTH
    assert model_config.max_model_len({}, 10**6) == 10**6
    assert model_config.vocab_size({}, 9) == 10


def test_a_length_that_leaves_nothing() -> None:
    for asked in (0, -2, 10**30):
        with pytest.raises(StartupError, match="--max-model-len must be between 1 and"):
            model_config.max_model_len({"max_position_embeddings": 8}, asked)


def test_the_language_model_of_others() -> None:
    inner = {"max_position_embeddings": 8, "vocab_size": 5}
    for config in ({"thinker_config": {"text_config": inner}}, {"llm_config": inner}, inner):
        assert model_config.max_model_len(config, None) == 8
        assert model_config.vocab_size(config, 0) == 5


def test_rope_factors() -> None:
    def length(**own: Any) -> int:
        return model_config.max_model_len({"max_position_embeddings": 8, **own}, None)

    layers = {"full": {"rope_type": "linear", "factor": 2}, "sliding": {"rope_type": "default"}}
    assert length(rope_parameters=layers) == 16
    assert length(rope_scaling={"type": "linear", "factor": None}) == 8
    assert length(rope_scaling={"type": "su"}, original_max_position_embeddings=4) == 4
    assert length(rope_scaling=None) == 8


# Models


def test_the_demo_model_is_the_default() -> None:
    model = load_model(Settings())
    assert model.names == ("demo",)
    assert (model.max_model_len, model.vocab_size) == (32768, 1536)
    assert model.config["model_type"] == "qwen3"
    assert model.template is not None
    assert model.template.origin == "chat_template.jinja"
    assert model.format is None


def test_settings_come_through(folder: Path) -> None:
    model = load_model(
        Settings(
            model=str(folder),
            served_model_name=("a", "b"),
            max_model_len=100,
            chat_template="{{ messages }}",
            chat_template_content_format="openai",
            reasoning_parser="qwen3",
            tool_call_parser="hermes",
            enable_auto_tool_choice=True,
        )
    )
    assert model.names == ("a", "b")
    assert model.max_model_len == 100
    assert model.template is not None
    assert (model.template.source, model.template.content_format) == ("{{ messages }}", "openai")
    assert model.format is not None
    assert (model.format.tool, model.format.reasoning) == ("hermes", "qwen3")


def test_the_name_is_the_model_as_given(folder: Path) -> None:
    assert load_model(Settings(model=str(folder))).names == (str(folder),)


def test_tool_calls_are_parsed_only_if_they_may_be_made(folder: Path) -> None:
    model = load_model(Settings(model=str(folder), tool_call_parser="hermes"))
    assert model.format is None
    model = load_model(
        Settings(model=str(folder), tool_call_parser="hermes", reasoning_parser="qwen3")
    )
    assert model.format is not None
    assert (model.format.tool, model.format.reasoning) == (None, "qwen3")


def test_a_tokenizer_of_another_folder(folder: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(folder, tmp_path / "tokenizer"))
    (folder / "tokenizer.json").unlink()
    (folder / "chat_template.jinja").unlink()
    change(other, "tokenizer_config.json", pad_token="<|im_start|>")
    model = load_model(Settings(model=str(folder), tokenizer=str(other)))
    assert model.tokenizer.pad_token == "<|im_start|>"
    assert model.template is not None


def test_a_model_without_a_template(folder: Path) -> None:
    (folder / "chat_template.jinja").unlink()
    assert load_model(Settings(model=str(folder))).template is None


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "model": ({"model": "/no/such/model"}, "neither a folder nor a hub ID"),
    "tokenizer": ({"tokenizer": "/no/such/tokenizer"}, "neither a folder nor a hub ID"),
    "length": ({"max_model_len": 10**6}, "greater than the model's own"),
    "template": ({"chat_template": "{% if %}"}, "chat template --chat-template, inline, line 1"),
    "template path": ({"chat_template": "no.jinja"}, "looks like a path"),
    "near parser": ({"reasoning_parser": "qwen33"}, "did you mean qwen3"),
    "parser": (
        {"tool_call_parser": "zzz"},
        "unknown --tool-call-parser 'zzz': known are ",
    ),
    "no parser": ({"enable_auto_tool_choice": True}, "requires --tool-call-parser"),
    "generation": ({"generation_config": "/no/such/folder"}, "neither a folder nor a hub ID"),
}


@pytest.mark.parametrize(("fields", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_served(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(StartupError) as refused:
        load_model(Settings(**fields))
    text = str(refused.value)
    assert message in text
    assert "\n" not in text


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(StartupError, match=r"has no config\.json"):
        load_model(Settings(model=str(tmp_path)))


def test_a_parser_that_the_tokenizer_does_not_fit(folder: Path) -> None:
    path = folder / "tokenizer.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["added_tokens"] = [t for t in data["added_tokens"] if "think" not in t["content"]]
    path.write_text(json.dumps(data), encoding="utf-8")
    change(folder, "tokenizer_config.json", added_tokens_decoder={}, additional_special_tokens=[])
    with pytest.raises(StartupError, match="it has no token for"):
        load_model(Settings(model=str(folder), reasoning_parser="deepseek_r1"))


@pytest.mark.parametrize(
    ("fields", "needed"),
    [
        ({"reasoning_parser": "qwen3"}, "--reasoning-parser openai_gptoss"),
        (
            {"tool_call_parser": "hermes", "enable_auto_tool_choice": True},
            "--tool-call-parser openai",
        ),
        (
            {
                "tool_call_parser": "hermes",
                "enable_auto_tool_choice": True,
                "reasoning_parser": "openai_gptoss",
            },
            "--tool-call-parser openai",
        ),
    ],
)
def test_gpt_oss_is_read_as_harmony_only(
    tmp_path: Path, fields: dict[str, Any], needed: str
) -> None:
    folder = make("harmony_demo", Path(), tmp_path)
    with pytest.raises(StartupError, match=f"needs {needed}$"):
        load_model(Settings(model=str(folder), **fields))
    # A tool parser that is not used is not refused, as in vLLM.
    assert load_model(Settings(model=str(folder), tool_call_parser="hermes")).format is None


# A real model, against vLLM's tokens


def test_recorded_tokens(model_folder: Callable[[str], Path]) -> None:
    model = load_model(Settings(model=str(model_folder("qwen3"))))
    template = model.template
    assert template is not None
    for line in lines("qwen3"):
        body = json.dumps(line["request"]).encode()
        want = answer(line)
        if "tokens" in want:
            got = json.loads(tokenize(model, body, None).body)
            assert got["tokens"] == want["tokens"], line["name"]
        else:
            with pytest.raises(RequestError) as refused:
                tokenize(model, body, None)
            got = json.loads(refused.value.body())["error"]
            fields = ("type", "param", "code")
            assert [got[f] for f in fields] == [want["error"][f] for f in fields], line["name"]


def test_files_are_only_read(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    load_model(Settings(model=str(folder)))
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert find(str(folder)).folder == folder
