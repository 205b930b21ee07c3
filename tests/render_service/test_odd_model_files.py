"""Model files that hold odd values: refused with one line at start-up, else they serve."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest

from render_service import derender, pages, render
from render_service.errors import RequestError
from render_service.loading import StartupError, load_model
from render_service.settings import Settings
from render_service.startup import describe
from tests.conftest import DEMO_MODEL

ODD: list[Any] = ["x", -1, float("nan"), [None], {"a": 1}]
KEYS = {
    "config.json": """max_position_embeddings vocab_size model_type rope_scaling rope_parameters
        text_config thinker_config tokenizer_class max_new_tokens""",
    "generation_config.json": "eos_token_id temperature top_k max_new_tokens skip_special_tokens",
    "tokenizer_config.json": """chat_template eos_token pad_token added_tokens_decoder
        tokenizer_class extra_special_tokens additional_special_tokens add_bos_token auto_map""",
    "tokenizer.json": "added_tokens model decoder pre_tokenizer",
}
NESTED: list[tuple[str, str, Any]] = [
    ("config.json", "rope_scaling", {"type": "linear", "factor": "x"}),
    ("config.json", "rope_scaling", {"type": "linear", "factor": -1}),
    ("config.json", "rope_scaling", {"type": "linear", "factor": 1e300}),
    ("config.json", "text_config", {"vocab_size": "x"}),
    ("config.json", "text_config", {"model_type": []}),
    ("tokenizer_config.json", "chat_template", [{"name": 5, "template": "x"}]),
    ("tokenizer_config.json", "added_tokens_decoder", {"x": {"content": "y"}}),
    ("tokenizer_config.json", "added_tokens_decoder", {"-1": {"content": "y"}}),
]


def serves_or_refuses(folder: Path) -> None:
    try:
        model = load_model(Settings(model=str(folder)))
    except StartupError:
        return
    describe(model, "")
    assert json.loads(pages.models(model).body)["data"][0]["max_model_len"] > 0
    choice = {"index": 0, "token_ids": [5, 6], "finish_reason": "stop"}
    for function, body in (
        (render.chat, {"messages": [{"role": "user", "content": "Hi"}]}),
        (render.completion, {"prompt": "Hi"}),
        (derender.chat, {"generate_response": {"choices": [choice]}}),
    ):
        with contextlib.suppress(RequestError):
            json.loads(function(model, orjson.dumps(body), None).body)


@pytest.mark.parametrize("file", KEYS)
def test_odd_values(tmp_path: Path, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = Path(shutil.copytree(DEMO_MODEL, tmp_path / "model"))
    stored = json.loads((folder / file).read_text())
    cases = [(key, value) for key in KEYS[file].split() for value in ODD]
    cases += [(key, value) for name, key, value in NESTED if name == file]
    for key, value in cases:
        (folder / file).write_text(json.dumps({**stored, key: value}))
        try:
            serves_or_refuses(folder)
        except Exception as error:
            raise AssertionError(f"{key}: {value!r}") from error


@pytest.mark.parametrize("file", KEYS)
@pytest.mark.parametrize("text", [b"", b"\xff", b"[]", b"[" * 100_000, b'{"a": NaN}'])
def test_broken_files(tmp_path: Path, file: str, text: bytes) -> None:
    folder = Path(shutil.copytree(DEMO_MODEL, tmp_path / "model"))
    (folder / file).write_bytes(text)
    serves_or_refuses(folder)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("max_position_embeddings", "4096", "max_position_embeddings must be a positive integer"),
        ("max_position_embeddings", 0, "max_position_embeddings must be a positive integer, not 0"),
        ("vocab_size", float("inf"), "vocab_size must be a positive integer, not inf"),
        ("rope_scaling", "yarn", r"config.json: cannot be used \(AttributeError"),
    ],
)
def test_the_line_names_what_is_odd(tmp_path: Path, key: str, value: Any, message: str) -> None:
    folder = Path(shutil.copytree(DEMO_MODEL, tmp_path / "model"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, key: value}))
    with pytest.raises(StartupError, match=message):
        load_model(Settings(model=str(folder)))


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("temperature", "0.5", "a number"),
        ("top_k", 2.5, "a whole number"),
        ("skip_special_tokens", 1, "true or false"),
    ],
)
def test_sampling_defaults_have_types(tmp_path: Path, key: str, value: Any, wanted: str) -> None:
    folder = Path(shutil.copytree(DEMO_MODEL, tmp_path / "model"))
    (folder / "generation_config.json").write_text(json.dumps({key: value}))
    with pytest.raises(StartupError, match=f"the generation config's {key} must be {wanted}, not"):
        load_model(Settings(model=str(folder)))


def test_a_folder_without_a_tokenizer(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DEMO_MODEL, tmp_path / "model"))
    (folder / "tokenizer.json").unlink()
    with pytest.raises(StartupError, match=r"model, which has no tokenizer\.json: ."):
        load_model(Settings(model=str(folder)))
