"""How models write what a parser family reads: for recording vLLM's answers and for properties.

A module here is one family, `FAMILY` in it is found by itself, or several, `FAMILIES`. The first
families (Hermes, Qwen 3, Llama 3, DeepSeek R1) are in record/parser_cases.py and outputs.py, as
the base.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Case = dict[str, Any]
Text = str | list[str]
Call = Callable[[str, dict[str, Any]], str]


@dataclass(frozen=True, kw_only=True)
class Family:
    """golden: file name: tool name and reasoning name of one recording.

    call: one call with its arguments, as the model writes it, with its section around it.
    None for a family of reasoning names: then Hermes calls are written.
    model: folder of the tokenizer to record with. added: special tokens to add to it.
    tokens: others of its tokens that the names need. parts: special tokens to add that are no
    markers by themselves, only parts of them.
    glue: what stands between two calls. think: how reasoning opens and closes.
    request: what all its recorded requests have.
    lead: what an output without reasoning begins with.
    odd: more outputs of a tool name, by case name; a list is tokenized part by part, so that a
    marker spelt over two parts is text. extra: whole cases (name, text, request or kwargs, prompt,
    finish_reason) that `common`, `request_cases` and `reasoning_cases` do not have.
    markup: bits for random outputs. exact: arguments come back as `json.dumps` writes them;
    else only their names do, since types follow the schema. known: a call of a tool that the
    request does not offer is none. response_template: of the tokenizer's configuration, for the
    names that read it.
    """

    golden: Mapping[str, tuple[str | None, str | None]]
    call: Call | None = None
    model: str = "qwen3"
    added: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    glue: str = "\n"
    think: tuple[str, str] = ("<think>", "</think>")
    request: Mapping[str, Any] = field(default_factory=dict)
    lead: str = ""
    odd: Mapping[str, Text] = field(default_factory=dict)
    extra: tuple[Case, ...] = ()
    markup: tuple[str, ...] = ()
    exact: bool = True
    known: bool = False
    response_template: Mapping[str, Any] | None = None


def _found() -> dict[str, Family]:
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found: dict[str, Family] = {}
    for name in modules:
        module = importlib.import_module(f"{__name__}.{name}")
        found |= getattr(module, "FAMILIES", None) or {name: module.FAMILY}
    return found


FAMILIES: dict[str, Family] = _found()
BY_TOOL = {tool: f for f in FAMILIES.values() for tool, _ in f.golden.values() if tool}
BY_REASONING = {name: f for f in FAMILIES.values() for _, name in f.golden.values() if name}
