"""`render-service parse` and `render-service parsers`, as an operator meets them."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import parsers
from render_service import cli
from tests.conftest import DEMO_MODEL

BOTH = ("--tool-call-parser", "hermes", "--reasoning-parser", "qwen3")
OUTPUT = (
    '<think>Hm é.</think>\n\nLook:\n<tool_call>\n{"name": "look", "arguments": {"a": "x", '
    '"n": 1.50}}\n</tool_call>'
)
RESULT = {
    "reasoning": "Hm é.",
    "content": "\n\nLook:\n",
    "calls": [{"name": "look", "arguments": '{"a": "x", "n": 1.5}'}],
}


class Input:
    """Standard input with this text."""

    def __init__(self, text: str | bytes) -> None:
        self.buffer = io.BytesIO(text if isinstance(text, bytes) else text.encode())


Run = Any


@pytest.fixture
def parse(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`parse(output, *flags)`: what is printed."""

    def run(output: str | bytes, *flags: str) -> str:
        monkeypatch.setattr(sys, "stdin", Input(output))
        assert cli.main(["parse", *flags]) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`refused(*flags)`: the one line that is said with exit code 2."""

    def run(*flags: str, output: str | bytes = "x") -> str:
        monkeypatch.setattr(sys, "stdin", Input(output))
        with pytest.raises(SystemExit) as ended:
            cli.main(["parse", *flags])
        assert ended.value.code == 2
        out, error = capsys.readouterr()
        assert (out, error.count("\n")) == ("", 1)
        return error

    return run


def parsed(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(text)
    return value


def test_it_shows_events_and_the_whole_output(parse: Run) -> None:
    out = parse(OUTPUT, *BOTH, "--chunk", "7")
    assert "      1  reasoning    'Hm é.<'" not in out
    assert re.search(r"^      1  reasoning    'Hm é\.'$", out, re.MULTILINE)
    assert re.search(r"^ +\d+  call 1       look\n +\d+  arguments 1  '\{", out, re.MULTILINE)
    assert '\n tool call 1 | look {"a": "x", "n": 1.5}\n' in out
    assert re.search(r"\n\d+ chunks of characters, state at most \d+ bytes\n$", out)
    assert "\x1b" not in out


@pytest.mark.parametrize("chunk", ["1", "2", "7", "100000"])
@pytest.mark.parametrize("model", [(), ("--model", str(DEMO_MODEL))], ids=["text", "model"])
def test_the_whole_output_is_the_same_at_any_chunk(
    parse: Run, chunk: str, model: tuple[str, ...]
) -> None:
    shown = parsed(parse(OUTPUT, *BOTH, *model, "--chunk", chunk, "--json"))
    assert shown["result"] == RESULT
    texts = [e["text"] for e in shown["events"] if e["type"] == "arguments"]
    assert "".join(texts) == RESULT["calls"][0]["arguments"]  # type: ignore[index]  # a list
    assert {"chunk", "type", "index", "name"} == {*shown["events"][-1 - len(texts)]}


@pytest.mark.parametrize(("kind", "name"), [
    (kind, name) for kind, names in parsers.names().items() for name in names
    if name not in parsers.FROM_TEMPLATE
])  # fmt: skip
def test_every_name_is_shown(parse: Run, kind: str, name: str) -> None:
    flag = "--tool-call-parser" if kind == "tool" else "--reasoning-parser"
    result = parsed(parse("Hello. ", flag, name, "--json"))["result"]
    told = (result["reasoning"] or "") + (result["content"] or "")
    assert "Hello." in told


def test_a_prompt_a_request_and_template_arguments_count(parse: Run, tmp_path: Path) -> None:
    def result(output: str, *flags: str) -> Any:
        return parsed(parse(output, *BOTH, *flags, "--json"))["result"]

    assert result("Hi")["reasoning"] == "Hi"
    assert result("Hi", "--prompt", "<|im_start|>a\n<think>\n\n</think>\n\n")["content"] == "Hi"
    assert result("Hi", "--prompt", "x" * 5000 + "<think></think>")["content"] == "Hi"
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("<think>x</think>")
    assert result("Hi", "--prompt", str(prompt))["content"] == "Hi"
    model = ("--model", str(DEMO_MODEL))
    assert result("Hi", *model, "--prompt", str(prompt))["content"] == "Hi"
    off = '{"enable_thinking": false}'
    assert result("Hi", "--template-kwargs", off)["content"] == "Hi"
    assert result("Hi", "--template-kwargs.enable_thinking", "false")["content"] == "Hi"
    assert result(OUTPUT, "--tool-choice", "none")["calls"] == []


def test_schemas_give_types(parse: Run, tmp_path: Path) -> None:
    output = "<function=look><parameter=n>\n2\n</parameter></function>"
    flags = ("--tool-call-parser", "qwen3_coder", "--json")
    function = {"name": "look", "parameters": {"properties": {"n": {"type": "integer"}}}}
    tools = [{"type": "function", "function": function}]
    file = tmp_path / "tools.json"
    found = [parsed(parse(output, *flags))["result"]["calls"][0]["arguments"]]
    for value in (tools, [function], {"model": "m", "tools": tools}):
        file.write_text(json.dumps(value))
        found.append(
            parsed(parse(output, *flags, "--tools", str(file)))["result"]["calls"][0]["arguments"]
        )
    assert found == ['{"n": "2"}', '{"n": 2}', '{"n": 2}', '{"n": 2}']


def test_a_named_tool(parse: Run) -> None:
    flags = ("--tool-call-parser", "hermes", "--tool-choice", "look", "--json")
    assert parsed(parse(OUTPUT, *flags))["result"]["calls"] == RESULT["calls"]


def test_the_id_that_the_model_wrote(parse: Run) -> None:
    output = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0"
        '<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|><|tool_calls_section_end|>'
    )
    shown = parsed(parse(output, "--tool-call-parser", "kimi_k2", "--json"))
    call = {"name": "look", "id": "functions.look:0"}
    assert shown["result"]["calls"] == [call | {"arguments": '{"a": 1}'}]
    shown_as = parse(output, "--tool-call-parser", "kimi_k2")
    assert "call 1       look  (ID functions.look:0)\n" in shown_as
    (begun,) = (event for event in shown["events"] if event["type"] == "call")
    assert call.items() <= begun.items()


def test_the_token_that_ends_the_output_is_no_text(parse: Run) -> None:
    model = ("--model", str(DEMO_MODEL), "--json")
    assert parsed(parse(OUTPUT + "<|im_end|>", *BOTH, *model))["result"] == RESULT


def test_mistakes_are_one_line(refused: Run, tmp_path: Path) -> None:
    hermes = ("--tool-call-parser", "hermes")
    file = tmp_path / "file"
    assert "--tool-call-parser or --reasoning-parser is needed" in refused()
    assert "no output came on standard input" in refused(*hermes, output="")
    assert "did you mean hermes" in refused("--tool-call-parser", "hermesx")
    assert "known are" in refused("--reasoning-parser", "zzzzzz")
    both = ("--tool-call-parser", "openai", "--reasoning-parser", "qwen3")
    assert "cannot be combined" in refused(*both)
    assert "--chunk: must be at least 1" in refused(*hermes, "--chunk", "0")
    assert "--template-kwargs: expected a JSON object" in refused(
        *hermes, "--template-kwargs", "[]"
    )
    assert "cannot read /nowhere" in refused(*hermes, "--tools", "/nowhere")
    for text, said in {
        "{": "is not JSON",
        '{"a": 1}': "no list of tools",
        "[1]": "no list of tools",
        '[{"function": {}}]': "no list of tools",
        "[" * 100_000: "is not JSON",
    }.items():
        file.write_text(text)
        assert said in refused(*hermes, "--tools", str(file))
    file.write_bytes(b"\xff")
    assert "not UTF-8" in refused(*hermes, "--prompt", str(file))
    assert "the output is not UTF-8" in refused(*hermes, output=b"\xc3")
    assert "/nowhere/at/all" in refused(*hermes, "--model", "/nowhere/at/all")


def test_a_vocabulary_without_a_marker(refused: Run) -> None:
    line = refused("--tool-call-parser", "llama3_json", "--model", str(DEMO_MODEL))
    assert "--tool-call-parser llama3_json cannot be used with this tokenizer" in line
    assert "no token for '<|python_tag|>'" in line


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_on_a_terminal(variables: dict[str, str], coloured: bool) -> None:
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        command = [sys.executable, "-m", "render_service", "parse", *BOTH]
        done = subprocess.run(
            command, input=OUTPUT.encode(), stdout=theirs, env=environment | variables, timeout=60
        )
        os.close(theirs)
        shown = b""
        while chunk := _read(terminal.fileno()):
            shown += chunk
    assert done.returncode == 0
    assert (b"\x1b[33m" in shown) is coloured
    assert b"look" in shown


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # how a terminal ends
        return b""


def test_control_characters_do_not_reach_the_terminal(parse: Run) -> None:
    assert "\x1b" not in parse("\x1b[31mred\x9b", "--tool-call-parser", "hermes")


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["parsers"]) == 0
    out = capsys.readouterr().out
    known = parsers.names()
    assert f"--tool-call-parser: {len(known['tool'])} names" in out
    assert f"--reasoning-parser: {len(known['reasoning'])} names" in out
    assert "\nhermes, qwen3_json\n  calls           json object\n" in out
    assert "\n  needs tokens    <|python_tag|>\n" in out
    assert "\n  switched off by enable_thinking=false\n" in out
    for names in known.values():
        for name in names:
            assert re.search(rf"^(\S+, )*{re.escape(name)}(,|$)", out, re.MULTILINE), name


def test_the_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["parsers", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    hermes = next(facts for facts in found if "qwen3_json" in facts["names"])
    assert hermes["family"] == "hermes"
    assert hermes["texts"] == ["<tool_call>", "</tool_call>"]


def test_a_model_of_harmony_takes_no_other_names(refused: Run, tmp_path: Path) -> None:
    folder = shutil.copytree(DEMO_MODEL, tmp_path / "model")
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model_type": "gpt_oss"}))
    said = refused("--model", str(folder), "--tool-call-parser", "hermes")
    assert "it needs --tool-call-parser openai" in said
