"""A live table: who watches, whose clock runs, which engine thinks; every answer is stored before it is shown."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Callable, Coroutine, Iterable
from time import monotonic
from typing import Any

import msgspec

from lapilli.arena.results import pack_record
from lapilli.arena.store import SiteAnswer, Store
from lapilli.games.api import Termination
from lapilli.games.errors import IllegalAction, LapilliError, StoreError
from lapilli.match import verify
from lapilli.web import wire
from lapilli.web.clocks import Clocks
from lapilli.web.engines import Engines
from lapilli.web.plan import Plan
from lapilli.web.table import RESIGNED, Data, Table

_LOG = logging.getLogger("lapilli.site")
BACKLOG = 100
"""Messages that wait for a page that does not read; then it is let go, and connects again."""


class Watcher:
    """A page that looks at a table.

    Args:
        visitor: whose page it is, by its cookie.
    """

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor
        self.messages: asyncio.Queue[str | None] = asyncio.Queue(BACKLOG)

    def send(self, data: Data) -> None:
        """Has the page told something. None in the queue stands for the end."""
        self.put(json.dumps(data, separators=(",", ":"), ensure_ascii=False))

    def put(self, text: str) -> None:
        """The same for what is a text already."""
        if self.messages.qsize() < BACKLOG - 1:
            self.messages.put_nowait(text)
        elif not self.messages.full():
            self.messages.put_nowait(None)


class Room:
    """A table and those who look at it.

    Args:
        table_id: its id. plan: who sits there. answers: what was stored.
        store, engines: of the site. is_stored: whether the record is stored.
    """

    def __init__(
        self, table_id: str, plan: Plan, answers: Iterable[SiteAnswer], store: Store, engines: Engines, is_stored: bool
    ) -> None:
        self.id, self.plan = table_id, plan
        self.watchers: set[Watcher] = set()
        self._store, self._engines, self._is_stored = store, engines, is_stored
        self._lock = asyncio.Lock()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._timer: asyncio.Task[None] | None = None
        self._resigning: set[int] = set()
        self._hints: set[asyncio.Task[None]] = set()
        self._rebuild(answers)

    def _rebuild(self, answers: Iterable[SiteAnswer]) -> None:
        """Sets the table up from what was stored."""
        self.answers = list(answers)
        self.table = Table(self.plan)
        self.table.replay(self.answers)
        self.clocks = Clocks(self.plan.control, len(self.plan.seats))
        for answer in self.answers:
            if answer.left_ms is not None:
                self.clocks.set(answer.player, answer.left_ms / 1000)

    @property
    def is_idle(self) -> bool:
        """Whether nobody would miss it, since all that it holds is stored."""
        return not self.watchers and not self._tasks and self._timer is None

    def close(self) -> None:
        """Stops whatever goes on."""
        for task in [*self._tasks.values(), *self._hints, *filter(None, [self._timer])]:
            task.cancel()

    # -- who comes and goes

    async def join(self, watcher: Watcher) -> None:
        """Shows the table to a page from now on."""
        async with self._lock:
            self.watchers.add(watcher)
            watcher.send(await asyncio.to_thread(self._hello, watcher))
            await self._go_on()

    def leave(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)

    async def sit(self, key: str, visitor: str, name: str) -> None:
        """Gives an open seat to whoever has its key.

        Raises:
            LapilliError: there is no such seat, it is taken, or the visitor has another one here.
        """
        async with self._lock:
            mine = self.plan.seat_of(visitor)
            seat = next((seat for seat in self.plan.seats if seat.key and secrets.compare_digest(seat.key, key)), None)
            if seat is None:
                raise LapilliError("there is no such seat: ask for the link again")
            if seat.holder == visitor:
                return
            if mine is not None:
                raise LapilliError("you sit at this table already: open the link in another browser, or send it")
            if not seat.is_open:
                raise LapilliError("somebody else has taken this seat: you can watch")
            seat.holder, seat.name = visitor, name
            try:
                await asyncio.to_thread(self._store.site.matches.replan, self.id, msgspec.to_builtins(self.plan))
            except StoreError:
                seat.holder = seat.name = ""
                raise
            self.table.referee.record.players = [one.identity for one in self.plan.seats]
            await self._show_afresh()

    # -- what people do

    async def act(self, watcher: Watcher, message: wire.Message) -> None:
        """Does what somebody at the table asks for.

        Raises:
            LapilliError: it cannot be done; nothing has changed.
        """
        async with self._lock:
            player = self.plan.seat_of(watcher.visitor)
            if player is None:
                raise LapilliError("you watch: only who sits at the table plays")
            if isinstance(message, wire.Rematch):
                await self._rematch()
            elif self.table.over:
                raise LapilliError("the match is over")
            elif not self.plan.ready:
                raise LapilliError("wait until all seats are taken")
            elif isinstance(message, wire.Resign):
                await self._resign(player)
            elif isinstance(message, wire.TakeBack):
                await self._take_back(player)
            else:
                await self._draft(watcher, player, message)

    async def _draft(
        self, watcher: Watcher, player: int, message: wire.Pick | wire.Undo | wire.Commit | wire.Hint
    ) -> None:
        if message.turn != self.table.turn:
            raise IllegalAction("that turn is over")
        draft = self.table.draft(player)
        if isinstance(message, wire.Hint):
            return self._hint(watcher, player)
        if isinstance(message, wire.Pick):
            await asyncio.to_thread(draft.pick, message.action)
        elif isinstance(message, wire.Undo):
            draft.undo()
        if isinstance(message, wire.Commit) or draft.is_settled:
            await self._give(player, reply=draft.reply())
            return None
        await self._tell(player)
        return None

    async def _give(self, player: int, **what: Any) -> None:
        """Stores an answer, then plays it, then shows it."""
        now, turn = monotonic(), self.table.turn
        engine_ms = what.pop("milliseconds", None)
        seconds = self.clocks.stop(player, now)
        ms = round(1000 * seconds if engine_ms is None else engine_ms, 3)
        left = None if self.plan.seats[player].engine else self.clocks.left(player, now)
        answer = SiteAnswer(
            turn=turn, player=player, milliseconds=ms, left_ms=None if left is None else round(1000 * left), **what
        )
        await asyncio.to_thread(self._store.site.matches.add_answers, self.id, [answer])
        self.answers.append(answer)
        said = len(self.table.log)
        frames = await asyncio.to_thread(self.table.give, answer)
        if frames:
            self._broadcast({"type": "step", "frames": frames, "log": self.table.log[said:]})
        await self._go_on()

    async def _resign(self, player: int) -> None:
        self._resigning.add(player)
        await self._go_on()

    async def _take_back(self, player: int) -> None:
        if not self.plan.is_against_engines(player):
            raise LapilliError("against people nothing is taken back")
        mine = [answer.turn for answer in self.answers if answer.player == player]
        if not mine:
            raise LapilliError("there is nothing to take back")
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()
        self._resigning.clear()
        await asyncio.to_thread(self._store.site.matches.drop_answers, self.id, mine[-1])
        await asyncio.to_thread(self._rebuild, [answer for answer in self.answers if answer.turn < mine[-1]])
        await self._show_afresh()

    def _hint(self, watcher: Watcher, player: int) -> None:
        if not self.plan.is_against_engines(player) or not self.table.game.searches:
            raise LapilliError("there are hints against engines only")
        draft, turn = self.table.draft(player), self.table.turn
        if draft.complete or self._hints:
            raise LapilliError("a hint is under way" if self._hints else "the turn is complete: play it, or take back")
        count = len(draft.actions)

        async def think() -> None:
            action = await self._engines.hint(draft.state, player)
            async with self._lock:
                if self.table.drafts.get(player) is draft and len(draft.actions) == count:
                    for choice in draft.choices():
                        if choice.action == action:
                            way = [step for step in choice.way if not step.startswith("=")]
                            watcher.send({"type": "hint", "turn": turn, "label": choice.label, "way": way})

        self._keep(self._hints, think())

    async def _rematch(self) -> None:
        if not self.table.over:
            raise LapilliError("the match is not over")
        if not self.plan.rematch:
            plan, table_id = self.plan.again(), new_id()
            await asyncio.to_thread(self._store.site.matches.add, table_id, plan.game, msgspec.to_builtins(plan))
            self.plan.rematch = table_id
            await asyncio.to_thread(self._store.site.matches.replan, self.id, msgspec.to_builtins(self.plan))
        await self._tell()

    # -- what goes on by itself

    async def _go_on(self) -> None:
        """Has those think who are asked, ends what is over, and tells everybody how it stands."""
        table = self.table
        if table.over:
            await self._finish()
        elif self.plan.ready:
            for player in table.asked:
                if player in self._resigning:
                    await self._give(player, fault=Termination.EXITED, reason=RESIGNED)
                    return
            for player in table.asked:
                if self.plan.seats[player].engine:
                    self._think(player)
                else:
                    self.clocks.start([player], monotonic())
        self._wind()
        await self._tell()

    async def _finish(self) -> None:
        if self._is_stored:
            return
        record = self.table.referee.record
        await asyncio.to_thread(verify, record)
        outcome = record.outcome
        verdict = outcome.reason if outcome else ""
        await asyncio.to_thread(self._store.site.matches.finish, self.id, pack_record(record), verdict)
        self._is_stored = True

    def _think(self, player: int) -> None:
        if player in self._tasks:
            return
        table, turn = self.table, self.table.turn
        engine, seed = self.plan.seats[player].engine, self.plan.setup.get("seed") or 0

        async def think() -> None:
            reply, ms = await self._engines.reply(table.referee.state.clone(), engine, player, turn, seed)
            async with self._lock:
                self._tasks.pop(player, None)
                if table is self.table and table.turn == turn and player in table.asked:
                    await self._give(player, reply=reply, milliseconds=ms)

        self._tasks[player] = self._keep(set(), think(), lambda: self._tasks.pop(player, None))

    def _keep(
        self, tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None], done: Callable[[], Any] | None = None
    ) -> asyncio.Task[None]:
        """Starts work; what goes wrong in it is told to all who look on."""
        task = asyncio.create_task(work)
        tasks.add(task)

        def ended(task: asyncio.Task[None]) -> None:
            tasks.discard(task)
            error = None if task.cancelled() else task.exception()
            if error is not None:
                if done is not None:
                    done()
                _LOG.error("table %s: %s", self.id, error, exc_info=error)
                self._broadcast({"type": "problem", "text": f"the site had trouble, reload the page: {error}"})

        task.add_done_callback(ended)
        return task

    def _wind(self) -> None:
        """Waits for the next clock that falls."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        seconds = None if self.table.over else self.clocks.next_fall(monotonic())
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

        self._timer = self._keep(set(), wait())

    # -- what is told

    async def _show_afresh(self) -> None:
        """Shows everything anew, where it does not follow from what was shown."""
        for watcher in self.watchers:
            watcher.send(await asyncio.to_thread(self._hello, watcher))
        await self._go_on()

    def _hello(self, watcher: Watcher) -> Data:
        return {
            "type": "hello",
            "look": self.table.look(),
            "frame": self.table.picture(),
            "log": self.table.log,
            "seat": self.plan.seat_of(watcher.visitor),
        }

    async def _tell(self, player: int | None = None) -> None:
        """Says how it stands, to one player's pages or to all."""
        told: dict[int | None, str] = {}
        for watcher in list(self.watchers):
            seat = self.plan.seat_of(watcher.visitor)
            if player is None or seat == player:
                if seat not in told:
                    data = await asyncio.to_thread(self._now, seat)
                    told[seat] = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
                watcher.put(told[seat])

    def _now(self, seat: int | None) -> Data:
        table, plan, now = self.table, self.plan, monotonic()
        asked = table.asked if plan.ready else ()
        outcome = table.referee.record.outcome
        against_engines = seat is not None and plan.is_against_engines(seat)
        told: Data = {
            "type": "now",
            "turn": table.turn,
            "asked": asked,
            "answered": list(table.given),
            "engines": [number for number, one in enumerate(plan.seats) if one.engine],
            "clocks": [None if one.engine else self._clock(number, now) for number, one in enumerate(plan.seats)],
            "running": self.clocks.running if self.clocks.exist else (),
            "open": [number for number, one in enumerate(plan.seats) if one.is_open],
            "links": {n: one.key for n, one in enumerate(plan.seats) if one.is_open} if seat is not None else {},
            "outcome": None if outcome is None else {"reason": outcome.reason, "ranks": outcome.ranks},
            "resigning": seat in self._resigning,
            "rematch": plan.rematch,
            "helps": against_engines and not table.over,
            "hints": against_engines and bool(table.game.searches),
            "tookTurns": any(answer.player == seat for answer in self.answers),
        }
        if seat is not None and seat in asked:
            told["draft"] = table.drafted(seat)
        return told

    def _clock(self, player: int, now: float) -> int | None:
        left = self.clocks.left(player, now)
        return None if left is None else round(1000 * left)

    def _broadcast(self, data: Data) -> None:
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
        for watcher in self.watchers:
            watcher.put(text)


def new_id() -> str:
    """An id that nobody guesses."""
    return secrets.token_urlsafe(12)
