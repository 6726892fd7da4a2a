"""The site's bots as opponents: which bots a visitor may choose, and the worker processes in which they play."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.players.sandbox.sandbox import why_no_sandbox
from lapilli.site.bots.workshop.asks import SIT, Code, PageData
from lapilli.site.bots.workshop.bot_seat import SitAsk
from lapilli.site.bots.workshop.places import Places
from lapilli.site.bots.workshop.worker import run_job
from lapilli.site.live.drivers.match_queue import MatchQueue
from lapilli.site.live.table.plan import CODE, Seat
from lapilli.store import SiteBot, Store
from lapilli.workers.call_worker import CallTimeout, CallWorker, WorkerDied

MOST = 6
"""Number of places: the largest number of bots that can play at the same time, each in its own worker process."""
MATCHES = 2
"""Largest number of matches without people that are played at the same time. Their bots keep their places until the
match is over, because they must reply again and again without a pause. At least two of the `MOST` places remain for
matches with people.
"""
IDLE_S = 180.0
"""Time for which an idle bot keeps its place after its last reply, in seconds. Then its process is ended. The bot is
started again when it must reply next.
"""
WANTED_S = 20.0
"""Time for which an idle bot keeps its place after its last reply while other bots wait for a place, in seconds."""
Key = tuple[str, int]
"""A bot's seat: id of the table, and player number."""
_MOST_S = 120.0
"""Time limit of a reply, in seconds. A worker process that exceeds the limit is stuck."""
_TRIES = 2
"""Largest number of attempts to ask a bot for one reply, if its worker process dies in each attempt."""
_NICENESS = 5
"""Niceness of the worker processes, so that the site's own process has priority."""


def offered_bots(store: Store, account: str, game: Game) -> dict[str, tuple[str, Seat]]:
    """Returns the bots that an account may choose as opponents.

    The account's own bots play in their newest version, bots of other accounts in the version that is in the league.

    Args:
        store: the database.
        account: the account's id; "" for a guest.
        game: the game.

    Returns:
        A dict from each bot's value in forms to the bot's display name and its seat. The value in forms is the prefix
        CODE, followed by the bot's name. The dict is empty if this machine has no sandbox for bots.
    """
    if why_no_sandbox():
        return {}
    own = own_bots(store, account, game.name)
    own_ids = {bot.id for bot in own}
    others = [bot for bot in store.site.bots.in_league(game.name) if bot.id not in own_ids]
    offered: dict[str, tuple[str, Seat]] = {}
    for bot, version in [*((bot, bot.version) for bot in own), *((bot, bot.submitted) for bot in others)]:
        display_name = f"{bot.name} · yours" if bot.id in own_ids else f"{bot.name} · league"
        offered[CODE + bot.name] = display_name, Seat(bot=bot.id, version=version, name=bot.name)
    return offered


def own_bots(store: Store, account: str, game: str) -> list[SiteBot]:
    """Returns an account's bots of a game; an empty list if this machine has no sandbox for bots.

    Args:
        store: the database.
        account: the account's id; "" for a guest.
        game: the game's name.
    """
    if not account or why_no_sandbox():
        return []
    return [bot for bot in store.site.bots.owned(account) if bot.game == game]


