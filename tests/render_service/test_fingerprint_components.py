"""Each difference that changes an answer changes its component alone; another spelling does not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tokenizers import Tokenizer as Core

from parsers.registry import REASONING_FORMATS, TOOL_FORMATS
from render_service import fingerprint_components
from render_service.command_parser import CommandParser
from render_service.configuration import add_arguments, configure
from render_service.fingerprint import Fingerprint
from render_service.hub import find
from render_service.loading import load_model
from render_service.settings import Settings
from render_service.tokenizer import load_tokenizer
from tests.conftest import DEMO_MODEL
from tests.render_service.tokenizer_oracle import write_model

PARSERS: dict[str, Any] = {
    "reasoning_parser": "qwen3",
    "tool_call_parser": "hermes",
    "enable_auto_tool_choice": True,
}
OTHER_TEMPLATE = "{{ messages[0].content }}"

Change = Callable[[Path], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the demo model."""
    return Path(shutil.copytree(DEMO_MODEL, tmp_path / "model"))


@pytest.fixture(scope="module")
def base() -> Fingerprint:
    return of(DEMO_MODEL)


def of(folder: Path, **settings: Any) -> Fingerprint:
    return load_model(Settings(model=str(folder), **(PARSERS | settings))).fingerprint


def changed(ours: Fingerprint, theirs: Fingerprint) -> set[str]:
    """Components that differ; the value differs if and only if one does."""
    assert list(ours.components) == list(theirs.components)
    names = {name for name, digest in ours.components.items() if theirs.components[name] != digest}
    assert (ours.value != theirs.value) == bool(names)
    assert set(ours.differing(theirs.value)) <= names
    return names


def edit(folder: Path, name: str, **fields: Any) -> None:
    path = folder / name
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | fields), "utf-8")


# What is covered

SETTINGS: list[tuple[set[str], dict[str, Any]]] = [
    ({"chat_template"}, {"chat_template": OTHER_TEMPLATE}),
    ({"content_format"}, {"chat_template_content_format": "openai"}),
    (
        {"default_chat_template_kwargs"},
        {"default_chat_template_kwargs": {"enable_thinking": False}},
    ),
    ({"reasoning_effort_map"}, {"reasoning_effort_map": {"high": "max"}}),
    ({"anthropic_disabled_thinking_effort"}, {"anthropic_disabled_thinking_effort": "low"}),
    ({"exclude_tools_when_tool_choice_none"}, {"exclude_tools_when_tool_choice_none": True}),
    ({"trust_request_chat_template"}, {"trust_request_chat_template": True}),
    ({"reasoning_parser"}, {"reasoning_parser": "deepseek_r1"}),
    ({"reasoning_parser"}, {"reasoning_parser": None}),
    ({"tool_call_parser"}, {"tool_call_parser": "qwen3_coder"}),
    ({"tool_call_parser", "auto_tool_choice"}, {"enable_auto_tool_choice": False}),
    ({"tool_strict_level"}, {"tool_strict_level": "function"}),
    ({"generation_config"}, {"generation_config": "vllm"}),
    ({"generation_config"}, {"override_generation_config": {"temperature": 0.1}}),
    ({"generation_config"}, {"override_generation_config": {"max_new_tokens": 9}}),
    ({"max_model_len"}, {"max_model_len": 1000}),
]


@pytest.mark.parametrize(("names", "settings"), SETTINGS, ids=lambda value: str(sorted(value)))
def test_a_setting(base: Fingerprint, names: set[str], settings: dict[str, Any]) -> None:
    assert changed(base, of(DEMO_MODEL, **settings)) == names


def other_merges(folder: Path) -> None:
    data = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    edit(folder, "tokenizer.json", model=data["model"] | {"merges": data["model"]["merges"][:-1]})


def other_decoder(folder: Path) -> None:
    edit(folder, "tokenizer.json", decoder={"type": "Fuse"})


def other_special(folder: Path) -> None:
    config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    added = config["added_tokens_decoder"]
    think = {
        index: token | {"special": True}
        for index, token in added.items()
        if token["content"] == "<think>"
    }
    assert think
    edit(folder, "tokenizer_config.json", added_tokens_decoder=added | think)


def with_tool_template(folder: Path) -> None:
    (folder / "additional_chat_templates").mkdir()
    (folder / "additional_chat_templates" / "tool_use.jinja").write_text(OTHER_TEMPLATE)


def one_end(folder: Path) -> None:
    edit(folder, "generation_config.json", eos_token_id=1502)


