"""Flags, environment and config file: every spelling, who wins, what is refused."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

import pytest

from render_service.command_parser import CommandParser
from render_service.configuration import Configuration, add_arguments, configure
from render_service.options import GROUPS, OPTIONS
from render_service.settings import Settings
from render_service.usage_error import UsageError
from render_service.vllm_flags import vllm_flags


@functools.cache
def parser() -> CommandParser:
    made = CommandParser(prog="render-service serve")
    add_arguments(made)
    return made


def configured(*words: str, env: dict[str, str] | None = None) -> Configuration:
    return configure(parser().parse(words), env or {})


def settings(*words: str, env: dict[str, str] | None = None) -> Settings:
    return configured(*words, env=env).settings


def test_every_setting_has_a_flag() -> None:
    fields = {field.name for field in dataclasses.fields(Settings)} - {"model"}
    assert fields == set(OPTIONS)
    assert len(OPTIONS) == sum(len(options) for _, options in GROUPS)


def test_nothing_given_is_the_defaults() -> None:
    assert configured() == Configuration(Settings(), ())


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (["m"], "model", "m"),
        (["--model", "m"], "model", "m"),
        (["--port", "9"], "port", 9),
        (["--port=9"], "port", 9),
        (["--served-model-name", "a", "b"], "served_model_name", ("a", "b")),
        (["--served_model_name", "a"], "served_model_name", ("a",)),
        (["--max-model-len", "4k"], "max_model_len", 4000),
        (["--max-model-len", "4K"], "max_model_len", 4096),
        (["--max-model-len", "1.5m"], "max_model_len", 1_500_000),
        (["--max-model-len", "2M"], "max_model_len", 2 * 1024 * 1024),
        (["--max-model-len", "-1"], "max_model_len", None),
        (["--max-model-len", "auto"], "max_model_len", None),
        (["--max-logprobs", "-1"], "max_logprobs", -1),
        (["--trust-remote-code"], "trust_remote_code", True),
        (["--trust-remote-code", "--no-trust-remote-code"], "trust_remote_code", False),
        (["--enable-log-requests", "--disable-log-requests"], "enable_log_requests", False),
        (["--disable-uvicorn-access-log"], "disable_uvicorn_access_log", True),
        (
            ["--disable-uvicorn-access-log", "--enable-uvicorn-access-log"],
            "disable_uvicorn_access_log",
            False,
        ),
        (["--default-chat-template-kwargs", '{"a": 1}'], "default_chat_template_kwargs", {"a": 1}),
        (["--default-chat-template-kwargs", "null"], "default_chat_template_kwargs", {}),
        (["--allowed-origins", '["a", "b"]'], "allowed_origins", ("a", "b")),
        (["--api-key", "a", "b"], "api_key", ("a", "b")),
        (["--middleware", "a.b", "--middleware", "c.d"], "middleware", ("a.b", "c.d")),
        (
            ["--disable-access-log-for-endpoints", "/health, /metrics"],
            "disable_access_log_for_endpoints",
            ("/health", "/metrics"),
        ),
        (["--tool-strict-level", "function"], "tool_strict_level", "function"),
        (["--tool-strict-level", "None"], "tool_strict_level", None),
        (["--host", ""], "host", None),
        (["--max-log-len", "0"], "max_log_len", 0),
        (["--max-log-len", "None"], "max_log_len", None),
        (["--drain-delay", "0.5"], "drain_delay", 0.5),
        (["--max-body-bytes", "1K"], "max_body_bytes", 1024),
        (
            ["--enable-auto-tool-choice", "--tool-call-parser", "hermes"],
            "tool_call_parser",
            "hermes",
        ),
        (["--reasoning-effort-map", '{"high": "max"}'], "reasoning_effort_map", {"high": "max"}),
    ],
)
def test_flag(words: list[str], field: str, value: Any) -> None:
    assert getattr(settings(*words), field) == value


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["--override-generation-config.temperature", "0.5"], {"temperature": 0.5}),
        (["--override_generation_config.top_k=3"], {"top_k": 3}),
        (
            ["--override-generation-config.a.b", "true", "--override-generation-config.a.c", "x"],
            {"a": {"b": True, "c": "x"}},
        ),
        (["--override-generation-config.max_new_tokens", "2k"], {"max_new_tokens": 2000}),
        (
            [
                "--override-generation-config.stop+",
                "a,b",
                "--override-generation-config.stop+=c",
            ],
            {"stop": ["a", "b", "c"]},
        ),
        (
            [
                "--override-generation-config.a",
                '{"x": 1}',
                "--override-generation-config.a",
                '{"y": 2}',
            ],
            {"a": {"x": 1, "y": 2}},
        ),
        (
            ["--override-generation-config.a", "1", "--override-generation-config.a.b", "2"],
            {"a": {"b": 2}},
        ),
        (
            ["--override-generation-config", '{"a": 1}', "--override-generation-config.b", "2"],
            {"b": 2},
        ),
    ],
)
def test_json_flag_key_by_key(words: list[str], value: Any) -> None:
    assert settings(*words).override_generation_config == value


def test_model_may_stand_anywhere() -> None:
    assert settings("--port", "9", "m", "--trust-remote-code").model == "m"
    assert settings("--trust-remote-code", "m").model == "m"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--port", "x"], "--port: expected an integer, not 'x'"),
        (["--port", "70000"], "--port: must be at most 65535"),
        (["--workers", "0"], "--workers: must be at least 1"),
        (["--max-model-len", "1.5K"], "--max-model-len: the binary suffix K takes whole numbers"),
        (["--max-model-len", "many"], "--max-model-len: expected an integer"),
        (["--drain-delay", "x"], "--drain-delay: expected seconds"),
        (["--drain-delay", "-1"], "--drain-delay: must be at least 0 seconds"),
        (["--default-chat-template-kwargs", "{"], "--default-chat-template-kwargs: not valid JSON"),
        (["--default-chat-template-kwargs", "[1]"], "expected a JSON object, not '[1]'"),
        (["--default-chat-template-kwargs", "[" * 100_000], "nested too deeply"),
        (["--allowed-origins", '"a"'], "--allowed-origins: expected a JSON list of strings"),
        (["--tool-strict-level", "x"], "expected one of auto, function, parameter, not 'x'"),
        (["--uvicorn-log-level", "loud"], "--uvicorn-log-level: expected one of critical"),
        (["--enable-auto-tool-choice"], "--enable-auto-tool-choice requires --tool-call-parser"),
        (["--reasoning-effort-map", '{"huge": "max"}'], "unknown efforts huge"),
        (["--reasoning-effort-map", '{"low": 1}'], "expected efforts as strings"),
        (["--ssl-keyfile", "k"], "--ssl-keyfile requires --ssl-certfile"),
        (["--config", "/nowhere.yaml"], "--config /nowhere.yaml: No such file"),
    ],
)
def test_refused_value(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings(*words)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--prot", "1"], "unknown flag --prot; did you mean --port"),
        (["--served-model", "a"], "unknown flag --served-model; did you mean --served-model-name"),
        (["--xyzzyx=1"], "unknown flag --xyzzyx (see --help)"),
        (["--chat-template.a", "1"], "unknown flag --chat-template.a"),
        (["a", "b"], "unexpected argument 'b'"),
        (["--port"], "--port: expected one argument"),
        (["--override-generation-config.a"], "expected one argument"),
    ],
)
def test_refused_command_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        settings(*words)
    assert caught.value.code == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


def test_every_vllm_flag_is_accepted() -> None:
    """With as many words as vLLM takes, by each of its names; ours are not reported."""
    ours = {option.flag for option in OPTIONS.values()} | {"--model", "--config"}
    count = 0
    for flag in vllm_flags():
        if flag.names[0] in ours:
            continue
        for name in flag.names:
            value = {"0": [], "1": ["1"], "?": [], "+": ["1", "2"]}[flag.words]
            assert configured(name, *value).ignored == (flag.names[0],)
            count += 1
    assert count > 350


def test_vllm_flags_of_ours_are_ours() -> None:
    """No flag is both done and ignored; the spellings of vLLM's switches are all known."""
    known = set(parser()._option_string_actions)
    for flag in vllm_flags():
        assert known.issuperset(flag.names)


def test_ignored_flags_are_named_once() -> None:
    words = ["-tp", "2", "--tensor_parallel_size=4", "-O3", "--compilation-config.mode", "3", "m"]
    found = configured(*words)
    assert found.ignored == (
        "--tensor-parallel-size",
        "--optimization-level",
        "--compilation-config",
    )
    assert found.settings.model == "m"


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


def test_help_names_every_flag(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("--help", "--help=all"):
        with pytest.raises(SystemExit) as caught:
            parser().parse([word])
        assert caught.value.code == 0
        printed = capsys.readouterr().out
        assert all(option.flag in printed for option in OPTIONS.values())
        assert all(f"{title}:" in printed for title, _ in GROUPS)
        assert "tensor-parallel" not in printed
