"""The service with endpoints that a test controls; run as `serve MODEL ...flags` would be.

`/v1/chat/completions/render` answers its body at once (small) or from a thread (over 1 KiB).
`/v1/completions/render` and `/tokenize` wait until the file named in the body exists; meanwhile
FILE.started holds the process ID. `/detokenize` fails with a secret. The others are the real ones.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from render_service import serve, telemetry
from render_service.answer import Answer
from render_service.command_parser import CommandParser
from render_service.endpoints import ENDPOINTS, Endpoint
from render_service.model import Model


def echo(model: Model, body: bytes, request_id: str | None) -> Answer:
    return Answer(body, tokens=3, outcome="content", state_bytes=100)


def hold(model: Model, body: bytes, request_id: str | None) -> Answer:
    file = Path(body.decode().strip())
    started = Path(f"{file}.started")
    unfinished = started.with_suffix(".writing")
    unfinished.write_text(str(os.getpid()))
    unfinished.rename(started)
    while not file.exists():
        time.sleep(0.01)
    return Answer(b'{"held": true}')


def fail(model: Model, body: bytes, request_id: str | None) -> Answer:
    raise RuntimeError("a secret")


OWN = {
    row.path: row
    for row in (
        Endpoint("/v1/chat/completions/render", echo, "rendered", 1024),
        Endpoint("/v1/completions/render", hold, None, 0),
        Endpoint("/tokenize", hold, None, 0),
        Endpoint("/detokenize", fail, None, 1024),
    )
}
ROWS = [OWN.get(row.path, row) for row in ENDPOINTS]


def main() -> int:
    vars(telemetry)["ENDPOINTS"] = ROWS
    parser = CommandParser(prog="held-service")
    serve.add_arguments(parser)
    return serve.run(parser.parse(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
