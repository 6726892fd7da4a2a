"""Changes that users make to stored events: another name or note, other conditions for the end, deletion."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, delete, select, text, update

from lapilli.core.errors import StoreError
from lapilli.store import tables
from lapilli.store.arena.claims import living
from lapilli.store.arena.events import lock
from lapilli.store.facts import EventKind
from lapilli.store.results import ascii_json, storable
from lapilli.store.tables import events, matches, versions

_OF_MATCHES = (tables.records, tables.bot_data, tables.seats)
"""Database tables whose rows belong to a match."""
_OF_EVENTS = (
    tables.matches,
    tables.abandoned,
    tables.claims,
    tables.tallies,
    tables.fault_counts,
    tables.time_counts,
    tables.meetings,
    tables.promotions,
    tables.entries,
    tables.contestants,
)
"""Database tables whose rows belong to an event, in an order in which the rows can be deleted."""


def league_key(name: str) -> str:
    """Returns the key of the league with this name (`Event.key`), by which the store finds the league."""
    return f"{EventKind.LEAGUE} {name}"


def rename(connection: Connection, event_id: int, name: str) -> None:
    """Changes the name of an event. Implements `Store.rename_event`."""
    row = lock(connection, event_id)
    values: dict[str, Any] = {"name": storable(name)}
    if row.kind == EventKind.LEAGUE:  # leagues are found by their names
        values["key"] = league_key(name)
        same = select(events.c.id).where(events.c.key == values["key"], events.c.id != event_id)
        if connection.execute(same).first() is not None:
            raise StoreError(f"there is a league {name!r} already")
    connection.execute(update(events).where(events.c.id == event_id).values(values))


def note(connection: Connection, event_id: int, words: str) -> None:
    """Stores `words` as the note of an event; "" removes the note."""
    lock(connection, event_id)
    connection.execute(update(events).where(events.c.id == event_id).values(note=storable(words)))


def plan(connection: Connection, event_id: int, values: dict[str, Any]) -> None:
    """Stores `values` as the plan of an event: the conditions under which the event ends, see `Event.plan`."""
    lock(connection, event_id)
    connection.execute(update(events).where(events.c.id == event_id).values(plan=ascii_json(values)))


def delete_event(connection: Connection, event_id: int) -> None:
    """Deletes an event with its matches. Raises StoreError if a process is playing them. See `Store.delete_event`."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL statement_timeout = 0"))  # a million matches take minutes
    lock(connection, event_id)
    if workers := living(connection, [event_id]).get(event_id):
        who = " and ".join(claimant.process for claimant in workers)
        verb = "plays" if len(workers) == 1 else "play"
        raise StoreError(f"event {event_id} is running: {who} {verb} its matches; stop that first")
    of_event = select(matches.c.id).where(matches.c.event_id == event_id)
    for table in _OF_MATCHES:
        connection.execute(delete(table).where(table.c.match_id.in_(of_event)))
    for table in _OF_EVENTS:
        _delete_rows(connection, table, event_id)
    connection.execute(delete(events).where(events.c.id == event_id))
    connection.execute(update(versions).where(versions.c.last_event < event_id).values(last_event=event_id))


def _delete_rows(connection: Connection, table: Table, event_id: int) -> None:
    connection.execute(delete(table).where(table.c.event_id == event_id))