FILES: list[tuple[set[str], Change]] = [
    ({"tokenizer"}, other_merges),
    ({"tokenizer"}, other_decoder),
    ({"tokenizer"}, other_special),
    ({"tokenizer"}, lambda folder: edit(folder, "config.json", vocab_size=1600)),
    ({"tokenizer"}, lambda folder: edit(folder, "tokenizer_config.json", bos_token="<think>")),
    (
        {"tokenizer"},
        lambda folder: edit(folder, "tokenizer_config.json", split_special_tokens=True),
    ),
    ({"chat_template", "content_format"}, with_tool_template),
    ({"generation_config"}, one_end),
    ({"generation_config"}, lambda folder: edit(folder, "generation_config.json", top_k=7)),
    ({"max_model_len"}, lambda folder: edit(folder, "config.json", max_position_embeddings=999)),
]


@pytest.mark.parametrize(("names", "change"), FILES)
def test_a_file(base: Fingerprint, folder: Path, names: set[str], change: Change) -> None:
    change(folder)
    assert changed(base, of(folder)) == names


def test_the_wire_version(base: Fingerprint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint_components, "WIRE_VERSION", 10**6)
    assert changed(base, of(DEMO_MODEL)) == {"wire"}


def test_every_component_was_walked(base: Fingerprint) -> None:
    walked = {name for names, _ in (*SETTINGS, *FILES) for name in names} | {"wire"}
    assert walked == set(base.components)


def test_two_differences_are_not_one(base: Fingerprint) -> None:
    values = {of(DEMO_MODEL, **settings).value for _, settings in SETTINGS}
    assert len(values | {base.value}) == len(SETTINGS) + 1


# What requests may name counts where they may


def with_other_template(folder: Path, text: str) -> None:
    (folder / "additional_chat_templates").mkdir(exist_ok=True)
    (folder / "additional_chat_templates" / "rag.jinja").write_text(text)


@pytest.mark.parametrize(
    "open_settings",
    [
        {"trust_request_chat_template": True},
        {"default_chat_template_kwargs": {"chat_template": "rag"}},
    ],
    ids=["trust", "default argument"],
)
def test_templates_that_requests_may_name(folder: Path, open_settings: dict[str, Any]) -> None:
    template = (folder / "chat_template.jinja").read_text("utf-8")
    with_other_template(folder, "one")
    closed, opened = of(folder), of(folder, **open_settings)
    detected = load_model(Settings(model=str(folder))).template
    assert detected is not None
    same = {"chat_template_content_format": detected.content_format}
    given = {"chat_template": template}
    assert not changed(closed, of(folder, **same))
    assert not changed(closed, of(folder, **given))
    assert changed(opened, of(folder, **open_settings, **same)) == {"trust_request_chat_template"}
    assert changed(opened, of(folder, **open_settings, **given)) == {"trust_request_chat_template"}
    with_other_template(folder, "two")
    assert not changed(closed, of(folder))
    assert changed(opened, of(folder, **open_settings)) == {"trust_request_chat_template"}


# What is not covered


def test_what_changes_no_answer(base: Fingerprint, folder: Path) -> None:
    for settings in (
        {"host": "127.0.0.1", "port": 1, "workers": 3, "root_path": "/x", "api_key": ("k",)},
        {"served_model_name": ("a", "b"), "enable_log_requests": True, "max_log_len": 1},
        {"tokenizer": str(folder), "fingerprint": "off", "max_body_bytes": 1},
    ):
        assert not changed(base, of(folder, **settings))


def test_parsers_that_are_not_in_force() -> None:
    def without(**settings: Any) -> Fingerprint:
        return load_model(Settings(**settings)).fingerprint

    plain = without()
    for settings in (
        {"tool_call_parser": "hermes"},
        {"tool_call_parser": "hermes", "tool_strict_level": "function"},
        {"reasoning_parser": ""},
    ):
        assert not changed(plain, without(**settings))


# Spelt otherwise


def from_words(*words: str) -> Fingerprint:
    parser = CommandParser(prog="render-service serve")
    add_arguments(parser)
    return load_model(configure(parser.parse(words), {}).settings).fingerprint


WORDS = (
    *("--reasoning-parser", "qwen3"),
    *("--tool-call-parser", "hermes"),
    "--enable-auto-tool-choice",
)


def test_flags_in_another_order_or_in_a_file(base: Fingerprint, tmp_path: Path) -> None:
    assert not changed(base, from_words(str(DEMO_MODEL), *WORDS))
    turned = (*WORDS[4:], *WORDS[2:4], *WORDS[:2])
    assert not changed(base, from_words(*turned, "--model", str(DEMO_MODEL)))
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(PARSERS | {"model": str(DEMO_MODEL)}))
    assert not changed(base, from_words("--config", str(file)))


