"""Stores match results. One transaction stores each match once, and updates all sums that depend on the match."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import permutations
from math import isfinite
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, bindparam, delete, insert, select, update

from lapilli.store import tables
from lapilli.store.arena.events import lock
from lapilli.store.facts import Rate, Rating, standings_of
from lapilli.store.results import MatchResult, storable
from lapilli.store.statements import insert_for, insert_into, now

_CHUNK = 5000
"""Largest number of match numbers in one SQL statement. Databases limit the number of parameters of a statement."""
Rated = dict[int, Sequence[Rating]]
"""Ratings of the players after each match: a dict from the match number to the ratings in the order of the seats."""


def add(connection: Connection, event_id: int, results: Sequence[MatchResult], rate: Rate | None) -> list[int]:
    """Stores results of an event's matches, and updates the sums over its matches. Implements `Store.add_results`.

    `rate`: in a league, the function that computes the players' ratings after a match; None in other events.

    Returns:
        The numbers of the matches that were not stored before, without abandoned matches.
    """
    event = lock(connection, event_id)
    stored = max(now(connection), event.changed)  # times of storage never decrease, even if the clock was set back
    abandoned = _add_abandoned(connection, event_id, [r for r in results if r.abandoned], stored)
    played = {result.number: result for result in results if not result.abandoned}
    for number in stored_numbers(connection, tables.matches, event_id, played):
        del played[number]
    fresh = list(played.values())
    if fresh:
        rated = _rate(connection, event_id, fresh, rate) if rate else {}
        _add_matches(connection, event_id, fresh, rated, stored)
        _count(connection, event_id, fresh)
        finished = [{"event": event_id, "done": number} for number in played]
        claims = tables.claims
        connection.execute(
            delete(claims).where(claims.c.event_id == bindparam("event"), claims.c.number == bindparam("done")),
            finished,
        )
    if fresh or abandoned:
        connection.execute(
            update(tables.events)
            .where(tables.events.c.id == event_id)
            .values(played=event.played + len(fresh), abandoned=event.abandoned + abandoned, changed=stored)
        )
    return list(played)


def stored_numbers(connection: Connection, table: Table, event_id: int, numbers: Iterable[int]) -> set[int]:
    """Returns the match numbers in `numbers` that the database table already contains for this event."""
    query = select(table.c.number).where(table.c.event_id == event_id)
    stored: set[int] = set()
    for chunk in chunks(list(numbers)):
        stored.update(connection.execute(query.where(table.c.number.in_(chunk))).scalars())
    return stored


def chunks(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yields the numbers in slices that are short enough for one SQL statement."""
    for start in range(0, len(numbers), _CHUNK):
        yield numbers[start : start + _CHUNK]


def _add_abandoned(connection: Connection, event_id: int, results: Sequence[MatchResult], stored: float) -> int:
    """Stores abandoned matches in a separate database table. Releases their claims, so that they can be played again.

    `stored`: current time, in seconds since 1970.

    Returns:
        The number of results that were not stored before.
    """
    table, claims = tables.abandoned, tables.claims
    added = 0
    for result in results:
        row = {
            "event_id": event_id,
            "number": result.number,
            "started": result.started,
            "stored": stored,
            "termination": result.termination,
            "reason": result.reason,
            "result": msgspec.json.encode(msgspec.structs.replace(result, record=None)).decode(),
        }
        statement = insert_into(connection, table).values(row).on_conflict_do_nothing().returning(table.c.id)
        if connection.execute(statement).scalar() is not None:
            added += 1
            freed = update(claims).where(claims.c.event_id == event_id, claims.c.number == result.number)
            connection.execute(freed.values(worker="", expires=0.0))
    return added


def _add_matches(
    connection: Connection, event_id: int, results: Sequence[MatchResult], rated: Rated, stored: float
) -> None:
    rows = [
        {
            "event_id": event_id,
            "number": result.number,
            "pair": result.pair,
            "seed": result.seed,
            "position": result.position,
            "termination": result.termination,
            "reason": result.reason,
            "moves": result.moves,
            "turns": result.turns,
            "started": result.started,
            "seconds": result.seconds,
            "stored": stored,
            "kept": result.record is not None,
        }
        for result in results
    ]
    matches = tables.matches
    inserted = connection.execute(insert(matches).returning(matches.c.number, matches.c.id), rows)
    ids = {row.number: row.id for row in inserted}
    seats = [
        row for result in results for row in _seat_rows(event_id, ids[result.number], result, rated.get(result.number))
    ]
    connection.execute(insert(tables.seats), seats)
    data = [row for result in results for row in _data_rows(event_id, ids[result.number], result)]
    if data:
        connection.execute(insert(tables.bot_data), data)
    records = [{"match_id": ids[result.number], "data": result.record} for result in results if result.record]
    if records:
        connection.execute(insert(tables.records), records)


def _seat_rows(
    event_id: int, match_id: int, result: MatchResult, after: Sequence[Rating] | None
) -> Iterator[dict[str, Any]]:
    for number, (seat, standing) in enumerate(zip(result.seats, standings_of(result), strict=True)):
        yield {
            "match_id": match_id,
            "seat": number,
            "event_id": event_id,
            "contestant": seat.contestant,
            "score": seat.score,
            "rank": seat.rank,
            "standing": standing,
            "fault": seat.fault,
            "answers": seat.answers,
            "cpu_ms": seat.cpu_ms,
            "waited_ms": seat.waited_ms,
            "times": msgspec.json.encode(seat.times).decode(),
            "mu": after[number].mu if after else None,
            "sigma": after[number].sigma if after else None,
        }


