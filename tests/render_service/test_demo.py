"""The demo runs its three servers, speaks to them as a client would, and leaves nothing behind."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from render_service import demo
from render_service.demo_client import Client, DemoError, Part, Turn
from render_service.demo_screen import Screen
from render_service.local_server import LocalServer, ServerFailed
from render_service.usage_error import UsageError
from tests.conftest import DEMO_MODEL, Serve

RUN = [sys.executable, "-m", "render_service", "demo"]


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(argument_default=argparse.SUPPRESS)
    demo.add_arguments(parser)
    return parser.parse_args(list(words))


@pytest.fixture(scope="module")
def printed() -> str:
    done = subprocess.run(RUN, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_shows_prompt_answer_and_cost_of_two_turns(printed: str) -> None:
    assert re.search(r"turn 1: the prompt, \d+ tokens\n<\|im_start\|>system\n", printed)
    assert "reasoning | The user asks for something that get_weather can tell." in printed
    assert "content | Let me look that up." in printed
    assert 'tool call 1 | get_weather {"city": "Paris", "unit": "celsius"}' in printed
    assert "<tool_response>" in printed.split("turn 2: the prompt")[1]
    assert 'content | Here is what I found: {"temperature": 18' in printed
    assert len(re.findall(r"stream_state at most \d+ bytes", printed)) == 2


def test_it_prints_no_escape_sequences_into_a_pipe(printed: str) -> None:
    assert "\x1b" not in printed


def test_a_given_engine_is_used(engine: Serve, capfd: pytest.CaptureFixture[str]) -> None:
    other = engine("--served-model-name", "elsewhere", "--chunk-tokens", "7")
    assert demo.run(options("--engine-url", other.url)) == 0
    out = capfd.readouterr().out
    assert f"{other.url}  given" in out
    assert "Here is what I found" in out


def test_an_answer_without_a_call_ends_after_one_turn(capfd: pytest.CaptureFixture[str]) -> None:
    assert demo.run(options("--model", str(DEMO_MODEL), "--max-tokens", "5")) == 0
    out = capfd.readouterr().out
    assert "The model called no tool." in out
    assert "finish_reason length" in out


def test_a_missing_model_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a folder with a tokenizer"):
        demo.run(options("--model", str(tmp_path)))


def test_an_engine_that_is_not_there_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert demo.run(options("--engine-url", "http://127.0.0.1:9")) == 1
    assert "http://127.0.0.1:9 does not answer" in capfd.readouterr().err


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_printed_commands_work_and_the_servers_end_with_it() -> None:
    with subprocess.Popen([*RUN, "--serve"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines: list[str] = []
        while not lines or "/v1/chat/completions/derender -d" not in lines[-1]:
            lines.append(process.stdout.readline())
            assert lines[-1], "".join(lines)
        shell = subprocess.run(
            ["bash", "-c", "".join(lines[-4:])], capture_output=True, text=True, timeout=60
        )
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    answer = json.loads(shell.stdout)
    choice = answer["choices"][0]
    assert choice["finish_reason"] == "tool_calls"
    function = choice["message"]["tool_calls"][0]["function"]
    assert json.loads(function["arguments"]) == {"city": "Paris", "unit": "celsius"}
    urls = re.findall(r"\| (http://\S+)", "".join(lines))
    assert len(urls) == 3
    for url in urls:
        with pytest.raises(DemoError):
            Part(url).ask("/health")


def test_the_client_gathers_a_stream(serve: Serve, engine: Serve) -> None:
    server = serve(
        DEMO_MODEL, "--tool-call-parser", "hermes", "--enable-auto-tool-choice",
        "--reasoning-parser", "qwen3", "--served-model-name", "demo",
    )  # fmt: skip
    client = Client(server.url, engine().url, server.url)
    chat = {"messages": [{"role": "user", "content": "Hello there"}], "stream": True}
    turn = Turn()
    generate = client.prompt(chat, turn.render)
    seen: list[object] = []
    client.answer(chat, generate, turn, seen.append)
    assert turn.content.strip() == "You said: Hello there"
    assert turn.reasoning.strip() == "No tool is needed for this."
    assert turn.finish_reason == "stop"
    assert turn.message() == {
        "role": "assistant", "content": turn.content, "reasoning": turn.reasoning,
    }  # fmt: skip
    assert turn.derender.calls == len(seen)
    assert 0 < turn.state < 1024
    assert turn.usage is None  # not asked for
    assert Turn().message() == {"role": "assistant", "content": None}


def test_a_refusal_names_the_part() -> None:
    with pytest.raises(DemoError, match="not a URL"):
        Part("localhost:8000")


def test_a_refused_request_shows_the_answer(engine: Serve) -> None:
    with pytest.raises(DemoError, match=r"answered 400: .*at least 1 item"):
        Part(engine().url).ask("/inference/v1/generate", {"token_ids": [], "sampling_params": {}})


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_only_on_a_terminal_and_without_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    Screen(terminal).prompt("<|a|>text<|b|>", {"<|a|>", "<|b|>"})
    assert terminal.getvalue() == "\x1b[35m<|a|>\x1b[0mtext\x1b[35m<|b|>\x1b[0m\n"
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    Screen(plain).prompt("<|a|>text", {"<|a|>"})
    Screen(plain).prompt("text", set())
    assert plain.getvalue() == "<|a|>text\ntext\n"


def test_text_cannot_drive_the_terminal() -> None:
    out = io.StringIO()
    Screen(out).write("a\x1b[2Jb\r\tc\n")
    assert out.getvalue() == "a\N{REPLACEMENT CHARACTER}[2Jb\N{REPLACEMENT CHARACTER}\tc\n"


def test_line_breaks_around_a_section_are_not_shown() -> None:
    out = io.StringIO()
    screen = Screen(out)
    for text in ("\n", "one\n", "two\n\n"):
        screen.delta({"content": text})
    function = {"name": "f", "arguments": "{}"}
    screen.delta({"tool_calls": [{"index": 0, "function": function}, {"index": 1}]})
    screen.end()
    expected = ["     content | one", "             | two", " tool call 1 | f {}", ""]
    assert out.getvalue() == "\n".join(expected)


def test_a_server_that_cannot_start_says_why() -> None:
    with pytest.raises(ServerFailed, match=r"exit code 2[\s\S]*no tokenizer.json in"):
        LocalServer(["render_service.token_engine", "--model", os.devnull])


def test_a_server_that_is_not_ready_in_time_is_ended() -> None:
    with pytest.raises(ServerFailed, match="not ready in time"):
        LocalServer(["render_service.token_engine"], ready="/missing", timeout=0.0)


def test_a_server_that_does_not_end_is_killed() -> None:
    server = LocalServer(["render_service.token_engine"])
    server.process.send_signal(signal.SIGSTOP)
    server.stop(grace=0.1)
    assert server.process.returncode == -signal.SIGKILL


def test_a_server_is_ended_once() -> None:
    with LocalServer(["render_service.token_engine"]) as server:
        assert server.process.poll() is None
    assert server.process.poll() is not None
    server.stop()
