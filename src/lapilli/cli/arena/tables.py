"""Prints events, standings and matches as tables for the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from lapilli.arena.matches.placeholders import number_text
from lapilli.arena.progress.promotion import DIVISIONS
from lapilli.arena.reports.figures import between_text, elo_text, faults_text, ms_text, percent_text, time_text
from lapilli.arena.reports.overview import Overview, Share, labels, writer_of
from lapilli.arena.reports.standings import LeagueStandings, Standings
from lapilli.arena.statistics import Times
from lapilli.arena.tuning.course import TuningCourse
from lapilli.arena.tuning.parameters import Parameter, Values, starts
from lapilli.cli.shared.console import console, line_of, show_table, visible
from lapilli.cli.shared.faults import show_faults
from lapilli.cli.shared.stores import command
from lapilli.core.reading.text import shortened
from lapilli.store import Event, EventKind, StoredMatch
from lapilli.store.results import unpack_record

_WRAPPED = {"contestant", "name", "state", "result", "end"}
"""Headings of columns that are wrapped if the terminal is narrow."""
_LEFT = {*_WRAPPED, "parameter", "match", "kind", "game", "started", "fault"}
"""Headings of columns that are aligned left."""
_MOST_ACROSS = 12
"""Maximum number of contestants in a cross table in the terminal."""


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(
            heading,
            justify="left" if heading in _LEFT else "right",
            no_wrap=heading not in _WRAPPED,
            min_width=8 if heading in _WRAPPED else None,
            overflow="fold",
        )
    return table


def _row(table: Table, *cells: object) -> None:
    table.add_row(*(Text("" if cell is None else line_of(str(cell))) for cell in cells))


def _line(text: str, style: str = "") -> None:
    console.print(Text(line_of(text), style=style))


def events(found: Iterable[Event]) -> None:
    """Prints a table of the events in `found`: kind, name, game, number of matches, start and state."""
    table = _table("event", "kind", "name", "game", "matches", "started", "state")
    for event in found:
        matches = event.played if event.counted is None else event.counted * len(event.contestants)
        counted = f"{matches:,}" + (f" (+{event.abandoned:,} abandoned)" if event.abandoned else "")
        state = shortened(event.verdict, 100) or ("finished" if event.finished else "unfinished")
        name = f"{event.name} ({shortened(event.note, 60)})" if event.note else event.name
        _row(table, event.id, event.kind, name, event.game, counted, time_text(event.created), state)
    show_table(table)


def overview(found: Overview, where: str | None, course: TuningCourse | None = None) -> None:
    """Prints an event with its results so far.

    Args:
        found: the event with its results.
        where: value of the option --store, which is part of the printed commands; None if the option was omitted.
        course: parameters and current values of a tuning; None for other events.
    """
    _head(found)
    if found.compared is not None and found.compared.counts.pairs:
        _compared(found)
    if course is not None:
        show_table(parameter_table(course.terms.parameters, course.values()))
    console.print()
    _shares(found.shares)
    for share in found.shares:
        if share.faults:
            _line(f"Faults of {share.name}: {faults_text(share.faults)}.", "red")
    for fault in found.last_faults:
        _line(f"Last fault of {fault.name}, in {command(f'view {fault.match}', where)}: {fault.reason}", "red")
        if fault.stderr:
            console.print(Text(f"Its last lines on stderr:\n{visible(fault.stderr)}", style="dim"))
    if found.data:
        console.print()
        _bot_data(found)
    if found.event.abandoned:
        reasons = {one.reason: None for one in found.abandoned}
        _line(f"Abandoned, and not counted: {found.event.abandoned:,} matches. Last reasons: {'; '.join(reasons)}.")
    _lost(found, where)


def _head(found: Overview) -> None:
    event = found.event
    form = f" ({event.settings['format']})" if "format" in event.settings else ""
    console.print(Text.assemble((line_of(event.name), "bold"), f" · {event.kind} {event.id}{form} · {event.game}"))
    state = f"finished {time_text(event.finished)}" if event.finished else "unfinished"
    setup = {key: value for key in ("setup", "clock") for key, value in (event.settings.get(key) or {}).items()}
    settings = "".join(f" · {key.replace('_', ' ')} {shortened(str(value), 100)}" for key, value in setup.items())
    _line(f"started {time_text(event.created)}, {state} · {found.counted:,} matches{settings}")
    if found.left_out:
        _line(found.left_out, "dim")
    if event.note:
        _line(f"Note: {event.note}")
    if event.verdict:
        _line(event.verdict, "bold")


def parameter_table(parameters: Sequence[Parameter], values: Values) -> Table:
    """Returns a table of a tuning's parameters: name, range, start value, and tuned value.

    Args:
        parameters: the parameters.
        values: their tuned values.
    """
    table = _table("parameter", "range", "start", "tuned")
    start = starts(parameters)
    for one in parameters:
        bounds = f"{number_text(one.low)} to {number_text(one.high)}"
        _row(table, one.name, bounds, number_text(start[one.name]), number_text(values[one.name]))
    return table


def _compared(found: Overview) -> None:
    compared = found.compared
    assert compared is not None
    figures, counts, first, second = compared.elo, compared.counts, *found.shares[:2]
    between = between_text(figures.low, figures.high)
    _line(
        f"{first.name} against {second.name}: {elo_text(figures.elo)} Elo ({between}, 95 %), "
        f"score {percent_text(figures.score)}, better with a probability of {percent_text(figures.los)}"
    )
    _line(f"{counts.pairs:,} pairs: {counts.wins:,} won, {counts.draws:,} drawn, {counts.losses:,} lost")
    if compared.repeats:
        _line("Both players always play the same moves, so pairs with the same start count once.", "yellow")


def _shares(shares: Sequence[Share]) -> None:
    table = _table("#", "contestant", "matches", "won-drawn-lost", "score", "faults", "ms: p50", "p99", "max")
    for share in shares:
        times = (ms_text(share.p50_ms), ms_text(share.p99_ms), ms_text(share.max_ms))
        counts = f"{share.won}-{share.drawn}-{share.lost}"
        faults = f"{sum(share.faults.values()):,}"
        _row(table, share.number, share.name, f"{share.matches:,}", counts, percent_text(share.score), faults, *times)
    show_table(table)
    for share in shares:
        if share.player != share.name:
            _line(f"{share.name} is {share.player}", "dim")


def _bot_data(found: Overview) -> None:
    """Prints a table of the numbers that bots wrote to stderr: mean, minimum and maximum for each name.

    `found`: the event with its results.
    """
    names = labels(found.event.contestants)
    table = _table("name", "contestant", "matches", "mean", "lowest", "highest")
    for one in found.data:
        numbers = ("" if value is None else f"{value:,.6g}" for value in (one.mean, one.low, one.high))
        _row(table, one.name, writer_of(one.contestant, names), f"{one.matches:,}", *numbers)
    show_table(table)


def _lost(found: Overview, where: str | None) -> None:
    """Prints the last lost matches of an event, each with the command that shows the match.

    `found`: the event with its results. `where`: value of the option --store, which is part of the printed commands;
    None if the option was omitted.
    """
    if not found.lost:
        return
    names = labels(found.event.contestants)
    console.print()
    if found.event.kind == EventKind.COMPARISON:
        _line(f"Lost by {names[0]}, the last {len(found.lost)}:")
    else:
        _line("Last lost match of each contestant:")
    for match in found.lost:
        name = f"{match.event_id}/{match.result.number}"
        see = command(f"view {name}", where) if match.kept else f"{name} (record not kept)"
        _line(f"  {see}   {_players(names, match)} · {match.result.reason}")
    if found.event.kind == EventKind.COMPARISON:
        _line(
            f"All lost matches: {command(f'arena matches {found.event.id} --lost-by {shlex.quote(names[0])}', where)}"
        )


def _players(names: Sequence[str], match: StoredMatch) -> str:
    """Returns the players of a match with their scores, in the order of the seats.

    `names`: display names of the event's contestants.
    """
    return " – ".join(f"{names[seat.contestant]} {seat.score}" for seat in match.result.seats)


def standings(found: Standings) -> None:
    """Prints the ratings of an event's contestants. For 3 to `_MOST_ACROSS` contestants, prints a cross table, too."""
    table = _table("rank", "contestant", "Elo", "95 % by match", "score", "won", "drawn", "lost", "margin")
    for place, row in enumerate(found.rows, 1):
        interval = "" if row.low is None or row.high is None else between_text(row.low, row.high)
        counts = (f"{number:,}" for number in (row.won, row.drawn, row.lost))
        _row(table, place, row.name, elo_text(row.elo), interval, percent_text(row.score), *counts, f"{row.margin:+,}")
    show_table(table)
    if 2 < len(found.rows) <= _MOST_ACROSS:
        console.print()
        _cross_table(found)