def _data_rows(event_id: int, match_id: int, result: MatchResult) -> Iterator[dict[str, Any]]:
    """Yields rows for the database table `bot_data`: the values that bots wrote about their match and about themselves.

    `match_id`: id of the stored match. `result`: the match's result, which contains the values.
    """
    about = [(-1, -1, result.data), *((place, seat.contestant, seat.data) for place, seat in enumerate(result.seats))]
    for seat, contestant, values in about:
        for name, words in values.items():
            yield {
                "match_id": match_id,
                "seat": seat,
                "name": storable(name),
                "event_id": event_id,
                "contestant": contestant,
                "number": _number_in(words),
                "words": storable(words),
            }


def _number_in(words: str) -> float | None:
    try:
        number = float(words)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _rate(connection: Connection, event_id: int, results: Sequence[MatchResult], rate: Rate) -> Rated:
    """Computes the ratings of the players after each match, with the function `rate`, in the order of `results`.

    Stores the last rating of each contestant. Returns the ratings after each match, by the number of the match.
    """
    entries = tables.entries
    contestants = {seat.contestant for result in results for seat in result.seats}
    query = select(entries.c.contestant, entries.c.mu, entries.c.sigma)
    rows = connection.execute(query.where(entries.c.event_id == event_id, entries.c.contestant.in_(contestants)))
    ratings = {row.contestant: Rating(row.mu, row.sigma) for row in rows}
    rated: Rated = {}
    for result in results:
        contestants_by_seat = [seat.contestant for seat in result.seats]
        rated[result.number] = rate(result, [ratings[contestant] for contestant in contestants_by_seat])
        ratings.update(zip(contestants_by_seat, rated[result.number], strict=True))
    statement = update(entries).where(
        entries.c.event_id == bindparam("event"), entries.c.contestant == bindparam("who")
    )
    connection.execute(
        statement.values(mu=bindparam("new_mu"), sigma=bindparam("new_sigma")),
        [
            {"event": event_id, "who": number, "new_mu": new.mu, "new_sigma": new.sigma}
            for number, new in ratings.items()
        ],
    )
    return rated


def _count(connection: Connection, event_id: int, results: Sequence[MatchResult]) -> None:
    """Adds the results to the sums of each contestant, and to the sums of each contestant against each opponent."""
    sums: defaultdict[int, Counter[str]] = defaultdict(Counter)
    faults: Counter[tuple[int, str]] = Counter()
    times: Counter[tuple[int, int]] = Counter()
    meetings: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for result in results:
        for seat, standing in zip(result.seats, standings_of(result), strict=True):
            own = sums[seat.contestant]
            own["matches"] += 1
            own[standing] += 1
            for key in ("score", "answers", "cpu_ms", "waited_ms"):
                own[key] += getattr(seat, key)
            if seat.fault:
                faults[seat.contestant, seat.fault] += 1
            for bucket, number in seat.times.items():
                times[seat.contestant, bucket] += number
        for seat, opponent in permutations(result.seats, 2):
            if seat.contestant != opponent.contestant:
                assert seat.rank is not None and opponent.rank is not None  # noqa: PT018 -- only played matches come here
                assert seat.score is not None and opponent.score is not None  # noqa: PT018
                sums_of_pair = meetings[seat.contestant, opponent.contestant]
                sums_of_pair[
                    "won" if seat.rank < opponent.rank else "lost" if seat.rank > opponent.rank else "drawn"
                ] += 1
                sums_of_pair["margin"] += seat.score - opponent.score
    _add_amounts(connection, tables.tallies, event_id, {(contestant,): own for contestant, own in sums.items()})
    _add_amounts(connection, tables.fault_counts, event_id, {key: {"number": n} for key, n in faults.items()})
    _add_amounts(connection, tables.time_counts, event_id, {key: {"number": n} for key, n in times.items()})
    _add_amounts(connection, tables.meetings, event_id, meetings)


def _add_amounts(connection: Connection, table: Table, event_id: int, amounts: dict[Any, Any]) -> None:
    """Adds amounts to the numbers in the rows of a database table. Inserts rows that do not exist yet.

    Args:
        connection: the connection.
        table: the table.
        event_id: the event to which the rows belong.
        amounts: a dict from a row's primary key, without the event, to a dict from column name to the amount to add.
            0 is added to columns that are missing in the dict.
    """
    keys = [column.name for column in table.primary_key][1:]
    summed = [column.name for column in table.columns if not column.primary_key]
    rows = [
        {"event_id": event_id} | dict(zip(keys, key, strict=True)) | {name: amount.get(name, 0) for name in summed}
        for key, amount in amounts.items()
    ]
    if rows:
        connection.execute(_amounts_statement(connection.dialect.name, table), rows)


@cache
def _amounts_statement(dialect: str, table: Table) -> Any:
    """Returns the SQL statement of `_add_amounts`: it inserts a row into `table`, or adds numbers to an existing row.

    `dialect`: SQLAlchemy's name of the kind of database, such as "sqlite".
    """
    statement = insert_for(dialect, table)
    sums = {column.name: column + statement.excluded[column.name] for column in table.columns if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=sums)
