"""Cooperation with other processes that serve the same store.

Each process reports that it is alive, drives some tables (runs their engines and clocks), and reads changes by others.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lapilli.core.errors import StoreError, StoreTrouble
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.runtime.tasks import logged
from lapilli.store import Drive

if TYPE_CHECKING:
    from lapilli.site.live.tables import Tables

_LOG = logging.getLogger("lapilli.site")
BEAT_S, LEASE_S = 1.0, 4.0
"""`BEAT_S`: time between two heartbeats of a process. `LEASE_S`: time without a heartbeat after which other processes
take over the tables of a process. Both in seconds.
"""


class OtherProcesses:
    """Decides which tables this process drives (runs their engines and clocks), and reads changes by other processes.

    Args:
        tables: all tables of the site.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._driving, self._notices = tables.store.site.driving, tables.store.site.notices

    async def report_first(self) -> None:
        """Sends this process's first heartbeat. Raises StoreError if the store fails."""
        await asyncio.to_thread(self._driving.drop_finished)
        await asyncio.to_thread(self._driving.report_alive, LEASE_S)

    async def beat(self) -> None:
        """Sends this process's heartbeats, and takes over tables whose process has ended."""
        while True:
            await asyncio.sleep(BEAT_S)
            drive = await self._report_alive()
            lost = {table.id for table in self._unfinished() if table.drives} - drive.mine
            try:
                for table_id in drive.free | lost:
                    with logged("a table cannot be taken over", table_id):
                        await self.try_to_drive(table_id)
                for table_id in drive.mine:
                    with logged("a table cannot go on", table_id):
                        if table := self._tables.in_memory.get(table_id):  # it may be dropped during this loop
                            await table.drive(True)
            except StoreError as error:
                _LOG.error("tables of other processes cannot be taken over: %s", error)

    def _unfinished(self) -> list[LiveTable]:
        """Returns the tables in memory whose record is not stored."""
        return [table for table in self._tables.in_memory.values() if not table.result.is_stored]

    async def _report_alive(self) -> Drive:
        """Stores that this process is alive. Tries again until the store can be reached.

        Returns the tables that this process drives, and tables that it could take over.
        """
        with self._tables.services.store_watch.waiting():
            while True:
                try:
                    not_driven = [table.id for table in self._unfinished() if not table.drives]
                    return await asyncio.to_thread(self._driving.report_alive, LEASE_S, not_driven)
                except StoreError as error:
                    _LOG.error("this process cannot report that it is alive: %s", error)
                await asyncio.sleep(BEAT_S)

    async def try_to_drive(self, table_id: str) -> None:
        """Lets this process drive a table (run its engines and clocks), unless another living process drives it."""
        drives = await asyncio.to_thread(self._driving.take, table_id) is None
        table = await self._tables.find(table_id) if drives else self._tables.in_memory.get(table_id)
        if table is None or table.result.is_stored:
            return
        if drives and not table.drives:
            await self._catch_up(table)
        await table.drive(drives)
        if drives:
            await table.wake()  # a table that was loaded just now has driven nothing yet

    async def follow(self) -> None:
        """Waits for notices about changes by other processes, and reads the changed tables."""
        in_memory = self._tables.in_memory
        async for table_id in self._notices.received():
            self._tables.changed()
            changed = [*in_memory.values()] if table_id is None else [in_memory.get(table_id)]
            self._tables.reread(table.id for table in changed if table is not None)

    async def catch_up(self, table: LiveTable) -> None:
        """Reads a table's changes by other processes from the store.

        Tries again while the store cannot be reached. Without this, a page would never show a turn that the other
        players see.
        """
        while self._tables.in_memory.get(table.id) is table:
            try:
                await self._catch_up(table)
            except StoreTrouble as error:
                if not error.may_pass:
                    raise
                await asyncio.sleep(BEAT_S)
            else:
                return

    async def _catch_up(self, table: LiveTable) -> None:
        if not await table.catch_up():
            self._tables.forget(table.id)
