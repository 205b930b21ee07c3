"""The table of what the pieces of /render take, on the bundled model."""

from __future__ import annotations

import pytest

from bench import render_pieces
from render_service.bench_renders import QUICK


def test_every_piece_is_measured_for_every_size(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render_pieces, "SIZES", QUICK)
    assert render_pieces.main([]) == 0
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert head.count("render, ") == 3
    names = [row.split("|")[1].strip() for row in rows]
    assert {"template", "tokenize", "parameters", "encode", "all of it"} <= set(names)
    for row in rows:
        assert all(float(cell.replace(",", "")) > 0 for cell in row.split("|")[2:-1]), row
