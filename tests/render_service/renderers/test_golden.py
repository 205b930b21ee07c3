"""Chats of models that need no template: our answers against vLLM 0.33.0's, recorded.

Token IDs are equal, and so is all else of the answer where it was kept; refusals have the same
status, type and param, and the same message but for pydantic's and what is listed here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from render_service.loading import load_model
from render_service.model import Model
from tests.record.cohere_calls import without_calls_in

from .. import golden
from ..family_models import MADE, make

FOLDER = Path(__file__).parent.parent.parent / "golden" / "families"
LIBRARIES = {
    "cohere": "cohere_melody",
    "kimi_k3": "transformers",
    "mistral": "mistral_common",
    "mistral_v15": "mistral_common",
}
STRINGS = "500 in vLLM, which takes parts that are strings elsewhere"
PYTHON = "a Python exception's text in vLLM"
SET = "tasks in random order in vLLM"
ITERATOR = "ValidatorIterator"  # what pydantic iterates once is not for vLLM to copy or check
LOST = "what pydantic iterates once is gone in vLLM"
EMBEDS = "vLLM takes an object for reasoning, and shows none"

# By the family's name, and the case: our message differs, the rest is equal.
OTHER_WORDS = {
    ("deepseek_v4", "messages, null thinking part"): PYTHON,
    ("deepseek_v4", "messages, task"): SET,
    ("deepseek_v4", "family, an unknown task"): SET,
    ("deepseek_v4", "messages, empty developer"): "a dump of the message in vLLM",
    ("deepseek_v41", "messages, null text part"): PYTHON,
    ("harmony_doors", "earlier 13"): "the roles that there are",
    ("mistral", "messages, own role"): PYTHON,
    ("mistral_v15", "messages, own role"): PYTHON,
    ("mistral_calls", "choice alone"): PYTHON,
}
# More differs.
DELIBERATE = {
    **{
        (family, case): reason
        for family in ("harmony", "harmony_plain")
        for case, reason in {
            "messages, string part": STRINGS,
            "messages, own role": STRINGS,
            "messages, reasoning as prompt_embeds": EMBEDS,
            "messages, reasoning as prompt_embeds, tokenized": EMBEDS,
        }.items()
    },
    **{
        ("harmony_doors", case): reason
        for reason, cases in {
            "500 in vLLM": ("input 69", "input 104", "reference with role"),
            "wrong parts make an item of another kind": ("input 91", "input 92", "wrong part said"),
            "an object is no list of items": ("object as input",),
            "refused by its type alone": (
                *("more tools", "more tools with id", "other item without its fields"),
                "search bad",
            ),
            "a text in parts is one": ("outputs in parts",),
            "which fault of two is named": (
                *("namespace bad parameters", "tools named", "tool hidden"),
                *(f"grammar choice {number}" for number in (2, 3, 5)),
            ),
        }.items()
        for case in cases
    },
    ("deepseek_v32", "messages, no messages"): "500 in vLLM",
    ("mistral_calls", "effort"): "mistral-common 1.13 checks it itself, as in the other recordings",
    ("deepseek_v41", "messages, string part"): STRINGS,
    ("inkling", "messages, no parts"): LOST,
    ("inkling", "messages, call with broken arguments, tokenized"): LOST,
    ("inkling", "family, results by position, tokenized"): LOST,
    ("deepseek_v41", "messages, task"): "500 in vLLM",
    ("deepseek_v41", "family, an unknown task"): "500 in vLLM",
}

Line = dict[str, Any]


def families() -> list[str]:
    return sorted(file.stem for file in FOLDER.glob("*.jsonl"))


@lru_cache
def recorded(family: str) -> tuple[Line, list[Line]]:
    first, *lines = map(json.loads, (FOLDER / f"{family}.jsonl").read_text().splitlines())
    return first, lines


@pytest.fixture(scope="module", params=families())
def served(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    model_folder: Callable[[str], Path],
) -> Iterator[tuple[str, Model]]:
    """A family's name, and its model as the server that was recorded had it."""
    first, _ = recorded(request.param)
    library = LIBRARIES.get(request.param.removesuffix("_doors").removesuffix("_calls"))
    if library:
        pytest.importorskip(library)
    base = MADE[first["model"]].base
    models = Path() if base == "demo" else model_folder(base).parent
    folder = make(first["model"], models, tmp_path_factory.mktemp("model"))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in first["variables"].items():
            patch.setenv(name, value)
        yield request.param, load_model(golden.settings(first["settings"], folder))


def test_same_answers_as_vllm(served: tuple[str, Model]) -> None:
    family, model = served
    different = []
    for line in recorded(family)[1]:
        status, answer = golden.answer(model, line)
        wanted, name = line["answer"], _name(line)
        if (family, name) in DELIBERATE or ITERATOR in str(wanted):
            assert (status, answer) != (line["status"], wanted), name
            continue
        if status == line["status"]:
            answer = _kept(answer, wanted, words=(family, name) not in OTHER_WORDS)
        if (status, answer) != (line["status"], wanted):
            different.append((name, wanted, answer))
    assert not different, f"{len(different)} differ, first {different[0]}"


def _name(line: Line) -> str:
    tokenizes = line["path"] == "/tokenize"
    return f"{line['case']}, tokenized" if tokenizes else str(line["case"])


def _kept(answer: Any, wanted: Any, *, words: bool) -> Any:
    """What was recorded of an answer. words: a refusal's message counts."""
    if isinstance(answer, list):
        pairs = zip(answer, wanted, strict=True)
        return [_kept(ours, theirs, words=words) for ours, theirs in pairs]
    if "error" in wanted and not (words and wanted["error"]["message"] is not None):
        return {"error": {**answer["error"], "message": wanted["error"]["message"]}}
    found = without_calls_in(answer)
    return {name: found.get(name) for name in wanted}
