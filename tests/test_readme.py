"""The client in README.md runs as it is printed; what docs/ says is the same, is."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT, Serve
from tests.render_service.test_settings import settings

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


def test_flags_environment_and_file_of_the_docs_are_the_same(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8").partition("are the same:\n")[2]
    (document,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    file = tmp_path / "config.yaml"
    file.write_text(document)
    commands = page.split("```")[0].replace("\\\n", " ").strip().split("\n\n")
    flags, variables = map(shlex.split, commands)
    env = dict(word.split("=", 1) for word in variables if word.startswith("RENDER_"))
    wanted = settings(*flags[2:])
    assert wanted.served_model_name == ("qwen3", "chat")
    assert settings(variables[-1], env=env) == wanted
    assert settings("--config", str(file)) == wanted


def test_each_difference_names_its_test() -> None:
    page = (ROOT / "docs" / "differences.md").read_text("utf-8").partition("\n## Not served")[0]
    tests = ROOT / "tests"
    for entry in re.split(r"^- ", page, flags=re.MULTILINE)[1:]:
        named = re.findall(r"`([\w/]+\.py)`", entry)
        assert named, entry
        for name in named:
            places = (tests / "render_service" / name, tests / name, ROOT / name)
            assert any(place.is_file() for place in places), name


def test_its_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).is_file(), f"{page.name}: {target}"
