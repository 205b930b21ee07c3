"""Where two servers' answers to one request differ, field by field, equal modulo IDs and times.

A server's own values are compared by what is not random in them: an ID without its random part and
without our fingerprint, a time and a state by being there. What docs/differences.md says of every
answer is no difference either: the words of schema errors, the white space beside a streamed call,
and how the arguments of a streamed call are spaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .errors import SCHEMA_ERROR

Json = dict[str, Any]
ABSENT = object()

_RANDOM = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{16})|-rf[0-9a-f]{12}$")
_IDS = frozenset({"id", "request_id"})
_OWN = frozenset({"created", "stream_state"})
# Below these a client's own values stand, whatever their names.
_OPAQUE = frozenset(
    {"parameters", "arguments", "chat_template_kwargs", "kv_transfer_params", "structured_outputs"}
)


class Difference(NamedTuple):
    """path: names joined by dots, with indices. theirs, ours: ABSENT where there is none."""

    path: str
    theirs: Any
    ours: Any

    @property
    def field(self) -> str:
        """The path without its indices."""
        return re.sub(r"\[\d+\]", "", self.path)


def differences(
    theirs: Any, ours: Any, path: str = "", *, own: bool = True
) -> Iterator[Difference]:
    """own: whether values by the names of IDs and times are the servers'."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in {**theirs, **ours}:
            a, b = theirs.get(key, ABSENT), ours.get(key, ABSENT)
            if own and key in _IDS and isinstance(a, str) and isinstance(b, str):
                a, b = stable_id(a), stable_id(b)
            elif own and key in _OWN and ABSENT not in (a, b):
                a, b = a is None, b is None
            below = f"{path}.{key}" if path else key
            yield from differences(a, b, below, own=own and key not in _OPAQUE)
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for index, (a, b) in enumerate(zip(theirs, ours, strict=True)):
            yield from differences(a, b, f"{path}[{index}]", own=own)
    elif type(theirs) is not type(ours) or theirs != ours:
        yield Difference(path, theirs, ours)


def stable_id(text: str) -> str:
    return _RANDOM.sub("", text)


def answer_differences(theirs: tuple[int, Any], ours: tuple[int, Any]) -> list[Difference]:
    """Of two answers, each a status and a body; of the bodies only where the status is equal."""
    if theirs[0] != ours[0]:
        return [Difference("status", *(_refusal(*answer) for answer in (theirs, ours)))]
    return list(differences(_wordless(theirs[1]), _wordless(ours[1])))


def _refusal(status: int, body: Any) -> Any:
    error = body.get("error") if isinstance(body, dict) else None
    return [status, error.get("message") if isinstance(error, dict) else error] if error else status


def _wordless(body: Any) -> Any:
    """Without the words of a schema error, if it has some."""
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict) or error.get("type") != SCHEMA_ERROR:
        return body
    return {**body, "error": {**error, "message": bool(error.get("message"))}}


def joined_chat(chunks: Iterable[Json]) -> Json:
    """What a client has at the end of a streamed chat: by choice its texts, calls and reason."""
    choices: dict[str, Json] = {}
    usage = None
    for chunk in chunks:
        usage = chunk.get("usage") or usage
        for choice in chunk["choices"]:
            into = choices.setdefault(
                str(choice["index"]),
                {"role": 0, "content": "", "reasoning": "", "calls": {}, "logprobs": []},
            )
            delta = choice["delta"]
            into["role"] += delta.get("role") is not None
            for part in ("content", "reasoning"):
                into[part] += delta.get(part) or ""
            for call in delta.get("tool_calls") or ():
                known = into["calls"].setdefault(call["index"], {"name": "", "arguments": ""})
                for part in known:
                    known[part] += (call.get("function") or {}).get(part) or ""
            into["logprobs"] += (choice.get("logprobs") or {}).get("content") or []
            into |= {part: choice.get(part) for part in ("finish_reason", "stop_reason")}
            if choice.get("token_ids"):
                into["token_ids"] = into.get("token_ids", []) + choice["token_ids"]
    for choice in choices.values():
        calls = choice["calls"] = [choice["calls"][at] for at in sorted(choice["calls"])]
        if calls and not choice["content"].strip():
            choice["content"] = ""
        for call in calls:
            call["arguments"] = _by_value(call["arguments"])
    return {"choices": choices, "usage": usage}


def _by_value(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def as_whole(joined: Json, whole: Json) -> bool:
    """Whether a joined stream says what the answer to the whole output says."""
    answers = {str(choice["index"]): choice for choice in whole["choices"]}
    return all(
        _said(choice, choice["calls"], choice)
        == _said(
            answers[index]["message"],
            [
                {**call["function"], "arguments": _by_value(call["function"]["arguments"])}
                for call in answers[index]["message"].get("tool_calls") or ()
            ],
            answers[index],
        )
        for index, choice in joined["choices"].items()
    )


def _said(message: Json, calls: list[Json], choice: Json) -> tuple[Any, ...]:
    content = message["content"] or ""
    said = "" if calls and not content.strip() else content
    return said, message["reasoning"] or "", calls, choice["finish_reason"]
