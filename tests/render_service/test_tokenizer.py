"""Every tokenizer gives what transformers gives: IDs, offsets, text, tokens, special tokens."""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer as Core
from tokenizers import models, processors

from render_service.errors import RequestError
from render_service.hub import StartupError, find
from render_service.special_tokens import SpecialTokens
from render_service.tokenizer import Tokenizer, load_tokenizer
from render_service.tokenizer_class import MISNAMED_IN_VLLM, class_name
from tests.conftest import DEMO_MODEL
from tests.render_service.made_tokenizers import byte_fallback, metaspace, wordpiece

GOLDEN = Path(__file__).parent.parent / "golden"
TEXTS = (
    "",
    "The tea pot is hot.",
    " leading and  double  spaces ",
    "a\n\nb\t c\r\n",
    "don't you're I'LL 12345 67 8.9",
    "naïve café e\u0301 ﬁ",
    "日本語 中文 हिन्दी العربية ไทย",
    "👩‍👩‍👧‍👦 🎉",
    "\u2581x \u2581 Ġtoken <0x41>",
    "\x00\x01",
    "def f(x):\n\treturn x+1\n",
    "<|im_start|>user\nhi<|im_end|>\n<think>\nfoo</think>",
    '<tool_call>\n{"name": "f"}\n</tool_call> <|im_end|> ',
    "<s>[INST] x [/INST]</s> <mark>x <unk>",
    "<bos><start_of_turn>user\nHi<end_of_turn>",
    "<\uff5cbegin▁of▁sentence\uff5c><\uff5cUser\uff5c>hi<\uff5cAssistant\uff5c>",
    "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>",
    "<|start|>system<|message|>x<|end|><|endoftext|>",
    "x" * 300 + " " * 100 + "\n" * 30,
    "<own> <own2>x <own3> [x]",
)


def agree(folder: Path, *, model_type: str | None = None) -> Tokenizer:
    """Our tokenizer of the folder, after every comparison with transformers'."""
    transformers = pytest.importorskip("transformers")
    transformers.logging.set_verbosity_error()
    files = find(str(folder))
    ours = load_tokenizer(files, files.json("config.json") or {})
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    for text in TEXTS:
        for special in (True, False):
            want = theirs(text, add_special_tokens=special, return_offsets_mapping=ours.fast)
            ids = want["input_ids"]
            assert ours.encode(text, add_special_tokens=special) == ids, text
            offsets = want["offset_mapping"] if ours.fast else None
            assert ours.encode_with_offsets(text, add_special_tokens=special) == (ids, offsets)
        agree_on_text(ours, theirs, ids)
    dice = random.Random(0)
    for _ in range(50):
        size = min(len(theirs), ours.max_id + 1)
        agree_on_text(ours, theirs, [dice.randrange(size) for _ in range(dice.randrange(1, 9))])
    assert ours.added_tokens == theirs.get_added_vocab()
    assert ours.special_tokens_map == theirs.special_tokens_map
    assert ours.all_special_ids == set(theirs.all_special_ids)
    assert (ours.bos_token, ours.eos_token) == (theirs.bos_token, theirs.eos_token)
    assert (ours.pad_token, ours.unk_token) == (theirs.pad_token, theirs.unk_token)
    assert ours.eos_token_id == theirs.eos_token_id
    assert ours.size == len(theirs)
    assert ours.max_id == max(theirs.get_vocab().values())
    assert ours.max_chars == max(map(len, theirs.get_vocab()))
    return ours


