"""Record stream states of the version that is written now, into tests/golden/stream_states/.

    python -m tests.record.stream_states VERSION

A version's file is written once, when the version is new, and kept for ever: later releases must
go on from its states (tests/render_service/test_state_versions.py). `services` are streams of the
demo model, chunk by chunk; `parsers` are snapshots of every parser name.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from typing import Any, Literal, cast

from tests.parsers.support import FILES, characters, context_of, format_of, pieces_of, recorded
from tests.render_service import derender_client as client
from tests.render_service.state_streams import FOLDER, STREAMS, Json, chunks_of, send

SHARES = (0.3, 0.5, 0.7, 0.9)


def service_stream(name: str, version: Literal[1, 2]) -> Json:
    stream = STREAMS[name]
    model = client.demo(**stream.settings, stream_state_version=version)
    states: list[Any] = [None]
    choices: list[Any] = []
    for generated in chunks_of(model, stream):
        answer = send(model, stream, generated, states[-1])
        states.append(answer["stream_state"])
        choices.append(answer["chunk"]["choices"])
    return {"stream": name, "states": states[1:-1], "choices": choices}


def parser_snapshots(file: str) -> list[Json]:
    """Of the case with the longest calls, or else reasoning."""
    fmt = format_of(file)
    _, cases = recorded(file)
    case = max(
        cases,
        key=lambda c: (len(json.dumps(c["batch"]["calls"])), len(c["batch"]["reasoning"] or "")),
    )
    pieces, context = characters(pieces_of(case, fmt)), context_of(case["request"])
    stream, found = fmt.start(context, case["prompt_ids"]), []
    stops = [0, *(int(len(pieces) * share) for share in SHARES)]
    for begin, end in pairwise(stops):
        stream.feed(pieces[begin:end])
        found.append({"file": file, "case": case["name"], "at": end, "state": stream.snapshot()})
    return found


def main() -> None:
    version = cast(Literal[1, 2], int(sys.argv[1]))
    path = FOLDER / f"v{version}.json"
    if path.exists():
        sys.exit(f"{path} exists: the states of a version are recorded once")
    FOLDER.mkdir(exist_ok=True)
    lines = [
        "{",
        f'"services": {json.dumps([service_stream(name, version) for name in STREAMS])},',
        f'"parsers": {json.dumps([s for file in FILES for s in parser_snapshots(file)])}',
        "}",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
