"""Which renderer serves a model, and what start-up says of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from render_service.hub import ModelFiles, StartupError
from render_service.loading import load_model
from render_service.renderers.chat import Chat
from render_service.settings import Settings
from render_service.startup import describe
from render_service.tokenizer_mode import ARCHITECTURES, MODES, tokenizer_mode

from ..conftest import DEMO_MODEL
from .family_models import make


def model(tmp_path: Path, name: str, mode: str = "auto", **config: object) -> Path:
    """A made model's folder, with more in its config.json."""
    folder = make(name, Path(), tmp_path / mode / name)
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **config}))
    return folder


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_auto_goes_by_architecture(architecture: str, tmp_path: Path) -> None:
    files = ModelFiles("m", tmp_path)
    config = {"architectures": ["Other", architecture]}
    assert tokenizer_mode("auto", config, files) == ARCHITECTURES[architecture]
    assert tokenizer_mode("hf", config, files) == "hf"


@pytest.mark.parametrize(
    ("names", "mode"),
    [
        (("params.json", "tekken.json"), "mistral"),
        (("consolidated-00001-of-00002.safetensors", "tokenizer.model.v3"), "mistral"),
        (("tekken.json", "model.safetensors"), "hf"),
        (("params.json", "tokenizer.model"), "hf"),
        ((), "hf"),
    ],
)
def test_auto_goes_by_files(names: tuple[str, ...], mode: str, tmp_path: Path) -> None:
    for name in names:
        (tmp_path / name).touch()
    assert tokenizer_mode("auto", {}, ModelFiles("m", tmp_path)) == mode


def test_every_mode_can_be_asked_for(tmp_path: Path) -> None:
    for mode in MODES:
        assert tokenizer_mode(mode, {}, ModelFiles("m", tmp_path)) == mode


@pytest.mark.parametrize("value", [None, "DeepseekV4ForCausalLM", [5], {}])
def test_odd_architectures_are_none(value: object, tmp_path: Path) -> None:
    assert tokenizer_mode("auto", {"architectures": value}, ModelFiles("m", tmp_path)) == "hf"


def test_start_up_names_the_renderer(tmp_path: Path) -> None:
    settings = Settings(model=str(model(tmp_path, "inkling")), tokenizer_mode="inkling")
    assert "inkling, without a chat template" in describe(load_model(settings), "a")
    plain = load_model(Settings(model=str(DEMO_MODEL), tokenizer_mode="hf"))
    assert plain.renderer is None


def test_renderers_have_fingerprints_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(**given: str) -> set[str]:
        other = load_model(Settings(model=str(DEMO_MODEL), **given)).fingerprint.components
        return {name for name, digest in plain.items() if other[name] != digest}

    plain = load_model(Settings(model=str(DEMO_MODEL))).fingerprint.components
    assert changed(tokenizer_mode="hf") == set()
    assert changed(tokenizer_mode="deepseek_v4") == {"chat_template", "content_format"}
    assert changed(tokenizer_mode="deepseek_v41") == {"chat_template", "content_format"}

    harmony = str(model(tmp_path, "harmony_demo"))
    digests = set()
    for date in ("2026-01-02", "2026-01-03"):
        monkeypatch.setenv("VLLM_SYSTEM_START_DATE", date)
        found = load_model(Settings(model=harmony))
        digests.add(found.fingerprint.components["chat_template"])
        assert f"harmony, without a chat template, date {date}" in describe(found, "a")
    assert len(digests) == 2


def test_an_operators_template(tmp_path: Path) -> None:
    """It goes to libraries that render by one, and into the fingerprint."""
    pytest.importorskip("cohere_melody")
    models = [
        load_model(Settings(model=str(DEMO_MODEL), tokenizer_mode="cohere", chat_template=template))
        for template in (None, "{{ messages | length }}", "{{ messages | tojson }}")
    ]
    assert len({model.fingerprint.components["chat_template"] for model in models}) == 3
    renderer = models[1].renderer
    assert renderer is not None
    assert renderer.render(Chat(messages=[{"role": "user", "content": "hi"}])) == "1"
    assert "messages" not in describe(models[1], "a")


@pytest.mark.parametrize(
    ("mode", "package"), [("mistral", "mistral_common"), ("cohere", "cohere_melody")]
)
def test_without_the_library(mode: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for name in [name for name in sys.modules if name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(StartupError, match=rf"pip install 'render-service\[{mode}\]'"):
        load_model(Settings(model=str(DEMO_MODEL), tokenizer_mode=mode))


def test_a_mode_without_its_tokens() -> None:
    with pytest.raises(StartupError, match="inkling needs them"):
        load_model(Settings(model=str(DEMO_MODEL), tokenizer_mode="inkling"))


def test_a_mode_without_its_tokenizer() -> None:
    pytest.importorskip("mistral_common")
    with pytest.raises(StartupError, match="No tokenizer file found"):
        load_model(Settings(model=str(DEMO_MODEL), tokenizer_mode="mistral"))


def test_an_unknown_mode() -> None:
    words = [sys.executable, "-m", "render_service", "serve", "--tokenizer-mode", "slow"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "--tokenizer-mode" in done.stderr
    assert "deepseek_v32" in done.stderr
