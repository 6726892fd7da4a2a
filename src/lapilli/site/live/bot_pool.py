"""The site's bots as opponents: the bots that a visitor may choose, and the worker processes they play in."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.players.sandbox.sandbox import why_no_sandbox
from lapilli.site.live.plan import CODE, Seat
from lapilli.site.workshop.asks import SIT, Code, Told
from lapilli.site.workshop.bot_seat import SitAsk
from lapilli.site.workshop.places import Places
from lapilli.site.workshop.worker import run_job
from lapilli.store import SiteBot, Store
from lapilli.workers.call_worker import CallTimeout, CallWorker, WorkerDied

MOST = 6
"""Most bots that play at tables at the same time. Each has a worker process of its own."""
IDLE_S = 180.0
"""Seconds after which an idle bot is ended; it is started again when it is next asked."""
WANTED_S = 20.0
"""The same while another bot waits for a place."""
Key = tuple[str, int]
"""A table's id, and a player number there."""
_MOST_S = 120.0
"""Time limit of a reply, in seconds. A worker that exceeds it is stuck."""
_TRIES = 2
"""Most times that a bot is asked, if its worker dies each time."""
_NICENESS = 5


def offered_bots(store: Store, account: str, game: Game) -> dict[str, tuple[str, Seat]]:
    """Returns the bots that an account may choose as opponents. An account's own bots play in their last version, other
    people's bots in the version that is in the league.

    Args:
        account: the account's id; "" for a guest.

    Returns:
        Display name and seat of each bot, by its value in the form. Empty if there is no sandbox.
    """
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


