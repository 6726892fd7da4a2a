"""Builds the HTML page of an event: its result in a sentence, charts and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

from markupsafe import Markup

from lapilli.arena.pages import charts
from lapilli.arena.pages.bot_data import data_figures
from lapilli.arena.pages.contents import Contents
from lapilli.arena.pages.tunings import parameter_figures
from lapilli.arena.progress.promotion import DIVISIONS
from lapilli.arena.reports.compared import Compared
from lapilli.arena.reports.figures import between_text, elo_text, faults_text, ms_text, percent_text, time_text
from lapilli.arena.reports.overview import labels
from lapilli.arena.reports.standings import Standings
from lapilli.arena.statistics import EloEstimate
from lapilli.arena.tuning.parameters import values_text
from lapilli.store import Event, StoredMatch
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
_FEW = 5
"""Smallest number of pairs of matches with which a page shows the curves of a comparison."""


def event_page(contents: Contents, links: Mapping[int, str], command: Callable[[str], str]) -> str:
    """Returns the page of an event as one HTML file, without scripts and without external resources.

    Args:
        contents: contents of the page.
        links: URL of each match that has a page, relative to the event's page, by the match's `id`.
        command: function that takes "EVENT/MATCH" and returns the command that shows this match; used for matches
            without a page.
    """
    return styled("event.html", **_values(contents), links=links, command=command)


def event_sections(contents: Contents, links: Mapping[int, str]) -> Markup:
    """Returns the contents of an event's page as HTML, for a page that has its own head and style sheets.

    Args:
        contents: contents of the page.
        links: URL of the page of each listed match whose record is stored, by the match's `id`.
    """
    return Markup(_rendered("sections.html", **_values(contents), links=links, command=str))


def match_rows(event: Event, matches: Sequence[StoredMatch], address: str) -> Markup:
    """Returns a table of matches as HTML.

    Args:
        event: event of the matches.
        matches: the matches.
        address: start of the URLs of match pages; the page of match 7 is at `address` + "/7".
    """
    links = {match.id: f"{address}/{match.result.number}" for match in matches if match.kept}
    macros: Any = _TEMPLATES.get_template("matches.html").module
    return Markup(without_controls(macros.match_table(matches, labels(event.contestants), links, str)))


def styled(template: str, **values: Any) -> str:
    """Renders a template that extends `frame.html`: a page with its style sheet in it. Returns the page as HTML.

    `template`: name of the template. `values`: values of its variables, by name.
    """
    return _rendered(template, style=rules() + _STYLE.read_text(encoding="utf-8"), **values)


def _rendered(template: str, **values: Any) -> str:
    return without_controls(_TEMPLATES.get_template(template).render(values))


def without_controls(text: str) -> str:
    """Replaces control characters by U+FFFD. HTML does not allow them, but players' names may contain them."""
    return _CONTROL.sub("\ufffd", text)


def _values(contents: Contents) -> dict[str, Any]:
    """Returns the values of the variables in the HTML templates that show an event, by name.

    `contents`: contents of the event's page.
    """
    event = contents.overview.event
    values = {"contents": contents, "event": event, "names": labels(event.contestants), "sentence": _sentence(contents)}
    return values | {"data": data_figures(contents.overview, contents.data)} | _charts(contents)


def _sentence(contents: Contents) -> str:
    """Returns the result of an event in one sentence; empty if there is no result. `contents`: contents of its page."""
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
    """Draws the charts for an event. Returns a dictionary from the names of the template's variables to the charts.

    `contents`: contents of the event's page.
    """
    compared = contents.overview.compared
    if compared is not None:
        enough = compared.counts.pairs >= _FEW
        return {
            "interval": _interval(compared.elo),
            "curve": _curve(compared) if enough else "",
            "path": _test_path(compared) if enough and compared.path else "",
        }
    if contents.course is not None:
        return {"parameters": parameter_figures(contents.course)}
    courses = _courses(contents)
    if contents.standings is not None:
        settled = _elos(courses) if contents.overview.event.played >= _FEW else ""
        return {"intervals": _intervals(contents.standings), "courses": courses, "chart": settled}
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


def _test_path(compared: Compared) -> Markup:
    """Draws the course of a comparison's sequential test: the log-likelihood ratio after each pair of matches.

    Also draws the two bounds at which the test decides. `compared`: the result of the comparison.
    """
    test, ratios = compared.test, [ratio for _, ratio in compared.path]
    assert test is not None, "there is a path"
    ends = [compared.path[0][0], compared.path[-1][0]]
    bounds = [
        charts.ChartLine(name, [(pairs, bound) for pairs in ends], style="bound")
        for name, bound in (("H0", test.lower), ("H1", test.upper))
    ]
    line = charts.ChartLine("log-likelihood ratio", compared.path)
    low, high = min(test.lower, *ratios), max(test.upper, *ratios)
    room = 0.06 * (high - low)
    label = f"Log-likelihood ratio after each pair, from {test.lower:.2f} to {test.upper:.2f}; now {ratios[-1]:.2f}"
    return charts.lines([line, *bounds], (low - room, high + room), "pairs", label, signed=True)


def _intervals(found: Standings) -> dict[int, Markup]:
    """Draws the Elo interval of each rated contestant, all on one scale. Returns the drawings by contestant index.

    `found`: the standings of the event.
    """
    lows, highs = [row.low or 0.0 for row in found.rows], [row.high or 0.0 for row in found.rows]
    ends = min([0.0, *lows]), max([0.0, *highs])
    drawn = {}
    for row in found.rows:
        if row.low is not None and row.high is not None and row.elo is not None:
            label = f"{row.name}: {between_text(row.low, row.high)}"
            drawn[row.number] = charts.interval(row.low, row.elo, row.high, ends, label, small=True)
    return drawn


def _courses(contents: Contents) -> list[charts.ChartLine]:
    """Returns the lines of a chart: the ratings of each contestant that has at least two ratings, over the matches.

    The lines have different styles, unless there are more lines than styles. `contents`: contents of the event's page.
    """
    names = labels(contents.overview.event.contestants)
    return [
        charts.ChartLine(names[history.number], history.points, style=charts.line_style(place))
        for place, history in enumerate(history for history in contents.histories if len(history.points) > 1)
    ]


def _ratings(courses: Sequence[charts.ChartLine]) -> Markup:
    values = [value for course in courses for _, value in course.points]
    last = ", ".join(f"{course.name} {course.points[-1][1]:.1f}" for course in courses)
    label = f"Ratings after so many matches; at the end {last}"
    return charts.lines(courses, (min(values), max(values)), "matches of the entry", label)


def _elos(courses: Sequence[charts.ChartLine]) -> Markup | str:
    """Draws the Elo of a tournament's contestants over its matches. `courses`: the lines to draw.

    The scale ignores the first quarter of each line, in which Elo still changes a lot.
    """
    settled = [elo for course in courses for _, elo in course.points[len(course.points) // 4 :]]
    if not settled:
        return ""
    last = ", ".join(f"{course.name} {elo_text(course.points[-1][1])}" for course in courses)
    label = f"Elo after so many matches; at the end {last}"
    return charts.lines(courses, (min(settled), max(settled)), "matches", label, signed=True)
