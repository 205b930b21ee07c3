"""What only transformers can build: no tokenizer.json, classes of their own, remote code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer as Core

from render_service.hub import StartupError, find
from render_service.tokenizer import load_tokenizer
from tests.render_service.made_tokenizers import metaspace
from tests.render_service.tokenizer_oracle import agree, demo, refuses_surrogates, write_model


@pytest.mark.parametrize(
    ("core", "config"),
    [
        (None, {"tokenizer_class": "ByT5Tokenizer"}),
        (demo(), {"tokenizer_class": "RobertaTokenizerFast"}),
        (metaspace(), {"tokenizer_class": "T5TokenizerFast"}),
        (demo(), {"fix_mistral_regex": True}),
    ],
    ids=["python", "own pipeline", "unigram", "mistral"],
)
def test_through_transformers(tmp_path: Path, core: Core | None, config: dict[str, Any]) -> None:
    ours = agree(write_model(tmp_path, core, config))
    assert ours.backend == "transformers"
    refuses_surrogates(ours)
    assert ours.fast == (core is not None)
    assert (ours.spec is None) == (core is None)
    if ours.fast:
        assert ours.decode([ours.max_id + 1, 10**9], skip_special_tokens=False) == ""
        assert ours.id_to_token(10**9) is None


def test_a_named_class_over_another_kind_of_model(tmp_path: Path) -> None:
    agree(write_model(tmp_path, metaspace(), {"tokenizer_class": "GPT2Tokenizer"}))


REMOTE = """
from transformers import ByT5Tokenizer
class Own(ByT5Tokenizer):
    pass
"""


def test_code_of_the_repository_runs_only_if_trusted(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    for auto_map in ({"AutoTokenizer": ["own.Own", None]}, ["own.Own", None]):
        folder = write_model(tmp_path, None, {"tokenizer_class": "Own", "auto_map": auto_map})
        (folder / "own.py").write_text(REMOTE)
        files = find(str(folder))
        with pytest.raises(StartupError, match="--trust-remote-code"):
            load_tokenizer(files, {"model_type": "own"})
        own = load_tokenizer(files, {"model_type": "own"}, remote_code=True)
        assert own.encode("a", add_special_tokens=False) == [100]


def test_code_for_other_classes_does_not_matter(tmp_path: Path) -> None:
    folder = write_model(tmp_path, demo(), {"auto_map": {"AutoProcessor": "own.Own"}})
    assert load_tokenizer(find(str(folder)), {}).backend == "tokenizers"


def test_without_transformers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(StartupError, match=r"pip install 'render-service\[transformers\]'"):
        load_tokenizer(
            find(str(write_model(tmp_path, None, {"tokenizer_class": "ByT5Tokenizer"}))), {}
        )
