"""The client in README.md runs as it is printed, against real servers."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.conftest import ROOT, Serve

PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


def test_the_client_of_the_readme_prints_an_answer(serve: Serve, engine: Serve) -> None:
    server = serve(
        "", "--tool-call-parser", "hermes", "--enable-auto-tool-choice",
        "--reasoning-parser", "qwen3",
    )  # fmt: skip
    (code,) = PYTHON.findall((ROOT / "README.md").read_text("utf-8"))
    code = code.replace("http://127.0.0.1:8000", server.url)
    code = code.replace("http://127.0.0.1:8100", engine().url)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "You said: Hello there", done.stderr


def test_its_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).is_file(), f"{page.name}: {target}"
