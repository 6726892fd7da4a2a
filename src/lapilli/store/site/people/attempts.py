"""Counts consecutive failed attempts, for example to sign in, so that each further attempt has to wait longer.

The counts are in the store, so that all processes of a site share the counts, and a restart does not reset them.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Column, Connection, Double, Index, Integer, Table, Text, delete, select, update

from lapilli.store.database import Database
from lapilli.store.site.facts import Delays
from lapilli.store.statements import insert_into, now
from lapilli.store.tables import metadata

FORGET_S = 3600.0
"""Time without a failure after which the count of a key is deleted, in seconds."""

site_attempts = Table(
    "site_attempts",
    metadata,
    Column("key", Text, primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("last", Double, nullable=False),
    Index("site_attempts_by_time", "last"),
)


def _begin(connection: Connection, keys: Mapping[str, Delays]) -> float:
    time, table = now(connection), site_attempts
    connection.execute(delete(table).where(table.c.last < time - FORGET_S))
    rows = [{"key": key, "failures": 0, "last": time} for key in sorted(keys)]  # a fixed order prevents deadlocks
    connection.execute(insert_into(connection, table).on_conflict_do_nothing(), rows)
    query = select(table).where(table.c.key.in_(keys)).order_by(table.c.key).with_for_update()
    rows_of_keys = connection.execute(query).all()
    time = now(connection)  # another process may have counted a failure while this one waited for the lock
    in_future = update(table).where(table.c.key.in_(keys), table.c.last > time)
    connection.execute(in_future.values(last=time))  # after the clock was set back, failures must not lie in the future
    wait = max(min(row.last, time) + keys[row.key].after(row.failures) - time for row in rows_of_keys)
    if wait > 0:
        return float(wait)
    connection.execute(update(table).where(table.c.key.in_(keys)).values(failures=table.c.failures + 1, last=time))
    return 0.0


def _undo(connection: Connection, forgotten: str, counted: str | None) -> None:
    table = site_attempts
    connection.execute(delete(table).where(table.c.key == forgotten))
    if counted is not None:
        decrement = update(table).where(table.c.key == counted, table.c.failures > 0)
        connection.execute(decrement.values(failures=table.c.failures - 1))


class Attempts:
    """The counts of failed attempts in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, keys: Mapping[str, Delays]) -> float:
        """Returns how long somebody must wait before an attempt, for example to sign in; 0 if it is allowed now.

        Must be called before each attempt. If the attempt is allowed, it is counted as a failure, before its outcome is
        known. So nobody can avoid the delays with many attempts at the same time. If it then succeeds, the caller must
        call `succeeded`.

        Args:
            keys: what the failures are counted for, and the delays after failures. A key is a text that identifies, for
                example, the typed name or the client address.

        Returns:
            0 if the attempt is allowed. Otherwise the time until the next attempt is allowed, in seconds; the attempt
            is then not counted.
        """
        return self._database.write(_begin, keys)

    def succeeded(self, forgotten: str, counted: str | None = None) -> None:
        """Corrects the counts after a successful attempt.

        Args:
            forgotten: key, such as a text for the account's name, whose count is set to 0.
            counted: key whose count is reduced by 1, because `begin` counted this attempt as a failure; None for none.
        """
        self._database.write(_undo, forgotten, counted)
