"""Drives a table: asks the table's engines and bots for replies, and reports when a clock has run out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

import msgspec

from lapilli.core.api import State, Termination
from lapilli.core.errors import StoreTrouble
from lapilli.players.engines.searches import present_engine
from lapilli.site.bots.workshop.bot_seat import SitAsk
from lapilli.site.bots.workshop.worker import JobFailed
from lapilli.site.live.services import TableServices
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.live.table.played_match import PlayedMatch
from lapilli.site.runtime.tasks import Tasks

_LOG = logging.getLogger("lapilli.site")
_TRIES, _PAUSE_S = 5, 2.0
"""A bot may fail to be asked, for example because the machine is too busy to measure its time. `_TRIES`: largest
number of attempts for one reply. `_PAUSE_S`: pause before the next attempt, in seconds.
"""
Reply = Callable[[PlayedMatch, int, int, dict[str, Any]], Awaitable[None]]
"""Function that receives the reply of an engine or bot. Its arguments are the match, the number of the turn, the
player, and the reply as fields of a `SiteAnswer`.
"""


class TableDriver:
    """Asks the engines and bots of one table for replies, and runs the timer of its clocks.

    Args:
        table_id: the table's id.
        services: services that all live tables share.
        replied: function that is called with every reply.
        timed_out: function that is called when the timer has run out.
        queue_changed: function that is called when `queue` or `compiled` has changed.
        failed: function that is called with the exception of each background task that fails.

    Attributes:
        queue: position in the queue, from 1, of each bot that waits for a worker process, by player number.
        compiled: share of the kernels compiled so far, in percent, of each engine that waits for its kernels, by player
            number.
        hinted_for: draft for which a hint was last requested, and the number of actions in the draft at that time; None
            before the first hint.
    """

    def __init__(
        self,
        table_id: str,
        services: TableServices,
        *,
        replied: Reply,
        timed_out: Callable[[], Awaitable[None]],
        queue_changed: Callable[[], object],
        failed: Callable[[BaseException], object],
    ) -> None:
        self.queue: dict[int, int] = {}
        self.compiled: dict[int, int] = {}
        self._id, self._services = table_id, services
        self._replied, self._timed_out, self._queue_changed = replied, timed_out, queue_changed
        self._work = Tasks(failed)
        self._replies: dict[int, asyncio.Task[None]] = {}
        self._timer: asyncio.Task[None] | None = None
        self.hinted_for: tuple[object, int] | None = None
        self._hint: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a reply is pending or the timer is running."""
        return bool(self._replies) or self._timer is not None

    @property
    def is_hinting(self) -> bool:
        """Whether a hint is being computed."""
        return self._hint is not None and not self._hint.done()

    def start_hint(self, work: Coroutine[Any, Any, None], about: tuple[object, int]) -> None:
        """Starts `work`, which computes a hint, as a task. `about`: the new value of `hinted_for`."""
        self.hinted_for = about
        self._hint = self._work.start(work)

    def ask(self, match: PlayedMatch, plan: TablePlan, player: int) -> None:
        """Starts a task that asks a player (an engine or a bot) for its reply, unless such a task is running.

        `match`: the match, in which it is the player's turn. `plan`: the table's plan.
        """
        if player in self._replies:
            return
        seat, turn = plan.seats[player], match.turn
        state = match.referee.state.clone()

        async def reply() -> None:
            if seat.bot:
                fields = await self._bot_reply(match, plan, player, state)
            else:
                engine = present_engine(plan.load_game(), seat.engine)
                await self._wait_for_kernels(plan.game, engine, player)
                seed = plan.setup.get("seed") or 0
                text, ms = await self._services.engines.reply(state, engine, player, turn, seed)
                fields = {"reply": text, "milliseconds": ms}
            await self._replied(match, turn, player, fields)

        def fail() -> None:
            self.forget(player)
            self._services.bot_pool.release(self._id)  # another match can be played until this one goes on

        self._replies[player] = self._work.start(reply(), fail)

    def is_asked(self, player: int) -> bool:
        """Returns whether a task is running that asks a player (an engine or a bot) for its reply."""
        return player in self._replies

    def forget(self, player: int) -> None:
        """Drops the task that asked a player, because it has ended or failed. `ask` can then ask the player again."""
        self._replies.pop(player, None)

    def stop(self) -> None:
        """Cancels all tasks that wait for a reply."""
        for task in self._replies.values():
            task.cancel()
        self._replies.clear()
        self._services.bot_pool.release(self._id)

    def set_timer(self, seconds: float | None) -> None:
        """Restarts the timer with this number of seconds. Stops the timer if `seconds` is None."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None:
            self._timer = self._work.start(self._wait(seconds))

    def timer_ended(self) -> None:
        """Marks the timer as ended. The caller must call this method after the timer has run out."""
        self._timer = None

    async def is_timeout_fair(self) -> bool:
        """Returns whether a clock that has run out ends its player's turn.

        False if the player may have been unable to answer because the store failed. Also False if another process has
        taken over the table's engines and clocks. The clocks of the turn then start again.
        """
        store, watch = self._services.store, self._services.store_watch
        if watch.has_failed or not store.site.notices.are_shared:
            return not watch.has_failed
        try:
            with watch.waiting():
                taken = await asyncio.to_thread(store.site.driving.take, self._id)
        except StoreTrouble:
            return False
        return taken is None and not watch.has_failed

    def close(self) -> None:
        """Cancels all tasks of the table."""
        self._work.cancel()
        self._services.bot_pool.release(self._id)

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._timed_out()

    async def _wait_for_kernels(self, game: str, engine: str, player: int) -> None:
        """Waits until an engine's kernels are compiled. During the wait, updates the progress in `compiled`."""
        try:
            async for share in self._services.compilation.shares(game, engine):
                self.compiled[player] = share
                self._queue_changed()
        finally:
            if self.compiled.pop(player, None) is not None:
                self._queue_changed()

    async def _bot_reply(self, match: PlayedMatch, plan: TablePlan, player: int, state: State) -> dict[str, Any]:
        """Asks a bot that was written on this site, and returns its reply as fields of a `SiteAnswer`."""
        pool, seat, turn = self._services.bot_pool, plan.seats[player], match.turn
        code = await pool.code(seat)
        if code is None:
            return {"fault": Termination.NOT_STARTED, "reason": "its text is no longer kept"}
        record = msgspec.structs.replace(match.referee.record, turns=[*match.referee.record.turns])
        asked = SitAsk(code, player, turn, state, record, plan.taken_back)
        report = partial(self._set_queue_position, player)
        tries = 0
        while True:
            try:
                return await pool.reply((self._id, player), plan.host, asked, report, has_people=bool(plan.people))
            except JobFailed as error:
                tries += 1
                if tries == _TRIES:
                    raise
                _LOG.warning("%s: the bot will be asked again", error, extra={"table": self._id})
            await asyncio.sleep(_PAUSE_S)

    def _set_queue_position(self, player: int, position: int) -> None:
        """Sets a bot's position in `queue`; position 0 removes the bot from `queue`."""
        if position == self.queue.get(player, 0):
            return
        self.queue = {bot: at for bot, at in {**self.queue, player: position}.items() if at}
        self._queue_changed()
