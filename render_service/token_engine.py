"""A scripted token engine: `POST /inference/v1/generate` over HTTP, whole or as server-sent events.

For demos and tests: no model, no GPU. What it says is chosen in `token_script.py`, the bodies are
made in `token_answers.py`; this file is the server.

    python -m render_service.token_engine [--model FOLDER] [--script FILE] --port 8100
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from .errors import RequestError, schema_error
from .token_answers import TokenAnswers
from .token_script import ScriptError, load_script

DEMO_MODEL = Path(__file__).parent / "demo_model"


def application(answers: TokenAnswers, delay: float = 0.0) -> Starlette:
    """The ASGI application. delay: seconds before each event of a stream."""

    async def generate(request: Request) -> Response:
        try:
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise schema_error(
                    "1 validation error:\n"
                    "  Unsupported Media Type: Only 'application/json' is allowed"
                )
            body = answers.check(await request.body())
            base = request.headers.get("x-request-id") or body.request_id or uuid.uuid4().hex
            request_id = f"generate-tokens-{base}"
            if not body.stream:
                return Response(answers.whole(body, request_id), media_type="application/json")
            events = sse(answers.chunks(body, request_id), delay)
            return StreamingResponse(events, media_type="text/event-stream")
        except RequestError as error:
            return Response(error.body(), error.status, media_type="application/json")

    async def health(_: Request) -> Response:
        return Response()

    async def models(_: Request) -> Response:
        card = {
            "id": answers.name,
            "object": "model",
            "created": int(time.time()),
            "owned_by": "render-service",
            "root": answers.name,
            "parent": None,
            "max_model_len": answers.script.max_model_len,
        }
        return JSONResponse({"object": "list", "data": [card]})

    return Starlette(
        routes=[
            Route("/inference/v1/generate", generate, methods=["POST"]),
            Route("/health", health),
            Route("/v1/models", models),
        ]
    )


async def sse(chunks: Iterator[bytes], delay: float) -> AsyncIterator[bytes]:
    for chunk in chunks:
        await asyncio.sleep(delay)
        yield b"data: " + chunk + b"\n\n"
    yield b"data: [DONE]\n\n"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m render_service.token_engine", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "--model",
        type=Path,
        default=DEMO_MODEL,
        help="Model folder. Default: the bundled demo model.",
    )
    parser.add_argument(
        "--served-model-name",
        default="demo",
        help="A request that names another model is refused. Default: demo.",
    )
    parser.add_argument(
        "--script",
        type=Path,
        help='JSON file of what to say, as {"outputs": ["Hello."]}. Default: an answer that fits '
        "the prompt, with a tool call where the prompt has tools as Qwen3's template writes them.",
    )
    parser.add_argument(
        "--chunk-tokens",
        type=int,
        nargs="+",
        default=[1],
        help="Sizes of a stream's chunks in tokens, repeated as needed. Default: 1.",
    )
    parser.add_argument(
        "--delay", type=float, default=0.0, help="Seconds before each chunk. Default: 0."
    )
    parser.add_argument("--host", default="127.0.0.1", help="Default: 127.0.0.1.")
    parser.add_argument("--port", type=int, default=8100, help="Default: 8100.")
    options = parser.parse_args(argv)
    try:
        script = load_script(options.model, options.script, options.chunk_tokens)
    except (ScriptError, OSError) as error:
        print(f"token engine: {error}", file=sys.stderr)
        return 2
    app = application(TokenAnswers(script, options.served_model_name), options.delay)
    uvicorn.run(app, host=options.host, port=options.port, access_log=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
