"""All tables: those that live, loaded from the store when somebody comes."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from time import monotonic

import msgspec
from starlette.requests import HTTPConnection

from lapilli.core.errors import LapilliError, StoreError
from lapilli.match import Record
from lapilli.site.http.metrics import Metrics
from lapilli.site.live.engines import Engines
from lapilli.site.live.plan import Plan
from lapilli.site.live.room import Room
from lapilli.site.live.services import Services, new_id
from lapilli.site.live.sweeping import EVERY_S, Sweeper
from lapilli.site.showcase import Living
from lapilli.site.study.lanes import Lanes
from lapilli.site.tasks import Tasks
from lapilli.store import SiteTable, Store
from lapilli.store.results import unpack_record

_LOG = logging.getLogger("lapilli.site")
BEAT_S, LEASE_S = 1.0, 4.0
"""How often a process says that it is there, and after what time without a word others take over its tables."""
_MOMENT_S, _GOING = 0.2, 500
"""How old a list of what goes on may be, and how many tables are in it."""
_ROOMS = 300
"""How many are kept in memory; beyond that, those that nobody looks at are let go. All is in the store."""


class Signal:
    """Wakes all who wait, whenever it is given."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def give(self) -> None:
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self) -> None:
        """Until it is given the next time."""
        await self._event.wait()


