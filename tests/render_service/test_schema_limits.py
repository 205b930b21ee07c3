"""Which schemas stand beside calls, as vLLM 0.33.0 takes them (`tests/record/schema_limits.py`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from render_service.schema_limits import is_supported

GOLDEN = Path(__file__).parent.parent / "golden" / "schema_limits.json"


@pytest.mark.parametrize(("schema", "taken"), json.loads(GOLDEN.read_text(encoding="utf-8")))
def test_the_same_schemas_are_taken(schema: Any, taken: bool) -> None:
    assert is_supported(schema) is taken
