"""Attempts that failed in a row, of whoever tries: so that all processes of a site know of them, and a restart
forgets none."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Column, Connection, Double, Index, Integer, Table, Text, delete, select, update

from lapilli.store.adding import insert_into
from lapilli.store.database import Database
from lapilli.store.events import now
from lapilli.store.site.people_facts import Delays
from lapilli.store.tables import metadata

FORGET_S = 3600.0
"""After so long without a failure all is as if there had been none."""

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
    rows = [{"key": key, "failures": 0, "last": time} for key in sorted(keys)]  # in one order: nobody waits in a ring
    connection.execute(insert_into(connection, table).on_conflict_do_nothing(), rows)
    those = select(table).where(table.c.key.in_(keys)).order_by(table.c.key).with_for_update()
    found = connection.execute(those).all()
    time = now(connection)  # by now somebody else may have counted one
    ahead = update(table).where(table.c.key.in_(keys), table.c.last > time)
    connection.execute(ahead.values(last=time))  # the clock was put back: nobody waits until it is there again
    wait = max(min(row.last, time) + keys[row.key].after(row.failures) - time for row in found)
    if wait > 0:
        return float(wait)
    connection.execute(update(table).where(table.c.key.in_(keys)).values(failures=table.c.failures + 1, last=time))
    return 0.0


def _undo(connection: Connection, forgotten: str, counted: str | None) -> None:
    table = site_attempts
    connection.execute(delete(table).where(table.c.key == forgotten))
    if counted is not None:
        fewer = update(table).where(table.c.key == counted, table.c.failures > 0)
        connection.execute(fewer.values(failures=table.c.failures - 1))


class Attempts:
    """Who has failed how often, in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, keys: Mapping[str, Delays]) -> float:
        """Counts an attempt as one that fails, by all keys that it is counted by; those who try many at once are so
        counted before the first one is answered.

        Returns:
            0, or for how many seconds to wait; then nothing is counted.
        """
        return self._database.write(_begin, keys)

    def succeeded(self, forgotten: str, counted: str | None = None) -> None:
        """That one did not fail: what its first key had is forgotten; the other one, if any, has one failure less."""
        self._database.write(_undo, forgotten, counted)