class BotPool:
    """The bots that play at tables now.

    At most `MOST` bots have a *place*, that is a worker process; the other bots wait. If all places are taken, a
    waiting bot can get the place of an idle bot, which `_make_room` chooses. The *host* of a bot is the person
    who owns its table.

    Of the matches without people, at most `MATCHES` are played at the same time, and their bots keep their places.

    Args:
        store: the site's store.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._places = store, Places.of(store)
        self._pooled: dict[Key, _PooledBot] = {}
        self._waiting: list[Waiting] = []
        self._matches = MatchQueue(MATCHES)
        # Threads of their own: on two cores `asyncio.to_thread` has six, and six bots that think would stop all pages.
        self._threads = ThreadPoolExecutor(2 * MOST, "bots")

    def check_free(self, host: str) -> None:
        """Raises LapilliError if `MOST` bots at this person's tables are already waiting for a worker process.

        `host`: string that identifies the person, see `Seat.holder`.
        """
        if sum(bot.host == host for bot in self._waiting) >= MOST:
            raise LapilliError(f"{MOST} bots at your tables are waiting for a place already: finish a match first")

    async def reply(
        self, key: Key, host: str, asked: SitAsk, report: Callable[[int], object], *, has_people: bool = True
    ) -> PageData:
        """Asks the bot at a seat for its reply, and returns it as fields of a `SiteAnswer`, such as `reply` or `fault`.

        Args:
            key: the bot's seat.
            host: the person who owns the table, see `TablePlan.host`.
            asked: the position and the turn for which the bot must reply.
            report: function that is called with the bot's position in the queue whenever the position changes. The
                first bot in the queue has position 1; a bot that has left the queue has position 0.
            has_people: whether a person or program plays in the match.

        Raises:
            LapilliError: the site could not ask the bot; the bot is not at fault.
        """
        if not has_people:
            await self._matches.enter(key[0], report)
        bot = self._pooled.get(key) or await self._take_place(key, host, report)
        with bot.held():
            answer = await asyncio.get_running_loop().run_in_executor(self._threads, bot.ask, asked)
        self._assign_places()
        for seconds in (WANTED_S, IDLE_S):
            asyncio.get_running_loop().call_later(seconds + 0.1, self._assign_places)
        return answer

    async def _take_place(self, key: Key, host: str, report: Callable[[int], object]) -> _PooledBot:
        waiting = Waiting(key, host, report, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._assign_places()
        try:
            return await waiting.place
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
                waiting.move(0)
            elif not waiting.place.cancelled():
                waiting.place.result().used = time.monotonic()
            raise

    def _assign_places(self) -> None:
        """Assigns free worker processes to waiting bots, and reports to all others their new positions in the queue."""
        self._end_idle(IDLE_S)
        for bot in in_queue_order(self._waiting, self._places_of):
            if bot.place.done():  # the request for the bot's reply has been cancelled
                continue
            if len(self._pooled) >= MOST:
                self._make_room(bot.host)
            if len(self._pooled) < MOST:
                self._waiting.remove(bot)
                self._pooled[bot.key] = _PooledBot(self._places, bot.host)
                bot.place.set_result(self._pooled[bot.key])
                bot.move(0)
        for position, bot in enumerate(in_queue_order(self._waiting, self._places_of), 1):
            bot.move(position)

    def _places_of(self, host: str) -> int:
        return sum(bot.host == host for bot in self._pooled.values())

    def _make_room(self, host: str) -> None:
        """Ends idle bots, so that a bot at a table of the person `host` can get their worker process.

        A *place* is a worker process. An ended bot starts again for its next reply.

        The first of these rules that applies to an idle bot decides which bots end:
        - the longest idle bot of the host with the most places, if this host has at least two places fewer;
        - the longest idle bot of this host;
        - all bots that have been idle for more than `WANTED_S` seconds.
        """
        idle = sorted((bot.used, key) for key, bot in self._pooled.items() if self._is_idle(key, bot))
        places = {key: self._places_of(self._pooled[key].host) for _, key in idle}
        most = max(places.values(), default=0)
        of_largest_host = [key for _, key in idle if places[key] == most >= self._places_of(host) + 2]
        own = [key for _, key in idle if self._pooled[key].host == host]
        if of_largest_host or own:
            self._pooled.pop((of_largest_host or own)[0]).end()
        else:
            self._end_idle(WANTED_S)

    def _end_idle(self, seconds: float) -> None:
        for key, bot in list(self._pooled.items()):
            if self._is_idle(key, bot) and time.monotonic() - bot.used > seconds:
                self._pooled.pop(key).end()

    def _is_idle(self, key: Key, bot: _PooledBot) -> bool:
        """Returns whether a bot may be ended, so that another bot gets its worker process.

        This is so if the bot is not being asked, and people play in its match.
        """
        return not bot.is_busy and key[0] not in self._matches

    async def code(self, seat: Seat) -> Code | None:
        """Returns the version of the bot at a seat, as the struct by which worker processes find its source code.

        Returns None if this version is no longer stored.
        """
        bot: SiteBot | None = await asyncio.to_thread(self._store.site.bots.get, seat.bot)
        version = await asyncio.to_thread(self._store.site.bots.version, seat.bot, seat.version)
        if bot is None or version is None:
            return None
        return Code(bot_id=bot.id, name=bot.name, language=bot.language, version=seat.version)

    def release(self, table_id: str) -> None:
        """Marks the match at a table as no longer played, so that another match without people may begin."""
        self._matches.leave(table_id)

    def leave(self, table_id: str) -> None:
        """Ends all bots of a table, whose match is over."""
        self.release(table_id)
        for key in [seat for seat in self._pooled if seat[0] == table_id]:
            self._pooled.pop(key).end()
        self._assign_places()

    def close(self) -> None:
        """Ends all bots, and waits until they have ended."""
        bots = [self._pooled.pop(key) for key in list(self._pooled)]
        for thread in [bot.end() for bot in bots]:
            thread.join()
        self._threads.shutdown(wait=False)


class Waiting:
    """A bot that waits until the pool has a free place for its process.

    Args:
        key: the bot's seat.
        host: the person who owns the bot's table, see `TablePlan.host`.
        report: function that is called with the bot's position in the queue, whenever the position changes.
        place: future that is completed when the bot gets a place; its result is the bot.
    """

    def __init__(self, key: Key, host: str, report: Callable[[int], object], place: asyncio.Future[_PooledBot]) -> None:
        self.key, self.host, self.place = key, host, place
        self._report, self._reported = report, 0

    def move(self, number: int) -> None:
        """Reports `number`, the bot's present position in the queue, if the position has changed."""
        if number != self._reported:
            self._reported = number
            self._report(number)


