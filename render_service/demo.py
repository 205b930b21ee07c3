"""`render-service demo`: a chat with a tool call through render, a token engine and derender.

Three server processes on free ports of 127.0.0.1: the service twice, one for /render and one for
/derender, as replicas that share nothing, and between them the scripted token engine (or a real
one, with --engine-url). The client is in `demo_client.py`.
"""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .demo_client import Client, DemoError, Turn
from .demo_screen import Screen
from .local_server import LocalServer, ServerFailed
from .usage_error import UsageError

QUESTION = "What is the weather in Paris right now?"
RESULT = {"temperature": 18, "unit": "celsius", "condition": "light clouds"}
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            },
            "required": ["city"],
        },
    },
}
NAME = "demo"
PACE = 0.02  # seconds between the engine's chunks, so that a person can follow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", help="Model folder to use instead of the bundled demo model.")
    parser.add_argument("--tool-call-parser", default="hermes", help="Default: hermes.")
    parser.add_argument("--reasoning-parser", default="qwen3", help="Default: qwen3.")
    parser.add_argument(
        "--engine-url", help="A running `vllm serve --tokens-only` of the same model."
    )
    parser.add_argument("--question", default=QUESTION, help=f"Default: {QUESTION!r}")
    parser.add_argument("--max-tokens", type=int, default=512, help="Of one answer. Default: 512.")
    parser.add_argument(
        "--serve",
        action="store_true",
        default=False,
        help="Keep the servers up afterwards and print the curl commands of a client.",
    )


def run(args: argparse.Namespace) -> int:
    """Exit code: 0, or 1 where a part failed. Raises UsageError."""
    model = getattr(args, "model", None)
    engine_url = getattr(args, "engine_url", None)
    if model is not None and engine_url is None and not Path(model, "tokenizer.json").is_file():
        raise UsageError(f"--model {model}: not a folder with a tokenizer.json; see --engine-url")
    screen = Screen(sys.stdout)
    with ExitStack() as stack:
        # ended from outside, the servers must end too
        stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, _interrupt))
        try:
            render, engine, derender = _start(args, model, engine_url, screen, stack)
            client = Client(render, engine, derender)
            _converse(args, client, screen)
        except (DemoError, ServerFailed) as error:
            print(f"render-service demo: {error}", file=sys.stderr)
            return 1
        if args.serve:
            _show_commands(args, (render, engine, derender), screen)
            signal.pause()
    return 0


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _start(
    args: argparse.Namespace,
    model: str | None,
    engine_url: str | None,
    screen: Screen,
    stack: ExitStack,
) -> tuple[str, str, str]:
    """Start the servers side by side; the stack ends them. Returns their base URLs."""
    service = ["render_service", "serve", *([model] if model else []), "--served-model-name", NAME]
    service += ["--tool-call-parser", args.tool_call_parser, "--enable-auto-tool-choice"]
    service += ["--reasoning-parser", args.reasoning_parser]
    engine = ["render_service.token_engine", *(["--model", model] if model else [])]
    engine += ["--delay", str(PACE if sys.stdout.isatty() else 0)]

    def start(arguments: list[str]) -> str:
        return stack.enter_context(LocalServer(arguments)).url

    commands = [service, service] if engine_url else [service, service, engine]
    with ThreadPoolExecutor() as threads:
        urls = list(threads.map(start, commands))
    render, derender = urls[:2]
    where = engine_url or urls[2]
    screen.title("servers")
    screen.line(f"{'render':>12} | {render}  render-service")
    screen.line(f"{'engine':>12} | {where}  {'given' if engine_url else 'scripted token engine'}")
    screen.line(f"{'derender':>12} | {derender}  render-service")
    return render, where, derender


def _converse(args: argparse.Namespace, client: Client, screen: Screen) -> None:
    """Two turns: the question, and the answer to the tool's result if a tool was called."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": args.question}]
    turn = _turn(args, client, screen, messages, 1)
    if not turn.calls:
        screen.line("\nThe model called no tool.")
        return
    messages.append(turn.message())
    for call in turn.calls:
        result = json.dumps(RESULT)
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    _turn(args, client, screen, messages, 2)


def _turn(
    args: argparse.Namespace,
    client: Client,
    screen: Screen,
    messages: list[dict[str, Any]],
    number: int,
) -> Turn:
    chat = {
        **_chat_request(args, messages),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    turn = Turn()
    generate = client.prompt(chat, turn.render)
    text, markers = client.spelled(generate["token_ids"])
    screen.title(f"turn {number}: the prompt, {len(generate['token_ids'])} tokens")
    screen.prompt(text, markers)
    screen.title(f"turn {number}: the answer, as it is parsed")
    client.answer(chat, generate, turn, screen.delta)
    screen.end()
    screen.title(f"turn {number}: what it took")
    screen.costs(turn)
    return turn


def _chat_request(args: argparse.Namespace, messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {"model": NAME, "messages": messages, "tools": [TOOL], "max_tokens": args.max_tokens}


def _show_commands(args: argparse.Namespace, urls: tuple[str, str, str], screen: Screen) -> None:
    """The same chat from a shell: three curl commands, each fed by the one before."""
    messages = [{"role": "user", "content": args.question}]
    chat = {**_chat_request(args, messages), "return_token_ids": True}
    render, engine, derender = urls
    post = "curl -sS -H 'Content-Type: application/json'"
    screen.title("the same from a shell; Ctrl-C ends the servers")
    screen.line(f"CHAT={shlex.quote(json.dumps(chat))}")
    screen.line(f'GENERATE=$({post} {render}/v1/chat/completions/render -d "$CHAT")')
    screen.line(f'OUTPUT=$({post} {engine}/inference/v1/generate -d "$GENERATE")')
    body = '"{\\"chat_request\\":$CHAT,\\"generate_response\\":$OUTPUT}"'
    screen.line(f"{post} {derender}/v1/chat/completions/derender -d {body}")
