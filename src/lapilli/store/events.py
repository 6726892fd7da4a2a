"""Events (comparisons, tournaments, leagues): created, or found again by their key."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, text, update

from lapilli.core.errors import StoreError
from lapilli.players.spec import PlayerSpec
from lapilli.store.facts import Event, EventKind
from lapilli.store.results import Contestant, ascii_json, storable
from lapilli.store.tables import contestants, events


def now(connection: Connection) -> float:
    """Returns the time in seconds since 1970, by the clock that all users of the store share: the server's, if any."""
    if connection.dialect.name == "postgresql":
        return float(connection.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())
    return time.time()


def lock(connection: Connection, event_id: int) -> Row[Any]:
    """Locks an event until the transaction ends, and returns its row. Meanwhile nobody else can change the event.

    (On SQLite the transaction is the only writer anyway.)

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
    who: Sequence[Contestant],
    resume: bool,
) -> Event:
    """Returns the latest event with that key if there is one and `resume` is set; otherwise a new event."""
    if connection.dialect.name == "postgresql":  # two processes that begin the same event get the same one
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
    event_id = connection.execute(insert(events).values(row).returning(events.c.id)).scalar_one()
    add_contestants(connection, event_id, 0, who)
    return by_id(connection, event_id)


def add_contestants(
    connection: Connection, event_id: int, first: int, who: Sequence[Contestant], keep_environment: bool = False
) -> None:
    """Adds contestants to an event, at the places from `first` on.

    Environment variables of a bot may be secrets. They are stored only with `keep_environment`, that is where the bot
    is later started from what the store holds.
    """
    rows = [
        {
            "event_id": event_id,
            "contestant": place,
            "name": contestant.name,
            "version": contestant.version,
            "hash": contestant.hash,
            "player": _written(contestant.player, keep_environment),
        }
        for place, contestant in enumerate(who, first)
    ]
    if rows:
        connection.execute(insert(contestants), rows)


def _written(player: str | PlayerSpec, keep_environment: bool) -> str:
    if isinstance(player, PlayerSpec) and not keep_environment:
        player = msgspec.structs.replace(player, environment={})
    return ascii_json(msgspec.to_builtins(player))


def contestant_of(row: Any) -> Contestant:
    """Returns the contestant of a row with the columns of `contestants`."""
    player = msgspec.convert(json.loads(row.player), str | PlayerSpec)
    return Contestant(name=row.name, player=player, hash=row.hash, version=row.version)


def by_id(connection: Connection, event_id: int) -> Event:
    """Returns one event. Raises StoreError if there is none with that id."""
    found = _read(connection, connection.execute(select(events).where(events.c.id == event_id)).all())
    if not found:
        raise _no_event(event_id)
    return found[0]


def listed(connection: Connection, /, most: int, **wanted: str | None) -> list[Event]:
    """Returns events with the given column values (None: any value), newest first."""
    query = select(events).order_by(events.c.id.desc()).limit(most)
    for column, value in wanted.items():
        if value is not None:
            query = query.where(events.c[column] == value)
    return _read(connection, connection.execute(query).all())


def _read(connection: Connection, rows: Iterable[Row[Any]]) -> list[Event]:
    rows = list(rows)
    who: dict[int, list[Contestant]] = {row.id: [] for row in rows}
    query = select(contestants).where(contestants.c.event_id.in_(who))
    for row in connection.execute(query.order_by(contestants.c.event_id, contestants.c.contestant)):
        who[row.event_id].append(contestant_of(row))
    return [
        Event(
            id=row.id,
            kind=EventKind(row.kind),
            name=row.name,
            game=row.game,
            key=row.key,
            settings=json.loads(row.settings),
            contestants=tuple(who[row.id]),
            created=row.created,
            finished=row.finished,
            verdict=row.verdict,
            played=row.played,
            abandoned=row.abandoned,
        )
        for row in rows
    ]


def names(connection: Connection, kind: EventKind, most: int) -> list[str]:
    """Returns the names of the events of a kind, in alphabetical order, each once."""
    query = select(events.c.name).where(events.c.kind == kind).distinct().order_by(events.c.name).limit(most)
    return list(connection.execute(query).scalars())


def finish(connection: Connection, event_id: int, verdict: str) -> None:
    """Marks an event as finished, and stores its verdict."""
    lock(connection, event_id)
    connection.execute(
        update(events).where(events.c.id == event_id).values(finished=now(connection), verdict=storable(verdict))
    )
