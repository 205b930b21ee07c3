"""The table in docs/parser-differences.md says what the recordings say."""

from __future__ import annotations

import pytest

from . import agreement
from .support import FILES, recorded


def test_the_table_is_not_stale() -> None:
    text = agreement.DOCS.read_text(encoding="utf-8")
    assert text == agreement.with_table(text), "run: python tests/record/parser_agreement.py"


def test_rows_add_up() -> None:
    *names, every = agreement.rows()
    assert every.cases == sum(len(recorded(file)[1]) for file in FILES)
    assert all(0 <= row.different <= row.cases >= 25 for row in names)
    assert "`hermes` calls" in {row.name for row in names}
    assert "`qwen3` reasoning" in {row.name for row in names}


def test_an_answer_that_depends_on_the_chunking() -> None:
    batch, other = {"content": "a"}, {"content": "b"}
    assert not agreement.is_unsteady({"batch": batch, "stream": {}})
    assert not agreement.is_unsteady(
        {"batch": batch, "stream": dict.fromkeys(("1", "3", "7", "all"), other)}
    )
    assert agreement.is_unsteady({"batch": batch, "stream": {"3": other}})


def test_a_document_without_the_marks() -> None:
    with pytest.raises(ValueError, match="are missing"):
        agreement.with_table("# Parsers")
