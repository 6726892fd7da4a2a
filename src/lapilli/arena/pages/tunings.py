"""The charts of a tuning's page. For each parameter: its value over the matches, and Elo over its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from lapilli.arena.matches.placeholders import number_text
from lapilli.arena.pages import charts
from lapilli.arena.reports.figures import between_text, elo_text
from lapilli.arena.tuning.course import TuningCourse
from lapilli.arena.tuning.parameters import Parameter, starts
from lapilli.arena.tuning.worth import Worth, worth

_POINTS = 200
"""Approximate number of points on a curve; more points would not be visible."""


@dataclass(frozen=True)
class ParameterFigures:
    """Values and charts of one tuned parameter, for a page.

    Attributes:
        name: name of the parameter.
        bounds: range of the parameter, as in "0 to 1".
        start, tuned: start value and tuned value of the parameter.
        gain: gain in Elo over the start value by this parameter alone, with a 95 % interval; empty if not known yet.
        path: chart of the parameter's value over the number of matches; empty before the first result.
        worth: chart of Elo over the parameter's values; empty if not known yet.
    """

    name: str
    bounds: str
    start: str
    tuned: str
    gain: str
    path: Markup
    worth: Markup


def parameter_figures(course: TuningCourse) -> list[ParameterFigures]:
    """Returns the values and charts of each tuned parameter, for the tuning's page. `course`: the tuning so far."""
    parameters, values = course.terms.parameters, course.values()
    start, estimates = starts(parameters), worth(course)
    return [
        ParameterFigures(
            name=one.name,
            bounds=f"{number_text(one.low)} to {number_text(one.high)}",
            start=number_text(start[one.name]),
            tuned=number_text(values[one.name]),
            gain=_gain_text(estimates[place].of_start) if estimates else "",
            path=_path(course, place, one),
            worth=_worth(one, estimates[place]) if estimates else Markup(),
        )
        for place, one in enumerate(parameters)
    ]


def _gain_text(gain: tuple[float, float, float]) -> str:
    elo, low, high = gain
    return f"{elo_text(elo)} ({between_text(low, high)})"


def _path(course: TuningCourse, place: int, parameter: Parameter) -> Markup:
    if not course.learned:
        return Markup()
    every = max(1, len(course.path) // _POINTS)
    steps = sorted({*range(0, len(course.path), every), course.learned})
    points = [(step * course.terms.step_matches, float(parameter.value(course.path[step][place]))) for step in steps]
    label = f"{parameter.name} after so many matches; at the end {number_text(points[-1][1])}"
    line = charts.ChartLine(parameter.name, points)
    return charts.lines([line], _axis_ends([value for _, value in points], parameter), "matches", label)


def _axis_ends(values: Sequence[float], parameter: Parameter) -> tuple[float, float]:
    """Returns the ends of a chart's y axis for these values.

    The axis covers at least a tenth of the parameter's range.
    """
    low, high = min(values), max(values)
    missing = max(0.0, (parameter.high - parameter.low) / 10 - (high - low)) / 2
    return low - missing, high + missing


def _worth(parameter: Parameter, found: Worth) -> Markup:
    points = list(zip(found.values, found.elo, strict=True))
    band = list(zip(found.low, found.high, strict=True))
    label = f"Elo by {parameter.name}, compared with its tuned value"
    line = charts.ChartLine(parameter.name, points, band)
    heights = min(0.0, *found.elo, *found.low), max(0.0, *found.elo, *found.high)
    return charts.lines([line], heights, parameter.name, label, signed=True, ends=number_text)
