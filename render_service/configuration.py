"""Settings from flags over environment over config file, checked as vLLM checks them.

A flag that vLLM has and this service has no use for is let pass wherever it stands, and named in
one warning line.
"""

from __future__ import annotations

import argparse
import difflib
import os
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from .command_parser import CommandParser, IgnoreFlag
from .config_file import read_config
from .option_types import Kind, unicode
from .options import GROUPS, OPTIONS, Option
from .options_server import SERVER_GROUPS
from .settings import Settings
from .usage_error import UsageError
from .vllm_flags import VllmFlag, vllm_flags

_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_ARGPARSE: Mapping[str, Mapping[str, Any]] = {
    "many": {"nargs": "+"},
    "repeated": {"action": "append"},
}

_OF_TLS = ("ssl_keyfile", "ssl_ca_certs", "ssl_cert_reqs", "ssl_ciphers", "enable_ssl_refresh")
_PLUGINS = ("tool_parser_plugin", "reasoning_parser_plugin")

EPILOG = """\
Every flag is also a variable (--chat-template: RENDER_CHAT_TEMPLATE) and a key of the --config file
(chat-template); flags win over variables over the file. Lists in variables are separated by commas.
A JSON flag may be given key by key: --default-chat-template-kwargs.enable_thinking false.
Other flags of `vllm serve` are accepted with a warning and do nothing."""


class Configuration(NamedTuple):
    """ignored: flags that vLLM has and do nothing here, or not with these settings."""

    settings: Settings
    ignored: tuple[str, ...]


def add_arguments(parser: CommandParser, *, serves: bool = True) -> None:
    """MODEL and every flag. Not shown: those of vLLM that do nothing here, and those of the server
    for a command that does not serve.
    """
    parser.usage = f"{parser.prog} [MODEL] [flags]"
    parser.epilog = EPILOG
    parser.add_argument(
        "model", nargs="?", metavar="MODEL", help="Folder or hub ID. Default: a bundled demo model."
    )
    parser.add_argument("--model", help=argparse.SUPPRESS)
    parser.add_argument("--config", metavar="FILE", help="YAML file of flags.")
    defaults = {field.name: field.default for field in fields(Settings)}
    for title, options in GROUPS:
        group = parser.add_argument_group(title)
        shown = serves or (title, options) not in SERVER_GROUPS
        for option in options:
            _add_option(group, option, _help(option, defaults[option.field], shown))
    parser.add_json_flags(opt.flag for opt in OPTIONS.values() if opt.kind.shape == "json")
    for flag in _unused():
        parser.add_argument(
            *flag.names,
            action=IgnoreFlag,
            dest="ignored",
            nargs=_NARGS[flag.words],
            help=argparse.SUPPRESS,
        )
        parser.add_json_flags(flag.names)


_NARGS: Mapping[str, int | str | None] = {"0": 0, "1": None, "?": "?", "+": "+"}


def _help(option: Option, default: object, shown: bool) -> str:
    if not shown:
        return argparse.SUPPRESS
    text = option.help
    if option.kind.shape != "switch" and isinstance(default, (int, float, str)) and default != "":
        text += f" Default: {default}."
    return text.replace("%", "%%")


def _add_option(group: argparse._ArgumentGroup, option: Option, text: str) -> None:
    kind = option.kind
    if kind.shape == "switch":
        group.add_argument(
            option.flag,
            action="store_const",
            const=True,
            dest=option.field,
            help=text,
        )
        for name in _opposites(option.flag):
            group.add_argument(
                name, action="store_const", const=False, dest=option.field, help=argparse.SUPPRESS
            )
        return
    group.add_argument(
        option.flag,
        dest=option.field,
        metavar=kind.metavar,
        help=text,
        **_ARGPARSE.get(kind.shape, {}),
    )


def _opposites(flag: str) -> list[str]:
    """vLLM's ways to switch off: `--no-x`, and `--disable-x` for `--enable-x` and back."""
    names = ["--no-" + flag[2:]]
    for prefix, opposite in (("--enable-", "--disable-"), ("--disable-", "--enable-")):
        if flag.startswith(prefix):
            names.append(opposite + flag.removeprefix(prefix))
    return names


