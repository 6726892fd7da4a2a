"""What stands on an event's page, read from the store."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from lapilli.arena.overview import Overview, overview
from lapilli.arena.standings import League, Standings, league, standings
from lapilli.store import Event, EventKind, MatchFilter, Store, StoredMatch

_POINTS = 200
"""Points of a curve: more than that nobody sees."""
_LINES = 8
"""Entries of a league whose ratings are drawn."""


class Which(StrEnum):
    """Which matches are worth a page of their own: all, those that are listed as lost or faulty, or none."""

    ALL = "all"
    LOST = "lost"
    NONE = "none"


class History(msgspec.Struct, frozen=True, kw_only=True):
    """How an entry's rating went: by how many matches it had played, what the rating was very likely above."""

    number: int
    points: tuple[tuple[int, float], ...]


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """What stands on a page.

    Attributes:
        overview: figures of the event. standings: of all but leagues. league, histories: of leagues.
        matches: those that are listed, the one stored last first. which: why these.
    """

    overview: Overview
    standings: Standings | None
    league: League | None
    histories: tuple[History, ...]
    matches: tuple[StoredMatch, ...]
    which: Which


def gather(store: Store, event: Event, which: Which = Which.LOST, most: int = 100) -> Contents:
    """Reads what stands on an event's page.

    Args:
        which: ALL lists the matches stored last, else those that were lost or in which somebody was at fault.
        most: how many matches are listed.
    """
    is_league = event.kind == EventKind.LEAGUE
    found = overview(store, event, most_lost=most, points=_POINTS)
    ladder = league(store, event) if is_league else None
    drawn = [entry for entry in ladder.entries if entry.matches][:_LINES] if ladder else []
    return Contents(
        overview=found,
        standings=None if is_league else standings(store, event),
        league=ladder,
        histories=tuple(_history(store, event, entry.number, entry.matches) for entry in drawn),
        matches=tuple(store.matches(event.id, most=most) if which == Which.ALL else _to_see(store, found, most)),
        which=which,
    )


def _to_see(store: Store, found: Overview, most: int) -> list[StoredMatch]:
    """Lost matches, and those with faults."""
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
