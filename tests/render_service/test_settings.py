"""Flags: every spelling, and what is refused."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import pytest

from render_service.command_parser import CommandParser
from render_service.configuration import Configuration, add_arguments, configure
from render_service.option_types import FILE, TEXT
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
        (["--parser-cache-bytes", "0"], "parser_cache_bytes", 0),
        (["--parser-cache-bytes", "1.5k"], "parser_cache_bytes", 1500),
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
        (["--ssl-cert-reqs", "0"], "ssl_cert_reqs", 0),
        (["--root-path", "/a"], "root_path", "/a"),
        (["--root-path", "a/b/"], "root_path", "/a/b"),
        (["--root-path", "/"], "root_path", ""),
        (["--allowed-methods", '["*"]'], "allowed_methods", ("*",)),
        (["--allowed-headers", '["X-A", "b"]'], "allowed_headers", ("X-A", "b")),
        (["--allowed-origins", '["https://[::1]:8"]'], "allowed_origins", ("https://[::1]:8",)),
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
        (
            ["--anthropic-disabled-thinking-effort", "low"],
            "anthropic_disabled_thinking_effort",
            "low",
        ),
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


@pytest.mark.parametrize(
    "flag", [option.flag for option in OPTIONS.values() if option.kind in (TEXT, FILE)]
)
def test_an_empty_word_is_the_default(flag: str) -> None:
    assert settings(flag, "") == Settings()


def test_defaults_that_are_not_vllms() -> None:
    """docs/differences.md names them; others of vLLM's flags have vLLM's."""
    assert (Settings().shutdown_timeout, Settings().timeout_keep_alive) == (30, 75)


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
        (["--max-model-len", "0K"], "--max-model-len: must be at least 1, not 0"),
        (["--max-model-len", "9" * 400 + "t"], "--max-model-len: expected an integer"),
        (["--parser-cache-bytes", "-1"], "--parser-cache-bytes: must be at least 0, not -1"),
        (["--max-model-len", "many"], "--max-model-len: expected an integer"),
        (["--drain-delay", "x"], "--drain-delay: expected seconds"),
        (["--drain-delay", "-1"], "--drain-delay: must be at least 0 seconds"),
        (["--drain-delay", "1e30"], "--drain-delay: must be at least 0 seconds and at most"),
        (["--timeout-keep-alive", "9" * 30], "--timeout-keep-alive: must be at most 1000000000"),
        (["--shutdown-timeout", "9" * 30], "--shutdown-timeout: must be at most 1000000000"),
        (["--api-key", "a", "\udcff"], "--api-key: expected text in UTF-8"),
        (["--served-model-name", "\udcff"], "--served-model-name: expected text in UTF-8"),
        (["\udcff"], "MODEL: expected text in UTF-8"),
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
        (["--ssl-cert-reqs", "2"], "--ssl-cert-reqs requires --ssl-certfile"),
        (["--ssl-ca-certs", "c"], "--ssl-ca-certs requires --ssl-certfile"),
        (["--ssl-ciphers", "c"], "--ssl-ciphers requires --ssl-certfile"),
        (["--enable-ssl-refresh"], "--enable-ssl-refresh requires --ssl-certfile"),
        (["--default-chat-template-kwargs", '{"a": NaN}'], "not valid JSON (Out of range float"),
        (["--default-chat-template-kwargs.a", "-Infinity"], "not valid JSON (Out of range float"),
        (["--default-chat-template-kwargs", '{"a": 1e999}'], "not valid JSON (Out of range float"),
        (["--default-chat-template-kwargs", r'{"a": "\ud800"}'], "surrogates not allowed"),
        (["--allowed-methods", r'["GET", "\n"]'], r"expected words of HTTP, not '\n'"),
        (["--allowed-methods", '["GET, PUT"]'], "expected words of HTTP, not 'GET, PUT'"),
        (["--allowed-headers", '["é"]'], "--allowed-headers: expected words of HTTP, not 'é'"),
        (["--allowed-headers", '[""]'], "--allowed-headers: expected words of HTTP, not ''"),
        (["--allowed-origins", r'["a\r\nb"]'], "--allowed-origins: expected origins"),
        (
            ["--parser-backend", "vllm"],
            "--parser-backend vllm requires --tool-call-parser or --reasoning-parser",
        ),
        (["--tool-parser-plugin", "/no.py"], "--tool-parser-plugin: /no.py is not a Python file"),
        (["--tool-parser-plugin", "no.py"], "--tool-parser-plugin: no.py is not a Python file"),
        (
            ["--reasoning-parser-plugin", "/etc/passwd"],
            "--reasoning-parser-plugin: /etc/passwd is not a Python file",
        ),
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
        (
            ["--default-chat-template-kwargs.", "x"],
            "unknown flag --default-chat-template-kwargs.; did you mean "
            "--default-chat-template-kwargs",
        ),
        (["--override-generation-config.a..b=1"], "unknown flag --override-generation-config.a..b"),
        (["--override-generation-config.+=1"], "unknown flag --override-generation-config.+"),
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


def test_help_names_every_flag(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("--help", "--help=all"):
        with pytest.raises(SystemExit) as caught:
            parser().parse([word])
        assert caught.value.code == 0
        printed = capsys.readouterr().out
        assert all(option.flag in printed for option in OPTIONS.values())
        assert all(f"{title}:" in printed for title, _ in GROUPS)
        assert "tensor-parallel" not in printed
