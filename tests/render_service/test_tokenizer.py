"""Every tokenizer gives what transformers gives: IDs, offsets, text, tokens, special tokens."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Regex, models, pre_tokenizers, processors
from tokenizers import Tokenizer as Core

from render_service.errors import RequestError
from render_service.hub import StartupError, find
from render_service.special_tokens import SpecialTokens
from render_service.tokenizer import Tokenizer, load_tokenizer
from render_service.tokenizer_class import MISNAMED_IN_VLLM, class_name
from tests.conftest import DEMO_MODEL
from tests.render_service.made_tokenizers import byte_fallback, metaspace, wordpiece
from tests.render_service.tokenizer_oracle import agree, demo, refuses_surrogates, write_model

ROOT = Path(__file__).parent.parent.parent


def bare(core: Core) -> Core:
    """The core without its added tokens."""
    data = json.loads(core.to_str())
    return Core.from_str(json.dumps({**data, "added_tokens": []}))


def with_bos(core: Core, token: str) -> Core:
    core.post_processor = processors.TemplateProcessing(
        single=f"{token} $A",
        pair=f"{token} $A $B",
        special_tokens=[(token, core.token_to_id(token))],
    )
    return core


def added(text: str, **own: Any) -> dict[str, Any]:
    """An added token as tokenizer_config.json writes it."""
    flags = dict.fromkeys(("lstrip", "rstrip", "single_word", "normalized"), False)
    return {"content": text, **flags, "special": True, **own}


@pytest.mark.parametrize("name", ["qwen3", "llama31", "deepseek_v3", "gemma3", "gptoss"])
def test_published_tokenizers(model_folder: Callable[[str], Path], name: str) -> None:
    assert agree(model_folder(name)).backend == "tokenizers"


def test_the_demo_model() -> None:
    ours = agree(DEMO_MODEL)
    assert ours.spec is not None
    assert ours.spec["decoder"]["type"] == "ByteLevel"
    # An ID that only the model has, and one that nobody has.
    assert ours.decode([ours.max_id + 1, 10**9], skip_special_tokens=False) == ""
    assert ours.id_to_token(ours.max_id + 1) is None
    assert ours.token_to_id("no such token") is None


BYTE_LEVEL = ["Qwen2TokenizerFast", "Qwen3_5Tokenizer", "GPT2Tokenizer", "GPTNeoXTokenizerFast"]
CONFIGS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "spaces": {"add_prefix_space": True, "legacy": True, "trim_offsets": False},
    "no spaces": {"add_prefix_space": False},
    "no roles": dict.fromkeys(("bos_token", "eos_token", "unk_token", "pad_token")),
    "roles": {
        "bos_token": "<own>",
        "eos_token": {"__type": "AddedToken", **added("<|im_end|>")},
        "image_token": "<own2>",
        "additional_special_tokens": ["<own3>", "<think>"],
        "add_bos_token": True,
        "add_eos_token": True,
    },
    "declared": {
        "bos_token": "<own>",
        "added_tokens_decoder": {
            "1600": added("<own>", lstrip=True),
            "1601": added("<own2>", rstrip=True, special=False),
            "1501": added("<|im_start|>", rstrip=True, special=False),
        },
        "extra_special_tokens": {"own_token": "<own3>"},
    },
    "split special tokens": {"split_special_tokens": True, "eos_token": "<|im_end|>"},
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
@pytest.mark.parametrize("declared", [*BYTE_LEVEL, "CohereTokenizer", None])
def test_classes_of_byte_level_tokenizers(
    tmp_path: Path, declared: str | None, config: dict[str, Any]
) -> None:
    own = {} if declared is None else {"tokenizer_class": declared}
    assert agree(write_model(tmp_path, demo(), {**config, **own})).backend == "tokenizers"


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
@pytest.mark.parametrize("declared", ["LlamaTokenizerFast", "GemmaTokenizer", None])
def test_classes_of_byte_fallback_tokenizers(
    tmp_path: Path, declared: str | None, config: dict[str, Any]
) -> None:
    own = {} if declared is None else {"tokenizer_class": declared}
    core = with_bos(byte_fallback(), "<s>")
    assert agree(write_model(tmp_path, core, {**config, **own})).backend == "tokenizers"


def test_gemma_with_an_unknown_token_of_its_own(tmp_path: Path) -> None:
    config = {
        "tokenizer_class": "GemmaTokenizer",
        "unk_token": {"__type": "AddedToken", **added("</s>")},
    }
    agree(write_model(tmp_path, byte_fallback(), config))


def test_other_models(tmp_path: Path) -> None:
    assert agree(write_model(tmp_path, metaspace(), {"unk_token": "<unk>"})).backend == "tokenizers"


@pytest.mark.parametrize("clean", [True, False])
def test_spaces_before_punctuation_are_cleaned_up(tmp_path: Path, clean: bool) -> None:
    config = {"clean_up_tokenization_spaces": clean, "unk_token": "[UNK]"}
    ours = agree(write_model(tmp_path, wordpiece(), config))
    assert ours.backend == "tokenizers"


def test_cleaning_up_is_ignored_for_bpe_unless_forced(tmp_path: Path) -> None:
    config: dict[str, Any] = {"clean_up_tokenization_spaces": True}
    agree(write_model(tmp_path, demo(), config))
    forced = "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output"
    ours = agree(write_model(tmp_path, demo(), {**config, forced: True}))
    assert ours.decode(ours.encode("a .", add_special_tokens=False), skip_special_tokens=True) == (
        "a."
    )


def test_truncation_and_padding_of_the_file_do_not_count(tmp_path: Path) -> None:
    core = demo()
    core.enable_truncation(2)
    core.enable_padding(length=8)
    agree(write_model(tmp_path, core))


def test_no_decoder_joins_tokens_with_spaces(tmp_path: Path) -> None:
    agree(
        write_model(
            tmp_path, Core(models.WordLevel({"a": 0, "b": 1, "<unk>": 2}, unk_token="<unk>"))
        )
    )


LEGACY: dict[str, dict[str, Any]] = {
    "map": {
        "special_tokens_map": {
            "bos_token": added("<own>", lstrip=True),
            "image_token": "<own2>",
            "additional_special_tokens": ["<own3>"],
        }
    },
    "extra": {
        "special_tokens_map": {"extra_special_tokens": ["<own>", {"content": "<own3>"}]},
        "tokenizer_config": {"extra_special_tokens": ["<own2>"]},
    },
    "both": {
        "special_tokens_map": {"additional_special_tokens": ["<own>"]},
        "tokenizer_config": {"extra_special_tokens": ["<own2>"]},
    },
    "extra named": {"special_tokens_map": {"extra_special_tokens": {"own_token": "<own3>"}}},
    "added": {
        "added_tokens": {"<own>": 1536, "<own2>": 1537},
        "tokenizer_config": {"eos_token": "<own>"},
    },
}


@pytest.mark.parametrize("case", LEGACY.values(), ids=LEGACY.keys())
def test_files_of_older_models(tmp_path: Path, case: dict[str, Any]) -> None:
    files = dict(case)
    agree(write_model(tmp_path, bare(demo()), files.pop("tokenizer_config", {}), **files))


def test_the_class_is_the_one_that_transformers_chooses() -> None:
    golden = json.loads((ROOT / "tests" / "golden" / "tokenizer_classes.json").read_text())
    for row in golden["chosen"]:
        for model_type in set(row["model_types"]) - MISNAMED_IN_VLLM:
            got = [class_name(model_type, declared) for declared in golden["declared"]]
            assert got == row["classes"], model_type
    assert class_name("step3_vl", "LlamaTokenizerFast") == "TokenizersBackend"
    assert class_name(None, None) == "TokenizersBackend"


def test_a_lone_surrogate_is_refused() -> None:
    refuses_surrogates(load_tokenizer(find(str(DEMO_MODEL)), {}))


def test_a_text_that_the_library_gives_up_on_is_refused() -> None:
    """It panics where its regular expressions go back too often: on 10 million spaces, or here."""
    core = Core(models.WordLevel({"?": 0}, unk_token="?"))
    core.pre_tokenizer = pre_tokenizers.Split(Regex("(a+)+b"), "isolated")
    tokenizer = Tokenizer(core, SpecialTokens({}, (), ()), {})
    for encode in (tokenizer.encode, tokenizer.encode_with_offsets):
        with pytest.raises(RequestError, match="gives up on the prompt") as caught:
            encode("a" * 40, add_special_tokens=False)
        assert caught.value.status == 400


def test_a_role_without_a_token_takes_the_unknown_token() -> None:
    core = Core(models.WordLevel({"a": 0, "<unk>": 1}, unk_token="<unk>"))
    special = SpecialTokens({"eos_token": "</s>", "unk_token": "<unk>"}, (), ())
    assert Tokenizer(core, special, {}).eos_token_id == 1
    assert Tokenizer(core, SpecialTokens({"eos_token": "</s>"}, (), ()), {}).eos_token_id is None


def test_transformers_is_not_imported_for_what_does_not_need_it() -> None:
    code = (
        "import sys\n"
        "from render_service.hub import find\n"
        "from render_service.tokenizer import load_tokenizer\n"
        f"load_tokenizer(find({str(DEMO_MODEL)!r}), {{}}).encode('a', add_special_tokens=True)\n"
        "assert not {'transformers', 'torch', 'huggingface_hub'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_broken_files(tmp_path: Path) -> None:
    folder = write_model(tmp_path, None, {"bos_token": {"content": 3}})
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(StartupError, match=r"cannot read .*tokenizer\.json"):
        load_tokenizer(find(str(folder)), {})
    shutil.copy(DEMO_MODEL / "tokenizer.json", folder)
    with pytest.raises(StartupError, match="malformed token"):
        load_tokenizer(find(str(folder)), {})
