"""Reads the contents of an event's page from the store."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import islice

import msgspec

from lapilli.arena.pages.bot_data import DataCurves, data_curves
from lapilli.arena.reports.compared import ComparisonFold
from lapilli.arena.reports.elo_course import EloCourse
from lapilli.arena.reports.overview import Overview, overview_of
from lapilli.arena.reports.standings import LeagueStandings, Standings, league, standings
from lapilli.arena.tuning.course import TuningCourse, course_of
from lapilli.store import Claimant, Event, EventKind, MatchFilter, Store, StoredMatch

_POINTS = 200
"""Approximate number of points on a curve; more points would not be visible."""
_LINES = 8
"""Maximum number of league entries or contestants of a tournament in the chart of ratings."""
_ELO_POINTS = 40
"""Smallest number of points on the curves of a long tournament. For each point, all contestants are rated."""
_PORTION = 500
"""Number of matches that are read from the store at once."""


class Which(StrEnum):
    """The matches of an event that get their own pages: all matches, matches that were lost or had a fault, or none."""

    ALL = "all"
    LOST = "lost"
    NONE = "none"


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The rating of a contestant over the matches.

    Attributes:
        number: index of the contestant in the event's list of contestants.
        points: tuples (number of matches so far, rating), in the order of the matches. In a league, only the entry's
            own matches are counted, and the rating is mu - 3 sigma. In a tournament, the matches of all contestants
            are counted, and the rating is the Elo.
    """

    number: int
    points: tuple[tuple[int, float], ...]


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of an event's page.

    Attributes:
        overview: results of the event.
        standings: standings of a comparison, tournament or tuning; None for a league.
        league: table of a league; None for other events.
        course: course of a tuning; None for other events.
        histories: ratings of a league's or tournament's best contestants over the matches; empty for other events.
        matches: matches that the page lists, the most recently stored first.
        which: the choice by which `matches` were selected.
        data: curves of values that bots wrote to stderr.
        workers: the processes that are playing matches of the event now.
        read: share of the matches that have been read, from 0 to 1. Below 1, the result of a comparison and the course
            of a tuning are missing.
    """

    overview: Overview
    standings: Standings | None
    league: LeagueStandings | None
    course: TuningCourse | None
    histories: tuple[History, ...]
    matches: tuple[StoredMatch, ...]
    which: Which
    data: tuple[DataCurves, ...] = ()
    workers: tuple[Claimant, ...] = ()
    read: float = 1.0


class MatchFold:
    """Reads the matches of an event, one portion after the other, to compute its result so far.

    Each match is read only once. If a page is shown again, only the new matches are read. The page of a league does not
    need single matches, so for a league nothing is read.

    Args:
        event: the event.

    Attributes:
        read: number of matches that have been read.
        is_complete: whether the last call of `advance` reached the last stored match; always True for a league.
    """

    def __init__(self, event: Event) -> None:
        self.comparison = ComparisonFold(event, _POINTS) if event.kind == EventKind.COMPARISON else None
        self.course = course_of(event.settings) if event.kind == EventKind.TUNING else None
        self.elo = EloCourse(_ELO_POINTS) if event.kind == EventKind.TOURNAMENT else None
        self.read, self._last_id = 0, 0
        self.is_complete = self._needs_none = event.kind == EventKind.LEAGUE

    def advance(self, store: Store, event_id: int) -> bool:
        """Reads the next matches of the event from the store, at most `_PORTION`.

        Returns whether the last stored match has been read (`is_complete`). `event_id`: id of the event.
        """
        if self._needs_none:
            return True
        number = 0
        for match in islice(store.results(event_id, self._last_id, _PORTION), _PORTION):
            number, self._last_id = number + 1, match.id
            if self.comparison is not None:
                self.comparison.add(match.result)
            elif self.course is not None:
                self.course.add(match.result)
            elif self.elo is not None:
                self.elo.add(match.result)
        self.read += number
        self.is_complete = number < _PORTION
        return self.is_complete

    def fits(self, event: Event) -> bool:
        """Returns whether the result from the matches read so far is still valid for this newer state of the event."""
        return self.comparison is None or self.comparison.fits(event)


def gather(
    store: Store,
    event: Event,
    which: Which = Which.LOST,
    most: int = 100,
    fold: MatchFold | None = None,
) -> Contents:
    """Reads the contents of an event's page.

    Args:
        store: the store.
        event: the event.
        which: ALL to list the most recently stored matches; any other value to list matches that were lost or had a
            fault.
        most: largest number of matches that are listed.
        fold: the matches read so far; by default, all matches of the event are read.
    """
    if fold is None:
        fold = MatchFold(event)
        while not fold.advance(store, event.id):
            pass
    is_league = event.kind == EventKind.LEAGUE
    comparison, course, elo = (fold.comparison, fold.course, fold.elo) if fold.is_complete else (None, None, None)
    found = overview_of(store, event, None if comparison is None else comparison.compared(event), most)
    ladder = league(store, event) if is_league else None
    drawn = [entry for entry in ladder.entries if entry.matches][:_LINES] if ladder else []
    histories = [_history(store, event, entry.number, entry.matches) for entry in drawn]
    table = None if is_league else standings(store, event)
    if elo is not None and table is not None:
        histories = _elo_histories(elo, [row.number for row in table.rows[:_LINES]])
    return Contents(
        overview=found,
        standings=table,
        league=ladder,
        course=course,
        histories=tuple(histories),
        matches=tuple(store.matches(event.id, most=most) if which == Which.ALL else _lost_ones(store, found, most)),
        which=which,
        data=data_curves(store, found),
        workers=tuple(store.running([event.id]).get(event.id, ())),
        read=1.0 if fold.is_complete else min(0.99, fold.read / max(1, event.played)),
    )


def _lost_ones(store: Store, found: Overview, most: int) -> list[StoredMatch]:
    """Returns the matches from which one learns most: those in which a bot had a fault, and those in `found.lost`.

    They are the most recently stored ones, the latest first; at most `most`. `found`: the event with its results.
    """
    chosen = {match.id: match for match in found.lost}
    for match in store.matches(found.event.id, MatchFilter(fault="any"), most=most):
        chosen[match.id] = match
    return [chosen[number] for number in sorted(chosen, reverse=True)][:most]


def _elo_histories(course: EloCourse, numbers: Sequence[int]) -> list[History]:
    """Returns the Elo of some contestants over the matches of a tournament. `numbers`: their indices in the event."""
    path = course.path()
    return [
        History(
            number=number, points=tuple((point.matches, point.elo[number]) for point in path if number in point.elo)
        )
        for number in numbers
    ]


def _history(store: Store, event: Event, number: int, matches: int) -> History:
    samples = store.rating_samples(event.id, number, max(1, matches // _POINTS))
    return History(number=number, points=tuple((played, one.mu - 3 * one.sigma) for played, one in samples))
