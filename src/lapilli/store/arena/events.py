"""Creates and reads events: comparisons, tournaments, leagues and tunings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update

from lapilli.core.errors import StoreError
from lapilli.players.spec import PlayerSpec
from lapilli.store.facts import Event, EventKind
from lapilli.store.results import Contestant, ascii_json, storable
from lapilli.store.statements import now
from lapilli.store.tables import contestants, events, versions


def lock(connection: Connection, event_id: int) -> Row[Any]:
    """Locks an event until the transaction ends, so that no other transaction can change it. Returns its database row.

    SQLite needs no lock, because only one of its transactions can write at a time.

    Raises:
        StoreError: there is no such event.
    """
    row = connection.execute(select(events).where(events.c.id == event_id).with_for_update()).one_or_none()
    if row is None:
        raise _no_event(event_id)
    return row


def _no_event(event_id: int) -> StoreError:
    return StoreError(f"there is no event {event_id} in the store")


def begin(
    connection: Connection,
    kind: EventKind,
    name: str,
    game: str,
    key: str,
    settings: dict[str, Any],
    participants: Sequence[Contestant],
    resume: bool,
) -> Event:
    """Returns the latest event with this key, or creates a new event. Implements `Store.open_event`.

    Args:
        connection: the connection.
        kind: kind of the event.
        name: display name of a new event.
        game: name of the game.
        key: key of the event, see `event_key`.
        settings: settings that all matches of the event share, as JSON values.
        participants: contestants of a new event.
        resume: whether to return an existing event with this key. If False, a new event is created in any case.
    """
    if connection.dialect.name == "postgresql":  # processes that begin the same event at the same time get the same one
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 0))))
    before = connection.execute(
        select(events.c.id, events.c.round).where(events.c.key == key).order_by(events.c.round.desc()).limit(1)
    ).one_or_none()
    if before is not None and resume:
        return by_id(connection, before.id)
    created = now(connection)
    row = {
        "kind": kind,
        "name": storable(name),
        "game": game,
        "key": key,
        "round": before.round + 1 if before else 0,
        "settings": ascii_json(settings),
        "created": created,
        "changed": created,
    }
    if connection.dialect.name == "sqlite":  # SQLite would use the number of a deleted event again
        row["id"] = _next_id(connection)
    event_id = connection.execute(insert(events).values(row).returning(events.c.id)).scalar_one()
    add_contestants(connection, event_id, 0, participants)
    return by_id(connection, event_id)


def _next_id(connection: Connection) -> int:
    """Returns an id that no event has, and that no deleted event had."""
    largest = connection.execute(select(func.max(events.c.id))).scalar() or 0
    deleted = connection.execute(select(versions.c.last_event)).scalar_one()
    return max(int(largest), int(deleted)) + 1


def add_contestants(
    connection: Connection,
    event_id: int,
    first: int,
    participants: Sequence[Contestant],
    keep_environment: bool = False,
) -> None:
    """Adds contestants to an event.

    Args:
        connection: the connection.
        event_id: id of the event.
        first: index of the first new contestant in the event's list of contestants.
        participants: the new contestants.
        keep_environment: whether to store the environment variables of bots. The variables may be secrets. They are
            stored only for leagues, whose bots are started from the stored data.
    """
    rows = [
        {
            "event_id": event_id,
            "contestant": place,
            "name": contestant.name,
            "version": contestant.version,
            "hash": contestant.hash,
            "player": _player_json(contestant.player, keep_environment),
        }
        for place, contestant in enumerate(participants, first)
    ]
    if rows:
        connection.execute(insert(contestants), rows)


def _player_json(player: str | PlayerSpec, keep_environment: bool) -> str:
    """Returns a player as JSON, without its environment variables unless `keep_environment` is set."""
    if isinstance(player, PlayerSpec) and not keep_environment:
        player = msgspec.structs.replace(player, environment={})
    return ascii_json(msgspec.to_builtins(player))


def contestant_of(row: Any) -> Contestant:
    """Returns the contestant in a database row that has the columns of the table `contestants`."""
    player = msgspec.convert(json.loads(row.player), str | PlayerSpec)
    return Contestant(name=row.name, player=player, hash=row.hash, version=row.version)


def by_id(connection: Connection, event_id: int) -> Event:
    """Returns the event with this id. Raises StoreError if there is no such event."""
    found = _read(connection, connection.execute(select(events).where(events.c.id == event_id)).all())
    if not found:
        raise _no_event(event_id)
    return found[0]


def listed(connection: Connection, /, most: int, before: int | None, **wanted: str | None) -> list[Event]:
    """Returns events, newest first.

    Args:
        connection: the connection.
        most: largest number of events.
        before: only events with ids below this one are returned; None for no limit.
        wanted: keyword arguments that select events: the name of a column and the value that it must have; None for any
            value.
    """
    query = select(events).order_by(events.c.id.desc()).limit(most)
    if before is not None:
        query = query.where(events.c.id < before)
    for column, value in wanted.items():
        if value is not None:
            query = query.where(events.c[column] == value)
    return _read(connection, connection.execute(query).all())


def _read(connection: Connection, rows: Iterable[Row[Any]]) -> list[Event]:
    rows = list(rows)
    by_event: dict[int, list[Contestant]] = {row.id: [] for row in rows}
    query = select(contestants).where(contestants.c.event_id.in_(by_event))
    for row in connection.execute(query.order_by(contestants.c.event_id, contestants.c.contestant)):
        by_event[row.event_id].append(contestant_of(row))
    return [
        Event(
            id=row.id,
            kind=EventKind(row.kind),
            name=row.name,
            game=row.game,
            key=row.key,
            settings=json.loads(row.settings),
            contestants=tuple(by_event[row.id]),
            created=row.created,
            finished=row.finished,
            verdict=row.verdict,
            played=row.played,
            abandoned=row.abandoned,
            counted=row.counted,
            note=row.note,
            plan=json.loads(row.plan),
        )
        for row in rows
    ]


def names(connection: Connection, kind: EventKind, most: int) -> list[str]:
    """Returns the names of all events of a kind, each name once, in alphabetical order, but at most `most` names."""
    query = select(events.c.name).where(events.c.kind == kind).distinct().order_by(events.c.name).limit(most)
    return list(connection.execute(query).scalars())


def checkpoint(connection: Connection, event_id: int) -> str | None:
    """Returns the latest checkpoint of an event; None if there is none. Implements `Store.checkpoint`.

    A checkpoint is a text with the counts of a run of the event, from which the next run can continue.
    """
    found: str | None = connection.execute(select(events.c.checkpoint).where(events.c.id == event_id)).scalar()
    return found


def keep_checkpoint(connection: Connection, event_id: int, data: str) -> None:
    """Stores a checkpoint of an event: the text `data` with the counts of a run, from which the next run can continue.

    Implements `Store.keep_checkpoint`.
    """
    connection.execute(update(events).where(events.c.id == event_id).values(checkpoint=data))


def finish(connection: Connection, event_id: int, verdict: str, counted: int | None) -> None:
    """Marks an event as finished, and stores its verdict. Implements `Store.finish`.

    `counted`: for a comparison, the number of pairs of matches on which the verdict is based; otherwise None.
    """
    lock(connection, event_id)
    values = {"finished": now(connection), "verdict": storable(verdict), "counted": counted}
    connection.execute(update(events).where(events.c.id == event_id).values(values))
