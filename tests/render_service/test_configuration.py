"""Environment and config file: who wins, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from render_service.settings import Settings
from render_service.usage_error import UsageError
from tests.render_service.test_settings import configured, settings


def test_flags_win_over_environment_over_file(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("port: 1\nhost: file\nroot-path: /file\nmodel: file\n")
    env = {"RENDER_PORT": "2", "RENDER_HOST": "env", "RENDER_MODEL": "env"}
    found = settings("--config", str(file), "--port", "3", env=env)
    assert (found.port, found.host, found.root_path, found.model) == (3, "env", "/file", "env")
    assert settings("flag", "--config", str(file), env=env).model == "flag"


@pytest.mark.parametrize(
    ("variable", "word", "field", "value"),
    [
        ("RENDER_API_KEY", "a,b", "api_key", ("a", "b")),
        ("RENDER_API_KEY", '["a,b"]', "api_key", ("a,b",)),
        ("VLLM_API_KEY", "a,b", "api_key", ("a,b",)),
        ("VLLM_API_KEY", "", "api_key", ()),
        ("RENDER_ENABLE_LOG_REQUESTS", "yes", "enable_log_requests", True),
        ("RENDER_ENABLE_LOG_REQUESTS", "0", "enable_log_requests", False),
        ("RENDER_ALLOWED_ORIGINS", '["a"]', "allowed_origins", ("a",)),
        ("RENDER_REASONING_EFFORT_MAP", '{"low": "x"}', "reasoning_effort_map", {"low": "x"}),
        ("RENDER_ALLOW_CREDENTIALS", "", "allow_credentials", False),
        ("RENDER_PORT", "tcp://10.0.0.1:80", "port", 8000),
    ],
)
def test_environment(variable: str, word: str, field: str, value: Any) -> None:
    assert getattr(settings(env={variable: word}), field) == value


def test_environment_names_the_variable() -> None:
    with pytest.raises(UsageError, match="RENDER_WORKERS: expected an integer"):
        settings(env={"RENDER_WORKERS": "two"})
    with pytest.raises(UsageError, match="RENDER_ALLOW_CREDENTIALS: expected true or false"):
        settings(env={"RENDER_ALLOW_CREDENTIALS": "maybe"})


def test_own_key_variable_wins() -> None:
    env = {"RENDER_API_KEY": "mine", "VLLM_API_KEY": "theirs"}
    assert settings(env=env).api_key == ("mine",)


CONFIG = """
model_tag: some/model
served-model-name: [a, b]
api_key: one
trust-remote-code: true
enable-log-requests: false
default-chat-template-kwargs:
  enable_thinking: false
  list: [1, 2]
override-generation-config: '{"top_k": 1}'
allowed-origins: ["https://a.example"]
max-model-len: 4k
host: null
tensor-parallel-size: 4
enforce_eager: true
"""


def test_config_file(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(CONFIG)
    found = configured("--config", str(file))
    assert found.settings == Settings(
        model="some/model",
        served_model_name=("a", "b"),
        api_key=("one",),
        trust_remote_code=True,
        default_chat_template_kwargs={"enable_thinking": False, "list": [1, 2]},
        override_generation_config={"top_k": 1},
        allowed_origins=("https://a.example",),
        max_model_len=4000,
    )
    assert found.ignored == ("--tensor-parallel-size", "--enforce-eager")


def test_off_is_a_word_though_yaml_reads_false(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    for value in ("off", "'off'", "require"):
        file.write_text(f"fingerprint: {value}\n")
        assert settings("--config", str(file)).fingerprint == value.strip("'")
    with pytest.raises(UsageError, match="expected one of off, check, require"):
        settings("--fingerprint", "on")


def test_empty_config_file(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("# nothing\n")
    assert settings("--config", str(file)) == Settings()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"port: x", "config.yaml: port: expected an integer"),
        (b"port: [1]", "port: expected one value"),
        (b"prot: 1", "unknown key prot; did you mean port"),
        (b"xyzzyx: 1", "unknown key xyzzyx"),
        (b"- port", "expected a mapping"),
        (b"port: [", "not valid YAML"),
        (b"\xff\xfe\xff", "not valid YAML"),
        (b"served-model-name: {a: 1}", "served_model_name: expected a list"),
        (b"default-chat-template-kwargs: [1]", "expected a JSON object"),
        (b"override-generation-config: {a: 2020-01-01}", "override_generation_config:"),
    ],
)
def test_refused_config_file(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        settings("--config", str(file))
    assert message in str(caught.value)


def test_a_plugin_of_no_parser_has_no_effect() -> None:
    plugin = ("--tool-parser-plugin", __file__, "--reasoning-parser-plugin", "some.module")
    assert configured(*plugin).ignored == ("--tool-parser-plugin", "--reasoning-parser-plugin")
    assert not configured(*plugin, "--reasoning-parser", "own").ignored
