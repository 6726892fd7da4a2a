"""Builds the page of an event: a sentence, charts and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

from markupsafe import Markup

from lapilli.arena.pages import charts
from lapilli.arena.pages.contents import Contents
from lapilli.arena.pages.tunings import parameter_figures
from lapilli.arena.progress.promotion import DIVISIONS
from lapilli.arena.reports.figures import between_text, elo_text, faults_text, ms_text, percent_text, time_text
from lapilli.arena.reports.overview import Compared, labels
from lapilli.arena.reports.standings import Standings
from lapilli.arena.statistics import EloEstimate
from lapilli.arena.tuning.parameters import values_text
from lapilli.viewer.jinja import templates
from lapilli.viewer.theme import rules

_STYLE = resources.files("lapilli.arena.pages") / "static" / "event.css"
_TEMPLATES = templates(
    "lapilli.arena.pages",
    between_text=between_text,
    counted="{:,}".format,
    divisions=DIVISIONS,
    elo_text=elo_text,
    faults_text=faults_text,
    ms_text=ms_text,
    percent_text=percent_text,
    time_text=time_text,
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
"""Control characters, which are not allowed in a page. Names of players may contain them."""
_LINES = 8
"""Number of CSS styles for the lines of a chart."""
_FEW = 5
"""Minimum number of pairs for a curve of Elo."""


def event_page(contents: Contents, links: Mapping[int, str], command: Callable[[str], str]) -> str:
    """Returns the HTML page of an event, one file without scripts and without external resources.

    Args:
        contents: contents of the page.
        links: URLs of the pages of matches, relative to this page, by the match's `id`.
        command: function from EVENT/MATCH to the command that shows a match without a page.
    """
    event = contents.overview.event
    made = _TEMPLATES.get_template("event.html").render(
        style=rules() + _STYLE.read_text(encoding="utf-8"),
        contents=contents,
        event=event,
        names=labels(event.contestants),
        sentence=_sentence(contents),
        links=links,
        command=command,
        **_charts(contents),
    )
    return _CONTROL.sub("\ufffd", made)


def _sentence(contents: Contents) -> str:
    """Returns the result of the event in one sentence; empty if there is none."""
    found = contents.overview
    if found.event.verdict:
        return found.event.verdict
    if not found.event.played:
        return "Nothing has been played yet."
    if found.compared is not None:
        first, second = (share.name for share in found.shares[:2])
        elo = found.compared.elo
        return f"{first} against {second}: {elo_text(elo.elo)} Elo ({between_text(elo.low, elo.high)}), 95 %."
    if contents.course is not None:
        return f"So far {values_text(contents.course.values())}: not confirmed."
    if contents.standings is not None:
        best = contents.standings.rows[0]
        return f"{best.name} leads, with {percent_text(best.score)} of the points."
    if contents.league is not None and contents.league.entries:
        return f"{labels(found.event.contestants)[contents.league.entries[0].number]} leads."
    return ""


def _charts(contents: Contents) -> dict[str, Any]:
    """Draws the charts that the template of the event's kind shows."""
    compared = contents.overview.compared
    if compared is not None:
        enough = compared.counts.pairs >= _FEW
        return {"interval": _interval(compared.elo), "curve": _curve(compared) if enough else ""}
    if contents.course is not None:
        return {"parameters": parameter_figures(contents.course)}
    if contents.standings is not None:
        return {"intervals": _intervals(contents.standings)}
    courses = _courses(contents)
    return {"courses": courses, "chart": _ratings(courses) if courses else ""}


def _interval(elo: EloEstimate) -> Markup:
    label = f"{elo_text(elo.elo)} Elo, with 95 % between {elo_text(elo.low)} and {elo_text(elo.high)}"
    low, high = min(elo.low, 0.0), max(elo.high, 0.0)
    room = 0.06 * (high - low)
    return charts.interval(elo.low, elo.elo, elo.high, (low - room, high + room), label)


def _curve(compared: Compared) -> Markup:
    settled = [elo for _, elo in compared.curve[len(compared.curve) // 4 :]]
    low, high = min(0.0, *(elo.low for elo in settled)), max(0.0, *(elo.high for elo in settled))
    line = charts.ChartLine(
        name="Elo",
        points=[(pairs, elo.elo) for pairs, elo in compared.curve],
        band=[(elo.low, elo.high) for _, elo in compared.curve],
    )
    last = compared.curve[-1][1]
    label = f"Elo after each pair; after the last one {elo_text(last.elo)}, {between_text(last.low, last.high)}"
    return charts.lines([line], (low, high), "pairs", label, signed=True)


def _intervals(found: Standings) -> dict[int, Markup]:
    """Draws the interval of each contestant with a rating, by its number, all on one scale."""
    lows, highs = [row.low or 0.0 for row in found.rows], [row.high or 0.0 for row in found.rows]
    ends = min([0.0, *lows]), max([0.0, *highs])
    drawn = {}
    for row in found.rows:
        if row.low is not None and row.high is not None and row.elo is not None:
            label = f"{row.name}: {between_text(row.low, row.high)}"
            drawn[row.number] = charts.interval(row.low, row.elo, row.high, ends, label, small=True)
    return drawn


def _courses(contents: Contents) -> list[charts.ChartLine]:
    """Returns the course of each rating, with a style of its own."""
    names = labels(contents.overview.event.contestants)
    return [
        charts.ChartLine(names[history.number], history.points, style=f"line-{place % _LINES}")
        for place, history in enumerate(history for history in contents.histories if len(history.points) > 1)
    ]


def _ratings(courses: Sequence[charts.ChartLine]) -> Markup:
    values = [value for course in courses for _, value in course.points]
    last = ", ".join(f"{course.name} {course.points[-1][1]:.1f}" for course in courses)
    label = f"Ratings after so many matches; at the end {last}"
    return charts.lines(courses, (min(values), max(values)), "matches of the entry", label)
