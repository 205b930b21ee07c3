"""Sampling defaults and stop IDs are those that vLLM takes from the same files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from render_service.generation import GenerationDefaults, load_generation
from render_service.hub import StartupError, find
from render_service.settings import Settings
from render_service.tokenizer import Tokenizer, load_tokenizer
from tests.conftest import DEMO_MODEL

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "golden" / "model_config.json").read_text(encoding="utf-8")
)
END = 1502  # the demo tokenizer's end token


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return load_tokenizer(find(str(DEMO_MODEL)), {})


def load(
    folder: Path,
    tokenizer: Tokenizer,
    stored: dict[str, Any] | None,
    source: str = "auto",
    override: dict[str, Any] | None = None,
) -> GenerationDefaults:
    if stored is not None:
        (folder / "generation_config.json").write_text(json.dumps(stored))
    settings = Settings(generation_config=source, override_generation_config=override or {})
    return load_generation(settings, find(str(folder)), GOLDEN["config"], tokenizer)


@pytest.mark.parametrize("line", GOLDEN["generation"])
def test_recorded(tmp_path: Path, tokenizer: Tokenizer, line: dict[str, Any]) -> None:
    source = str(tmp_path) if line["source"] == "FOLDER" else line["source"]
    got = load(tmp_path, tokenizer, line["stored"], source, line["override"])
    assert got.defaults == line["defaults"]
    eos = line["eos_token_id"]
    wanted = {END, *(eos if isinstance(eos, list) else [eos])} - {None}
    assert (got.eos_token_id, got.eos_token_ids) == (END, wanted)


@pytest.mark.parametrize(
    ("source", "stored", "override", "limit"),
    [
        ("auto", {"max_new_tokens": 9}, {}, None),
        ("auto", {"max_new_tokens": 9}, {"max_new_tokens": 7}, 7),
        ("vllm", {}, {"max_new_tokens": 7}, 7),
        ("FOLDER", {"max_new_tokens": 9}, {}, 9),
        ("FOLDER", {"max_new_tokens": 9}, {"max_new_tokens": 7}, 7),
        ("FOLDER", {}, {}, None),
    ],
)
def test_the_operators_bound_on_max_tokens(
    tmp_path: Path,
    tokenizer: Tokenizer,
    source: str,
    stored: dict[str, Any],
    override: dict[str, Any],
    limit: int | None,
) -> None:
    source = str(tmp_path) if source == "FOLDER" else source
    assert load(tmp_path, tokenizer, stored, source, override).override_max_tokens == limit


def test_a_file_may_be_named(tmp_path: Path, tokenizer: Tokenizer) -> None:
    path = tmp_path / "own.json"
    path.write_text('{"top_k": 3}')
    assert load(tmp_path, tokenizer, None, str(path)).defaults == {"top_k": 3}


def test_no_end_token(tmp_path: Path) -> None:
    for name in ("tokenizer.json", "config.json"):
        shutil.copy(DEMO_MODEL / name, tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "TokenizersBackend"}')
    tokenizer = load_tokenizer(find(str(tmp_path)), {})
    got = load(tmp_path, tokenizer, {"eos_token_id": "x"})
    assert (got.eos_token_id, got.eos_token_ids) == (None, frozenset())


def test_sources_that_are_not_there(tmp_path: Path, tokenizer: Tokenizer) -> None:
    with pytest.raises(StartupError, match=r"has no generation_config\.json"):
        load(tmp_path, tokenizer, None, str(tmp_path))
    with pytest.raises(StartupError, match="neither a folder nor a hub ID"):
        load(tmp_path, tokenizer, None, "/no/such/folder")


def test_a_limit_that_leaves_nothing(tmp_path: Path, tokenizer: Tokenizer) -> None:
    with pytest.raises(StartupError, match="must be positive, not 0"):
        load(tmp_path, tokenizer, {"max_new_tokens": 0})
