"""All tables of the site. A table is loaded from the store into memory when it is first needed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from functools import partial
from time import monotonic, time
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from lapilli.core.errors import LapilliError, StoreError
from lapilli.match import Record
from lapilli.site.http.errors import NO_ANSWER
from lapilli.site.live.messages.to_page import SiteTrouble
from lapilli.site.live.services import TableServices, new_id
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.live.table.seats import stored_change, take_seat
from lapilli.site.live.upkeep.day_matches import DayMatches
from lapilli.site.live.upkeep.guest_sweeper import EVERY_S, GuestSweeper
from lapilli.site.live.upkeep.other_processes import OtherProcesses
from lapilli.site.runtime.installed import check_installed
from lapilli.site.runtime.tasks import Signal, Tasks, logged
from lapilli.store import OpenedTable, SiteTable
from lapilli.store.results import unpack_record

_LOG = logging.getLogger("lapilli.site")
_MOMENT_S, _GOING = 0.2, 500
"""Limits of the cached list of tables whose match is not over: `_MOMENT_S` is its largest age, in seconds; `_GOING` is
the largest number of tables.
"""
_OPENING_S, _SHARED_S = 60.0, 3 * EVERY_S
"""Times for which a table counts as attended although no player's page is connected to this process, in seconds.
`_OPENING_S`: time after the table's last change, if there is only this process. `_SHARED_S`: time after the table's
last change or last stored visit, if other processes may serve the players. They store visits every `EVERY_S` seconds.
"""
_IN_MEMORY = 300
"""Largest number of tables in memory. If there are more, idle tables are dropped; they remain in the store."""
_IN_USE_S = 5.0
"""Time for which the code that has asked for a table may still use it, in seconds. Until then, it is not dropped to
make space: a second copy would be loaded, and changes of the first one would not be shown.
"""


class Tables:
    """All tables of the site.

    If the store is a PostgreSQL database, other processes may serve the same tables, too. This process reads the
    changes of the other processes from the store. Only one process *drives* a table: it runs the table's engines, and
    decides when a clock has run out.

    Args:
        services: services that all live tables share.
        has_guests: whether the site has guests, whose tables are deleted after some time.

    Attributes:
        in_memory: live tables by id.
        moved: signal that is sent when a table is new or deleted, or its plan or outcome has changed.
        is_shared: whether other processes may serve the same store.
        day_matches: starts and ends turns in correspondence matches.
    """

    def __init__(self, services: TableServices, has_guests: bool = False) -> None:
        self.services, self.store = services, services.store
        self.in_memory: dict[str, LiveTable] = {}
        self.moved = Signal()
        self.is_shared = self.store.site.notices.are_shared
        self._sweeper = GuestSweeper(self.store) if has_guests else None
        self.day_matches, self._others = DayMatches(self), OtherProcesses(self)
        self._loading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        # Not the threads that read and write the store: when pages come back after an outage, all would be busy with
        # replays, and turns would wait. More than two would only delay each other.
        self._replaying = ThreadPoolExecutor(2, "replays")
        self._list_lock = asyncio.Lock()
        self._changed_at, self._listed_at, self._going = 0.0, 0.0, list[SiteTable]()
        self._work = Tasks(lambda error: _LOG.error("reading changes of other processes: %s", error, exc_info=error))

    async def start(self) -> None:
        """Starts the background tasks: one deletes guests' unused tables, others read the changes of other processes.

        Raises:
            StoreError: the store failed.
        """
        if self.is_shared:
            await self._others.report_first()
            self._work.keep_going("sending heartbeats", self._others.beat)
            self._work.keep_going("reading notices of other processes", self._others.follow)
        if self._sweeper is not None:
            self._work.keep_going("deleting guests' old tables", partial(self._sweep, self._sweeper))
        if not self.is_shared:
            self._work.keep_going("resuming rated matches", self._resume_rated)
        self._work.keep_going("looking at matches over days", self.day_matches.run)
        self._work.keep_going("watching the store", partial(self.services.store_watch.run, self._show_failure))

    async def _resume_rated(self) -> None:
        """Loads the tables of rated matches, so that their clocks run and their results count although nobody watches.

        With PostgreSQL this is not needed: a process takes over the tables of processes that have ended.
        """
        for stored in await self.going():
            with logged("a rated match cannot go on", stored.id):
                if stored.plan.get("rated") and (table := await self.find(stored.id)) is not None:
                    await table.wake()

    async def open(self, plan: TablePlan) -> str:
        """Stores a new table, and returns its id."""
        table_id = new_id()
        await asyncio.to_thread(self.store.site.matches.add, table_id, plan.game, msgspec.to_builtins(plan))
        self.changed()
        return table_id

    async def cancel(self, table_id: str, holder: str) -> None:
        """Deletes a table that still waits for a player, for the person who opened it.

        Args:
            table_id: id of the table.
            holder: string that identifies the person, see `Seat.holder`.

        Raises:
            LapilliError: there is no such table, another person opened it, or all its seats are taken.
        """

        def check(stored: dict[str, Any]) -> None:
            plan = msgspec.convert(stored, TablePlan)
            if not plan.is_hosted_by(holder):
                raise LapilliError("only the person who opened this table can cancel it")
            if plan.ready:
                raise LapilliError("all seats are taken, so the match has begun: you can resign instead")

        await asyncio.to_thread(self.store.site.matches.remove, table_id, check)
        self.forget(table_id)
        self.changed()

    async def sit(self, table_id: str, key: str, holder: str, name: str) -> bool:
        """Assigns an open seat to a person, without loading the table or waiting for compilers.

        Does nothing if the table is in memory already.

        Args:
            table_id: id of the table.
            key: the seat's key.
            holder: string that identifies the person, see `Seat.holder`.
            name: the person's name.

        Returns:
            Whether the seat was assigned.

        Raises:
            LapilliError: as `take_seat`, or there is no such table.
        """
        async with self._loading_lock(table_id):
            if table_id in self.in_memory:
                return False
            change = stored_change(lambda plan: take_seat(plan, key, holder, name))
            await asyncio.to_thread(self.store.site.matches.amend, table_id, change)
        self.changed()
        return True

    async def game_of(self, table_id: str) -> str | None:
        """Returns the name of a table's game, without loading the table; None if there is no such table.

        Raises:
            NotInstalled: the game is not installed.
        """
        if table_id in self.in_memory:
            return self.in_memory[table_id].plan.game
        stored = await asyncio.to_thread(self.store.site.matches.get, table_id)
        if stored is None:
            return None
        check_installed(stored.game)
        return stored.game

    async def find(self, table_id: str) -> LiveTable | None:
        """Returns the table with this id, loaded from the store if necessary; None if there is no such table.

        While the game's kernels are being compiled, waits for them.

        Raises:
            NotInstalled: the table's game is not installed.
        """
        if table_id in self.in_memory:
            return self._found(table_id)
        if not self.services.compilation.is_over:
            await self.services.compilation.wait(await self.game_of(table_id) or "")
        async with self._loading_lock(table_id):
            if table_id not in self.in_memory:
                load = self.store.site.opening.load
                is_visit = self._sweeper is not None  # so that no process deletes the table meanwhile
                stored = await asyncio.to_thread(load, table_id, drives=self.is_shared, is_visit=is_visit)
                if stored is None:
                    return None
                check_installed(stored.table.game)
                await self._make_space()
                loading = asyncio.get_running_loop().run_in_executor(self._replaying, self._load, stored)
                self.in_memory[table_id] = await loading
            return self._found(table_id)

    def _loading_lock(self, table_id: str) -> asyncio.Lock:
        """Returns the lock under which a table is loaded, or released for other processes.

        Each table has a lock of its own, because many tables are opened at the same time when a round of a tournament
        begins.
        """
        return self._loading.setdefault(table_id, asyncio.Lock())

    def _found(self, table_id: str) -> LiveTable:
        table = self.in_memory[table_id]
        table.found_at = monotonic()
        return table

    def _load(self, opened: OpenedTable) -> LiveTable:
        stored, answers, since = opened.table, opened.answers, opened.driven_since
        asked_s = 0.0
        if since is not None:  # another process drives the table, so its clocks are already running there
            turn = answers[-1].turn if answers else 0
            asked = max([since, stored.created, *(answer.at for answer in answers if answer.turn < turn)])
            asked_s = max(0.0, opened.time - asked)
        return LiveTable(
            stored.id,
            msgspec.convert(stored.plan, TablePlan),
            answers,
            self.services,
            lines=opened.lines,
            is_stored=stored.record is not None,
            drives=since is None,
            asked_s=asked_s,
            moved=self.changed,
        )

    def changed(self) -> None:
        """Drops the cached list of tables, and sends the signal `moved`.

        Must be called after a table is new or deleted, or its plan or outcome has changed.
        """
        self._changed_at = monotonic()
        self.moved.give()

    async def going(self) -> list[SiteTable]:
        """Returns tables whose match is not over, in the order of the store's method `listed`.

        The list is cached for 0.2 seconds, because many streams request it at the same time after a change.
        """
        async with self._list_lock:
            begun = monotonic()
            if self._listed_at <= self._changed_at or begun - self._listed_at > _MOMENT_S:
                listed = self.store.site.matches.listed
                self._going = await asyncio.to_thread(listed, over=False, most=_GOING)
                self._listed_at = begun  # a table that has changed since then may be missing
            return self._going

    async def seat_of(self, table_id: str, holder: str) -> int | None:
        """Returns the player number of a person or program at a table; None if `holder` has no seat there.

        The table is not loaded. `holder`: string that identifies the person or program, see `Seat.holder`.
        """
        plan = await self.plan_of(table_id)
        return None if plan is None else plan.seat_of(holder)

    async def plan_of(self, table_id: str) -> TablePlan | None:
        """Returns the stored plan of a table, without loading the table; None if there is no such table."""
        stored = await asyncio.to_thread(self.store.site.matches.get, table_id)
        return None if stored is None else msgspec.convert(stored.plan, TablePlan)

    def is_attended(self, stored: SiteTable) -> bool:
        """Returns whether a player of an unfinished match is at the table.

        This process knows it if it has loaded the table and has seen the players come or leave. Otherwise, the players
        may be on their way after a restart, or at another process. The result is then True if the table's last change
        was a short time ago or, with several processes, the last stored visit to the table.

        `stored`: the table, as it is stored.
        """
        found = self.in_memory.get(stored.id)
        if found is not None and found.is_attended:
            return True
        if found is not None and found.is_abandoned:
            return False
        last, lasts = (max(stored.changed, stored.seen), _SHARED_S) if self.is_shared else (stored.changed, _OPENING_S)
        return last > time() - lasts

    async def _make_space(self) -> None:
        """Drops idle tables from memory until there is space for another table, or no table is idle."""
        if (surplus := len(self.in_memory) - _IN_MEMORY + 1) > 0:
            before = monotonic() - _IN_USE_S
            await self.drop_idle(lambda table: table.found_at < before, most=surplus)

    async def drop_idle(self, which: Callable[[LiveTable], bool] | None = None, most: int = _IN_MEMORY) -> None:
        """Drops idle tables from memory. They remain in the store.

        Args:
            which: function that returns whether a table may be dropped; None to drop any idle table.
            most: largest number of tables to drop.
        """
        idle = [one.id for one in self.in_memory.values() if one.is_idle and (which is None or which(one))][:most]
        for table_id in idle:
            self.in_memory.pop(table_id).close()
        if self.is_shared and idle:
            async with AsyncExitStack() as held:
                for table_id in idle:
                    await held.enter_async_context(self._loading_lock(table_id))
                released = [table_id for table_id in idle if table_id not in self.in_memory]
                await asyncio.to_thread(self.store.site.driving.release, released)

    # -- other processes

    async def try_to_drive(self, table_id: str) -> None:
        """Lets this process drive a table (run its engines and clocks), unless another living process drives it."""
        await self._others.try_to_drive(table_id)

    def reread(self, table_ids: Iterable[str]) -> None:
        """Reads tables again that this process has changed in the store. Tables that are not in memory are skipped."""
        for table in filter(None, map(self.in_memory.get, table_ids)):
            self._work.start(self._others.catch_up(table))

    def forget(self, table_id: str) -> None:
        """Drops a table from memory, because it was deleted from the store."""
        if table := self.in_memory.pop(table_id, None):
            table.close()
            for watcher in table.audience:
                watcher.disconnect()

    def _show_failure(self) -> None:
        """Sends all pages of tables the message that the store does not answer."""
        for table in self.in_memory.values():
            table.audience.broadcast(SiteTrouble(text=NO_ANSWER))

    # -- guests' tables

    async def _sweep(self, sweeper: GuestSweeper) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            try:
                visited = [table_id for table_id, table in self.in_memory.items() if table.is_visited]
                deleted = await sweeper.sweep(visited)
            except StoreError as error:
                _LOG.error("guests' old tables cannot be deleted: %s", error)
                continue
            for table_id in deleted:
                self.forget(table_id)
            if deleted:
                self.changed()

    # -- names and records

    async def rename(self, holder: str, name: str) -> None:
        """Renames a person or bot at those of its tables that are in memory now.

        Its other tables, of which there may be hundreds, show the old name.

        `holder`: string that identifies the person, see `Seat.holder`; or the bot's id.
        """

        def renamed(plan: TablePlan) -> None:
            for seat in plan.seats:
                if seat.is_of(holder):
                    seat.name = name

        for table in list(self.in_memory.values()):
            async with table.lock:
                if any(seat.is_of(holder) for seat in table.plan.seats):
                    await table.amend(renamed)
                    await table.show_all()

    async def record(self, table_id: str) -> Record | None:
        """Returns the record of a table's match; None if the table does not exist or its match is not over.

        Raises:
            NotInstalled: the table's game is not installed.
        """
        stored = await asyncio.to_thread(self.store.site.matches.get, table_id)
        if stored is None or stored.record is None:
            return None
        check_installed(stored.game)
        return await asyncio.to_thread(unpack_record, stored.record, f"match {table_id}")

    def close(self) -> None:
        """Cancels all background tasks, including those of the tables in memory."""
        self._work.cancel()
        self._replaying.shutdown(wait=False, cancel_futures=True)
        for table in self.in_memory.values():
            table.close()

    async def leave(self) -> None:
        """Reports that this process ends, so that other processes take over its tables at once."""
        if self.is_shared:
            with suppress(StoreError):
                await asyncio.to_thread(self.store.site.driving.leave)
