"""Drivers of the site's tables. The driver of a table is the process that runs the table's engines and clocks.

Each process regularly reports that it is alive. If a process stops reporting, another process takes over its tables.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Column, Connection, Double, ForeignKey, Table, Text, delete, or_, select

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
"""Largest number of tables without a living driver that one call of `report_alive` returns."""


def _report_alive(connection: Connection, worker: str, lasts: float) -> Drive:
    time = now(connection)
    expires = site_processes.c.expires
    is_past, is_too_late = expires < time, expires > time + 2 * lasts  # too late: the clock was set back
    connection.execute(delete(site_processes).where(or_(is_past, is_too_late)))
    report = insert_into(connection, site_processes).values(worker=worker, expires=time + lasts)
    connection.execute(report.on_conflict_do_update(index_elements=["worker"], set_={"expires": time + lasts}))
    own_tables = connection.execute(select(site_drivers.c.table_id).where(site_drivers.c.worker == worker)).scalars()
    alive = select(site_processes.c.worker)
    orphaned = select(site_drivers.c.table_id).join(site_tables, site_tables.c.id == site_drivers.c.table_id)
    orphaned = orphaned.where(site_drivers.c.worker.not_in(alive), is_installed(site_tables.c.game)).limit(_ORPHANS)
    return Drive(frozenset(own_tables), tuple(connection.execute(orphaned).scalars()))


def _take(connection: Connection, worker: str, table_id: str) -> float | None:
    time = now(connection)
    others_alive = select(site_processes.c.worker).where(
        site_processes.c.expires >= time, site_processes.c.worker != worker
    )
    taking = insert_into(connection, site_drivers).values(table_id=table_id, worker=worker, taken=time)
    taking = taking.on_conflict_do_update(
        index_elements=["table_id"],
        set_={"worker": worker, "taken": time},
        where=site_drivers.c.worker.not_in(others_alive),
    )
    if connection.execute(taking.returning(site_drivers.c.table_id)).scalar() is not None:
        return None
    return connection.execute(select(site_drivers.c.taken).where(site_drivers.c.table_id == table_id)).scalar()


def _release(connection: Connection, worker: str, table_ids: Sequence[str]) -> None:
    conditions = site_drivers.c.worker == worker, site_drivers.c.table_id.in_(table_ids)
    connection.execute(delete(site_drivers).where(*conditions))


def _leave(connection: Connection, worker: str) -> None:
    connection.execute(delete(site_processes).where(site_processes.c.worker == worker))


class Driving:
    """The drivers of the site's tables. A site with a SQLite file has a single process, and does not use this class."""

    def __init__(self, database: Database, notices: Notices) -> None:
        self._database, self._worker = database, notices.worker

    def report_alive(self, lasts: float) -> Drive:
        """Reports that this process is alive. Other processes regard it as alive for `lasts` seconds.

        Returns:
            The tables whose engines and clocks this process runs, and some tables whose process is no longer alive.
        """
        return self._database.write(_report_alive, self._worker, lasts)

    def take(self, table_id: str) -> float | None:
        """Makes this process the driver of a table, unless another living process drives it.

        Returns:
            None if this process now drives the table. Otherwise the time when the other process became the driver, in
                seconds since 1970 by the store's clock.
        """
        return self._database.write(_take, self._worker, table_id)

    def release(self, table_ids: Sequence[str]) -> None:
        """Stops being the driver of these tables, so that other processes can drive them."""
        self._database.write(_release, self._worker, table_ids)

    def leave(self) -> None:
        """Reports that this process ends, so that other processes take over its tables."""
        self._database.write(_leave, self._worker)