def _unused() -> list[VllmFlag]:
    ours = {option.flag for option in OPTIONS.values()} | {"--model", "--config"}
    return [flag for flag in vllm_flags() if flag.names[0] not in ours]


def configure(args: argparse.Namespace, environment: Mapping[str, str]) -> Configuration:
    """Raises UsageError, whose message names the flag, variable or key at fault."""
    given = vars(args)
    ignored = list(given.get("ignored", []))
    values = _from_file(given["config"], ignored) if "config" in given else {}
    values |= _from_environment(environment)
    values |= {
        name: _convert(option.kind, given[name], option.flag)
        for name, option in OPTIONS.items()
        if name in given
    }
    if "model" in given:
        values["model"] = given["model"]
    # What is unset has its default, whatever set it before.
    settings = Settings(**{name: value for name, value in values.items() if value is not None})
    _check(settings)
    if not _parses(settings):
        ignored += [OPTIONS[name].flag for name in _PLUGINS if getattr(settings, name)]
    return Configuration(settings, tuple(dict.fromkeys(ignored)))


def _from_file(path: str, ignored: list[str]) -> dict[str, Any]:
    unused = {
        name.lstrip("-").replace("-", "_"): flag.names[0]
        for flag in _unused()
        for name in flag.names
    }
    values: dict[str, Any] = {}
    for key, value in read_config(path).items():
        option = OPTIONS.get(key)
        if option is not None:
            values[key] = _convert(option.kind, value, f"--config {path}: {key}")
        elif key in ("model", "model_tag"):
            values["model"] = str(value)
        elif key in unused:
            ignored.append(unused[key])
        else:
            near = difflib.get_close_matches(key, [*OPTIONS, "model"], n=3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UsageError(f"--config {path}: unknown key {key}{hint}")
    return values


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if key := environment.get("VLLM_API_KEY"):
        values["api_key"] = (key,)
    if model := environment.get("RENDER_MODEL"):
        values["model"] = model
    for name, option in OPTIONS.items():
        word = environment.get(option.variable)  # empty is as good as unset
        # Kubernetes sets RENDER_PORT=tcp://... for a Service that is called `render`.
        if word and not (name == "port" and word.startswith("tcp://")):
            values[name] = _convert(option.kind, word, option.variable)
    return values


def _convert(kind: Kind, value: Any, where: str) -> Any:
    try:
        return kind.convert(value)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from None


def _check(settings: Settings) -> None:
    """What vLLM refuses, beyond single values."""
    try:
        unicode(settings.model)
    except ValueError as error:
        raise UsageError(f"MODEL: {error}") from None
    if settings.enable_auto_tool_choice and not settings.tool_call_parser:
        raise UsageError("--enable-auto-tool-choice requires --tool-call-parser")
    efforts = settings.reasoning_effort_map
    if not all(isinstance(effort, str) for effort in efforts.values()):
        raise UsageError("--reasoning-effort-map: expected efforts as strings")
    if unknown := sorted(set(efforts) - set(_EFFORTS)):
        raise UsageError(
            f"--reasoning-effort-map: unknown efforts {', '.join(unknown)}; "
            f"expected {', '.join(_EFFORTS)}"
        )
    for name in _OF_TLS:
        if getattr(settings, name) and not settings.ssl_certfile:
            raise UsageError(f"{OPTIONS[name].flag} requires --ssl-certfile")
    if settings.parser_backend == "vllm" and not _parses(settings):
        raise UsageError("--parser-backend vllm requires --tool-call-parser or --reasoning-parser")
    for name in _PLUGINS:
        _check_plugin(OPTIONS[name].flag, getattr(settings, name))


def _parses(settings: Settings) -> bool:
    return bool(settings.tool_call_parser or settings.reasoning_parser)


def _check_plugin(flag: str, plugin: str) -> None:
    """A module is imported with vLLM; a file may be looked at now."""
    if "/" not in plugin and not plugin.endswith(".py"):
        return
    if not (plugin.endswith(".py") and os.access(plugin, os.R_OK)):
        raise UsageError(f"{flag}: {plugin} is not a Python file that can be read")
