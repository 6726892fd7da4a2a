"""Stored events and matches for Python users: frozen dataclasses with plain fields, see `lapilli.arena.events`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lapilli.arena.reports.overview import labels
from lapilli.arena.statistics import Times
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.match.record import Record
from lapilli.store import Event, EventKind, MatchFilter, Standing, Store, StoredMatch
from lapilli.store.places import default_store
from lapilli.store.results import SeatResult, unpack_record

_PAGE = 500
"""Number of events or matches that are read at once."""


@dataclass(frozen=True, slots=True)
class ArenaSeat:
    """The result of one player in a stored match.

    Attributes:
        player: label of the contestant in this seat.
        score: the player's points in the game; None in an abandoned match.
        rank: rank of the player; 1 is best, ties share a rank. None in an abandoned match.
        fault: kind of the player's fault, such as "timeout"; "" without a fault.
        answers: number of times that the player was asked for a reply.
        max_ms: longest reply time, in milliseconds, rounded up by up to 5 %; None if no times are stored.
        cpu_ms: processor time of the player, in milliseconds.
    """

    player: str
    score: int | None
    rank: int | None
    fault: str
    answers: int
    max_ms: float | None
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class ArenaMatch:
    """A stored match.

    Attributes:
        event: number of the event.
        number: number of the match in the event; `lapilli view EVENT/NUMBER` shows the match.
        pair: number of the pair to which the match belongs: matches with the same seed and exchanged seats.
        seed: seed of the setup.
        position: start position; None for the game's usual start position.
        begun: time when the match began, in UTC.
        seconds: duration of the match, in seconds.
        turns: number of turns.
        termination: kind of ending, as a word such as "decided" or "timeout".
        reason: reason why the match ended, as a sentence.
        has_record: whether the record of the match is stored.
        seats: the players, by seat.
    """

    event: int
    number: int
    pair: int
    seed: int
    position: str | None
    begun: datetime
    seconds: float
    turns: int
    termination: str
    reason: str
    has_record: bool
    seats: tuple[ArenaSeat, ...]
    _where: Store | str | None = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as a flat dictionary. The keys for a seat end with its number: `player_0`, `score_1`."""
        data = {one.name: getattr(self, one.name) for one in fields(self)[:-2]}
        seats = {
            f"{key}_{place}": value for place, seat in enumerate(self.seats) for key, value in asdict(seat).items()
        }
        return data | seats

    def record(self) -> Record:
        """Returns the record of the match. Raises LapilliError if the record is not stored."""
        with _opened(self._where) as store:
            packed = store.match_numbered(self.event, self.number).result.record
        if packed is None:
            raise LapilliError(f"the record of match {self.event}/{self.number} was not kept")
        return unpack_record(packed, f"match {self.event}/{self.number}")


