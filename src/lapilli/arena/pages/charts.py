"""SVG charts for a page. They use the full width of the page, and only their lines are stretched, not their text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lapilli.arena.pages.markup import Element, el

_HEIGHT, _TOP, _BOTTOM = 230, 14, 26
"""Height of a line chart and of its margins, in pixels."""
_UNITS = 1000
"""Width and height of the inner drawing of lines, in its own units."""
Point = tuple[float, float]


@dataclass(frozen=True)
class ChartLine:
    """A line of a chart.

    Attributes:
        name: name of the line, for the legend.
        points: (x, y) of each point, ascending by x.
        band: (low, high) of the interval at each point; empty for no band.
        style: CSS class that sets colour and dashes.
    """

    name: str
    points: Sequence[Point]
    band: Sequence[Point] = ()
    style: str = "line-0"


@dataclass(frozen=True)
class Scale:
    """A linear scale from values to coordinates: it maps `left` to 0 and `right` to `units`."""

    left: float
    right: float
    units: float

    def __call__(self, value: float) -> float:
        return (value - self.left) / ((self.right - self.left) or 1.0) * self.units


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Returns about `about` round numbers from low to high."""
    if high <= low:
        return [low]
    rough = (high - low) / about
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def _signed(tick: float) -> str:
    return f"{tick:+,g}" if tick else "0"


def interval(low: float, middle: float, high: float, ends: tuple[float, float], label: str) -> Element:
    """Draws a value with its interval on an axis with labelled ticks.

    Args:
        low, middle, high: the interval and the value.
        ends: smallest and largest value of the axis.
        label: title of the drawing, for screen readers.
    """
    left, right = ends
    place = Scale(left, right, 100)
    marks: list[Element] = []
    for tick in ticks(left, right):
        at = f"{place(tick):.2f}%"
        anchor = "start" if place(tick) < 5 else "end" if place(tick) > 95 else "middle"
        marks.append(el("line", x1=at, x2=at, y1=4, y2=40, class_="zero" if tick == 0 else "grid"))
        marks.append(el("text", _signed(tick), x=at, y=58, text_anchor=anchor))
    bar = [
        *_whiskers(place(low), place(high), 22, 8),
        el("circle", cx=f"{place(middle):.2f}%", cy=22, r=6, class_="dot"),
    ]
    return el("svg", el("title", label), *marks, *bar, role="img", class_="interval", width="100%", height=64)


def small_interval(low: float, middle: float, high: float, ends: tuple[float, float], label: str) -> Element:
    """Draws a value with its interval as `interval` does, but small and without ticks, for a row of a table."""
    place = Scale(*ends, 100)
    zero = f"{place(0):.2f}%"
    return el(
        "svg",
        el("title", label),
        el("line", x1=zero, x2=zero, y1=0, y2=20, class_="zero"),
        *_whiskers(place(low), place(high), 10, 4),
        el("circle", cx=f"{place(middle):.2f}%", cy=10, r=4, class_="dot"),
        role="img",
        class_="interval",
        width=150,
        height=20,
    )


def _whiskers(low: float, high: float, y: int, half: int) -> Iterator[Element]:
    left, right = f"{low:.2f}%", f"{high:.2f}%"
    yield el("line", x1=left, x2=right, y1=y, y2=y, class_="range")
    for end in (left, right):
        yield el("line", x1=end, x2=end, y1=y - half, y2=y + half, class_="range")


def lines(
    drawn: Sequence[ChartLine], heights: tuple[float, float], x_name: str, label: str, *, signed: bool = False
) -> Element:
    """Draws a line chart.

    Args:
        drawn: the lines.
        heights: smallest and largest y shown; lines are cut off beyond.
        x_name: label of the x axis.
        label: title of the drawing, for screen readers.
        signed: whether y labels above 0 have a plus sign.
    """
    first = min(x for line in drawn for x, _ in line.points)
    last = max(x for line in drawn for x, _ in line.points)
    across, up = Scale(first, last, _UNITS), Scale(heights[1], heights[0], _UNITS)
    inner: list[Element] = []
    for line in drawn:
        if line.band:
            edge = [(x, low) for (x, _), (low, _) in zip(line.points, line.band, strict=True)]
            back = [(x, high) for (x, _), (_, high) in zip(line.points, line.band, strict=True)][::-1]
            inner.append(el("polygon", points=_path([*edge, *back], across, up), class_="band"))
        inner.append(el("polyline", points=_path(line.points, across, up), class_=line.style))
    plot = _HEIGHT - _TOP - _BOTTOM
    grid, names = [], []
    for tick in ticks(*heights):
        y = _TOP + up(tick) / _UNITS * plot
        grid.append(el("line", x1=0, x2="100%", y1=f"{y:.1f}", y2=f"{y:.1f}", class_="zero" if tick == 0 else "grid"))
        names.append(el("text", _signed(tick) if signed else f"{tick:,g}", x=2, y=f"{y - 3:.1f}"))
    below = _HEIGHT - 6
    return el(
        "svg",
        el("title", label),
        *grid,
        el(
            "svg",
            *inner,
            y=_TOP,
            width="100%",
            height=plot,
            viewBox=f"0 0 {_UNITS} {_UNITS}",
            preserveAspectRatio="none",
            class_="lines",
        ),
        *names,
        el("text", f"{first:,.0f}", x=0, y=below),
        el("text", x_name, x="50%", y=below, text_anchor="middle"),
        el("text", f"{last:,.0f}", x="100%", y=below, text_anchor="end"),
        role="img",
        class_="chart",
        width="100%",
        height=_HEIGHT,
    )


def _path(points: Sequence[Point], across: Scale, up: Scale) -> str:
    """Returns the points as SVG coordinates. Points far above or below the chart are moved closer to it."""
    held = ((across(x), min(max(up(y), -_UNITS), 2 * _UNITS)) for x, y in points)
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in held)


def sample(style: str) -> Element:
    """Draws a short line in the given style, for a legend."""
    return el("svg", el("line", x1=0, x2=32, y1=8, y2=8, class_=style), width=32, height=16, aria_hidden="true")
