"""Render the corpus's conversations with published templates, in vLLM's render server and in ours.

    RENDER_PEERS=FOLDER python -m tests.record.templates [--record] [WORD ...]

FOLDER holds models/ with the tokenizers and models/templates/ (`scripts/fetch_models.py`); the
Python is one with vLLM 0.33.0. Both servers run in this process, without a network. Renderings
that differ are printed, and the exit code is then 1. WORD: only templates with it in their name.
--record writes digests of vLLM's answers into tests/golden/chat/published.jsonl: the names of the
conversations, then a line a template.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from render_service import template as our_templates
from render_service.corpus import conversation_cases
from render_service.loading import load_model
from render_service.model import Model
from render_service.settings import Settings
from tests.render_service.published import GOLDEN, RENDERED_ON, digest, ours, outcome, tokenizer_of

PATH = "/v1/chat/completions/render"
FLAGS = ["--trust-request-chat-template", "--served-model-name", "served"]

Outcome = list[Any]


class Vllm:
    """The application of `vllm launch render`, called without a socket."""

    def __init__(self, folder: Path) -> None:
        from httpx import ASGITransport, AsyncClient
        from vllm import AsyncEngineArgs
        from vllm.config import VllmConfig
        from vllm.entrypoints.common.cli_args import make_arg_parser
        from vllm.entrypoints.launchers.app import build_app
        from vllm.entrypoints.launchers.render.app_state import init_render_app_state
        from vllm.utils.argparse_utils import FlexibleArgumentParser

        self._loop = asyncio.new_event_loop()
        args = make_arg_parser(FlexibleArgumentParser()).parse_args(
            ["--model", str(folder), *FLAGS]
        )
        engine = AsyncEngineArgs.from_cli_args(args)
        config = VllmConfig(
            model_config=engine.create_model_config(),
            structured_outputs_config=engine.create_structured_outputs_config(),
        )
        app = build_app(args, ("render",))
        self._loop.run_until_complete(init_render_app_state(config, app.state, args))
        self._client = AsyncClient(transport=ASGITransport(app), base_url="http://vllm")

    def render(self, body: Any) -> Outcome:
        answer = self._loop.run_until_complete(self._client.post(PATH, json=body))
        return outcome(answer.status_code, answer.json())


def fix_date() -> None:
    """Put both servers on the day that is recorded; templates ask for it."""
    from transformers.utils import chat_template_utils

    class Day(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return RENDERED_ON

    chat_template_utils.datetime = Day
    our_templates._GLOBALS["strftime_now"] = RENDERED_ON.strftime


@cache
def served(folder: Path) -> tuple[Vllm, Model]:
    settings = Settings(
        model=str(folder),
        served_model_name=("served",),
        trust_request_chat_template=True,
        fingerprint="off",
    )
    return Vllm(folder), load_model(settings)


def compare(path: Path, folder: Path) -> tuple[str, int]:
    """The digests of vLLM's renderings with one template, and how many of ours differ."""
    vllm, model = served(folder)
    source = path.read_text(encoding="utf-8")
    digests, different = "", 0
    for case in conversation_cases():
        assert isinstance(case.body, dict)
        body = {**case.body, "chat_template": source}
        theirs, mine = vllm.render(body), ours(model, body)
        digests += digest(theirs)
        if theirs != mine:
            different += 1
            print(f"{path.name} {case.name!r}: vLLM {shown(theirs)} ours {shown(mine)}")
    return digests, different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--record", action="store_true")
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    logging.disable(logging.ERROR)
    fix_date()
    models = Path(os.environ["RENDER_PEERS"]).expanduser() / "models"
    files = sorted(
        (models / "templates").glob("*.jinja"), key=lambda path: (tokenizer_of(path.name), path)
    )
    names = [case.name for case in conversation_cases()]
    lines: list[dict[str, Any]] = [{"conversations": names}]
    found = 0
    for path in files:
        if not options.words or any(word in path.name for word in options.words):
            model = tokenizer_of(path.name)
            digests, different = compare(path, models / model)
            lines.append({"template": path.name, "model": model, "digests": digests})
            print(f"{path.name} on {model}: {len(names) - different} equal, {different} different")
            found += different
    if options.record:
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        GOLDEN.write_text(text, encoding="utf-8")
    return 1 if found else 0


def shown(outcome: Outcome) -> str:
    text = json.dumps(outcome, ensure_ascii=False)
    return text if len(text) < 200 else f"{text[:200]}… ({len(text)})"


if __name__ == "__main__":
    sys.exit(main())
