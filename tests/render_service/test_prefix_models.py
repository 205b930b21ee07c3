"""What published models' templates do to the answers before the newest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from render_service.model import Model

from .prefix_conversations import (
    ASK,
    RESULT,
    THANKS,
    TOOL,
    answer,
    broken,
    call,
    checked,
    loaded,
    model,
)


@pytest.fixture
def published(model_folder: Callable[[str], Path]) -> Callable[..., Model]:
    def load(name: str, template: str | None = None) -> Model:
        folder = model_folder(name)
        path = None if template is None else folder.parent / "templates" / f"{template}.jinja"
        if path is not None and not path.is_file():
            pytest.skip(f"no {path}")
        return model(None if path is None else path.read_text("utf-8"), str(folder))

    return load


def test_qwen3_drops_old_reasoning(published: Callable[..., Model]) -> None:
    of = published("qwen3")
    said = answer("\n\nIn the tin.", reasoning="\nThe tea is in the tin.\n")
    kept, dropped, plain = checked(
        of,
        ASK,
        answer("", reasoning="\nLook.\n", **call('{"at": "shelf"}')),
        RESULT,
        said,
        THANKS,
        answer("\n\nYou are welcome.", reasoning="\nPolite.\n"),
        ASK,
        tools=[TOOL],
    )
    assert kept.broken is None
    assert broken(dropped) == ("reasoning_dropped", 1)
    assert broken(plain) == ("reasoning_dropped", 5)
    # Without reasoning nothing is dropped, but the prompt has an empty block that is.
    quiet = {"chat_template_kwargs": {"enable_thinking": False}}
    (turn,) = checked(of, ASK, answer(), THANKS, **quiet)
    assert broken(turn) == ("opening_changed", 1)
    # The content keeps its newlines, which become one token with the header's.
    assert dropped.broken is not None
    assert plain.broken is not None
    assert plain.broken.following.text.startswith("\n\n\nYou are")


def test_llama31_trims_content(published: Callable[..., Model]) -> None:
    of = published("llama31", "meta-llama-Llama-3.1-8B-Instruct")
    looked = answer(None, **call('{"at": "shelf"}'))
    one, two, three = checked(
        of, ASK, looked, RESULT, answer("In the tin."), THANKS, answer("Good. "), ASK, tools=[TOOL]
    )
    assert (one.broken, two.broken) == (None, None)
    assert broken(three) == ("content_changed", 5)
    end = of.tokenizer.token_to_id("<|eot_id|>")
    assert {turn.turn.output.ids[-1] for turn in (one, two, three)} == {end}
    # The template writes a call as JSON with spaces.
    (turn,) = checked(of, ASK, answer(None, **call('{"at":"shelf"}')), RESULT, tools=[TOOL])
    assert broken(turn) == ("tool_call_changed", 1)


def test_harmony_ends_older_answers_otherwise(
    model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """What its own renderer makes of answers, whose older reasoning and end change."""
    for file in model_folder("gptoss").iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "config.json").unlink()
    config = {"model_type": "gpt_oss", "max_position_embeddings": 4096}
    (tmp_path / "config.json").write_text(json.dumps(config))
    of = loaded(str(tmp_path))
    looked = answer("", reasoning="Look.", **call('{"at":"shelf"}'))
    one, two, three = checked(
        of, ASK, answer(), THANKS, looked, RESULT, answer(reasoning="Hm."), ASK, tools=[TOOL]
    )
    assert broken(one) == ("end_of_turn", 1)
    assert one.lost == 1
    assert two.broken is None
    assert broken(three) == ("reasoning_dropped", 3)


def test_mistral_moves_tools(published: Callable[..., Model]) -> None:
    of = published("llama31", "mistralai-Mistral-Nemo-Instruct-2407")
    (turn,) = checked(of, ASK, answer(), THANKS, tools=[TOOL])
    assert broken(turn) == ("tools_changed", 0)
