"""docs/operations.md keeps its word: each promise has a test, each flag of ours is there."""

from __future__ import annotations

import json
import re
from dataclasses import fields

from render_service.options import OPTIONS
from render_service.settings import Settings
from render_service.vllm_flags import vllm_flags
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text("utf-8")
LONGEST = 100
MiB = 1024 * 1024


def rows(heading: str) -> list[list[str]]:
    """The cells of the table that begins with this line."""
    lines = PAGE.partition(heading + "\n")[2].splitlines()
    table = lines[1 : next(at for at, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


def promises() -> list[str]:
    """The test files of each promise."""
    return [tests for *_, tests in rows("| when | what happens | test |")]


def test_each_promise_has_a_test() -> None:
    assert len(promises()) > 15
    for cell in promises():
        names = re.findall(r"`(\S+\.py)`", cell)
        assert names, cell
        for name in names:
            text = (ROOT / "tests" / name).read_text("utf-8")
            assert "def test_" in text or name.startswith("long/"), name


def shown(value: object) -> str:
    """A default as the table has it."""
    if isinstance(value, int) and value >= MiB:
        return f"{value // MiB} MiB"
    return f"{value:g}" if isinstance(value, float) else str(value or "none")


def test_each_flag_of_ours_is_there() -> None:
    vllm = {name for flag in vllm_flags() for name in flag.names}
    ours = {option.flag: field for field, option in OPTIONS.items() if option.flag not in vllm}
    lines = rows("| flag | default | what it is for |")
    table = {flag.strip("`"): default for flag, default, _ in lines}
    assert table.keys() == ours.keys()
    defaults = {field.name: field.default for field in fields(Settings)}
    zero = {"--max-key-reqs": "0 (any)", "--drain-delay": "0"}
    for flag, name in ours.items():
        assert table[flag] == zero.get(flag, shown(defaults[name])), flag


def test_each_panel_of_the_dashboard_is_explained() -> None:
    file = ROOT / "docker" / "grafana" / "dashboards" / "render-service.json"
    named = "\n".join(panel for panel, *_ in rows("| panel | as it should be | else |"))
    for panel in json.loads(file.read_text("utf-8"))["panels"]:
        whole, part = panel["title"], panel["title"].partition(": ")[2]
        assert whole in named or (part and part in named), whole


def test_exit_codes_are_those_that_are_tested() -> None:
    text = (ROOT / "tests" / "render_service" / "test_exit_codes.py").read_text("utf-8")
    for code, _ in rows("| exit code | means |"):
        number = code.partition(",")[0]
        assert re.search(rf"\b{number}\b", text), code


def test_each_cause_of_a_503_is_told_as_the_code_does() -> None:
    code = "".join(file.read_text("utf-8") for file in (ROOT / "render_service").glob("*.py"))
    raised = re.findall(r"(?<!def )(?:overloaded|unavailable)\(", code)
    causes = rows("| it says | cause | do |")
    assert len(causes) == len(raised) - 1  # overloaded() itself raises nothing
    for says, *_ in causes:
        for part in re.split(r"overloaded: |\bN ", says.strip("`")):
            assert part.strip() in code, says


def test_lines_fit_a_screen() -> None:
    in_code, long = False, []
    for text in PAGE.splitlines():
        in_code ^= text.startswith("```")
        if not in_code and not text.startswith(("|", "    ")) and len(text) > LONGEST:
            long.append(text)
    assert not long


def test_links_within_the_page_lead_somewhere() -> None:
    headings = re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", name.lower()).replace(" ", "-") for name in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= anchors
