"""The course of a match at a live table: engines think, clocks fall, answers are stored before they are shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from functools import partial
from time import monotonic
from typing import Any

import msgspec

from lapilli.core.api import State, Termination
from lapilli.match import verify
from lapilli.site.live.clocks import Clocks
from lapilli.site.live.plan import Plan, Seat
from lapilli.site.live.services import Services
from lapilli.site.live.table import RESIGNED, Data, Table
from lapilli.site.live.telling import hello_of, now_of
from lapilli.site.live.watching import Audience, Watcher, packed_of
from lapilli.site.tasks import Tasks
from lapilli.site.workshop.sitting import SitAsk
from lapilli.store import SiteAnswer
from lapilli.store.results import pack_record

_LOG = logging.getLogger("lapilli.site")


class Course:
    """A match that goes on, and those who look at it.

    Another process may serve the same table. What either does is in the store first, and the other one reads it there;
    but engines think and clocks fall in one of them alone.

    Args:
        table_id: its id. plan: who sits there. answers: what was stored.
        services: of the site. is_stored: whether the record is stored.
        drives: whether this is the process that drives the table.
        asked_s: for how many seconds those who are asked have been.
        moved: is called when somebody sits down, or the match is over.

    Attributes:
        table: the match. clocks, answers: its clocks, and what was answered.
        queue: bots that wait for a place to play in, by player: how far in front they are, from 1.
        audience: pages that look on. listeners: are set whenever something has changed.
    """

    def __init__(
        self,
        table_id: str,
        plan: Plan,
        answers: Iterable[SiteAnswer],
        services: Services,
        is_stored: bool,
        drives: bool,
        asked_s: float,
        moved: Callable[[], object],
    ) -> None:
        self.id, self.plan, self.drives = table_id, plan, drives
        self.audience, self.queue = Audience(), dict[int, int]()
        self.listeners: set[asyncio.Event] = set()
        self._store, self._services, self._is_stored = services.store.site.matches, services, is_stored
        self._lock = asyncio.Lock()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._timer: asyncio.Task[None] | None = None
        self._work = Tasks(self._failed)
        self._hellos: dict[int | None, bytes] = {}
        self._moved = moved
        self._rebuild(answers)
        if plan.ready and not drives:
            self.clocks.start(self._people_asked(), monotonic() - asked_s)

    def _rebuild(self, answers: Iterable[SiteAnswer]) -> None:
        """Sets the table up from what was stored."""
        self.answers = list(answers)
        self.table = Table(self.plan)
        self.table.replay(self.answers)
        self.clocks = Clocks(self.plan.control, len(self.plan.seats))
        for answer in self.answers:
            self._set_clock(answer)

    def _set_clock(self, answer: SiteAnswer) -> None:
        if answer.left_ms is not None:
            self.clocks.set(answer.player, answer.left_ms / 1000)

    @property
    def is_visited(self) -> bool:
        """Whether a page or a program looks at it."""
        return bool(self.audience or self.listeners)

    @property
    def is_idle(self) -> bool:
        """Whether nobody would miss it, since all that it holds is stored."""
        return not self.is_visited and not self._tasks and self._timer is None

    def close(self) -> None:
        """Stops whatever goes on."""
        self._work.cancel()

    # -- answers and plans, in the store first

    async def _amend(self, change: Callable[[Plan], object]) -> None:
        """Changes the plan, as it is stored now, in the store and here."""

        def changed(stored: dict[str, Any]) -> None:
            plan = msgspec.convert(stored, Plan)
            change(plan)
            stored.clear()
            stored |= msgspec.to_builtins(plan)

        self._replan(await asyncio.to_thread(self._store.amend, self.id, changed))

    def _replan(self, stored: dict[str, Any]) -> None:
        self.plan = self.table.plan = msgspec.convert(stored, Plan)
        self.table.referee.record.players = [one.identity for one in self.plan.seats]
        self._moved()

    async def _give(self, player: int, **what: Any) -> None:
        """Stores an answer, then plays it, then shows it. Where another process was first, what it stored is played."""
        now, turn = monotonic(), self.table.turn
        engine_ms = what.pop("milliseconds", None)
        seconds = self.clocks.stop(player, now)
        ms = round(1000 * seconds if engine_ms is None else engine_ms, 3)
        left = None if self.plan.seats[player].is_machine else self.clocks.left(player, now)
        answer = SiteAnswer(
            turn=turn, player=player, milliseconds=ms, left_ms=None if left is None else round(1000 * left), **what
        )
        before = sum(one.turn < turn for one in self.answers)
        if not await self._services.keeper.keep(self.id, before, answer):
            await self._catch_up()
            return
        self._hear(answer)
        self._services.metrics.answers.labels("engine" if self.plan.seats[player].is_machine else "person").inc()
        if self.table.over:
            await self._finish()
        await self._go_on()
        self._services.metrics.shown.observe(monotonic() - now)

    def _hear(self, answer: SiteAnswer) -> None:
        """Plays an answer that is stored, and shows what came of it."""
        self.answers.append(answer)
        said = len(self.table.log)
        frames = self.table.give(answer)
        self._hellos.clear()
        if frames:
            self.audience.broadcast({"type": "step", "frames": frames, "log": self.table.log[said:]})

    def _stop_thinking(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()

    # -- what goes on by itself, here and in other processes

    async def drive(self, drives: bool) -> None:
        """Has engines think and clocks fall here from now on, or no longer."""
        async with self._lock:
            if drives != self.drives:
                self.drives = drives
                self._stop_thinking()
                await self._go_on()

    async def catch_up(self) -> bool:
        """Reads what another process has changed; whether the table is still there."""
        async with self._lock:
            return await self._catch_up()

    async def _catch_up(self) -> bool:
        stored = await asyncio.to_thread(self._store.get, self.id)
        if stored is None:
            return False
        plan = msgspec.convert(stored.plan, Plan)
        self._is_stored = self._is_stored or stored.record is not None
        known = {(answer.turn, answer.player) for answer in self.answers}
        first = self.table.turn if plan.taken_back == self.plan.taken_back else 0
        answers = await asyncio.to_thread(self._store.answers, self.id, first)
        is_other = first == 0 or plan.seats != self.plan.seats
        if msgspec.to_builtins(plan) != msgspec.to_builtins(self.plan):
            self._replan(stored.plan)
        if first == 0:
            self._stop_thinking()
            self._rebuild(answers)
        for answer in answers:
            if first and (answer.turn, answer.player) not in known and answer.player in self.table.asked:
                self.clocks.stop(answer.player, monotonic())
                self._set_clock(answer)
                self._hear(answer)
        await (self._show_afresh() if is_other else self._go_on())
        return True

    def _people_asked(self) -> list[int]:
        return [player for player in self.table.asked if not self.plan.seats[player].is_machine]

    async def _go_on(self) -> None:
        """Has those think who are asked, ends what is over, and tells everybody how it stands."""
        table = self.table
        table.agree()
        if table.over:
            self.clocks.pause()
            if self.drives:
                await self._finish()
        elif self.plan.ready:
            for player in table.asked:
                if player in self.plan.resigned:
                    await self._give(player, fault=Termination.RESIGNED, reason=RESIGNED)
                    return
            if self.drives:
                for player in table.asked:
                    if self.plan.seats[player].is_machine:
                        self._think(player)
            self.clocks.start(self._people_asked(), monotonic())
        self._wind()
        self._tell()

    async def _finish(self) -> None:
        if self._is_stored:
            return
        record = self.table.referee.record
        await asyncio.to_thread(verify, record)
        verdict = record.outcome.reason if record.outcome else ""
        await asyncio.to_thread(self._store.finish, self.id, pack_record(record), verdict)
        self._is_stored = True
        self._stop_thinking()
        self._services.lodgings.leave(self.id)
        self._moved()

    def _think(self, player: int) -> None:
        if player in self._tasks:
            return
        table, turn = self.table, self.table.turn
        seat, seed = self.plan.seats[player], self.plan.setup.get("seed") or 0

        async def think() -> None:
            state = table.referee.state.clone()
            if seat.bot:
                told = await self._bot_says(seat, player, turn, state)
            else:
                reply, ms = await self._services.engines.reply(state, seat.engine, player, turn, seed)
                told = {"reply": reply, "milliseconds": ms}
            async with self._lock:
                self._tasks.pop(player, None)
                if table is self.table and table.turn == turn and player in table.asked:
                    await self._give(player, **told)

        self._tasks[player] = self._work.start(think(), lambda: self._tasks.pop(player, None))

    async def _bot_says(self, seat: Seat, player: int, turn: int, state: State) -> Data:
        """What a bot that was written here answers."""
        lodgings = self._services.lodgings
        code = await lodgings.code(seat)
        if code is None:
            return {"fault": Termination.NOT_STARTED, "reason": "its text is no longer kept"}
        record = msgspec.structs.replace(self.table.referee.record, turns=[*self.table.referee.record.turns])
        asked = SitAsk(code, player, turn, state, record, self.plan.taken_back)
        return await lodgings.reply((self.id, player), self.plan.host, asked, partial(self._line_up, player))

    def _line_up(self, player: int, place: int) -> None:
        """Tells everybody at which place a bot waits."""
        self.queue = {one: at for one, at in {**self.queue, player: place}.items() if at}
        self._tell()

    def _failed(self, error: BaseException) -> None:
        """Tells all who look on that something went wrong, and the log what."""
        _LOG.error("%s", error, exc_info=error, extra={"table": self.id})
        self.audience.broadcast({"type": "problem", "text": "the site had trouble, reload the page"})

    def _wind(self) -> None:
        """Waits for the next clock that falls."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        seconds = None if self.table.over or not self.drives else self.clocks.next_fall(monotonic())
        if seconds is None:
            return

        async def wait() -> None:
            await asyncio.sleep(seconds)
            async with self._lock:
                self._timer = None
                for player in self.clocks.fallen(monotonic()):
                    if player in self.table.asked:
                        await self._give(player, fault=Termination.TIMEOUT, reason="out of time")
                        return
                self._wind()

        self._timer = self._work.start(wait())

    # -- what is told

    async def _show_afresh(self) -> None:
        """Shows everything anew, where it does not follow from what was shown."""
        self._hellos.clear()
        for watcher in self.audience:
            self._greet(watcher)
        await self._go_on()

    def _greet(self, watcher: Watcher) -> None:
        seat = self.plan.seat_of(watcher.holder)
        if seat not in self._hellos:
            self._hellos[seat] = packed_of(hello_of(self, seat))
        watcher.put(self._hellos[seat])

    def _tell(self, player: int | None = None) -> None:
        """Says how it stands, to one player's pages or to all."""
        now = monotonic()

        def told(seat: int | None) -> Data:
            return now_of(self, seat, now)

        self.audience.tell(self.plan.seat_of, told, player)
        for listener in self.listeners:
            listener.set()