@dataclass(frozen=True, slots=True)
class ArenaEvent:
    """A stored comparison, tournament, league or tuning.

    Attributes:
        number: number of the event in the store.
        kind: "comparison", "tournament", "league" or "tuning".
        game: name of the game.
        title: name of the event.
        note: note of the user; "" without a note.
        begun: time when the event began, in UTC.
        ended: time when the event ended, in UTC; None if it has not ended.
        running: whether a process was playing matches of the event when this object was created.
        contestants: labels of the contestants.
        played: number of stored matches that count.
        abandoned: number of stored matches that do not count, because the machine failed or was too busy.
        sentence: the result in one sentence; "" until there is one.
    """

    number: int
    kind: str
    game: str
    title: str
    note: str
    begun: datetime
    ended: datetime | None
    running: bool
    contestants: tuple[str, ...]
    played: int
    abandoned: int
    sentence: str
    _where: Store | str | None = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as a dictionary, with the contestants as a list."""
        data = {one.name: getattr(self, one.name) for one in fields(self)[:-1]}
        return data | {"contestants": list(self.contestants)}

    def matches(self, lost_by: str | None = None, limit: int | None = None) -> list[ArenaMatch]:
        """Returns the matches of the event, the most recently stored last. A match takes about a kilobyte of memory.

        Args:
            lost_by: label of a contestant, for only the matches that this contestant lost; None for all matches.
            limit: largest number of matches to return, the most recently stored ones; None for all.

        Raises:
            LapilliError: there is no such contestant, the event was deleted, or the limit is below 1.
        """
        _check_limit(limit)
        wanted = MatchFilter()
        if lost_by is not None:
            if lost_by not in self.contestants:
                raise UnknownName("contestant", lost_by, self.contestants)
            wanted = MatchFilter(contestant=self.contestants.index(lost_by), standing=Standing.LOST)
        with _opened(self._where) as store:
            names = labels(store.event(self.number).contestants)
            found = [_match(match, names, self._where) for match in _newest_first(store, self.number, wanted, limit)]
        return found[::-1]


def stored_events(
    store: Store | str | os.PathLike[str] | None, kind: str | None, game: str | None, limit: int | None
) -> list[ArenaEvent]:
    """Returns stored events, newest first. `lapilli.arena.events` calls this function.

    Args:
        store: file or PostgreSQL URL of the store, or an open `Store`; None for the default store.
        kind: only events of this kind, such as "comparison"; None for all kinds.
        game: only events of the game with this name; None for all games.
        limit: maximum number of events; None for all.
    """
    _check_limit(limit)
    if kind is not None and kind not in list(EventKind):
        raise UnknownName("kind of event", kind, EventKind)
    wanted = None if kind is None else EventKind(kind)
    where = store if store is None or isinstance(store, Store) else os.fspath(store)
    found: list[ArenaEvent] = []
    with _opened(where) as opened:
        before = None
        while limit is None or len(found) < limit:
            most = _PAGE if limit is None else min(_PAGE, limit - len(found))
            page = opened.events(kind=wanted, game=game, most=most, before=before)
            if not page:
                break
            running = opened.running([event.id for event in page])
            found += [_event(event, event.id in running, where) for event in page]
            before = page[-1].id
    return found


def _check_limit(limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise LapilliError(f"limit must be at least 1, not {limit}")


@contextmanager
def _opened(where: Store | str | None) -> Iterator[Store]:
    """Opens a store for a `with` block; None opens the default store. A `Store` is already open, and stays open."""
    if isinstance(where, Store):
        yield where
        return
    path: str | Path = default_store() if where is None else where
    with Store.open(path, create=False) as store:
        yield store


def _newest_first(store: Store, event_id: int, wanted: MatchFilter, limit: int | None) -> Iterator[StoredMatch]:
    before, left = None, limit
    while left is None or left > 0:
        page = store.matches(event_id, wanted, before=before, most=_PAGE if left is None else min(_PAGE, left))
        if not page:
            return
        yield from page
        before = page[-1].id
        left = None if left is None else left - len(page)


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _event(event: Event, running: bool, where: Store | str | None) -> ArenaEvent:
    return ArenaEvent(
        number=event.id,
        kind=str(event.kind),
        game=event.game,
        title=event.name,
        note=event.note,
        begun=_time(event.created),
        ended=None if event.finished is None else _time(event.finished),
        running=running,
        contestants=labels(event.contestants),
        played=event.played,
        abandoned=event.abandoned,
        sentence=event.verdict,
        _where=where,
    )


def _match(match: StoredMatch, names: Sequence[str], where: Store | str | None) -> ArenaMatch:
    result = match.result
    return ArenaMatch(
        event=match.event_id,
        number=result.number,
        pair=result.pair,
        seed=result.seed,
        position=result.position,
        begun=_time(result.started),
        seconds=result.seconds,
        turns=result.turns,
        termination=str(result.termination),
        reason=result.reason,
        has_record=match.kept,
        seats=tuple(_seat(seat, names) for seat in result.seats),
        _where=where,
    )


def _seat(seat: SeatResult, names: Sequence[str]) -> ArenaSeat:
    return ArenaSeat(
        player=names[seat.contestant],
        score=seat.score,
        rank=seat.rank,
        fault=seat.fault,
        answers=seat.answers,
        max_ms=Times.of_buckets(seat.times).max_ms if seat.times else None,
        cpu_ms=seat.cpu_ms,
    )
