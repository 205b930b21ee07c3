"""Muse Glimmer: Muse's messages without commentary, thoughts joined by newlines."""

from __future__ import annotations

from . import Case, Family
from .muse import (
    ANSWER,
    EOM,
    EOT,
    NEXT_ANSWER,
    OUTPUTS,
    START,
    THOUGHT,
    call,
)
from .muse import FAMILY as MUSE

MORE = {
    "no recipient": f"<|message|>Hello.{EOT}",
    "thought, no recipient": f"{THOUGHT}Hm.{EOM}{START}<|message|>Hello.{EOT}",
    "three thoughts": f"{THOUGHT}a{EOM}{START}{THOUGHT}b{EOM}{START}{THOUGHT}c{EOM}"
    f"{START}{ANSWER}d{EOT}",
    "thought around an answer": f"{THOUGHT}a{EOM}{START}{ANSWER}b{EOM}{START}{THOUGHT}c{EOM}",
}


def _cases() -> tuple[Case, ...]:
    return tuple({"name": name, "text": text} for name, text in (OUTPUTS | MORE).items())


FAMILY = Family(
    golden={"muse_glimmer+muse_glimmer": ("muse_glimmer", "muse_glimmer")},
    call=call,
    added=MUSE.added,
    glue="",
    think=(THOUGHT, NEXT_ANSWER),
    lead=ANSWER,
    extra=_cases(),
    markup=MUSE.markup,
    exact=False,
)
