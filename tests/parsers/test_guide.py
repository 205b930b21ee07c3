"""docs/parsers.md: its example of a new model runs, and the commands print what it shows."""

from __future__ import annotations

import io
import re
import sys
import types
from typing import Any

import pytest

from parsers import Call, Context, Format, Result, Tool
from render_service import cli
from tests.conftest import ROOT

from .bits import pieces_from
from .support import characters, streamed

TEXT = (ROOT / "docs" / "parsers.md").read_text(encoding="utf-8")
AUTO = Context(tools=(Tool("look"),), tool_choice="auto")


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`example(path)`: the module that the guide has one write to that path."""

    def load(path: str) -> Any:
        block = re.search(rf"```python\n# {re.escape(path)}\n(.*?)```", TEXT, re.DOTALL)
        assert block
        module = types.ModuleType(path.removesuffix(".py").replace("/", "."))
        module.__package__ = module.__name__.rpartition(".")[0]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(compile(block[1], f"<{path} of the guide>", "exec"), module.__dict__)
        return module

    return load


def test_the_example_reads_what_its_family_writes(example: Any) -> None:
    acme = example("parsers/formats/acme.py")
    family = example("tests/parsers/families/acme.py").FAMILY
    vocab = {token: n for n, token in enumerate(family.added)}
    fmt = Format(acme.ACME_CALLS, acme.ACME, vocab, ())
    opens, closes = family.think
    text = f"{opens}Hm.{closes}So:{family.call('look', {'city': 'Paris'})}"
    pieces = pieces_from(text, vocab)
    calls = [Call("look", '{"city": "Paris"}')]
    assert fmt.parse(pieces, AUTO) == Result("Hm.", "So:", calls)
    chunks = [[piece] for piece in characters(pieces)]
    assert streamed(fmt, AUTO, None, chunks, resumed=True) == ("Hm.", "So:", calls)
    assert fmt.parse(["Hi"], AUTO, [*vocab.values()]) == Result(None, "Hi", [])
    assert {acme.ACME_CALLS.name} == {tool for tool, _ in family.golden.values()}


def test_the_commands_print_what_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = re.search(
        r"\$ cat output.txt\n(.*?)\$ render-service (parse .*?) < output.txt\n(.*?)```",
        TEXT,
        re.DOTALL,
    )
    assert shown
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(shown[1].encode())))
    assert cli.main(shown[2].split()) == 0
    assert capsys.readouterr().out == shown[3]

    listed = re.search(r"\$ render-service parsers \| grep .*\n(.*?)```", TEXT, re.DOTALL)
    assert listed
    assert cli.main(["parsers"]) == 0
    assert listed[1] in capsys.readouterr().out
