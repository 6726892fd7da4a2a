"""Events at a table that no person causes: engines and bots reply, and clocks run out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

import msgspec

from lapilli.core.api import State, Termination
from lapilli.site.live.plan import TablePlan
from lapilli.site.live.played_match import PlayedMatch
from lapilli.site.live.services import TableServices
from lapilli.site.tasks import Tasks
from lapilli.site.workshop.bot_seat import SitAsk

Reply = Callable[[PlayedMatch, int, int, dict[str, Any]], Awaitable[None]]
"""Function that is called with the match, turn, player and reply of an engine or bot; the reply has fields of a
`SiteAnswer`.
"""


class TableDriver:
    """Pending replies of engines and bots at one table, and the timer of its clocks.

    Args:
        table_id: the table's id.
        services: services that all live tables share.
        replied: called with every reply.
        timed_out: called when the timer has run out.
        queue_changed: called when a bot's position in the queue changes.
        failed: called with errors of the tasks that run here.

    Attributes:
        queue: position in the queue, from 1, of each bot that waits for a worker process, by player.
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
        self._id, self._services = table_id, services
        self._replied, self._timed_out, self._queue_changed = replied, timed_out, queue_changed
        self._work = Tasks(failed)
        self._replies: dict[int, asyncio.Task[None]] = {}
        self._timer: asyncio.Task[None] | None = None
        self._hint: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a reply is pending or the timer is running."""
        return bool(self._replies) or self._timer is not None

    @property
    def is_hinting(self) -> bool:
        """Whether a hint is being computed."""
        return self._hint is not None and not self._hint.done()

    def start_hint(self, work: Coroutine[Any, Any, None]) -> None:
        """Starts the computation of a hint."""
        self._hint = self._work.start(work)

    def ask(self, match: PlayedMatch, plan: TablePlan, player: int) -> None:
        """Asks an engine or bot for its reply, unless it has been asked already."""
        if player in self._replies:
            return
        seat, turn = plan.seats[player], match.turn
        state = match.referee.state.clone()

        async def reply() -> None:
            if seat.bot:
                given = await self._bot_reply(match, plan, player, state)
            else:
                seed = plan.setup.get("seed") or 0
                text, ms = await self._services.engines.reply(state, seat.engine, player, turn, seed)
                given = {"reply": text, "milliseconds": ms}
            await self._replied(match, turn, player, given)

        self._replies[player] = self._work.start(reply(), partial(self.forget, player))

    def forget(self, player: int) -> None:
        """Removes a player's pending reply, which has arrived or failed, so that the player can be asked again."""
        self._replies.pop(player, None)

    def stop(self) -> None:
        """Stops waiting for replies."""
        for task in self._replies.values():
            task.cancel()
        self._replies.clear()

    def set_timer(self, seconds: float | None) -> None:
        """Restarts the timer, in seconds; None stops it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None:
            self._timer = self._work.start(self._wait(seconds))

    def timer_ended(self) -> None:
        """Removes the timer after it has run out."""
        self._timer = None

    def close(self) -> None:
        """Cancels all tasks of the table."""
        self._work.cancel()

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._timed_out()

    async def _bot_reply(self, match: PlayedMatch, plan: TablePlan, player: int, state: State) -> dict[str, Any]:
        """Asks a bot that was written on this site."""
        pool, seat, turn = self._services.bot_pool, plan.seats[player], match.turn
        code = await pool.code(seat)
        if code is None:
            return {"fault": Termination.NOT_STARTED, "reason": "its text is no longer kept"}
        record = msgspec.structs.replace(match.referee.record, turns=[*match.referee.record.turns])
        asked = SitAsk(code, player, turn, state, record, plan.taken_back)
        return await pool.reply((self._id, player), plan.host, asked, partial(self._note_queue, player))

    def _note_queue(self, player: int, place: int) -> None:
        """Stores a bot's position in the queue; 0 means that it has left the queue."""
        self.queue = {one: at for one, at in {**self.queue, player: place}.items() if at}
        self._queue_changed()
