"""Creates the database tables of a store, or upgrades them to the version of this program, in a single transaction."""

from __future__ import annotations

from sqlalchemy import Connection, inspect, select, text, update

from lapilli.core.errors import StoreTrouble
from lapilli.store import tables
from lapilli.store.places import APPLICATION_ID

_LOCK_KEY = 0x4C50_6C69
"""Key of the PostgreSQL advisory lock that a process holds while it creates or upgrades tables. Therefore two processes
that start at the same time do not conflict.
"""


def is_current(connection: Connection, label: str) -> bool:
    """Returns whether the store's database tables have the version of this program.

    Args:
        connection: the connection.
        label: name of the store in messages.

    Raises:
        StoreTrouble: the version number in the store is missing or damaged.
    """
    return _version(connection, label) == tables.VERSION


def prepare(connection: Connection, label: str, create: bool) -> None:
    """Creates the store's database tables if there are none, or upgrades tables of an older version.

    Args:
        connection: the connection.
        label: name of the store in messages.
        create: whether to create the tables if there are none.

    Raises:
        StoreTrouble: there are no tables and `create` is False, or the tables belong to a newer version or to another
            program.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL statement_timeout = 0"))  # an upgrade may take long
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK_KEY})"))
    version = _version(connection, label)  # if another process had the lock first, it has finished
    if version is None:
        if not create:
            raise StoreTrouble(f"there is no store in {label}")
        _make(connection, label)
    elif version > tables.VERSION:
        raise StoreTrouble(
            f"store {label} has version {version}, but this Lapilli knows versions up to {tables.VERSION}: "
            "install a newer Lapilli"
        )
    else:
        for older in range(version, tables.VERSION):
            tables.STEPS[older](connection)
        connection.execute(update(tables.versions).values(version=tables.VERSION))


def _version(connection: Connection, label: str) -> int | None:
    """Returns the version of a store's tables; None if there are no tables. `label`: name of the store in messages.

    Raises:
        StoreTrouble: the version number in the store is missing or damaged.
    """
    if not inspect(connection).has_table(tables.versions.name):
        return None
    version = connection.execute(select(tables.versions.c.version)).scalar()
    if not isinstance(version, int):
        raise StoreTrouble(f"store {label} has no version number")
    return version


def _make(connection: Connection, label: str) -> None:
    """Creates all tables of a store. Raises StoreTrouble if the database contains another program's tables.

    `label`: name of the store in messages.
    """
    existing = inspect(connection).get_table_names()
    is_file = connection.dialect.name == "sqlite"
    if existing if is_file else tables.metadata.tables.keys() & existing:
        own = "file" if is_file else "database or schema"
        raise StoreTrouble(f"{label} contains another program's tables: a store needs a {own} of its own")
    if is_file:
        connection.execute(text(f"PRAGMA application_id = {APPLICATION_ID}"))
    tables.metadata.create_all(connection)
    connection.execute(tables.versions.insert().values(version=tables.VERSION))
