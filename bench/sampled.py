"""The service with a sampler of where its CPU time goes, for `bench.profile`.

    python -m bench.sampled PREFIX serve [MODEL] [flags of serve]

With each tick of its CPU clock (4 ms with most kernels) the main thread's innermost frame that a
part is known of counts for it; what C code takes counts for the line that called it. SIGUSR2 writes
the counts to PREFIX.0, PREFIX.1 and so on, and begins anew.
"""

from __future__ import annotations

import json
import linecache
import os
import re
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

from render_service import cli

INTERVAL = 0.001  # seconds; ticks are what the kernel has

HTTP, REST = "HTTP and event loop", "the rest of a request"
LINES = (
    ("JSON encode", re.compile(r"dumps\(|\bencode\(|_encoder\.encode")),
    ("JSON decode", re.compile(r"loads\(|decode_|_decoder|\bdecode\(|convert\(")),
)
"""By the text of a line in what is none of the parts that have files of their own."""
FILES = (
    ("parser", re.compile(r"/parsers/|/(native|output|vllm)_parser\.py")),
    ("detokenizer", re.compile(r"/(detokenizer|token_text|special_tokens)\.py")),
    ("tokenizer", re.compile(r"/(tokenizer\w*|fast_tokenizer)\.py")),
    ("template", re.compile(r"/(template\w*|chat_\w+)\.py|/jinja2/|/renderers/|<template>")),
    ("metrics", re.compile(r"/(metrics|meters|telemetry)\.py|/prometheus_client/")),
    ("state and caches", re.compile(r"/(\w+_state|\w+_cache|state_keys|crossing|carried\w+)\.py")),
    ("JSON decode", re.compile(r"/render_service/protocol/")),
    (HTTP, re.compile(r"/(http_protocol|whole_answer|server)\.py|/uvicorn/|/asyncio/|/uvloop/")),
    ("dispatch", re.compile(r"/(app|auth|endpoints|inline_\w+|known_\w+|request_body|reply)\.py")),
    (REST, re.compile(r"/render_service/")),
)  # fmt: skip
LOOKED_INTO = (REST, "dispatch", "state and caches")


def part_of(frame: FrameType | None) -> str:
    while frame is not None:
        name = frame.f_code.co_filename
        for part, pattern in FILES:
            if pattern.search(name):
                return _by_line(name, frame.f_lineno or 0) or part if part in LOOKED_INTO else part
        frame = frame.f_back
    return HTTP


def _by_line(name: str, number: int) -> str | None:
    line = linecache.getline(name, number)
    return next((part for part, pattern in LINES if pattern.search(line)), None)


def main(prefix: str, command: list[str]) -> int:
    counts: Counter[str] = Counter()
    written = 0

    def sample(number: int, frame: FrameType | None) -> None:
        counts[part_of(frame)] += 1

    def write(number: int, frame: FrameType | None) -> None:
        nonlocal written
        file = Path(f"{prefix}.part")
        file.write_text(json.dumps(counts))
        os.replace(file, f"{prefix}.{written}")
        written += 1
        counts.clear()

    signal.signal(signal.SIGPROF, sample)
    signal.signal(signal.SIGUSR2, write)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
    return cli.main(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
