"""When vLLM's parsers are used, and what is said where they cannot be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from render_service import parser_names
from render_service.hub import StartupError
from render_service.parser_names import uses_vllm
from render_service.settings import Settings

from .derender_client import demo
from .plugged import PLUGIN
from .small_vllm import make_importable


@pytest.mark.parametrize(
    ("settings", "installed", "expected"),
    [
        ({}, True, False),
        ({"parser_backend": "vllm"}, True, False),
        ({"parser_backend": "vllm", "reasoning_parser": "qwen3"}, False, True),
        ({"reasoning_parser": "qwen3", "tool_call_parser": "hermes"}, True, False),
        ({"reasoning_parser": "qwen3", "tool_call_parser": "other"}, True, True),
        ({"reasoning_parser": "qwen3", "tool_call_parser": "other"}, False, False),
        ({"reasoning_parser": "qwen3", "tool_parser_plugin": "p.py"}, False, True),
        (
            {"parser_backend": "native", "reasoning_parser": "q", "tool_parser_plugin": "p.py"},
            True,
            False,
        ),
    ],
)
def test_who_parses(
    monkeypatch: pytest.MonkeyPatch, settings: Any, installed: bool, expected: bool
) -> None:
    monkeypatch.setattr(parser_names, "find_spec", lambda name: name if installed else None)
    assert uses_vllm(Settings(**settings)) is expected


@pytest.mark.parametrize(
    "settings", [{"parser_backend": "vllm"}, {"reasoning_parser_plugin": PLUGIN}]
)
def test_without_vllm_start_up_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(StartupError, match=r"pip install 'render-service\[vllm\]'"):
        demo(reasoning_parser="qwen3", **settings)


def test_a_misspelled_name_without_vllm_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_names, "find_spec", lambda name: None)
    with pytest.raises(StartupError, match="unknown --reasoning-parser 'qwen': did you mean"):
        demo(reasoning_parser="qwen")


def test_the_command_line_says_it_in_one_line() -> None:
    code = (
        "import sys; sys.modules['vllm'] = None; from render_service.cli import main; "
        "sys.exit(main(['serve', '--port', '0', '--parser-backend', 'vllm', "
        "'--reasoning-parser', 'qwen3']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'render-service[vllm]'" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_plugin_may_be_a_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each of its files counts for the fingerprint."""
    make_importable(monkeypatch)
    package = tmp_path / "angle_package"
    package.mkdir()
    (package / "__init__.py").write_text("from . import parsers")
    code = Path(PLUGIN).read_text()
    monkeypatch.syspath_prepend(str(tmp_path))
    fingerprints = set()
    for end in ("", "\n# changed"):
        (package / "parsers.py").write_text(code.replace("until_think_ends", "packed_end") + end)
        model = demo(reasoning_parser="packed_end", reasoning_parser_plugin="angle_package")
        assert model.outputs.reasoning == "packed_end"
        fingerprints.add(model.fingerprint.value)
    assert len(fingerprints) == 2


def test_a_plugin_without_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A namespace package registers nothing, so its name is unknown."""
    make_importable(monkeypatch)
    (tmp_path / "angle_namespace").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(StartupError, match="unknown --reasoning-parser 'nobody'"):
        demo(reasoning_parser="nobody", reasoning_parser_plugin="angle_namespace")


def test_a_plugin_that_ends_in_another_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_importable(monkeypatch)
    (tmp_path / "angle_fails.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(StartupError, match="--reasoning-parser-plugin angle_fails: ZeroDivision"):
        demo(reasoning_parser="nobody", reasoning_parser_plugin="angle_fails")


def test_kimi_models_number_their_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """vLLM's parsers see what config.json says, with or without a text_config."""
    make_importable(monkeypatch)
    from render_service.vllm_loading import _model_config

    flat = _model_config("m", {"model_type": "kimi_k2", "architectures": ["A"]}, 5)
    assert (flat.hf_config.model_type, flat.hf_text_config.model_type) == ("kimi_k2", "kimi_k2")
    assert (flat.architecture, flat.max_model_len) == ("A", 5)
    nested = _model_config("m", {"model_type": "x", "text_config": {"model_type": "kimi_k3"}}, 5)
    assert nested.hf_text_config.model_type == "kimi_k3"
    assert nested.architecture is None
