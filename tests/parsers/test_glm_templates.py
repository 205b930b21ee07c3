"""GLM's chat template says whether reasoning can be turned off (`record/glm_templates.py`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import parsers
from parsers import Context

from .bits import SPECIALS, pieces_from

LINES = (Path(__file__).parents[1] / "golden" / "glm_templates.jsonl").read_text("utf-8")


@pytest.mark.parametrize("line", [json.loads(line) for line in LINES.splitlines()])
def test_as_vllm(line: dict[str, Any]) -> None:
    name, template = line["reasoning"], line["template"]
    fmt = parsers.load(None, name, SPECIALS, chat_template=template)
    pieces = pieces_from("Hm.</think>Yes.", SPECIALS)
    result = fmt.parse(pieces, Context(template_kwargs=line["kwargs"]), [], "stop")
    theirs = line["batch"]
    assert (result.reasoning, result.content) == (theirs["reasoning"], theirs["content"])
