"""The option for all parser names, and the table of what a token costs."""

from __future__ import annotations

import pytest

from .test_parsers import TIMES


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-parser",
        action="store_true",
        help="Measure every parser name and not only a few.",
    )


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Microseconds a token, and how far the names are apart."""
    times = config.stash.get(TIMES, {})
    if not times:
        return
    write = terminalreporter.write_line
    terminalreporter.section("parsers: microseconds a token")
    names = sorted({name for found in times.values() for name in found})
    width = max(map(len, names))
    write(" " * width + "".join(f"{f'{kind} {how}':>18}" for kind, how in times))
    for name in names:
        cells = (f"{found[name]:.2f}" if name in found else "" for found in times.values())
        write(f"{name:{width}}" + "".join(f"{cell:>18}" for cell in cells))
    spread = (f"{max(found.values()) / min(found.values()):.1f}x" for found in times.values())
    write(f"{'spread':{width}}" + "".join(f"{cell:>18}" for cell in spread))
