"""SVG charts for a page. A chart uses the full width of the page; its lines are stretched, but not its text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from lapilli.viewer.jinja import templates

Point = tuple[float, float]

_TEMPLATES = templates("lapilli.arena.pages")
_HEIGHT, _TOP, _BOTTOM = 230, 14, 26
"""Height of a line chart, and of its top and bottom margins, in pixels."""
_UNITS = 1000
"""Width and height of a line chart's plot area, in the units of its own SVG coordinates."""
_STYLES = 8
"""Number of CSS classes for the lines of a chart."""


def line_style(place: int) -> str:
    """Returns the CSS class of the line at this place of a chart. The classes repeat after the eighth."""
    return f"line-{place % _STYLES}"


@dataclass(frozen=True)
class ChartLine:
    """A line of a chart.

    Attributes:
        name: name of the line, for the legend.
        points: (x, y) of each point, ascending by x.
        band: lower and upper end of an interval around the y of each point; empty for no band.
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


class Tick(NamedTuple):
    """A tick of an axis.

    Attributes:
        at: coordinate on the axis.
        label: text beside the tick; may be empty.
    """

    at: float
    label: str


class _Size(NamedTuple):
    """Sizes in the drawing of a value with its interval, in pixels unless stated otherwise.

    Attributes:
        width: width of the drawing, in pixels or percent.
        height: height of the drawing.
        y: vertical centre of the interval's bar.
        tick: half the height of a tick's line.
        end: half the height of the bar's ends.
        dot: radius of the dot at the value.
    """

    width: str
    height: int
    y: int
    tick: int
    end: int
    dot: int


_LARGE, _SMALL = _Size("100%", 64, 22, 18, 8, 6), _Size("150", 20, 10, 10, 4, 4)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Returns round numbers from `low` to `high` for the ticks of an axis; `about` is their approximate number."""
    if high <= low:
        return [low]
    rough = (high - low) / about
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def interval(
    low: float, middle: float, high: float, ends: tuple[float, float], label: str, *, small: bool = False
) -> Markup:
    """Draws a value with its interval on an axis.

    Args:
        low, middle, high: lower end of the interval, the value, and upper end of the interval.
        ends: smallest and largest value of the axis.
        label: title of the drawing, for screen readers.
        small: whether to draw a small version for a row of a table, with a tick only at 0.
    """
    place = Scale(*ends, 100)
    return _drawn(
        "charts/interval.svg",
        label=label,
        size=_SMALL if small else _LARGE,
        low=place(low),
        middle=place(middle),
        high=place(high),
        ticks=[Tick(place(0), "")] if small else [Tick(place(value), _signed(value)) for value in ticks(*ends)],
        zero=place(0),
    )


def lines(
    drawn: Sequence[ChartLine],
    heights: tuple[float, float],
    x_name: str,
    label: str,
    *,
    signed: bool = False,
    ends: Callable[[float], str] = "{:,.0f}".format,
) -> Markup:
    """Draws a line chart.

    Args:
        drawn: the lines.
        heights: smallest and largest y shown; lines are cut off beyond these.
        x_name: label of the x axis.
        label: title of the drawing, for screen readers.
        signed: whether y labels above 0 have a plus sign.
        ends: function that formats the smallest and largest x.
    """
    first = min(x for line in drawn for x, _ in line.points)
    last = max(x for line in drawn for x, _ in line.points)
    across, up = Scale(first, last, _UNITS), Scale(heights[1], heights[0], _UNITS)
    plot = _HEIGHT - _TOP - _BOTTOM

    def y(value: float) -> float:
        return _TOP + up(value) / _UNITS * plot

    return _drawn(
        "charts/lines.svg",
        label=label,
        height=_HEIGHT,
        top=_TOP,
        plot=plot,
        units=_UNITS,
        ticks=[Tick(y(value), _signed(value) if signed else f"{value:,g}") for value in ticks(*heights)],
        zero=y(0),
        lines=[(line.style, _path(line.points, across, up), _path(_outline(line), across, up)) for line in drawn],
        first=ends(first),
        x_name=x_name,
        last=ends(last),
    )


def _signed(value: float) -> str:
    return f"{value:+,g}" if value else "0"


def _outline(line: ChartLine) -> list[Point]:
    """Returns the outline of a line's band: its lower edge, then its upper edge backwards; empty without a band."""
    band = list(zip(line.points, line.band, strict=True)) if line.band else []
    return [(x, low) for (x, _), (low, _) in band] + [(x, high) for (x, _), (_, high) in reversed(band)]


def _path(points: Sequence[Point], across: Scale, up: Scale) -> str:
    """Formats points as SVG coordinates; `across` and `up` scale x and y.

    A point that is far above or below the chart is moved towards it, so that its distance from the chart is one height
    of the chart.
    """
    held = ((across(x), min(max(up(y), -_UNITS), 2 * _UNITS)) for x, y in points)
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in held)


def _drawn(template: str, **data: Any) -> Markup:
    return Markup(_TEMPLATES.get_template(template).render(data))
