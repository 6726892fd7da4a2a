"""Reads matches, and the sums over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Select, Table, TextClause, select, text

from lapilli.core.api import Termination
from lapilli.core.errors import StoreError
from lapilli.store.facts import MatchFilter, Meeting, StoredMatch, Tally
from lapilli.store.results import MatchResult, SeatResult
from lapilli.store.tables import (
    abandoned,
    fault_counts,
    matches,
    meetings,
    records,
    seats,
    tallies,
    time_counts,
)

_TIMES: msgspec.json.Decoder[dict[int, int]] = msgspec.json.Decoder(dict[int, int])
_RESULT = msgspec.json.Decoder(MatchResult)
_TERMINATIONS = {str(termination): termination for termination in Termination}
_SEAT_COLUMNS = (
    seats.c.match_id,
    seats.c.contestant,
    seats.c.score,
    seats.c.rank,
    seats.c.fault,
    seats.c.answers,
    seats.c.cpu_ms,
    seats.c.waited_ms,
    seats.c.times,
)
_MATCH_COLUMNS = (
    matches.c.id,
    matches.c.event_id,
    matches.c.number,
    matches.c.pair,
    matches.c.seed,
    matches.c.position,
    matches.c.termination,
    matches.c.reason,
    matches.c.moves,
    matches.c.turns,
    matches.c.started,
    matches.c.seconds,
    matches.c.stored,
    matches.c.kept,
)
_ANY_FAULT = text("seats.fault <> ''")
"""Written as literal SQL, so that databases recognise that the partial indexes on faults contain all wanted rows."""


def page(connection: Connection, event_id: int, after: int, most: int) -> list[StoredMatch]:
    """Returns the first `most` matches of an event with an id above `after`, in the order of storage."""
    query = select(*_MATCH_COLUMNS).where(matches.c.event_id == event_id, matches.c.id > after)
    rows = connection.execute(query.order_by(matches.c.id).limit(most)).all()
    return _joined(connection, rows)


def search(
    connection: Connection, event_id: int, wanted: MatchFilter, before: int | None, most: int
) -> list[StoredMatch]:
    """Returns the matches that pass a filter, newest first."""
    if wanted.opponent is not None and not _have_met(connection, event_id, wanted):
        return []  # otherwise all matches of the contestant would be searched for this opponent
    ids = _ids(connection, event_id, wanted, before, most)
    rows = connection.execute(select(*_MATCH_COLUMNS).where(matches.c.id.in_(ids)).order_by(matches.c.id.desc())).all()
    return _joined(connection, rows)


def _ids(connection: Connection, event_id: int, wanted: MatchFilter, before: int | None, most: int) -> Sequence[int]:
    """Returns the ids of the matches. Walks the index that fits the filter from its end, so few other matches are
    read."""
    by_seat = wanted.contestant is not None or wanted.fault is not None
    found: Any = seats.c.match_id if by_seat else matches.c.id
    of_event = (seats if by_seat else matches).c.event_id == event_id
    query: Select[Any] = select(found).where(of_event).distinct().order_by(found.desc()).limit(most)
    if before is not None:
        query = query.where(found < before)
    if wanted.since is not None:
        first = select(matches.c.id).where(matches.c.event_id == event_id, matches.c.stored >= wanted.since)
        query = query.where(found >= first.order_by(matches.c.stored, matches.c.id).limit(1).scalar_subquery())
    if wanted.seed is not None and by_seat:
        seeded = select(matches.c.id).where(matches.c.event_id == event_id, matches.c.seed == wanted.seed)
        query = query.where(found.in_(seeded))
    elif wanted.seed is not None:
        query = query.where(matches.c.seed == wanted.seed)
    return connection.execute(query.where(*_about_seats(wanted))).scalars().all()


def _have_met(connection: Connection, event_id: int, wanted: MatchFilter) -> bool:
    query = select(meetings.c.contestant).where(
        meetings.c.event_id == event_id,
        meetings.c.contestant == wanted.contestant,
        meetings.c.opponent == wanted.opponent,
    )
    return connection.execute(query).one_or_none() is not None


def _about_seats(wanted: MatchFilter) -> Iterable[ColumnElement[bool] | TextClause]:
    if wanted.contestant is not None:
        yield seats.c.contestant == wanted.contestant
    if wanted.standing is not None:
        yield seats.c.standing == wanted.standing
    if wanted.fault is not None:
        yield _ANY_FAULT
        if wanted.fault != "any":
            yield seats.c.fault == wanted.fault
    if wanted.opponent is not None:
        other = seats.alias("other")
        yield (
            select(other.c.seat)
            .where(
                other.c.match_id == seats.c.match_id,
                other.c.seat != seats.c.seat,
                other.c.contestant == wanted.opponent,
            )
            .exists()
        )


def one(connection: Connection, match_id: int) -> StoredMatch:
    """Returns a match, with its record. Raises StoreError if there is none with that id."""
    return _whole(connection, matches.c.id == match_id, f"there is no match {match_id} in the store")


def numbered(connection: Connection, event_id: int, number: int) -> StoredMatch:
    """Returns a match by its number in its event, with its record. Raises StoreError if there is none."""
    which = (matches.c.event_id == event_id) & (matches.c.number == number)
    return _whole(connection, which, f"event {event_id} has no match {number} in the store")


def _whole(connection: Connection, which: ColumnElement[bool], missing: str) -> StoredMatch:
    row = connection.execute(select(*_MATCH_COLUMNS).where(which)).one_or_none()
    if row is None:
        raise StoreError(missing)
    (found,) = _joined(connection, [row])
    record = connection.execute(select(records.c.data).where(records.c.match_id == row.id)).scalar()
    result = msgspec.structs.replace(found.result, record=bytes(record) if record is not None else None)
    return msgspec.structs.replace(found, result=result)


def _joined(connection: Connection, rows: Sequence[Any]) -> list[StoredMatch]:
    """Builds matches from their rows and the rows of their seats."""
    sitting: dict[int, list[SeatResult]] = {row[0]: [] for row in rows}
    query = select(*_SEAT_COLUMNS).where(seats.c.match_id.in_(sitting)).order_by(seats.c.match_id, seats.c.seat)
    for match_id, contestant, score, rank, fault, answers, cpu_ms, waited_ms, times in connection.execute(query):
        sitting[match_id].append(
            SeatResult(
                contestant=contestant,
                score=score,
                rank=rank,
                fault=fault,
                answers=answers,
                times=_TIMES.decode(times),
                cpu_ms=cpu_ms,
                waited_ms=waited_ms,
            )
        )
    return [_match(row, tuple(sitting[row[0]])) for row in rows]


def _match(row: Any, sitting: tuple[SeatResult, ...]) -> StoredMatch:
    ident, event_id, number, pair, seed, position, *rest = row
    termination, reason, moves, turns, started, seconds, stored, kept = rest
    result = MatchResult(
        number=number,
        pair=pair,
        seed=seed,
        seats=sitting,
        termination=_TERMINATIONS[termination],
        reason=reason,
        moves=moves,
        turns=turns,
        started=started,
        seconds=seconds,
        position=position,
    )
    return StoredMatch(id=ident, event_id=event_id, stored=stored, kept=bool(kept), result=result)


def abandoned_ones(connection: Connection, event_id: int, most: int) -> list[MatchResult]:
    """Returns the abandoned matches of an event, newest first, without records."""
    query = select(abandoned.c.result).where(abandoned.c.event_id == event_id).order_by(abandoned.c.id.desc())
    return [_RESULT.decode(text) for text in connection.execute(query.limit(most)).scalars()]


def counted(connection: Connection, event_id: int) -> list[Tally]:
    """Returns the sums of each contestant that has played."""
    faults = _counts(connection, fault_counts, event_id)
    times = _counts(connection, time_counts, event_id)
    query = select(tallies).where(tallies.c.event_id == event_id).order_by(tallies.c.contestant)
    return [
        Tally(
            contestant=row.contestant,
            matches=row.matches,
            won=row.won,
            drawn=row.drawn,
            lost=row.lost,
            score=row.score,
            answers=row.answers,
            cpu_ms=row.cpu_ms,
            waited_ms=row.waited_ms,
            faults=faults.get(row.contestant, {}),
            times=times.get(row.contestant, {}),
        )
        for row in connection.execute(query)
    ]


def _counts(connection: Connection, table: Table, event_id: int) -> dict[int, dict[Any, int]]:
    """Returns the numbers of a table by contestant, and then by the last column of its primary key."""
    _, contestant, what = table.primary_key
    found: dict[int, dict[Any, int]] = {}
    query = select(contestant, what, table.c.number).where(table.c.event_id == event_id)
    for who, key, number in connection.execute(query.order_by(contestant, what)):
        found.setdefault(who, {})[key] = number
    return found


def met(connection: Connection, event_id: int) -> list[Meeting]:
    """Returns the sums of every two contestants that have met, in both directions."""
    query = select(
        meetings.c.contestant, meetings.c.opponent, meetings.c.won, meetings.c.drawn, meetings.c.lost, meetings.c.margin
    ).where(meetings.c.event_id == event_id)
    return [
        Meeting(
            contestant=row.contestant,
            opponent=row.opponent,
            won=row.won,
            drawn=row.drawn,
            lost=row.lost,
            margin=row.margin,
        )
        for row in connection.execute(query.order_by(meetings.c.contestant, meetings.c.opponent))
    ]
