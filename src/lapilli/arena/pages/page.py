"""Builds the page of an event: a sentence, charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import resources

from lapilli.arena.events.promotion import DIVISIONS
from lapilli.arena.pages import charts
from lapilli.arena.pages.contents import Contents, Which
from lapilli.arena.pages.markup import Child, Element, document, el, table
from lapilli.arena.reports.figures import between_text, elo_text, faults_text, ms_text, percent_text, time_text
from lapilli.arena.reports.overview import Compared, Overview, labels
from lapilli.arena.reports.standings import Standings, StandingsRow
from lapilli.store import EventKind, StoredMatch
from lapilli.viewer.theme import rules

_STYLE = resources.files("lapilli.arena.pages") / "static" / "event.css"
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
    sections = [
        section for make in (_result, _standings, _league, _contestants) for section in make(contents) if section
    ]
    return document(
        f"{event.name} · {event.game}",
        rules() + _STYLE.read_text(encoding="utf-8"),
        el("main", _head(contents), *sections, _trouble(contents.overview), _matches(contents, links, command)),
    )


def _section(title: str, *children: Child) -> Element:
    return el("section", el("h2", title), *children)


def _head(contents: Contents) -> Element:
    event = contents.overview.event
    state = f"over {time_text(event.finished)}" if event.finished else "not over yet"
    facts = (
        f"{event.kind.capitalize()} {event.id} · {event.game} · {event.played:,} "
        f"match{'' if event.played == 1 else 'es'} · begun {time_text(event.created)}, {state}"
    )
    return el(
        "header", el("h1", event.name), el("p", _sentence(contents), class_="sentence"), el("p", facts, class_="facts")
    )


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
    if contents.standings is not None:
        best = contents.standings.rows[0]
        return f"{best.name} leads, with {percent_text(best.score)} of the points."
    if contents.league is not None and contents.league.entries:
        return f"{labels(found.event.contestants)[contents.league.entries[0].number]} leads."
    return ""


# -- a comparison ---------------------------------------------------------------------------------------
def _result(contents: Contents) -> Iterator[Element | None]:
    """Yields the sections with the result of A against B, in a comparison."""
    found = contents.overview
    compared = found.compared
    if compared is None or not compared.counts.pairs:
        return
    first, second = (share.name for share in found.shares[:2])
    elo, counts, points = compared.elo, compared.counts, compared.difference
    told = f"{elo_text(elo.elo)} Elo, with 95 % between {elo_text(elo.low)} and {elo_text(elo.high)}"
    ends = (min(elo.low, 0.0), max(elo.high, 0.0))
    room = 0.06 * (ends[1] - ends[0])
    rows: list[tuple[Child, ...]] = [
        ("Elo", f"{elo_text(elo.elo)} ({between_text(elo.low, elo.high)}, 95 %)"),
        ("Score", f"{percent_text(elo.score)} ({percent_text(elo.score_low)} to {percent_text(elo.score_high)})"),
        ("Stronger with a likelihood of", percent_text(elo.los)),
        ("Pairs", f"{counts.pairs:,}: {counts.wins:,} won, {counts.draws:,} drawn, {counts.losses:,} lost"),
    ]
    if points.low is not None and points.high is not None:
        rows.append(("Points a match", f"{points.mean:+.1f} ({points.low:+.1f} to {points.high:+.1f}, 95 %)"))
    yield _section(
        "Result",
        charts.interval(elo.low, elo.elo, elo.high, (ends[0] - room, ends[1] + room), told),
        table(f"{first} against {second}", ("Figure", "Value"), rows, "result"),
        el("p", "Both always do the same: pairs that start alike are copies, which count once.")
        if compared.repeats
        else None,
    )
    if counts.pairs >= _FEW:
        yield _section("Elo as the pairs came", _curve(compared))


def _curve(compared: Compared) -> Element:
    settled = [elo for _, elo in compared.curve[len(compared.curve) // 4 :]]
    low, high = min(0.0, *(elo.low for elo in settled)), max(0.0, *(elo.high for elo in settled))
    line = charts.ChartLine(
        name="Elo",
        points=[(pairs, elo.elo) for pairs, elo in compared.curve],
        band=[(elo.low, elo.high) for _, elo in compared.curve],
    )
    last = compared.curve[-1][1]
    label = f"Elo after each pair; after the last one {elo_text(last.elo)}, {between_text(last.low, last.high)}"
    caption = "The line is Elo after so many pairs; the band holds the truth in 95 of 100 comparisons."
    return el("figure", charts.lines([line], (low, high), "pairs", label, signed=True), el("figcaption", caption))


# -- a tournament ---------------------------------------------------------------------------------------
def _standings(contents: Contents) -> Iterator[Element | None]:
    """Yields the sections with ratings and the cross table, in a tournament."""
    found = contents.standings
    if found is None or contents.overview.event.kind == EventKind.COMPARISON:
        return
    rated = [row for row in found.rows if row.low is not None and row.high is not None]
    ends = (min([0.0, *(row.low or 0.0 for row in rated)]), max([0.0, *(row.high or 0.0 for row in rated)]))
    rows = [
        (
            row.name,
            elo_text(row.elo),
            _small_interval(row, ends),
            percent_text(row.score),
            f"{row.won:,}",
            f"{row.drawn:,}",
            f"{row.lost:,}",
            f"{row.margin:+,}",
        )
        for row in found.rows
    ]
    headings = ("Contestant", "Elo", "95 % by match", "Score", "Won", "Drawn", "Lost", "Margin")
    yield _section("Ratings", table("Ratings; the mean of all is 0 Elo", headings, rows, "numbers"))
    yield _section("Who against whom", _cross_table(found))


def _small_interval(row: StandingsRow, ends: tuple[float, float]) -> Child:
    if row.low is None or row.high is None or row.elo is None:
        return None
    return el(
        "span",
        charts.small_interval(row.low, row.elo, row.high, ends, f"{row.name}: {between_text(row.low, row.high)}"),
        el("span", between_text(row.low, row.high), class_="of"),
        class_="between",
    )


def _cross_table(found: Standings) -> Element:
    rows: list[list[Child]] = []
    for row in found.rows:
        cells: list[Child] = [row.name]
        for other in found.rows:
            met = found.meetings.get((row.number, other.number))
            cells.append("" if met is None else f"{met.won}–{met.drawn}–{met.lost}")
        rows.append(cells)
    return table(
        "Won–drawn–lost, of who stands left against who stands above",
        ("", *(row.name for row in found.rows)),
        rows,
        "numbers cross",
    )


# -- a league -------------------------------------------------------------------------------------------
def _league(contents: Contents) -> Iterator[Element | None]:
    """Yields the sections with the leaderboard, ratings over time and promotions, in a league."""
    ladder = contents.league
    if ladder is None:
        return
    names = labels(contents.overview.event.contestants)
    rows = []
    for entry in ladder.entries:
        state = ", ".join(["boss"] * entry.boss + ["withdrawn"] * (entry.withdrawn is not None))
        rating = entry.rating
        counts = (f"{number:,}" for number in (entry.matches, entry.won, entry.drawn, entry.lost))
        figures = (f"{rating.mu - 3 * rating.sigma:.1f}", f"{rating.mu:.1f} ± {rating.sigma:.1f}")
        rows.append((names[entry.number], DIVISIONS[entry.division], *figures, *counts, state))
    headings = ("Entry", "Division", "Rating", "Mean ± deviation", "Matches", "Won", "Drawn", "Lost", "")
    caption = "The rating is what the skill is very likely above: the mean less three deviations"
    yield _section("Leaderboard", table(caption, headings, rows, "numbers"))
    if any(len(history.points) > 1 for history in contents.histories):
        yield _section("Ratings over time", _histories(contents, names))
    if ladder.promotions:
        moves = [
            el(
                "li",
                f"{time_text(move.at)}: {names[move.contestant]}, {DIVISIONS[move.before]} to {DIVISIONS[move.after]}. "
                f"{move.reason}",
            )
            for move in ladder.promotions
        ]
        yield _section("Moves between divisions", el("ul", *moves))


def _histories(contents: Contents, names: tuple[str, ...]) -> Element:
    drawn = [
        charts.ChartLine(names[history.number], history.points, style=f"line-{place % _LINES}")
        for place, history in enumerate(history for history in contents.histories if len(history.points) > 1)
    ]
    values = [value for line in drawn for _, value in line.points]
    legend = [el("li", charts.sample(line.style), f" {line.name}: {line.points[-1][1]:.1f}") for line in drawn]
    label = "Ratings after so many matches; at the end " + ", ".join(
        f"{line.name} {line.points[-1][1]:.1f}" for line in drawn
    )
    return el(
        "figure",
        charts.lines(drawn, (min(values), max(values)), "matches of the entry", label),
        el("figcaption", "Rating after so many matches of each entry"),
        el("ul", *legend, class_="legend"),
    )


# -- all events -----------------------------------------------------------------------------------------
def _contestants(contents: Contents) -> Iterator[Element | None]:
    """Yields the section with the contestants' results, faults and reply times."""
    rows = [
        (
            share.name,
            f"{share.matches:,}",
            f"{share.won:,}–{share.drawn:,}–{share.lost:,}",
            percent_text(share.score),
            f"{sum(share.faults.values()):,}",
            ms_text(share.p50_ms),
            ms_text(share.p99_ms),
            ms_text(share.max_ms),
            el("code", share.player),
        )
        for share in contents.overview.shares
    ]
    headings = (
        "Contestant",
        "Matches",
        "Won–drawn–lost",
        "Score",
        "Faults",
        "p50",
        "p99",
        "Longest",
        "What is started",
    )
    yield _section(
        "Contestants", table("Matches, faults, and milliseconds an answer took", headings, rows, "numbers contestants")
    )


