"""The service with endpoints that a test controls; run as `serve MODEL ...flags` would be.

`/v1/chat/completions/render` answers its body at once (small) or from a thread (over 1 KiB).
`/tokenize` waits until the file named in the body exists. `/detokenize` fails with a secret.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from render_service import logs
from render_service.answer import Answer
from render_service.app import App
from render_service.command_parser import CommandParser
from render_service.configuration import add_arguments, configure
from render_service.endpoints import Endpoint
from render_service.loading import load_model
from render_service.metrics import Metrics
from render_service.model import Model
from render_service.server import serve
from render_service.sockets import bind
from render_service.supervisor import flush_and_exit


def echo(model: Model, body: bytes, request_id: str | None) -> Answer:
    return Answer(body, tokens=3, outcome="content", state_bytes=100)


def hold(model: Model, body: bytes, request_id: str | None) -> Answer:
    file = Path(body.decode().strip())
    Path(f"{file}.started").touch()
    while not file.exists():
        time.sleep(0.01)
    return Answer(b'{"held": true}')


def fail(model: Model, body: bytes, request_id: str | None) -> Answer:
    raise RuntimeError("a secret")


ROWS = (
    Endpoint("/v1/chat/completions/render", echo, "rendered", 1024),
    Endpoint("/tokenize", hold, None, 0),
    Endpoint("/detokenize", fail, None, 1024),
)


def main() -> None:
    parser = CommandParser(prog="held-service")
    add_arguments(parser)
    settings = configure(parser.parse(sys.argv[1:]), os.environ).settings
    logs.configure(settings)
    listeners = bind(settings)
    model = load_model(settings)
    listeners.listen()
    finished = serve(App(model, Metrics(), ROWS), settings, listeners.sockets[0])
    listeners.close()
    if not finished:
        flush_and_exit(0)


if __name__ == "__main__":
    main()
