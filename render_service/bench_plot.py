"""Plots as inline SVG: lines over a number, and bars by name. Colours are those of the page's CSS.

Text is that of the page, `currentColor`; series are the classes s0, s1 and so on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 70, 16, 16, 44
BAR, NAMES, VALUES = 20, 260, 90

Points = Sequence[tuple[float, float]]


class Axis(NamedTuple):
    """From the value at its start to that at its end, on pixels; logarithmic or linear."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, value = map(self._scaled, (self.low, self.high, value))
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def ticks(self) -> list[float]:
        if self.log:
            decades = range(round(math.log10(self.low)), round(math.log10(self.high)) + 1)
            return [10.0**decade for decade in decades]
        step = _step(self.high)
        return [step * count for count in range(int(self.high / step + 1e-9) + 1)]


def _step(high: float) -> float:
    """1, 2 or 5 times a power of ten, for four to nine ticks."""
    power: float = 10.0 ** math.floor(math.log10(high / 4))
    return max(power * factor for factor in (1, 2, 5) if power * factor <= high / 4)


def lines(series: Mapping[str, Points], x: str, y: str) -> str:
    """x, y: what the axes count. The y axis is logarithmic where the lines are far apart."""
    points = [point for line in series.values() for point in line]
    values = [value for _, value in points if value > 0] or [1.0]
    tops = [max(value for _, value in line) for line in series.values() if line]
    log = max(tops, default=1.0) > 30 * min(tops, default=1.0)
    low = 10.0 ** math.floor(math.log10(min(values))) if log else 0.0
    high = 10.0 ** math.ceil(math.log10(max(values))) if log else 1.1 * max(values)
    across = Axis(0, max([place for place, _ in points] + [1e-9]), LEFT, WIDTH - RIGHT)
    up = Axis(low, high, HEIGHT - BOTTOM, TOP, log)
    parts = [_grid_y(up), _grid_x(across), _labels(x, y)]
    for number, line in enumerate(series.values()):
        drawn = " ".join(
            f"{across.at(place):.1f},{up.at(max(value, low)):.1f}"
            for place, value in line
            if value > 0 or not log
        )
        parts.append(f'<polyline class="line s{number}" points="{drawn}"/>')
    return _legend(list(series)) + _svg(HEIGHT, f"{y} by {x}", "".join(parts))


def bars(groups: Mapping[str, Mapping[str, float]], unit: str, digits: int = 0) -> str:
    """One bar a series in each group; the value stands behind it."""
    series = list(dict.fromkeys(name for group in groups.values() for name in group))
    highest = max((value for group in groups.values() for value in group.values()), default=1.0)
    along = Axis(0, highest or 1.0, NAMES, WIDTH - VALUES)
    parts, top = [], 0.0
    for name, group in groups.items():
        for place, (of, value) in enumerate(group.items()):
            middle = top + BAR * 0.7
            if place == 0:
                parts.append(_text(NAMES - 8, middle, name, "end"))
            width = max(along.at(value) - NAMES, 1)
            parts.append(
                f'<rect class="s{series.index(of)}" x="{NAMES}" y="{top + 3:.1f}" '
                f'width="{width:.1f}" height="{BAR - 5}"><title>{escape(of)}</title></rect>'
            )
            said = f"{value:,.{digits}f} {unit}".strip()
            parts.append(_text(NAMES + width + 6, middle, said, "start"))
            top += BAR
        top += 6 if len(series) > 1 else 0
    legend = _legend(series) if len(series) > 1 else ""
    return legend + _svg(top, f"{unit} by name", "".join(parts))


def _legend(series: Sequence[str]) -> str:
    keys = (f'<span><i class="s{i}"></i>{escape(name)}</span>' for i, name in enumerate(series))
    return f'<p class="legend">{"".join(keys)}</p>'


def _svg(height: float, title: str, inside: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"{inside}</svg>"
    )


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _grid_y(axis: Axis) -> str:
    parts = []
    for tick in axis.ticks():
        y = axis.at(tick)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(LEFT - 8, y + 4, f"{tick:,g}", "end"))
    return "".join(parts)


def _grid_x(axis: Axis) -> str:
    ticks = axis.ticks()
    return "".join(_text(axis.at(t), HEIGHT - BOTTOM + 18, f"{t:,g}", "middle") for t in ticks)


def _labels(x: str, y: str) -> str:
    middle = (HEIGHT - BOTTOM + TOP) / 2
    return (
        _text((WIDTH + LEFT) / 2, HEIGHT - 6, x, "middle")
        + f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">'
        + f"{escape(y)}</text>"
    )
