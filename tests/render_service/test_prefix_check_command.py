"""`render-service prefix-check`, as an operator meets it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from render_service import cli
from tests.conftest import DEMO_MODEL

MODEL = str(DEMO_MODEL)
TEMPLATE = "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}<|im_start|>"
CHAT: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": "Where is the tea?"},
        {"role": "assistant", "content": "In the tin.", "reasoning": "Hm."},
        {"role": "user", "content": "Thanks.\x1b[2J"},
    ]
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path)


def write(folder: Path, **fields: Any) -> Path:
    path = folder / "conversation.json"
    path.write_text(json.dumps(CHAT | fields))
    return path


Output = pytest.CaptureFixture[str]


def run(capsys: Output, *words: str | Path) -> tuple[int, str]:
    code = cli.main(["prefix-check", *map(str, words)])
    out, error = capsys.readouterr()
    assert error == ""
    return code, out


def refused(capsys: Output, *words: str | Path) -> str:
    with pytest.raises(SystemExit) as ended:
        cli.main(["prefix-check", *map(str, words)])
    out, error = capsys.readouterr()
    assert (ended.value.code, out, error.count("\n")) == (2, "", 1)
    return error


def test_a_broken_turn(capsys: Output, file: Path) -> None:
    code, out = run(capsys, MODEL, file)
    assert code == 1
    model, _, head, row, _, why, before, cached, following, _, sum_ = out.splitlines()
    assert re.fullmatch(r"model \S+, fingerprint [0-9a-f]{12}", model)
    assert head.split() == ["turn", "message", "prompt", "output", "next", "reusable", "lost"]
    turn, message, prompt, output, _, reusable, lost, cause = row.split()
    assert (turn, message, cause) == ("1", "1", "reasoning_dropped")
    assert reusable == prompt
    assert why == (
        f"turn 1 breaks at token {prompt} of {int(prompt) + int(output)}, in messages.1 "
        "(assistant): the template leaves the reasoning out"
    )
    assert before.endswith(r"<|im_start|>assistant\n'")
    assert re.search(r"^  cached  '<think>\\nHm\..*'  \d+ \d+ \d+ \d+ \d+ \d+ \.\.\.$", cached)
    assert following.startswith("  next    'In the tin.<|im_end|>")
    assert sum_ == (
        f"1 of 1 turns broken; {output} of {int(prompt) + int(output)} cached tokens ({lost}) "
        "cannot be used again."
    )
    assert "\x1b" not in out


def test_json(capsys: Output, file: Path) -> None:
    code, out = run(capsys, MODEL, file, "--json")
    found = json.loads(out)
    (turn,) = found["turns"]
    assert (code, found["reusable"]) == (1, False)
    assert turn["common_prefix"] == turn["prompt_tokens"]
    assert turn["lost_tokens"] == turn["output_tokens"]
    share = turn["lost_tokens"] / (turn["prompt_tokens"] + turn["output_tokens"])
    assert turn["lost_percent"] == round(100 * share, 1)
    assert turn["output_source"] == "template"
    broken = turn["break"]
    assert broken["position"] == turn["common_prefix"]
    assert (broken["message"], broken["role"]) == (1, "assistant")
    assert broken["cause"] == "reasoning_dropped"
    for side in ("before", "cached", "next"):
        assert len(broken[side]["token_ids"]) > 3
        assert broken[side]["text"]


def test_a_turn_that_keeps_its_cache(capsys: Output, tmp_path: Path) -> None:
    messages = [message | {"reasoning": None} for message in CHAT["messages"]]
    file = write(tmp_path, messages=messages)
    code, out = run(capsys, MODEL, "--chat-template", TEMPLATE, file)
    assert code == 0
    assert out.splitlines()[-1].startswith("0 of 1 turns broken; 0 of ")
    code, out = run(capsys, MODEL, file, "--chat-template", TEMPLATE, "--json")
    found = json.loads(out)
    assert (code, found["reusable"], found["turns"][0]["break"]) == (0, True, None)


def test_an_output_that_is_estimated(capsys: Output, file: Path) -> None:
    code, out = run(capsys, "--chat-template", TEMPLATE, file)
    assert code == 1
    assert re.search(r" ~\d+ ", out.splitlines()[3])
    assert out.splitlines()[-1].startswith("~ estimated: ")


def test_flags_of_the_model_count(capsys: Output, tmp_path: Path) -> None:
    messages = [message | {"reasoning": None} for message in CHAT["messages"]]
    file = write(tmp_path, messages=messages)
    assert run(capsys, MODEL, file)[0] == 0
    quiet = ("--default-chat-template-kwargs", '{"enable_thinking": false}')
    code, out = run(capsys, MODEL, *quiet, file)
    assert code == 1
    assert "opening_changed" in out
    file = write(tmp_path, messages=messages, chat_template_kwargs={"enable_thinking": False})
    assert run(capsys, MODEL, file)[0] == 1


def test_what_cannot_be_checked(capsys: Output, tmp_path: Path, file: Path) -> None:
    assert "the following arguments are required: conversation.json" in refused(capsys)
    assert "unexpected argument 'x'" in refused(capsys, MODEL, file, "x")
    assert "cannot read" in refused(capsys, MODEL, tmp_path / "none.json")
    assert "unknown flag --jsn; did you mean --json" in refused(capsys, MODEL, file, "--jsn")
    file.write_text("{")
    assert f"{file}: " in refused(capsys, MODEL, file)
    for fields, words in (
        ({"messages": 5}, "`messages` must be an array"),
        ({"messages": CHAT["messages"][:2]}, "no assistant message has messages before and behind"),
        ({"truncate_prompt_tokens": 5}, "truncate_prompt_tokens"),
        ({"chat_template": "x"}, "--trust-request-chat-template"),
    ):
        assert words in refused(capsys, MODEL, write(tmp_path, **fields))


@pytest.mark.parametrize("ids", [[], "1", [True], [1.0], [-1], [10**9], {"a": 1}])
def test_tokens_that_are_none(capsys: Output, tmp_path: Path, ids: Any) -> None:
    ask, said, thanks = CHAT["messages"]
    file = write(tmp_path, messages=[ask, said | {"token_ids": ids}, thanks])
    error = refused(capsys, MODEL, file)
    assert "messages.1.token_ids" in error


def test_as_a_program(file: Path) -> None:
    words = [sys.executable, "-m", "render_service", "prefix-check", MODEL, str(file)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert "reasoning_dropped" in ended.stdout
