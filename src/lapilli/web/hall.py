"""All tables: those that live, loaded from the store when somebody comes."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import msgspec
from starlette.requests import HTTPConnection

from lapilli.arena.results import unpack_record
from lapilli.arena.store import SiteTable, Store
from lapilli.games.errors import LapilliError
from lapilli.match import Record
from lapilli.web.engines import Engines
from lapilli.web.plan import Plan
from lapilli.web.room import Room, new_id

_ROOMS = 300
"""How many are kept in memory; beyond that, those that nobody looks at are let go. All is in the store."""


class Hall:
    """All tables.

    Args:
        store: where they are kept. engines: who thinks.
    """

    def __init__(self, store: Store, engines: Engines) -> None:
        self.store, self.engines = store, engines
        self._rooms: dict[str, Room] = {}
        self._lock = asyncio.Lock()
        self._films: dict[str, asyncio.Task[dict[str, Any]]] = {}

    async def open(self, plan: Plan) -> str:
        """A new table; its id."""
        table_id = new_id()
        await asyncio.to_thread(self.store.site.matches.add, table_id, plan.game, msgspec.to_builtins(plan))
        return table_id

    async def room(self, table_id: str) -> Room | None:
        """The table of that id, as it was left; None where there is none."""
        if table_id in self._rooms:
            return self._rooms[table_id]
        async with self._lock:
            if table_id not in self._rooms:
                stored = await asyncio.to_thread(self.store.site.matches.get, table_id)
                if stored is None:
                    return None
                self._let_go()
                self._rooms[table_id] = await asyncio.to_thread(self._load, stored)
            return self._rooms[table_id]

    def _load(self, stored: SiteTable) -> Room:
        plan = msgspec.convert(stored.plan, Plan)
        answers = self.store.site.matches.answers(stored.id)
        return Room(stored.id, plan, answers, self.store, self.engines, stored.record is not None)

    def _let_go(self) -> None:
        while len(self._rooms) >= _ROOMS:
            idle = next((one for one, room in self._rooms.items() if room.is_idle), None)
            if idle is None:
                return
            self._rooms.pop(idle).close()

    async def record(self, table_id: str) -> Record | None:
        """The record of the match at that table; None where there is none, or it is not over."""
        stored = await asyncio.to_thread(self.store.site.matches.get, table_id)
        if stored is None or stored.record is None:
            return None
        return await asyncio.to_thread(unpack_record, stored.record, f"match {table_id}")

    async def film(self, game: str) -> dict[str, Any]:
        """A short match to look at, another one each time that the site is started."""
        if game not in self._films:
            self._films[game] = asyncio.create_task(self.engines.film(game, secrets.randbits(31)))
        film = self._films[game]
        await asyncio.wait([film])  # a page that is gone does not stop it
        if film.cancelled():
            raise LapilliError("the site is being closed")
        if film.exception() is not None:
            self._films.pop(game, None)
        return film.result()

    def close(self) -> None:
        """Stops all that goes on."""
        for room in self._rooms.values():
            room.close()
        for film in self._films.values():
            film.cancel()
        self.engines.close()


def hall_of(request: HTTPConnection) -> Hall:
    """Of the site that is asked."""
    hall: Hall = request.app.state.hall
    return hall
