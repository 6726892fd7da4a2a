"""Tables and charts of the values that bots wrote to stderr in an event's matches, for the event's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
from markupsafe import Markup

from lapilli.arena.pages import charts
from lapilli.arena.reports.overview import Overview, labels, writer_of
from lapilli.store import Store

_MOST = 8
"""Largest number of charts on a page."""
_POINTS = 100
"""Largest number of points on a chart line."""


class DataCurves(msgspec.Struct, frozen=True, kw_only=True):
    """The course of one numeric value, written by bots, over the matches of an event.

    Attributes:
        name: name of the value.
        curves: points of a curve, by index of the contestant that the values are about; -1 for values about the match.
            Each point is (number of matches so far, mean value in the matches since the previous point).
    """

    name: str
    curves: Mapping[int, Sequence[tuple[int, float]]]


@dataclass(frozen=True)
class DataFigures:
    """Statistics of one value that bots wrote, as texts and a chart.

    Attributes:
        name: name of the value.
        rows: rows of a table, one for each contestant that the value is about. Each row has the contestant's label, the
            number of matches in which the value was written, and the mean, the lowest and the highest number.
        chart: chart of the means over the matches; empty if no contestant has two points.
        lines: lines of the chart, for the legend.
    """

    name: str
    rows: list[list[str]]
    chart: Markup
    lines: list[charts.ChartLine]


def data_curves(store: Store, found: Overview) -> tuple[DataCurves, ...]:
    """Reads the curves of an event's numeric values from the store, for at most _MOST values.

    `found`: the event with its results.
    """
    numeric = list(dict.fromkeys(one.name for one in found.data if one.numbers))[:_MOST]
    return tuple(DataCurves(name=name, curves=store.data_curve(found.event.id, name, _POINTS)) for name in numeric)


def data_figures(found: Overview, curves: Sequence[DataCurves]) -> list[DataFigures]:
    """Returns statistics of each value that bots wrote in an event, with a chart for each value that has curves.

    `found`: the event with its results. `curves`: curves of the numeric values (`data_curves`).
    """
    names = labels(found.event.contestants)
    by_name = {one.name: one.curves for one in curves}
    figures = []
    for name in dict.fromkeys(one.name for one in found.data):
        sums = [one for one in found.data if one.name == name]
        rows = [
            [writer_of(one.contestant, names), f"{one.matches:,}", *map(_number_text, (one.mean, one.low, one.high))]
            for one in sums
        ]
        lines = [
            charts.ChartLine(writer_of(contestant, names), points, style=charts.line_style(place))
            for place, (contestant, points) in enumerate(sorted(by_name.get(name, {}).items()))
            if len(points) > 1
        ]
        figures.append(DataFigures(name, rows, _chart(name, lines) if lines else Markup(), lines))
    return figures


def _number_text(value: float | None) -> str:
    return "" if value is None else f"{value:,.6g}"


def _chart(name: str, lines: Sequence[charts.ChartLine]) -> Markup:
    values = [value for line in lines for _, value in line.points]
    low, high = min(values), max(values)
    room = 0.06 * (high - low) or 0.5
    last = ", ".join(f"{line.name} {_number_text(line.points[-1][1])}" for line in lines)
    label = f"Mean of {name} as the matches came; at the end {last}"
    return charts.lines(lines, (low - room, high + room), "matches", label)
