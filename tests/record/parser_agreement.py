"""Write the table of agreement with vLLM into docs/parser-differences.md, from `golden/parsers/`.

python tests/record/parser_agreement.py
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE]
sys.path.insert(0, str(HERE.parent.parent))

from tests.parsers.agreement import DOCS, with_table  # noqa: E402

# Only now is the repository on the path, and this folder, which shadows `parsers`, off it.

text = with_table(DOCS.read_text(encoding="utf-8"))
DOCS.write_text(text, encoding="utf-8")
