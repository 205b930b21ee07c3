"""`render-service prefix-check MODEL conversation.json`: which turns can use their cache again."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import configuration
from .command_parser import CommandParser
from .errors import RequestError
from .prefix_break import Break, Side
from .prefix_cause import CAUSES
from .prefix_check import Checked, check
from .prompt import check_token_ids
from .protocol.chat import ChatRequest, decode_chat_request
from .stdout import reader_may_leave
from .usage_error import UsageError, read_given

if TYPE_CHECKING:
    from .model import Model

REUSABLE, BROKEN = 0, 1  # exit codes; 2 is for mistakes of the caller
SHOWN_IDS = 6

EPILOG = """\
The file holds a chat request: messages, tools, chat_template_kwargs and so on. Its assistant
messages are the outputs; one may carry the token_ids that the engine gave, else they are derived.
Flags count as for `serve`.
Exit code: 0 all can be used again, 1 some cannot, 2 nothing could be checked."""


def add_arguments(parser: CommandParser) -> None:
    configuration.add_arguments(parser, serves=False)
    parser.usage = f"{parser.prog} [MODEL] conversation.json [flags]"
    parser.epilog = EPILOG
    parser.add_argument("conversation", metavar="conversation.json", help="A chat request.")
    parser.add_argument(
        "--json", action="store_true", default=False, help="Print JSON instead of a table."
    )


def run(args: argparse.Namespace) -> int:
    """Raises UsageError."""
    settings = configuration.configure(args, os.environ).settings
    path: str = args.conversation
    raw = read_given(path)
    from .loading import load_model

    model = load_model(settings)
    try:
        request = _request(model, raw)
        turns = list(check(model, request))
    except RequestError as error:
        raise UsageError(f"{path}: {error.message}") from None
    if not turns:
        raise UsageError(f"{path}: no assistant message has messages before and behind it")
    with reader_may_leave():
        print(_json(model, turns) if args.json else _text(model, turns))
    return BROKEN if any(turn.broken for turn in turns) else REUSABLE


def _request(model: Model, raw: bytes) -> ChatRequest:
    """Raises RequestError."""
    request = decode_chat_request(raw)
    if request.truncate_prompt_tokens is not None:
        raise RequestError("truncate_prompt_tokens: prompts that are cut begin with other tokens")
    for index, message in enumerate(request.messages):
        ids = message.get("token_ids")
        if ids is None:
            continue
        if not isinstance(ids, list) or not ids or any(type(i) is not int for i in ids):
            raise RequestError(f"messages.{index}.token_ids must be a list of token IDs")
        check_token_ids(model, ids, f"messages.{index}.token_ids")
    return request


# What is printed


def _text(model: Model, turns: Sequence[Checked]) -> str:
    head = ("turn", "message", "prompt", "output", "next", "reusable", "lost", "")
    rows = [head, *(_row(number, turn) for number, turn in enumerate(turns, 1))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head) - 1)]
    lines = [f"model {model.names[0]}, fingerprint {model.fingerprint.value}", ""]
    lines += ["  ".join([*map(str.rjust, row[:-1], widths), row[-1]]).rstrip() for row in rows]
    for number, turn in enumerate(turns, 1):
        if turn.broken is not None:
            lines += ["", *_break_lines(number, turn, turn.broken)]
    return "\n".join([*lines, "", _summary(turns)])


def _row(number: int, checked: Checked) -> tuple[str, ...]:
    turn = checked.turn
    marks = "~" if turn.output.source == "estimated" else ""
    return (
        str(number),
        str(turn.answer),
        str(len(turn.prompt.ids)),
        marks + str(len(turn.output.ids)),
        str(len(turn.following.ids)),
        str(checked.reusable),
        f"{_percent(checked.lost, len(turn.cached))}%",
        "" if checked.broken is None else checked.broken.cause,
    )


def _break_lines(number: int, checked: Checked, broken: Break) -> list[str]:
    return [
        f"turn {number} breaks at token {broken.position} of {len(checked.turn.cached)}, "
        f"in messages.{broken.message} ({broken.role}): {CAUSES[broken.cause]}",
        f"  before  {broken.before.text!r}",
        f"  cached  {_shown(broken.cached)}",
        f"  next    {_shown(broken.following)}",
    ]


def _shown(side: Side) -> str:
    more = " ..." if len(side.ids) > SHOWN_IDS else ""
    return f"{side.text!r}  {' '.join(map(str, side.ids[:SHOWN_IDS]))}{more}"


def _summary(turns: Sequence[Checked]) -> str:
    broken = sum(turn.broken is not None for turn in turns)
    lost, cached = sum(turn.lost for turn in turns), sum(len(turn.turn.cached) for turn in turns)
    note = ""
    if any(turn.turn.output.source == "estimated" for turn in turns):
        note = "\n~ estimated: the template does not write this answer as it begins it."
    return (
        f"{broken} of {len(turns)} turns broken; {lost} of {cached} cached tokens "
        f"({_percent(lost, cached)}%) cannot be used again.{note}"
    )


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1)


def _json(model: Model, turns: Sequence[Checked]) -> str:
    found = {
        "model": model.names[0],
        "fingerprint": model.fingerprint.value,
        "reusable": not any(turn.broken for turn in turns),
        "turns": [_turn_json(number, turn) for number, turn in enumerate(turns, 1)],
    }
    return json.dumps(found, ensure_ascii=False, indent=2)


def _turn_json(number: int, checked: Checked) -> dict[str, Any]:
    turn, broken = checked.turn, checked.broken
    return {
        "turn": number,
        "message": turn.answer,
        "prompt_tokens": len(turn.prompt.ids),
        "output_tokens": len(turn.output.ids),
        "output_source": turn.output.source,
        "next_prompt_tokens": len(turn.following.ids),
        "common_prefix": checked.reusable,
        "lost_tokens": checked.lost,
        "lost_percent": _percent(checked.lost, len(turn.cached)),
        "break": None if broken is None else _break_json(broken),
    }


def _break_json(broken: Break) -> dict[str, Any]:
    return {
        "position": broken.position,
        "message": broken.message,
        "role": broken.role,
        "cause": broken.cause,
        "explanation": CAUSES[broken.cause],
        **{
            name: {"text": side.text, "token_ids": side.ids}
            for name, side in (
                ("before", broken.before),
                ("cached", broken.cached),
                ("next", broken.following),
            )
        },
    }