def in_queue_order(waiting: Iterable[Waiting], places_of: Callable[[str], int]) -> list[Waiting]:
    """Returns waiting bots in the order in which they will get places (worker processes).

    The *host* of a bot is the person who owns its table. The bots of a host with fewer places come first. If two hosts
    have equally many places, the bot that has waited longer comes first.

    To find a bot's position in this order, the bots of its host that have waited longer are counted as if they had
    places already. So the bots of several hosts get places in turn.

    Args:
        waiting: the waiting bots, the longest waiting first.
        places_of: function that returns the number of places that a host's bots have.
    """
    hosts: Counter[str] = Counter()
    turns: list[tuple[int, int, Waiting]] = []
    for one in waiting:
        turns.append((places_of(one.host) + hosts[one.host], len(turns), one))
        hosts[one.host] += 1
    return [one for _, _, one in sorted(turns, key=lambda turn: turn[:2])]


class _PooledBot:
    """A bot that plays at a table now, with its worker process.

    Attributes:
        host: the person who owns the table, see `TablePlan.host`.
        used: time at which the bot last replied, by `time.monotonic`; infinite before its first reply.
    """

    def __init__(self, places: Places, host: str) -> None:
        self.host = host
        self._places, self._worker = places, CallWorker(_NICENESS)
        self._lock = threading.Lock()
        self._holders = 0
        self.used = math.inf

    @property
    def is_busy(self) -> bool:
        return self._holders > 0 or self._lock.locked() or self.used == math.inf

    @contextmanager
    def held(self) -> Iterator[None]:
        """Marks the bot as busy during the `with` block, so that the pool does not end the bot."""
        self._holders += 1
        try:
            yield
        finally:
            self._holders -= 1
            self.used = time.monotonic()

    def ask(self, asked: SitAsk) -> PageData:
        """Asks the bot for its reply in a position, waits for it, and returns it as fields of a `SiteAnswer`.

        If the worker process dies, asks again in a new one.
        """
        with self._lock:
            for _ in range(_TRIES):
                try:
                    call = self._worker.call(run_job, self._places, SIT, {"asked": asked}, limit_s=_MOST_S)
                    return call.result().data
                except CallTimeout:
                    raise LapilliError("the bot's worker process does not reply") from None
                except WorkerDied:
                    if self._worker.is_stopped:
                        raise LapilliError("the bot was ended") from None
        raise LapilliError("the bot's worker process died several times")

    def end(self) -> threading.Thread:
        """Starts a thread that ends the bot's worker process, which may take some seconds, and returns the thread."""

        def end_worker() -> None:
            self._worker.stop()  # a waiting `ask` then releases the lock
            with self._lock:
                self._worker.end()

        thread = threading.Thread(target=end_worker, daemon=True)
        thread.start()
        return thread