def agree_on_text(ours: Tokenizer, theirs: Any, ids: list[int]) -> None:
    for skip in (True, False):
        want = theirs.decode(ids, skip_special_tokens=skip)
        assert ours.decode(ids, skip_special_tokens=skip) == want, ids
    tokens = [ours.id_to_token(i) for i in ids]
    assert tokens == theirs.convert_ids_to_tokens(ids)
    known = [token for token in tokens if token is not None]
    assert ours.tokens_to_string(known) == theirs.convert_tokens_to_string(known)
    assert [ours.token_to_id(token) for token in known] == [
        i for i, token in zip(ids, tokens, strict=True) if token is not None
    ]


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Path]:
    """`made(core, config, model_type=..., **files)`: a model folder."""

    def make(
        core: Core | None,
        config: dict[str, Any] | None = None,
        *,
        model_type: str = "own",
        **files: Any,
    ) -> Path:
        if core is not None:
            core.save(str(tmp_path / "tokenizer.json"))
        files |= {"config": {"model_type": model_type}, "tokenizer_config": config or {}}
        for name, value in files.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
        return tmp_path

    return make


def demo() -> Core:
    return Core.from_file(str(DEMO_MODEL / "tokenizer.json"))


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
    made: Callable[..., Path], declared: str | None, config: dict[str, Any]
) -> None:
    own = {} if declared is None else {"tokenizer_class": declared}
    assert agree(made(demo(), {**config, **own})).backend == "tokenizers"


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
@pytest.mark.parametrize("declared", ["LlamaTokenizerFast", "GemmaTokenizer", None])
def test_classes_of_byte_fallback_tokenizers(
    made: Callable[..., Path], declared: str | None, config: dict[str, Any]
) -> None:
    own = {} if declared is None else {"tokenizer_class": declared}
    core = with_bos(byte_fallback(), "<s>")
    assert agree(made(core, {**config, **own})).backend == "tokenizers"


def test_gemma_with_an_unknown_token_of_its_own(made: Callable[..., Path]) -> None:
    config = {
        "tokenizer_class": "GemmaTokenizer",
        "unk_token": {"__type": "AddedToken", **added("</s>")},
    }
    agree(made(byte_fallback(), config))


def test_other_models(made: Callable[..., Path]) -> None:
    assert agree(made(metaspace(), {"unk_token": "<unk>"})).backend == "tokenizers"


@pytest.mark.parametrize("clean", [True, False])
def test_spaces_before_punctuation_are_cleaned_up(made: Callable[..., Path], clean: bool) -> None:
    config = {"clean_up_tokenization_spaces": clean, "unk_token": "[UNK]"}
    ours = agree(made(wordpiece(), config))
    assert ours.backend == "tokenizers"


def test_cleaning_up_is_ignored_for_bpe_unless_forced(made: Callable[..., Path]) -> None:
    config: dict[str, Any] = {"clean_up_tokenization_spaces": True}
    agree(made(demo(), config))
    forced = "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output"
    ours = agree(made(demo(), {**config, forced: True}))
    assert ours.decode(ours.encode("a .", add_special_tokens=False), skip_special_tokens=True) == (
        "a."
    )


def test_truncation_and_padding_of_the_file_do_not_count(made: Callable[..., Path]) -> None:
    core = demo()
    core.enable_truncation(2)
    core.enable_padding(length=8)
    agree(made(core))


def test_no_decoder_joins_tokens_with_spaces(made: Callable[..., Path]) -> None:
    agree(made(Core(models.WordLevel({"a": 0, "b": 1, "<unk>": 2}, unk_token="<unk>"))))


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
    "extra named": {"special_tokens_map": {"extra_special_tokens": {"own_token": "<own3>"}}},
    "added": {
        "added_tokens": {"<own>": 1536, "<own2>": 1537},
        "tokenizer_config": {"eos_token": "<own>"},
    },
}


@pytest.mark.parametrize("case", LEGACY.values(), ids=LEGACY.keys())
def test_files_of_older_models(made: Callable[..., Path], case: dict[str, Any]) -> None:
    files = dict(case)
    agree(made(bare(demo()), files.pop("tokenizer_config", {}), **files))


def test_the_class_is_the_one_that_transformers_chooses() -> None:
    golden = json.loads((GOLDEN / "tokenizer_classes.json").read_text())
    for row in golden["chosen"]:
        for model_type in set(row["model_types"]) - MISNAMED_IN_VLLM:
            got = [class_name(model_type, declared) for declared in golden["declared"]]
            assert got == row["classes"], model_type
    assert class_name("step3_vl", "LlamaTokenizerFast") == "TokenizersBackend"
    assert class_name(None, None) == "TokenizersBackend"