class Hall:
    """All tables.

    Other processes may serve the same store, where it is a PostgreSQL database: what they change is read again, and
    each table is driven by one of them.

    Args:
        store: where they are kept. engines: who thinks. metrics: of the site.
        has_guests: whether guests come, whose tables are deleted after a while.

    Attributes:
        rooms: the tables that live here, by id. moved: is set for a moment whenever a table was laid or changed.
        lanes: who thinks where no opponent waits. living: what the boards on the first page show.
    """

    def __init__(self, store: Store, engines: Engines, metrics: Metrics, has_guests: bool = False) -> None:
        self.store, self.engines, self.lanes = store, engines, Lanes()
        self.living = Living(store)
        self.services = Services(store, engines, metrics)
        self.rooms: dict[str, Room] = {}
        self.moved = Signal()
        self.is_shared = store.site.notices.are_shared
        self._sweeper = Sweeper(store) if has_guests else None
        self._lock = asyncio.Lock()
        self._looking = asyncio.Lock()
        self._looked, self._going = -_MOMENT_S, list[SiteTable]()
        self._work = Tasks(lambda error: _LOG.error("what others do: %s", error, exc_info=error))

    async def start(self) -> None:
        """Begins to hear of other processes, if there may be some. Raises StoreError."""
        if self.is_shared:
            await asyncio.to_thread(self.store.site.driving.beat, LEASE_S)
            self._work.start(self._beat())
            self._work.start(self._hear())
        if self._sweeper is not None:
            self._work.start(self._sweep(self._sweeper))

    async def open(self, plan: Plan) -> str:
        """A new table; its id."""
        table_id = new_id()
        await asyncio.to_thread(self.store.site.matches.add, table_id, plan.game, msgspec.to_builtins(plan))
        self.moved.give()
        return table_id

    async def room(self, table_id: str) -> Room | None:
        """The table of that id, as it was left; None where there is none."""
        if table_id in self.rooms:
            return self.rooms[table_id]
        async with self._lock:
            if table_id not in self.rooms:
                stored = await asyncio.to_thread(self.store.site.matches.get, table_id)
                if stored is None:
                    return None
                await self._make_space()
                self.rooms[table_id] = await asyncio.to_thread(self._load, stored)
            return self.rooms[table_id]

    def _load(self, stored: SiteTable) -> Room:
        plan, site = msgspec.convert(stored.plan, Plan), self.store.site
        if self._sweeper is not None:
            site.matches.see([stored.id])  # somebody comes
        is_over = stored.record is not None
        taken = site.driving.take(stored.id) if self.is_shared and not is_over else None
        answers = site.matches.answers(stored.id)
        asked_s = 0.0
        if taken is not None:  # by another process, whose clocks run
            turn = answers[-1].turn if answers else 0
            asked = max([taken, stored.created, *(answer.at for answer in answers if answer.turn < turn)])
            asked_s = max(0.0, site.matches.now() - asked)
        return Room(stored.id, plan, answers, self.services, is_over, taken is None, asked_s, self.moved.give)

    async def going(self) -> list[SiteTable]:
        """Tables whose match goes on, the one that changed last first, as they were a moment ago at most: many ask for
        them at once when something has changed."""
        async with self._looking:
            if monotonic() - self._looked > _MOMENT_S:
                listed = self.store.site.matches.listed
                self._going = await asyncio.to_thread(listed, over=False, most=_GOING)
                self._looked = monotonic()
            return self._going

    async def _make_space(self) -> None:
        gone = []
        while len(self.rooms) >= _ROOMS:
            idle = next((one for one, room in self.rooms.items() if room.is_idle), None)
            if idle is None:
                break
            self.rooms.pop(idle).close()
            gone.append(idle)
        if self.is_shared and gone:
            await asyncio.to_thread(self.store.site.driving.let_go, gone)

    # -- other processes

    async def _beat(self) -> None:
        """Says that we are there; drives what others left."""
        while True:
            await asyncio.sleep(BEAT_S)
            try:
                drive = await asyncio.to_thread(self.store.site.driving.beat, LEASE_S)
                for table_id in [*drive.orphaned, *(self.rooms.keys() - drive.mine)]:
                    await self._try_to_drive(table_id)
                for table_id in drive.mine & self.rooms.keys():
                    await self.rooms[table_id].drive(True)
            except (StoreError, LapilliError) as error:
                _LOG.error("other processes cannot be told of this one: %s", error)

    async def _try_to_drive(self, table_id: str) -> None:
        room = await self.room(table_id)
        if room is None or room.table.over:
            return
        drives = await asyncio.to_thread(self.store.site.driving.take, table_id) is None
        if drives and not room.drives:
            await self._catch_up(room)
        await room.drive(drives)

    async def _hear(self) -> None:
        """Reads what others have changed."""
        async for table_id in self.store.site.notices.heard():
            self.moved.give()
            for room in [*self.rooms.values()] if table_id is None else filter(None, [self.rooms.get(table_id)]):
                self._work.start(self._catch_up(room))

    async def _catch_up(self, room: Room) -> None:
        if not await room.catch_up():
            self._forget(room.id)

    def _forget(self, table_id: str) -> None:
        """Lets go of a table that is no longer stored."""
        if room := self.rooms.pop(table_id, None):
            room.close()

    # -- guests' tables

    async def _sweep(self, sweeper: Sweeper) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            try:
                gone = await sweeper.sweep([one for one, room in self.rooms.items() if room.is_visited])
            except StoreError as error:
                _LOG.error("guests' tables cannot be looked through: %s", error)
                continue
            for table_id in gone:
                self._forget(table_id)
            if gone:
                self.moved.give()

    # -- what is there to be looked at

    async def rename(self, holder: str, name: str) -> None:
        """Calls somebody otherwise at all tables that are in memory; a bot by its id."""
        for room in list(self.rooms.values()):
            await room.rename(holder, name)

    async def record(self, table_id: str) -> Record | None:
        """The record of the match at that table; None where there is none, or it is not over."""
        stored = await asyncio.to_thread(self.store.site.matches.get, table_id)
        if stored is None or stored.record is None:
            return None
        return await asyncio.to_thread(unpack_record, stored.record, f"match {table_id}")

    def close(self) -> None:
        """Stops all that goes on."""
        self._work.cancel()
        for room in self.rooms.values():
            room.close()
        self.engines.close()
        self.lanes.close()

    async def leave(self) -> None:
        """Tells other processes that this one is gone."""
        if self.is_shared:
            with suppress(StoreError):
                await asyncio.to_thread(self.store.site.driving.leave)


def hall_of(request: HTTPConnection) -> Hall:
    """Of the site that is asked."""
    hall: Hall = request.app.state.hall
    return hall