class BotPool:
    """Bots that play at tables now. At most `MOST` of them have a place, that is a worker process; the others wait.

    A waiting bot may replace an idle bot of the host that occupies most places, if that host occupies at least two more
    than the waiting bot's host.

    Args:
        store: the site's store.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._places = store, Places.of(store)
        self._there: dict[Key, _PooledBot] = {}
        self._waiting: list[Waiting] = []

    def check_free(self, host: str) -> None:
        """Raises LapilliError if `MOST` bots at this host's tables are waiting for a place already."""
        if sum(one.host == host for one in self._waiting) >= MOST:
            raise LapilliError(f"{MOST} bots at tables of yours wait for a place already: finish a match first")

    async def reply(self, key: Key, host: str, asked: SitAsk, tell: Callable[[int], object]) -> Told:
        """Returns the reply of the bot at a seat, as the fields that `BotSeat.answer` returns.

        Args:
            key: the seat.
            host: holder of the table's first seat.
            tell: called with the bot's position in the queue whenever that changes: from 1, and 0 once the bot has left
                the queue.

        Raises:
            LapilliError: the site could not ask the bot; the bot is not at fault.
        """
        bot = self._there.get(key) or await self._take_place(key, host, tell)
        with bot.held():
            answer = await asyncio.to_thread(bot.ask, asked)
        self._settle()
        for seconds in (WANTED_S, IDLE_S):
            asyncio.get_running_loop().call_later(seconds + 0.1, self._settle)
        return answer

    async def _take_place(self, key: Key, host: str, tell: Callable[[int], object]) -> _PooledBot:
        waiting = Waiting(key, host, tell, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._settle()
        try:
            return await waiting.place
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
                waiting.move(0)
            elif not waiting.place.cancelled():
                waiting.place.result().used = time.monotonic()
            raise

    def _settle(self) -> None:
        """Assigns places to waiting bots as long as there are any, and reports the others' positions in the queue."""
        self._end_idle(IDLE_S)
        for one in in_line(self._waiting, self._places_of):
            if one.place.done():  # its request has been cancelled
                continue
            if len(self._there) >= MOST:
                self._make_room(one.host)
            if len(self._there) < MOST:
                self._waiting.remove(one)
                self._there[one.key] = _PooledBot(self._places, one.host)
                one.place.set_result(self._there[one.key])
                one.move(0)
        for place, one in enumerate(in_line(self._waiting, self._places_of), 1):
            one.move(place)

    def _places_of(self, host: str) -> int:
        return sum(one.host == host for one in self._there.values())

    def _make_room(self, host: str) -> None:
        """Ends one idle bot to make room for a bot of this host: a bot of the host with most places, if that host has
        at least two more than this one, or else one of this host's own. Of several, it ends the one that has been idle
        longest. If there is none, it ends all bots that have been idle for more than `WANTED_S`. An ended bot is
        started again when it is next asked.
        """
        idle = sorted((one.used, key) for key, one in self._there.items() if not one.is_busy)
        has = {key: self._places_of(self._there[key].host) for _, key in idle}
        most = max(has.values(), default=0)
        richest = [key for _, key in idle if has[key] == most >= self._places_of(host) + 2]
        own = [key for _, key in idle if self._there[key].host == host]
        if richest or own:
            self._there.pop((richest or own)[0]).end()
        else:
            self._end_idle(WANTED_S)

    def _end_idle(self, seconds: float) -> None:
        for key, one in list(self._there.items()):
            if not one.is_busy and time.monotonic() - one.used > seconds:
                self._there.pop(key).end()

    async def code(self, seat: Seat) -> Code | None:
        """Returns the program of the bot at a seat; None if it is no longer stored."""
        bot: SiteBot | None = await asyncio.to_thread(self._store.site.bots.get, seat.bot)
        kept = await asyncio.to_thread(self._store.site.bots.version, seat.bot, seat.version)
        if bot is None or kept is None:
            return None
        return Code(bot_id=bot.id, name=bot.name, language=bot.language, version=seat.version)

    def leave(self, table_id: str) -> None:
        """Ends all bots of a table."""
        for key in [one for one in self._there if one[0] == table_id]:
            self._there.pop(key).end()
        self._settle()

    def close(self) -> None:
        """Ends all bots and waits until they have ended."""
        gone = [self._there.pop(key) for key in list(self._there)]
        for thread in [one.end() for one in gone]:
            thread.join()


class Waiting:
    """A bot that waits for a place.

    Args:
        key: its seat.
        host: holder of its table's first seat.
        tell: as in `BotPool.reply`.
        place: future that is set once the bot has a place.
    """

    def __init__(self, key: Key, host: str, tell: Callable[[int], object], place: asyncio.Future[_PooledBot]) -> None:
        self.key, self.host, self.place = key, host, place
        self._tell, self._told = tell, 0

    def move(self, number: int) -> None:
        """Reports the bot's position in the queue, if it has changed."""
        if number != self._told:
            self._told = number
            self._tell(number)


def in_line(waiting: Iterable[Waiting], places_of: Callable[[str], int]) -> list[Waiting]:
    """Returns waiting bots in the order in which they get places: those of hosts with the fewest places first, then
    those that have waited longest.

    A host's earlier bots in the queue count as places, too.

    Args:
        places_of: returns the number of places that a host occupies.
    """
    hosts: Counter[str] = Counter()
    turns: list[tuple[int, int, Waiting]] = []
    for one in waiting:
        turns.append((places_of(one.host) + hosts[one.host], len(turns), one))
        hosts[one.host] += 1
    return [one for _, _, one in sorted(turns, key=lambda turn: turn[:2])]


class _PooledBot:
    """A bot at a table, and its worker.

    Attributes:
        host: holder of the table's first seat.
        used: time when it was last asked, by `time.monotonic`; infinite before it is first asked.
    """

    def __init__(self, places: Places, host: str) -> None:
        self.host = host
        self._places, self._worker = places, CallWorker(_NICENESS)
        self._lock = threading.Lock()
        self._holders = 0
        self.used = math.inf  # until it is first asked

    @property
    def is_busy(self) -> bool:
        return self._holders > 0 or self._lock.locked() or self.used == math.inf

    @contextmanager
    def held(self) -> Iterator[None]:
        """Marks the bot as busy while it is being asked, so that its place is not given away."""
        self._holders += 1
        try:
            yield
        finally:
            self._holders -= 1
            self.used = time.monotonic()

    def ask(self, asked: SitAsk) -> Told:
        """Waits for the bot's reply and returns it. If the worker dies, asks once more in a new worker."""
        with self._lock:
            for _ in range(_TRIES):
                try:
                    call = self._worker.call(run_job, self._places, SIT, {"asked": asked}, limit_s=_MOST_S)
                    return call.result().told
                except CallTimeout:
                    raise LapilliError("the bot's worker says nothing") from None
                except WorkerDied:
                    if self._worker.is_stopped:
                        raise LapilliError("the bot has left") from None
        raise LapilliError("the process that the bot plays in ends again and again")

    def end(self) -> threading.Thread:
        """Starts to end the bot in a thread, because that may take some seconds, and returns the thread."""

        def end_worker() -> None:
            self._worker.stop()  # an ask that is waiting for a reply then gives up the lock
            with self._lock:
                self._worker.end()

        thread = threading.Thread(target=end_worker, daemon=True)
        thread.start()
        return thread