def _trouble(found: Overview) -> Element | None:
    lines = [
        el("li", el("strong", share.name), f": {faults_text(share.faults)}") for share in found.shares if share.faults
    ]
    if found.event.abandoned:
        reasons = "; ".join(dict.fromkeys(one.reason for one in found.abandoned))
        lines.append(el("li", f"{found.event.abandoned:,} abandoned, and counted for nobody. The last: {reasons}"))
    return _section("Faults", el("ul", *lines, class_="faults")) if lines else None


def _matches(contents: Contents, links: Mapping[int, str], command: Callable[[str], str]) -> Element | None:
    if not contents.matches:
        return None
    event, names = contents.overview.event, labels(contents.overview.event.contestants)
    rows = []
    for match in contents.matches:
        faults = [f"{names[seat.contestant]}: {seat.fault}" for seat in match.result.seats if seat.fault]
        ended: list[Child] = [match.result.reason]
        if faults:
            ended += [el("br"), el("span", f"Fault of {', '.join(faults)}", class_="fault")]
        rows.append((_way_to(match, links, command), _sitting(names, match), el("span", *ended)))
    if contents.which == Which.ALL:
        title = "Matches, the last first"
    elif event.kind == EventKind.COMPARISON:
        title = f"Matches that {names[0]} has lost, or with a fault"
    else:
        title = "The last match that each has lost, and those with a fault"
    caption = f"{len(rows)} match{'' if len(rows) == 1 else 'es'}; ✓ marks who was first"
    return _section(title, table(caption, ("Match", "Result", "How it ended"), rows, "matches"))


def _way_to(match: StoredMatch, links: Mapping[int, str], command: Callable[[str], str]) -> Element:
    name = f"{match.event_id}/{match.result.number}"
    if match.id in links:
        return el("a", name, href=links[match.id])
    return el("code", command(name)) if match.kept else el("span", f"{name} (record not kept)")


def _sitting(names: tuple[str, ...], match: StoredMatch) -> Element:
    """Lists the players of a match by seat, with their scores; the first-ranked ones are marked."""
    lines = []
    for seat in match.result.seats:
        text = f"{names[seat.contestant]} {seat.score}"
        lines.append(el("span", text, " ✓" if seat.rank == 1 else None, class_="best" if seat.rank == 1 else None))
    return el("span", *[part for line in lines for part in (line, el("br"))][:-1])
