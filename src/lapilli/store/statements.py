"""Parts of SQL statements that differ between databases: the server's time, and INSERT that supports ON CONFLICT."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import Connection, Table, text
from sqlalchemy.dialects import postgresql, sqlite


def now(connection: Connection) -> float:
    """Returns the time in seconds since 1970, by the database server's clock; for a file, by this machine's clock."""
    if connection.dialect.name == "postgresql":
        return float(connection.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())
    return time.time()


def insert_into(connection: Connection, table: Table) -> Any:
    """Returns an INSERT statement for `table` that can end with ON CONFLICT.

    SQLAlchemy has a class of such statements for each kind of database.
    """
    return insert_for(connection.dialect.name, table)


def insert_for(dialect: str, table: Table) -> Any:
    """Returns an INSERT statement for `table` that can end with ON CONFLICT, without a connection to the database.

    `dialect`: SQLAlchemy's name of the kind of database, such as "sqlite".
    """
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
