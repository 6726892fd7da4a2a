"""A table in memory: its match, clocks and people. Every change is stored before it is shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any

import msgspec

from lapilli.core.api import Termination
from lapilli.match import verify
from lapilli.site.live.audience import Audience, Watcher, packed_of
from lapilli.site.live.clocks import Clocks
from lapilli.site.live.driver import TableDriver
from lapilli.site.live.messages import NewFrames, SiteTrouble, TableStatus
from lapilli.site.live.plan import TablePlan
from lapilli.site.live.played_match import RESIGNED, PlayedMatch
from lapilli.site.live.seats import decline_seat, take_seat
from lapilli.site.live.services import TableServices
from lapilli.site.live.snapshots import hello_of, status_of
from lapilli.store import SiteAnswer
from lapilli.store.results import pack_record

_LOG = logging.getLogger("lapilli.site")


class LiveTable:
    """A table whose match goes on or is being watched.

    Another process may serve the same table. Each change is stored first, and the other process reads it from the
    store. Only one process drives the table: there engines search and clocks run out.

    Args:
        table_id: the table's id.
        plan: seats, clocks, and the match's setup.
        answers: all stored answers.
        services: services that all live tables share.
        is_stored: whether the match's record is stored.
        drives: whether this process drives the table.
        asked_s: how long ago the players of the current turn were asked, in seconds.
        moved: called when a seat has been taken or the match is over.

    Attributes:
        match: the match.
        clocks: its clocks.
        answers: its answers.
        driver: pending replies of engines and bots, and the timer.
        audience: the pages that show the table.
        listeners: events that are set after every change.
        lock: lock that every change to the table requires.
    """

    def __init__(
        self,
        table_id: str,
        plan: TablePlan,
        answers: Iterable[SiteAnswer],
        services: TableServices,
        *,
        is_stored: bool,
        drives: bool,
        asked_s: float,
        moved: Callable[[], object],
    ) -> None:
        self.id, self.plan, self.drives, self.services = table_id, plan, drives, services
        self.lock, self.audience = asyncio.Lock(), Audience()
        self.listeners: set[asyncio.Event] = set()
        self.driver = TableDriver(
            table_id,
            services,
            replied=self._replied,
            timed_out=self._timed_out,
            queue_changed=self.show_status,
            failed=self._failed,
        )
        self._store, self._is_stored = services.store.site.matches, is_stored
        self._hellos: dict[int | None, bytes] = {}
        self._moved = moved
        self.rebuild(answers)
        if plan.ready and not drives:
            self.clocks.start(self._people_asked(), monotonic() - asked_s)

    def rebuild(self, answers: Iterable[SiteAnswer]) -> None:
        """Rebuilds match and clocks from stored answers."""
        self.answers = list(answers)
        self.match = PlayedMatch(self.plan)
        self.match.replay(self.answers)
        self.clocks = Clocks(self.plan.control, len(self.plan.seats))
        for answer in self.answers:
            self._set_clock(answer)

    def _set_clock(self, answer: SiteAnswer) -> None:
        if answer.left_ms is not None:
            self.clocks.set(answer.player, answer.left_ms / 1000)

    @property
    def is_visited(self) -> bool:
        """Whether a page or a program follows the table."""
        return bool(self.audience or self.listeners)

    @property
    def is_idle(self) -> bool:
        """Whether the table can be dropped from memory: nobody follows it, and no reply or clock is pending."""
        return not self.is_visited and not self.driver.is_busy

    def close(self) -> None:
        """Cancels all tasks of the table."""
        self.driver.close()

    # -- people

    async def join(self, watcher: Watcher) -> None:
        """Adds a page, and sends it the table now and every change from now on."""
        async with self.lock:
            self.audience.add(watcher)
            self._greet(watcher)
            await self.go_on()

    def leave(self, watcher: Watcher) -> None:
        """Removes a page."""
        self.audience.discard(watcher)

    async def sit(self, key: str, holder: str, name: str) -> None:
        """Gives the open seat with this key to a person.

        Raises:
            LapilliError: there is no such seat, it is taken, or the holder has another seat here.
        """
        async with self.lock:
            await self.amend(lambda plan: take_seat(plan, key, holder, name))
            await self.show_all()

    async def rename(self, holder: str, name: str) -> None:
        """Renames a person, or a bot by its id, in all its seats here."""

        def renamed(plan: TablePlan) -> None:
            for seat in plan.seats:
                if seat.is_of(holder):
                    seat.name = name

        async with self.lock:
            await self.amend(renamed)
            await self.show_all()

    async def decline(self, bot: str, member: str) -> None:
        """Gives up the seats that are kept for a bot or a member. Raises LapilliError if there are none."""
        async with self.lock:
            await self.amend(lambda plan: decline_seat(plan, bot, member))
            await self.go_on()

    async def wake(self) -> None:
        """Continues the match, for a program that follows it without a page."""
        async with self.lock:
            await self.go_on()

    # -- changes: stored first (the caller holds the lock)

    async def amend(self, change: Callable[[TablePlan], object]) -> None:
        """Applies a change to the stored plan, and takes over the result."""

        def changed(stored: dict[str, Any]) -> None:
            plan = msgspec.convert(stored, TablePlan)
            change(plan)
            stored.clear()
            stored |= msgspec.to_builtins(plan)

        self._replan(await asyncio.to_thread(self._store.amend, self.id, changed))

    async def drop_answers(self, turn: int, change: Callable[[dict[str, Any]], None]) -> None:
        """Removes all answers of this turn and later ones, and changes the stored plan."""
        self.driver.stop()
        self._replan(await asyncio.to_thread(self._store.drop_answers, self.id, turn, change))
        self.rebuild([answer for answer in self.answers if answer.turn < turn])
        await self.show_all()

    def _replan(self, stored: dict[str, Any]) -> None:
        self.plan = self.match.plan = msgspec.convert(stored, TablePlan)
        self.match.referee.record.players = [one.identity for one in self.plan.seats]
        self._moved()

    async def give(self, player: int, **what: Any) -> None:
        """Stores a player's answer, plays it and shows it. If another process has stored an answer first, plays that
        one instead.

        Args:
            what: fields of the `SiteAnswer`; `milliseconds` is measured here if it is missing.
        """
        now, turn = monotonic(), self.match.turn
        engine_ms = what.pop("milliseconds", None)
        seconds = self.clocks.stop(player, now)
        ms = round(1000 * seconds if engine_ms is None else engine_ms, 3)
        left = None if self.plan.seats[player].is_machine else self.clocks.left(player, now)
        answer = SiteAnswer(
            turn=turn, player=player, milliseconds=ms, left_ms=None if left is None else round(1000 * left), **what
        )
        before = sum(one.turn < turn for one in self.answers)
        if not await self.services.answer_writer.write(self.id, before, answer):
            await self._catch_up()
            return
        self._play(answer)
        metrics = self.services.metrics
        metrics.answers.labels("engine" if self.plan.seats[player].is_machine else "person").inc()
        if self.match.over:
            await self._finish()
        await self.go_on()
        metrics.shown.observe(monotonic() - now)

    def _play(self, answer: SiteAnswer) -> None:
        """Plays a stored answer and shows the pictures that follow."""
        self.answers.append(answer)
        logged = len(self.match.log)
        frames = self.match.give(answer)
        self._hellos.clear()
        if frames:
            self.audience.broadcast(NewFrames(frames=frames, log=self.match.log[logged:]))

    async def _finish(self) -> None:
        """Stores the record of a finished match."""
        if self._is_stored:
            return
        record = self.match.referee.record
        await asyncio.to_thread(verify, record)
        verdict = record.outcome.reason if record.outcome else ""
        await asyncio.to_thread(self._store.finish, self.id, pack_record(record), verdict)
        self._is_stored = True
        self.driver.stop()
        self.services.bot_pool.leave(self.id)
        self._moved()

    # -- events that no person causes, here and in other processes

    async def drive(self, drives: bool) -> None:
        """Sets whether this process drives the table."""
        async with self.lock:
            if drives != self.drives:
                self.drives = drives
                self.driver.stop()
                await self.go_on()

    async def catch_up(self) -> bool:
        """Reads another process's changes. Returns whether the table still exists."""
        async with self.lock:
            return await self._catch_up()

    async def _catch_up(self) -> bool:
        stored = await asyncio.to_thread(self._store.get, self.id)
        if stored is None:
            return False
        plan = msgspec.convert(stored.plan, TablePlan)
        self._is_stored = self._is_stored or stored.record is not None
        known = {(answer.turn, answer.player) for answer in self.answers}
        first = self.match.turn if plan.taken_back == self.plan.taken_back else 0
        answers = await asyncio.to_thread(self._store.answers, self.id, first)
        is_other = first == 0 or plan.seats != self.plan.seats
        if msgspec.to_builtins(plan) != msgspec.to_builtins(self.plan):
            self._replan(stored.plan)
        if first == 0:
            self.driver.stop()
            self.rebuild(answers)
        for answer in answers:
            if first and (answer.turn, answer.player) not in known and answer.player in self.match.asked:
                self.clocks.stop(answer.player, monotonic())
                self._set_clock(answer)
                self._play(answer)
        await (self.show_all() if is_other else self.go_on())
        return True

    def _people_asked(self) -> list[int]:
        return [player for player in self.match.asked if not self.plan.seats[player].is_machine]

    async def go_on(self) -> None:
        """Asks the engines and bots whose turn it is, ends a match that is over, and sends all pages the table's
        status.
        """
        match = self.match
        match.agree()
        if match.over:
            self.clocks.pause()
            if self.drives:
                await self._finish()
        elif self.plan.ready:
            for player in match.asked:
                if player in self.plan.resigned:
                    await self.give(player, fault=Termination.RESIGNED, reason=RESIGNED)
                    return
            if self.drives:
                for player in match.asked:
                    if self.plan.seats[player].is_machine:
                        self.driver.ask(match, self.plan, player)
            self.clocks.start(self._people_asked(), monotonic())
        self._set_timer()
        self.show_status()

    async def _replied(self, match: PlayedMatch, turn: int, player: int, given: dict[str, Any]) -> None:
        """Plays the reply of an engine or bot, unless the match has moved on."""
        async with self.lock:
            self.driver.forget(player)
            if match is self.match and match.turn == turn and player in match.asked:
                await self.give(player, **given)

    def _set_timer(self) -> None:
        """Sets the timer to the time at which the next clock runs out."""
        waits = self.drives and not self.match.over
        self.driver.set_timer(self.clocks.next_fall(monotonic()) if waits else None)

    async def _timed_out(self) -> None:
        """Ends the turn of a player whose clock has run out."""
        async with self.lock:
            self.driver.timer_ended()
            for player in self.clocks.fallen(monotonic()):
                if player in self.match.asked:
                    await self.give(player, fault=Termination.TIMEOUT, reason="out of time")
                    return
            self._set_timer()

    def _failed(self, error: BaseException) -> None:
        """Logs an error of a background task, and asks all pages to reload."""
        _LOG.error("%s", error, exc_info=error, extra={"table": self.id})
        self.audience.broadcast(SiteTrouble(text="the site had trouble, reload the page"))

    # -- showing

    async def show_all(self) -> None:
        """Sends every page the whole table again, after a change that cannot be shown as a further step."""
        self._hellos.clear()
        for watcher in self.audience:
            self._greet(watcher)
        await self.go_on()

    def _greet(self, watcher: Watcher) -> None:
        """Sends a page the whole table."""
        seat = self.plan.seat_of(watcher.holder)
        if seat not in self._hellos:
            self._hellos[seat] = packed_of(hello_of(self.match, seat))
        watcher.put(self._hellos[seat])

    def show_status(self, player: int | None = None) -> None:
        """Sends the table's status to the pages of one player, or to all pages."""
        now = monotonic()
        has_answered = {answer.player for answer in self.answers}

        def status(seat: int | None) -> TableStatus:
            return status_of(self.match, self.clocks, self.driver.queue, seat, now, seat in has_answered)

        self.audience.send_by_seat(self.plan.seat_of, status, player)
        for listener in self.listeners:
            listener.set()
