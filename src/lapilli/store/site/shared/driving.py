"""Drivers of the site's tables. The driver of a table is the process that runs the table's engines and clocks.

Each process regularly reports that it is alive. If a process stops reporting, another process takes over its tables.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Column, Connection, Double, ForeignKey, Table, Text, and_, delete, literal, or_, select

from lapilli.store.database import Database
from lapilli.store.site.facts import Drive
from lapilli.store.site.play.tables import site_tables
from lapilli.store.site.shared.installed import is_installed
from lapilli.store.site.shared.notices import Notices
from lapilli.store.statements import insert_into, now
from lapilli.store.tables import metadata

site_processes = Table(
    "site_processes",
    metadata,
    Column("worker", Text, primary_key=True),
    Column("expires", Double, nullable=False),
)

site_drivers = Table(
    "site_drivers",
    metadata,
    Column("table_id", Text, ForeignKey("site_tables.id"), primary_key=True),
    Column("worker", Text, nullable=False),
    Column("taken", Double, nullable=False),
)

_ORPHANS = 50
"""Largest number of tables whose driver has ended that one call of `report_alive` returns."""


def drop_driver(connection: Connection, table_id: str) -> None:
    """Deletes the information which process drives a table (runs its engines and clocks), because its match is over."""
    connection.execute(delete(site_drivers).where(site_drivers.c.table_id == table_id))


def _drop_finished(connection: Connection) -> None:
    finished = select(site_tables.c.id).where(site_tables.c.record.is_not(None))
    connection.execute(delete(site_drivers).where(site_drivers.c.table_id.in_(finished)))


def _report_alive(connection: Connection, worker: str, lasts: float, table_ids: Collection[str]) -> Drive:
    time = now(connection)
    expires = site_processes.c.expires
    is_past, is_too_late = expires < time, expires > time + 2 * lasts  # too late: the clock was set back
    connection.execute(delete(site_processes).where(or_(is_past, is_too_late)))
    report = insert_into(connection, site_processes).values(worker=worker, expires=time + lasts)
    connection.execute(report.on_conflict_do_update(index_elements=["worker"], set_={"expires": time + lasts}))
    own_tables = connection.execute(select(site_drivers.c.table_id).where(site_drivers.c.worker == worker)).scalars()
    alive = select(site_processes.c.worker)
    goes_on = and_(site_tables.c.record.is_(None), is_installed(site_tables.c.game))
    orphaned = select(site_drivers.c.table_id).join(site_tables, site_tables.c.id == site_drivers.c.table_id)
    orphaned = orphaned.where(site_drivers.c.worker.not_in(alive), goes_on).limit(_ORPHANS)
    driven = select(site_drivers.c.table_id).where(site_drivers.c.worker.in_(alive))
    given = select(site_tables.c.id).where(site_tables.c.id.in_(table_ids), goes_on, site_tables.c.id.not_in(driven))
    free = [*connection.execute(orphaned).scalars(), *(connection.execute(given).scalars() if table_ids else ())]
    return Drive(frozenset(own_tables), frozenset(free))


def take(connection: Connection, worker: str, table_id: str) -> float | None:
    """Makes a process the driver of a table: the process that runs its engines and clocks. Implements `Driving.take`.

    Returns None, or the time since when another living process is the driver. `worker`: name of the process.
    """
    time = now(connection)
    others_alive = select(site_processes.c.worker).where(
        site_processes.c.expires >= time, site_processes.c.worker != worker
    )
    row = select(site_tables.c.id, literal(worker), literal(time))
    row = row.where(site_tables.c.id == table_id, site_tables.c.record.is_(None))
    row = row.with_for_update(read=True, key_share=True)  # another process may be deleting the table
    taking = insert_into(connection, site_drivers).from_select(["table_id", "worker", "taken"], row)
    taking = taking.on_conflict_do_update(
        index_elements=["table_id"],
        set_={"worker": worker, "taken": time},
        where=site_drivers.c.worker.not_in(others_alive),
    )
    if connection.execute(taking.returning(site_drivers.c.table_id)).scalar() is not None:
        return None
    return connection.execute(
        select(site_drivers.c.taken).where(site_drivers.c.table_id == table_id, site_drivers.c.worker != worker)
    ).scalar()


def _release(connection: Connection, worker: str, table_ids: Sequence[str]) -> None:
    conditions = site_drivers.c.worker == worker, site_drivers.c.table_id.in_(table_ids)
    connection.execute(delete(site_drivers).where(*conditions))


def _leave(connection: Connection, worker: str) -> None:
    connection.execute(delete(site_processes).where(site_processes.c.worker == worker))


class Driving:
    """Which process drives each of the site's tables. To drive a table is to run its engines and clocks.

    A site with a SQLite file has a single process, and does not use this class.
    """

    def __init__(self, database: Database, notices: Notices) -> None:
        self._database, self._worker = database, notices.worker

    def drop_finished(self) -> None:
        """Deletes the information which process drives a table, for all tables whose match is over.

        `Matches.finish` does this when a match ends. Stores of older versions still contain the drivers of all matches.
        """
        self._database.write(_drop_finished)

    def report_alive(self, lasts: float, table_ids: Collection[str] = ()) -> Drive:
        """Reports that this process is alive, so that it keeps its tables, and asks for tables that it can take over.

        Args:
            lasts: time for which other processes regard this process as alive, in seconds.
            table_ids: ids of tables that this process could drive, that is, whose engines and clocks it could run.

        Returns:
            The tables that this process drives, and tables that no living process drives.
        """
        return self._database.write(_report_alive, self._worker, lasts, table_ids)

    def take(self, table_id: str) -> float | None:
        """Makes this process the driver of a table: the process that runs its engines and clocks.

        Does nothing if another living process is the driver, or the match is over.

        Returns:
            None if no other process drives the table. Otherwise the time when the other process became the driver, in
                seconds since 1970 by the store's clock.
        """
        return self._database.write(take, self._worker, table_id)

    def release(self, table_ids: Sequence[str]) -> None:
        """Stops driving these tables (running their engines and clocks), so that other processes can drive them."""
        self._database.write(_release, self._worker, table_ids)

    def leave(self) -> None:
        """Reports that this process ends, so that other processes take over its tables."""
        self._database.write(_leave, self._worker)