def _cross_table(found: Standings) -> None:
    """Prints a table of the results of each contestant against each other contestant, as won-drawn-lost."""
    table = _table("rank", "contestant", *(f"vs {place}" for place in range(1, len(found.rows) + 1)))
    for place, row in enumerate(found.rows, 1):
        met = [found.meetings.get((row.number, other.number)) for other in found.rows]
        cells = ["–" if one is None else f"{one.won}-{one.drawn}-{one.lost}" for one in met]
        cells[place - 1] = ""
        _row(table, place, row.name, *cells)
    show_table(table)


def league(event: Event, found: LeagueStandings) -> None:
    """Prints the leaderboard and the promotions of a league."""
    names = labels(event.contestants)
    table = _table("rank", "division", "contestant", "rating", "±", "matches", "won", "drawn", "lost", "state")
    for place, entry in enumerate(found.entries, 1):
        counts = (f"{number:,}" for number in (entry.matches, entry.won, entry.drawn, entry.lost))
        state = ", ".join(["boss"] * entry.boss + ["withdrawn"] * (entry.withdrawn is not None))
        rating = entry.rating
        above = f"{rating.mu - 3 * rating.sigma:.1f}"
        _row(table, place, DIVISIONS[entry.division], names[entry.number], above, f"{rating.sigma:.1f}", *counts, state)
    show_table(table)
    for entry in found.entries:
        if missing := found.missing.get(entry.number):
            _line(f"{names[entry.number]} still needs for its promotion: {'; '.join(missing)}.", "dim")
    for move in found.promotions:
        before, after = DIVISIONS[move.before], DIVISIONS[move.after]
        _line(f"{time_text(move.at)}  {names[move.contestant]}: {before} to {after}: {move.reason}")


