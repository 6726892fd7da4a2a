"""Bots of the site as opponents: who may choose which, and the processes in which they wait to be asked."""

from __future__ import annotations

import asyncio
import threading
import time

from lapilli.arena.store import SiteBot, Store
from lapilli.games.api import Game
from lapilli.games.errors import LapilliError
from lapilli.players.sandbox import why_no_sandbox
from lapilli.web.play.plan import CODE, Seat
from lapilli.web.workshop.asks import SIT, Code, Told
from lapilli.web.workshop.sitting import SitAsk
from lapilli.web.workshop.worker import Places, Worker

MOST = 6
"""Bots that are at tables at once: each has a worker process of its own."""
IDLE_S = 180.0
"""A bot that nobody has asked for so long is ended; the next question starts it anew."""
_MOST_S = 120.0
"""After so long without a word a worker is taken to be stuck."""
_HEAR_S = 0.2
_NICENESS = 5


def lodgers(store: Store, account: str, game: Game) -> dict[str, tuple[str, Seat]]:
    """The bots that an account ("" for a guest) may choose as opponents, by what a form says for them: what people
    call them, and their seat. One's own play with their last version, those of others with the one in the league."""
    if why_no_sandbox():
        return {}
    own = [one for one in store.site.bots.owned(account) if one.game == game.name] if account else []
    mine = {one.id for one in own}
    others = [one for one in store.site.bots.in_league(game.name) if one.id not in mine]
    made: dict[str, tuple[str, Seat]] = {}
    for bot, version in [*((one, one.version) for one in own), *((one, one.submitted) for one in others)]:
        called = f"{bot.name} · yours" if bot.id in mine else f"{bot.name} · league"
        made[CODE + bot.name] = called, Seat(bot=bot.id, version=version, name=bot.name)
    return made


class Lodgings:
    """The bots that are at tables now.

    Args:
        store: of the site.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._places = store, Places.of(store)
        self._there: dict[tuple[str, int], _Lodger] = {}
        self._beds = asyncio.Semaphore(MOST)

    def check_free(self) -> None:
        """Raises LapilliError where so many bots play that no more can."""
        if len(self._there) >= MOST:
            raise LapilliError(f"{MOST} bots play already, and no more can at once: try again in some minutes")

    async def reply(self, table_id: str, asked: SitAsk) -> Told:
        """What the bot at that seat answers, as `Sitter.answer` says. Raises LapilliError where that is our trouble."""
        async with self._beds:
            key = (table_id, asked.player)
            if key not in self._there:
                self._make_room()
                self._there[key] = _Lodger(self._places)
            lodger = self._there[key]
            asyncio.get_running_loop().call_later(IDLE_S + 1, self._sweep)
            return await asyncio.to_thread(lodger.ask, asked)

    async def code(self, seat: Seat) -> Code | None:
        """Which text plays there; None where it is no longer kept."""
        bot: SiteBot | None = await asyncio.to_thread(self._store.site.bots.get, seat.bot)
        kept = await asyncio.to_thread(self._store.site.bots.version, seat.bot, seat.version)
        if bot is None or kept is None:
            return None
        return Code(bot_id=bot.id, name=bot.name, language=bot.language, version=seat.version)

    def leave(self, table_id: str) -> None:
        """Ends the bots of a table."""
        for key in [one for one in self._there if one[0] == table_id]:
            self._there.pop(key).end()

    def close(self) -> None:
        """Ends all; waits for it."""
        gone = [self._there.pop(key) for key in list(self._there)]
        for thread in [one.end() for one in gone]:
            thread.join()

    def _make_room(self) -> None:
        """Ends the bot that was asked longest ago: it begins anew when it is asked again."""
        idle = sorted((one.used, key) for key, one in self._there.items() if not one.is_busy)
        if len(self._there) >= MOST and idle:
            self._there.pop(idle[0][1]).end()

    def _sweep(self) -> None:
        for key, one in list(self._there.items()):
            if not one.is_busy and time.monotonic() - one.used > IDLE_S:
                self._there.pop(key).end()


class _Lodger:
    """A bot at a table, in its worker."""

    def __init__(self, places: Places) -> None:
        self._worker = Worker(places, _NICENESS)
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._asked = 0
        self.used = time.monotonic()

    @property
    def is_busy(self) -> bool:
        return self._asked > 0

    def ask(self, asked: SitAsk) -> Told:
        """Its answer; waits for it. One whose worker dies is asked once more, in a new one."""
        self._asked += 1
        try:
            with self._lock:
                try:
                    return self._answer(asked)
                except EOFError:
                    self._worker.end()
                    return self._answer(asked)
        except EOFError:
            raise LapilliError("the process that the bot plays in ends again and again") from None
        finally:
            self._asked -= 1
            self.used = time.monotonic()

    def _answer(self, asked: SitAsk) -> Told:
        if self._ended.is_set():
            raise LapilliError("the bot has left")
        self._worker.give(SIT, {"asked": asked})
        end = time.monotonic() + _MOST_S
        while True:
            said = self._worker.hear(_HEAR_S)
            if said is not None and said.problem:
                raise LapilliError(said.problem)
            if said is not None and said.result is not None:
                return said.result.told
            if self._ended.is_set() or time.monotonic() > end:
                self._worker.end()
                raise LapilliError("the bot has left" if self._ended.is_set() else "the bot's worker says nothing")

    def end(self) -> threading.Thread:
        """Ends it, in a thread that is returned: that may take some seconds."""
        self._ended.set()

        def ending() -> None:
            with self._lock:
                self._worker.end()

        thread = threading.Thread(target=ending, daemon=True)
        thread.start()
        return thread
