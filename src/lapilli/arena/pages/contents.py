"""Reads the contents of an event's page from the store."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from lapilli.arena.reports.overview import Overview, overview
from lapilli.arena.reports.standings import LeagueStandings, Standings, league, standings
from lapilli.arena.tuning.course import TuningCourse
from lapilli.arena.tuning.tuning import stored_course
from lapilli.store import Event, EventKind, MatchFilter, Store, StoredMatch

_POINTS = 200
"""Approximate number of points of a curve; more could not be seen."""
_LINES = 8
"""Maximum number of league entries in the chart of ratings."""


class Which(StrEnum):
    """The matches that get pages of their own: all, those that were lost or had a fault, or none."""

    ALL = "all"
    LOST = "lost"
    NONE = "none"


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The course of a league entry's rating.

    Attributes:
        number: index of the contestant in the event.
        points: (number of matches played, mu - 3 sigma of the rating) in the course of the league.
    """

    number: int
    points: tuple[tuple[int, float], ...]


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of an event's page.

    Attributes:
        overview: figures of the event.
        standings: standings of a comparison, tournament or tuning; None for a league.
        league: table of a league; else None.
        course: course of a tuning; else None.
        histories: ratings over time of a league's best entries; else empty.
        matches: listed matches, the most recently stored first.
        which: how these matches were chosen.
    """

    overview: Overview
    standings: Standings | None
    league: LeagueStandings | None
    course: TuningCourse | None
    histories: tuple[History, ...]
    matches: tuple[StoredMatch, ...]
    which: Which


def gather(store: Store, event: Event, which: Which = Which.LOST, most: int = 100) -> Contents:
    """Reads the contents of an event's page.

    Args:
        which: ALL lists the most recently stored matches; other values list matches that were lost or had a fault.
        most: maximum number of matches listed.
    """
    is_league = event.kind == EventKind.LEAGUE
    found = overview(store, event, most_lost=most, points=_POINTS)
    ladder = league(store, event) if is_league else None
    drawn = [entry for entry in ladder.entries if entry.matches][:_LINES] if ladder else []
    return Contents(
        overview=found,
        standings=None if is_league else standings(store, event),
        league=ladder,
        course=stored_course(store, event) if event.kind == EventKind.TUNING else None,
        histories=tuple(_history(store, event, entry.number, entry.matches) for entry in drawn),
        matches=tuple(store.matches(event.id, most=most) if which == Which.ALL else _to_see(store, found, most)),
        which=which,
    )


def _to_see(store: Store, found: Overview, most: int) -> list[StoredMatch]:
    """Returns lost matches and matches with faults, the most recently stored first."""
    chosen = {match.id: match for match in found.lost}
    for match in store.matches(found.event.id, MatchFilter(fault="any"), most=most):
        chosen[match.id] = match
    return [chosen[number] for number in sorted(chosen, reverse=True)][:most]


def _history(store: Store, event: Event, number: int, matches: int) -> History:
    step = max(1, matches // _POINTS)
    points = [
        (played, point.rating.mu - 3 * point.rating.sigma)
        for played, point in enumerate(store.ratings(event.id, number), 1)
        if played % step == 0 or played == matches
    ]
    return History(number=number, points=tuple(points))