def matches(names: Sequence[str], found: Sequence[StoredMatch]) -> None:
    """Prints a list of matches. `names` are the display names of the event's contestants."""
    if not found:
        console.print("No matches found.")
        return
    table = _table("match", "started", "seed", "result", "turns", "end")
    for match in found:
        result = match.result
        name = f"{match.event_id}/{result.number}" + ("" if match.kept else " (no record)")
        end = f"{result.termination}: {shortened(result.reason, 80)}"
        _row(table, name, time_text(result.started), result.seed, _players(names, match), result.turns, end)
    show_table(table)


def next_page(event: Event, last: int, options: Mapping[str, object], where: str | None) -> None:
    """Prints the command that lists the next matches of an event.

    Args:
        event: the event.
        last: number of the last match that was listed.
        options: values of the filter options by name; None for an option that is not set.
        where: value of the option --store; None if the option was omitted.
    """
    chosen = [(name, value) for name, value in options.items() if value is not None]
    single = [(name, one) for name, value in chosen for one in (value if isinstance(value, list) else [value])]
    given = "".join(f" --{name} {shlex.quote(str(value))}" for name, value in single)
    _line(f"More: {command(f'arena matches {event.id}{given} --before {last}', where)}")


def match(event: Event, found: StoredMatch, where: str | None) -> None:
    """Prints the result of a match with its players and faults, and the command that shows the match.

    `where`: value of the option --store, which is part of the printed command; None if the option was omitted.
    """
    names, result = labels(event.contestants), found.result
    name = f"{event.id}/{result.number}"
    _line(f"Match {name} of {event.name} · {event.game}", "bold")
    start = f" · starts from position {result.position}" if result.position else ""
    _line(
        f"seed {result.seed} · pair {result.pair} · started {time_text(result.started)}, {result.seconds:.2f} s · "
        f"{result.turns} turns{start}"
    )
    _line(f"{result.termination}: {result.reason}")
    table = _table("seat", "contestant", "rank", "score", "fault", "replies", "p50 ms", "max ms")
    for place, seat in enumerate(result.seats):
        times = Times.of_buckets(seat.times)
        spent = (ms_text(times.quantile_ms(0.5)), ms_text(times.max_ms)) if seat.times else ("", "")
        _row(table, place, names[seat.contestant], seat.rank, seat.score, seat.fault, seat.answers, *spent)
    show_table(table)
    if result.record is not None:
        show_faults(unpack_record(result.record, f"match {name}"), [names[seat.contestant] for seat in result.seats])
    if found.kept:
        _line(f"View it: {command(f'view {name}', where)}")
    else:
        _line("The record was not kept.")
