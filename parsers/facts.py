"""What each registered format looks for, for people: names, markers, what switches reasoning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .from_template import FROM_TEMPLATE
from .parts import ReasoningFormat, ToolFormat
from .regions import To
from .registry import REASONING_FORMATS, TOOL_FORMATS
from .scanner import literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One format.

    kind: "tool" or "reasoning". family: the format's own name. names: those that mean it.
    needs: tokens without which a vocabulary is refused. tokens: markers that count only as
    tokens where the vocabulary has them. texts: markers that count as text too.
    calls: how calls are written; "" for reasoning. forced: the tool choices for which they are
    plain JSON instead. prompt: tokens of the prompt that say whether reasoning is open.
    switches: template arguments with the values that turn reasoning off. from_template: the
    format is in the model's own response template.
    """

    kind: str
    family: str
    names: tuple[str, ...]
    needs: tuple[str, ...]
    tokens: tuple[str, ...]
    texts: tuple[str, ...]
    calls: str = ""
    forced: tuple[str, ...] = ()
    prompt: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    from_template: bool = False

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All tokens that the format has a use for."""
        return tuple(dict.fromkeys((*self.needs, *self.tokens, *self.prompt)))


def describe() -> list[Facts]:
    """Of all formats: those of tool calls, then those of reasoning; of those that models bring,
    what is the same for all of them.
    """
    tools = {id(form): form for form in TOOL_FORMATS.values()}
    reasonings = {id(form): form for form in REASONING_FORMATS.values()}
    return [
        *map(_of_tool, tools.values()),
        *(_of_template("tool", name) for name in FROM_TEMPLATE),
        *map(_of_reasoning, reasonings.values()),
        *(_of_template("reasoning", name) for name in FROM_TEMPLATE),
    ]


def _of_template(kind: str, name: str) -> Facts:
    return Facts(
        kind=kind,
        family=name,
        names=(name,),
        needs=(),
        tokens=(),
        texts=(),
        calls="as the model's response template says" if kind == "tool" else "",
        from_template=True,
    )


def _of_tool(form: ToolFormat) -> Facts:
    tokens, texts = _markers([form.content, *(region.on for region in form.regions.values())])
    return Facts(
        kind="tool",
        family=form.name,
        names=tuple(name for name, other in TOOL_FORMATS.items() if other is form),
        needs=form.required,
        tokens=tokens,
        texts=texts,
        calls=re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(form.codec).__name__).lower(),
        forced=tuple(form.forced),
    )


def _of_reasoning(form: ReasoningFormat) -> Facts:
    tokens, texts = _markers([form.content, *(region.on for region in form.regions.values())])
    off = "off by default" if form.switches and not form.unless_told else ""
    return Facts(
        kind="reasoning",
        family=form.name,
        names=tuple(name for name, other in REASONING_FORMATS.items() if other is form),
        needs=form.required,
        tokens=tokens,
        texts=texts,
        prompt=(*form.opens, *form.closes, *form.boundaries),
        switches=(
            *(f"{name}=false" for name in form.switches),
            *(f"{name}={value}" for name, value in form.off),
            *([off] if off else []),
        ),
    )


def _markers(tables: Iterable[Mapping[str, To]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Markers that count as tokens only, and those that count as text too, in their order."""
    found: dict[str, bool] = {}
    for table in tables:
        for marker, to in table.items():
            if not marker.startswith("\0"):  # how a BODY ended, which is no marker
                spelt = literal(marker)
                found[spelt] = found.get(spelt, True) and to.token
    return (
        tuple(marker for marker, token in found.items() if token),
        tuple(marker for marker, token in found.items() if not token),
    )
