"""Reads the matches of an event, and the sums over these matches."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Select, Table, TextClause, func, select, text

from lapilli.core.api import Termination
from lapilli.core.errors import StoreError
from lapilli.store.facts import BotDataSum, DataCondition, DataRelation, MatchFilter, Meeting, StoredMatch, Tally
from lapilli.store.results import MatchResult, SeatResult
from lapilli.store.tables import (
    abandoned,
    bot_data,
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
_RELATIONS: dict[DataRelation, Callable[[Any, Any], Any]] = {
    DataRelation.EQUAL: operator.eq,
    DataRelation.UNEQUAL: operator.ne,
    DataRelation.LESS: operator.lt,
    DataRelation.AT_MOST: operator.le,
    DataRelation.MORE: operator.gt,
    DataRelation.AT_LEAST: operator.ge,
}
_ANY_FAULT = text("seats.fault <> ''")
"""Condition for a seat with a fault. It is literal SQL, so that databases use the partial indexes on faults."""


def page(connection: Connection, event_id: int, after: int, most: int) -> list[StoredMatch]:
    """Returns the first `most` matches of an event with ids above `after`, in the order in which they were stored."""
    query = select(*_MATCH_COLUMNS).where(matches.c.event_id == event_id, matches.c.id > after)
    rows = connection.execute(query.order_by(matches.c.id).limit(most)).all()
    return _with_seats(connection, rows)


def search(
    connection: Connection, event_id: int, wanted: MatchFilter, before: int | None, most: int
) -> list[StoredMatch]:
    """Returns the matches that pass a filter, newest first, without their records.

    Args:
        connection: the connection.
        event_id: id of the event.
        wanted: the filter.
        before: only matches with ids below this one are returned; None for no limit.
        most: largest number of matches.
    """
    if wanted.opponent is not None and not _have_met(connection, event_id, wanted):
        return []  # otherwise the query would read all matches of the contestant
    ids = _ids(connection, event_id, wanted, before, most)
    rows = connection.execute(select(*_MATCH_COLUMNS).where(matches.c.id.in_(ids)).order_by(matches.c.id.desc())).all()
    return _with_seats(connection, rows)


def _ids(connection: Connection, event_id: int, wanted: MatchFilter, before: int | None, most: int) -> Sequence[int]:
    """Returns the ids of the matches that pass the filter `wanted`, newest first.

    At most `most` ids are returned, all of them below `before`. The query is written so that the database uses an index
    that suits the filter. Then it has to read only few matches that do not pass the filter.
    """
    by_seat = wanted.contestant is not None or wanted.fault is not None
    id_column: Any = seats.c.match_id if by_seat else matches.c.id
    of_event = (seats if by_seat else matches).c.event_id == event_id
    query: Select[Any] = select(id_column).where(of_event).distinct().order_by(id_column.desc()).limit(most)
    if before is not None:
        query = query.where(id_column < before)
    if wanted.since is not None:
        earliest = select(matches.c.id).where(matches.c.event_id == event_id, matches.c.stored >= wanted.since)
        query = query.where(id_column >= earliest.order_by(matches.c.stored, matches.c.id).limit(1).scalar_subquery())
    if wanted.seed is not None and by_seat:
        seeded = select(matches.c.id).where(matches.c.event_id == event_id, matches.c.seed == wanted.seed)
        query = query.where(id_column.in_(seeded))
    elif wanted.seed is not None:
        query = query.where(matches.c.seed == wanted.seed)
    for condition in wanted.data:
        query = query.where(id_column.in_(_with_data(event_id, wanted.contestant, condition)))
    return connection.execute(query.where(*_about_seats(wanted))).scalars().all()


def _with_data(event_id: int, contestant: int | None, condition: DataCondition) -> Select[Any]:
    """Returns a query for the ids of the matches in which bots wrote data that meets a condition.

    Args:
        event_id: id of the event.
        contestant: index of a contestant, to consider only what this contestant wrote about itself and what players
            wrote about the match; None to consider all data.
        condition: the condition.
    """
    column: Any = bot_data.c.words if isinstance(condition.value, str) else bot_data.c.number
    query = select(bot_data.c.match_id).where(
        bot_data.c.event_id == event_id,
        bot_data.c.name == condition.name,
        _RELATIONS[condition.relation](column, condition.value),
    )
    return query if contestant is None else query.where(bot_data.c.contestant.in_((contestant, -1)))


def _have_met(connection: Connection, event_id: int, wanted: MatchFilter) -> bool:
    """Returns whether the contestant and the opponent that a filter names have played against each other in the event.

    `wanted`: the filter.
    """
    query = select(meetings.c.contestant).where(
        meetings.c.event_id == event_id,
        meetings.c.contestant == wanted.contestant,
        meetings.c.opponent == wanted.opponent,
    )
    return connection.execute(query).one_or_none() is not None


def _about_seats(wanted: MatchFilter) -> Iterable[ColumnElement[bool] | TextClause]:
    """Yields the SQL conditions for those fields of the filter `wanted` that concern a player.

    These are the contestant, the opponent, the contestant's result, and the fault.
    """
    if wanted.contestant is not None:
        yield seats.c.contestant == wanted.contestant
    if wanted.standing is not None:
        yield seats.c.standing == wanted.standing
    if wanted.fault is not None:
        yield _ANY_FAULT
        if wanted.fault != "any":
            yield seats.c.fault == wanted.fault
    if wanted.opponent is not None:
        opponent_seats = seats.alias("other")
        yield (
            select(opponent_seats.c.seat)
            .where(
                opponent_seats.c.match_id == seats.c.match_id,
                opponent_seats.c.seat != seats.c.seat,
                opponent_seats.c.contestant == wanted.opponent,
            )
            .exists()
        )


def by_id(connection: Connection, match_id: int) -> StoredMatch:
    """Returns a match with its record. Raises StoreError if no match has this id."""
    return _match_with_record(connection, matches.c.id == match_id, f"there is no match {match_id} in the store")


def by_number(connection: Connection, event_id: int, number: int) -> StoredMatch:
    """Returns the match with this number in an event, with its record. Raises StoreError if it is not stored."""
    condition = (matches.c.event_id == event_id) & (matches.c.number == number)
    return _match_with_record(connection, condition, f"event {event_id} has no match {number} in the store")


def _match_with_record(connection: Connection, condition: ColumnElement[bool], missing: str) -> StoredMatch:
    """Returns the match that meets a condition, with its record.

    Raises:
        StoreError: no match meets the condition. The message of the error is `missing`.
    """
    row = connection.execute(select(*_MATCH_COLUMNS).where(condition)).one_or_none()
    if row is None:
        raise StoreError(missing)
    (match,) = _with_seats(connection, [row])
    record = connection.execute(select(records.c.data).where(records.c.match_id == row.id)).scalar()
    result = msgspec.structs.replace(match.result, record=bytes(record) if record is not None else None)
    return msgspec.structs.replace(match, result=result)


def _with_seats(connection: Connection, rows: Sequence[Any]) -> list[StoredMatch]:
    """Returns the matches in these rows of the database table `matches`. Reads their seats from the table `seats`."""
    by_match: dict[int, list[SeatResult]] = {row[0]: [] for row in rows}
    query = select(*_SEAT_COLUMNS).where(seats.c.match_id.in_(by_match)).order_by(seats.c.match_id, seats.c.seat)
    for match_id, contestant, score, rank, fault, answers, cpu_ms, waited_ms, times in connection.execute(query):
        by_match[match_id].append(
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
    return [_match(row, tuple(by_match[row[0]])) for row in rows]


def _match(row: Any, seat_results: tuple[SeatResult, ...]) -> StoredMatch:
    ident, event_id, number, pair, seed, position, *rest = row
    termination, reason, moves, turns, started, seconds, stored, kept = rest
    result = MatchResult(
        number=number,
        pair=pair,
        seed=seed,
        seats=seat_results,
        termination=_TERMINATIONS[termination],
        reason=reason,
        moves=moves,
        turns=turns,
        started=started,
        seconds=seconds,
        position=position,
    )
    return StoredMatch(id=ident, event_id=event_id, stored=stored, kept=bool(kept), result=result)


def abandoned_matches(connection: Connection, event_id: int, most: int) -> list[MatchResult]:
    """Returns up to `most` abandoned matches of an event, newest first, without their records."""
    query = select(abandoned.c.result).where(abandoned.c.event_id == event_id).order_by(abandoned.c.id.desc())
    return [_RESULT.decode(text) for text in connection.execute(query.limit(most)).scalars()]


def sums_by_contestant(connection: Connection, event_id: int) -> list[Tally]:
    """Returns, for each contestant that has played in an event, the sums over its matches."""
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
    """Reads counts of an event from a database table: for each contestant, how often each value of something occurred.

    The primary key of `table` consists of event, contestant and value, for example the kind of fault.

    Returns:
        By contestant, a dict from each value to its count.
    """
    _, contestant, key_column = table.primary_key
    counts: dict[int, dict[Any, int]] = {}
    query = select(contestant, key_column, table.c.number).where(table.c.event_id == event_id)
    for index, key, number in connection.execute(query.order_by(contestant, key_column)):
        counts.setdefault(index, {})[key] = number
    return counts


def different_matches(connection: Connection, event_id: int) -> int:
    """Returns the number of an event's matches, counting matches with equal position and replies once.

    Implements `Store.different_matches`.
    """
    of_event = select(matches.c.position, matches.c.moves).where(matches.c.event_id == event_id)
    return connection.execute(select(func.count()).select_from(of_event.distinct().subquery())).scalar_one()


def data_sums(connection: Connection, event_id: int) -> list[BotDataSum]:
    """Returns statistics of the values that bots wrote in an event: one struct for each contestant and name."""
    number, key = bot_data.c.number, (bot_data.c.contestant, bot_data.c.name)
    matches = func.count(bot_data.c.match_id.distinct())
    query = (
        select(*key, matches, func.count(number), func.avg(number), func.min(number), func.max(number))
        .where(bot_data.c.event_id == event_id)
        .group_by(*key)
        .order_by(bot_data.c.name, bot_data.c.contestant)
    )
    return [
        BotDataSum(contestant=contestant, name=name, matches=count, numbers=numbers, mean=mean, low=low, high=high)
        for contestant, name, count, numbers, mean, low, high in connection.execute(query)
    ]


def data_curve(connection: Connection, event_id: int, name: str, points: int) -> dict[int, list[tuple[int, float]]]:
    """Returns how a number that bots wrote changed in the course of an event.

    Args:
        connection: the connection.
        event_id: id of the event.
        name: name of the value.
        points: largest number of points of a curve.

    Returns:
        By contestant, the points of its curve. A point is a tuple (number of values so far, mean of the values since
            the previous point). Implements `Store.data_curve`.
    """
    column = bot_data.c
    of_name = (column.event_id == event_id) & (column.name == name) & column.number.is_not(None)
    low, high = connection.execute(select(func.min(column.match_id), func.max(column.match_id)).where(of_name)).one()
    curves: dict[int, list[tuple[int, float]]] = {}
    if low is None:
        return curves
    width = (high - low) // points + 1
    place = (column.match_id - low) // width
    query = select(column.contestant, place, func.count(), func.avg(column.number)).where(of_name)
    for contestant, _, count, mean in connection.execute(query.group_by(column.contestant, place).order_by(place)):
        before = curves.setdefault(contestant, [])
        before.append(((before[-1][0] if before else 0) + count, mean))
    return curves


def sums_by_pair(connection: Connection, event_id: int) -> list[Meeting]:
    """Returns, for each contestant and each opponent that it has met, the sums over their matches."""
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
