"""A store begins, or is brought up to this version: in one transaction each, so that no half of one is ever seen."""

from __future__ import annotations

from sqlalchemy import Connection, inspect, select, text, update

from lapilli.core.errors import StoreTrouble
from lapilli.store import tables

_OURS = 0x4C50_6C69
"""SQLite's application id: what the file's head says, for `file` and the like."""
_MAKING = 0x4C50_6C69
"""The lock of PostgreSQL under which tables are made or changed, so that two who begin at once are not in each other's
way."""


def is_current(connection: Connection, label: str) -> bool:
    """Whether there is nothing to prepare. Raises StoreTrouble where the store does not say of what version it is."""
    return _version(connection, label) == tables.VERSION


def prepare(connection: Connection, label: str, create: bool) -> None:
    """Makes the tables where there are none, or upgrades those of an older version.

    Raises:
        StoreTrouble: there are none and none are to be made; it is of a newer version, or another program's.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL statement_timeout = 0"))  # an upgrade takes as long as it takes
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_MAKING})"))
    version = _version(connection, label)  # by now, who came first is done
    if version is None:
        if not create:
            raise StoreTrouble(f"there is no store in {label}")
        _make(connection, label)
    elif version > tables.VERSION:
        raise StoreTrouble(
            f"store {label} is of version {version}, and this program knows up to {tables.VERSION}: install a newer one"
        )
    else:
        for older in range(version, tables.VERSION):
            tables.STEPS[older](connection)
        connection.execute(update(tables.versions).values(version=tables.VERSION))


def _version(connection: Connection, label: str) -> int | None:
    """Of the store that is there; None where there is none."""
    if not inspect(connection).has_table(tables.versions.name):
        return None
    found = connection.execute(select(tables.versions.c.version)).scalar()
    if not isinstance(found, int):
        raise StoreTrouble(f"store {label}: nothing says of what version it is")
    return found


def _make(connection: Connection, label: str) -> None:
    there = inspect(connection).get_table_names()
    is_file = connection.dialect.name == "sqlite"
    if there if is_file else tables.metadata.tables.keys() & there:
        own = "file" if is_file else "database or schema"
        raise StoreTrouble(f"{label} holds another program's tables: a store needs a {own} of its own")
    if is_file:
        connection.execute(text(f"PRAGMA application_id = {_OURS}"))
    tables.metadata.create_all(connection)
    connection.execute(tables.versions.insert().values(version=tables.VERSION))
