"""Write `golden/parsers/differences.json`: our answer wherever it is not vLLM's whole answer.

    python tests/record/parser_differences.py

Read the change before you commit it; each case needs a reason in `parsers/differences.py`. An
answer that is one of vLLM's streamed ones is written as "stream". The table in
docs/parser-differences.md is written anew too.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path = [p for p in sys.path if Path(p or ".").resolve() != HERE]
sys.path.insert(0, str(HERE.parent.parent))

from tests.parsers import agreement  # noqa: E402
from tests.parsers.support import FILES, GOLDEN, answer, is_streamed, recorded, whole  # noqa: E402

# Only now is the repository on the path, and this folder, which shadows `parsers`, off it.


def main() -> None:
    found: dict[str, dict[str, object]] = {}
    for file in FILES:
        for case in recorded(file)[1]:
            ours = answer(file, case)
            if ours != whole(case):
                shown = "stream" if is_streamed(ours, case) else ours
                found.setdefault(file, {})[case["name"]] = shown
    text = json.dumps(found, ensure_ascii=False, indent=1)
    (GOLDEN / "differences.json").write_text(text + "\n", encoding="utf-8")
    document = agreement.with_table(agreement.DOCS.read_text(encoding="utf-8"))
    agreement.DOCS.write_text(document, encoding="utf-8")


main()