def refuses_surrogates(tokenizer: Tokenizer) -> None:
    for encode in (tokenizer.encode, tokenizer.encode_with_offsets):
        with pytest.raises(RequestError, match="lone surrogate at character 1") as refused:
            encode("a\ud800", add_special_tokens=True)
        assert refused.value.status == 400


def test_a_lone_surrogate_is_refused() -> None:
    refuses_surrogates(load_tokenizer(find(str(DEMO_MODEL)), {}))


def test_a_role_without_a_token_takes_the_unknown_token() -> None:
    core = Core(models.WordLevel({"a": 0, "<unk>": 1}, unk_token="<unk>"))
    special = SpecialTokens({"eos_token": "</s>", "unk_token": "<unk>"}, (), ())
    assert Tokenizer(core, special, {}).eos_token_id == 1
    assert Tokenizer(core, SpecialTokens({"eos_token": "</s>"}, (), ()), {}).eos_token_id is None


# What only transformers can build.


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
def test_through_transformers(
    made: Callable[..., Path], core: Core | None, config: dict[str, Any]
) -> None:
    ours = agree(made(core, config))
    assert ours.backend == "transformers"
    refuses_surrogates(ours)
    assert ours.fast == (core is not None)
    assert (ours.spec is None) == (core is None)
    if ours.fast:
        assert ours.decode([ours.max_id + 1, 10**9], skip_special_tokens=False) == ""
        assert ours.id_to_token(10**9) is None


def test_a_named_class_over_another_kind_of_model(made: Callable[..., Path]) -> None:
    agree(made(metaspace(), {"tokenizer_class": "GPT2Tokenizer"}))


REMOTE = """
from transformers import ByT5Tokenizer
class Own(ByT5Tokenizer):
    pass
"""


def test_code_of_the_repository_runs_only_if_trusted(made: Callable[..., Path]) -> None:
    pytest.importorskip("transformers")
    for auto_map in ({"AutoTokenizer": ["own.Own", None]}, ["own.Own", None]):
        folder = made(None, {"tokenizer_class": "Own", "auto_map": auto_map})
        (folder / "own.py").write_text(REMOTE)
        files = find(str(folder))
        with pytest.raises(StartupError, match="--trust-remote-code"):
            load_tokenizer(files, {"model_type": "own"})
        own = load_tokenizer(files, {"model_type": "own"}, remote_code=True)
        assert own.encode("a", add_special_tokens=False) == [100]


def test_code_for_other_classes_does_not_matter(made: Callable[..., Path]) -> None:
    folder = made(demo(), {"auto_map": {"AutoProcessor": "own.Own"}})
    assert load_tokenizer(find(str(folder)), {}).backend == "tokenizers"


def test_without_transformers(monkeypatch: pytest.MonkeyPatch, made: Callable[..., Path]) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(StartupError, match=r"pip install 'render-service\[transformers\]'"):
        load_tokenizer(find(str(made(None, {"tokenizer_class": "ByT5Tokenizer"}))), {})


def test_transformers_is_not_imported_for_what_does_not_need_it() -> None:
    import subprocess

    code = (
        "import sys\n"
        "from render_service.hub import find\n"
        "from render_service.tokenizer import load_tokenizer\n"
        f"load_tokenizer(find({str(DEMO_MODEL)!r}), {{}}).encode('a', add_special_tokens=True)\n"
        "assert not {'transformers', 'torch', 'huggingface_hub'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=GOLDEN.parent.parent)


def test_broken_files(made: Callable[..., Path]) -> None:
    folder = made(None, {"bos_token": {"content": 3}})
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(StartupError, match=r"cannot read .*tokenizer\.json"):
        load_tokenizer(find(str(folder)), {})
    shutil.copy(DEMO_MODEL / "tokenizer.json", folder)
    with pytest.raises(StartupError, match="malformed token"):
        load_tokenizer(find(str(folder)), {})