def test_json_in_another_order() -> None:
    one = from_words(
        *("--default-chat-template-kwargs", '{"a": {"x": 1, "y": 2}, "b": 3}'),
        *("--override-generation-config", '{"top_p": 0.5, "temperature": 1}'),
        *("--reasoning-effort-map", '{"low": "medium", "high": "max"}'),
    )
    two = from_words(
        *("--default-chat-template-kwargs", '{"b": 3, "a": {"y": 2, "x": 1}}'),
        *("--override-generation-config", '{"temperature": 1.0, "top_p": 0.5}'),
        *("--reasoning-effort-map", '{"high": "max", "none": "none", "low": "medium"}'),
    )
    assert not changed(one, two)


def test_a_template_by_path_or_inline(base: Fingerprint, tmp_path: Path, folder: Path) -> None:
    template = (DEMO_MODEL / "chat_template.jinja").read_text("utf-8")
    other_ends = tmp_path / "other.jinja"
    other_ends.write_bytes(template.replace("\n", "\r\n").encode())
    for given in (
        str(DEMO_MODEL / "chat_template.jinja"),
        str(other_ends),
        template,
        template.removesuffix("\n"),  # as a shell's $(cat FILE) has it
        template.replace("\n", "\r\n"),
    ):
        assert not changed(base, of(DEMO_MODEL, chat_template=given))
    assert changed(base, of(DEMO_MODEL, chat_template=template + "\n\n")) == {"chat_template"}
    (folder / "chat_template.jinja").unlink()
    edit(folder, "tokenizer_config.json", chat_template=template)
    assert not changed(base, of(folder))


def test_files_with_keys_in_another_order(base: Fingerprint, folder: Path) -> None:
    for path in folder.glob("*.json"):
        data = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps(_turned(data), indent=1), "utf-8")
    assert not changed(base, of(folder))


def _turned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(value)}
    return [_turned(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("names", [("qwen3_xml", "qwen3_coder"), ("hermes", "qwen3_json")])
def test_aliases(names: tuple[str, str]) -> None:
    one, two = (of(DEMO_MODEL, tool_call_parser=name) for name in names)
    assert not changed(one, two)


@pytest.mark.parametrize("table", [TOOL_FORMATS, REASONING_FORMATS], ids=["tool", "reasoning"])
def test_formats_of_one_name_are_one(table: Mapping[str, Any]) -> None:
    """The canonical name stands for the format."""
    named: dict[str, Any] = {}
    for found in table.values():
        assert named.setdefault(found.name, found) is found


def test_a_length_that_is_the_models_own(base: Fingerprint) -> None:
    assert not changed(base, of(DEMO_MODEL, max_model_len=32768))


def test_a_model_without_a_template(folder: Path, base: Fingerprint) -> None:
    (folder / "chat_template.jinja").unlink()
    assert changed(base, of(folder)) == {"chat_template", "content_format"}


# Tokenizers that transformers builds


def serialized(folder: Path, remote_code: bool = False) -> str:
    files = find(str(folder))
    return load_tokenizer(files, {"model_type": "own"}, remote_code=remote_code).serialized()


def test_a_pipeline_of_transformers(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    core = Core.from_file(str(DEMO_MODEL / "tokenizer.json"))
    config = {"tokenizer_class": "RobertaTokenizerFast"}
    one = serialized(write_model(tmp_path, core, config))
    assert serialized(write_model(tmp_path, core, config | {"chat_template": "x"})) == one
    core.add_tokens(["<new>"])
    assert serialized(write_model(tmp_path, core, config)) != one


CODE = """
from transformers import ByT5Tokenizer
class Own(ByT5Tokenizer):
    vocab_files_names = {"vocab_file": "own.vocab"}
"""


def test_code_of_the_repository(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    auto_map = {"AutoTokenizer": ["own.Own", None]}
    config = {"tokenizer_class": "Own", "auto_map": auto_map}
    folder = write_model(tmp_path, None, config)
    seen = set()
    for name, text in (
        ("own.py", CODE),
        ("own.vocab", "a"),
        ("own.vocab", "b"),
        ("helper.py", "TABLE = 1"),
    ):
        (folder / name).write_text(text)
        seen.add(serialized(folder, remote_code=True))
    assert len(seen) == 4
    (folder / "README.md").write_text("x")
    write_model(tmp_path, None, config | {"chat_template": "x"})
    assert serialized(folder, remote_code=True) in seen
