"""A table in memory: its match, clocks and pages. Each change is stored before pages show it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any

import msgspec

from lapilli.core.api import Termination
from lapilli.site.live.drivers.driver import TableDriver
from lapilli.site.live.messages.to_page import SiteTrouble
from lapilli.site.live.results.result import TableResult
from lapilli.site.live.services import TableServices
from lapilli.site.live.table.audience import AWAY_S, Audience, Watcher
from lapilli.site.live.table.chat import TableChat
from lapilli.site.live.table.clocks import Clocks
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.live.table.planning import TurnPlans
from lapilli.site.live.table.played_match import RESIGNED, PlayedMatch
from lapilli.site.live.table.seats import note_arrival, stored_change
from lapilli.site.live.table.snapshots import TablePages
from lapilli.site.live.table.turn_times import TurnTimes
from lapilli.store import ChatLine, NewAnswer, SiteAnswer

_LOG = logging.getLogger("lapilli.site")
_LEAST_S = 5.0
"""Least time on a clock that starts again because the store has failed, in seconds."""


class LiveTable:
    """A table in memory. A table is in memory because its match is in progress, or because somebody watches it.

    Several processes may serve the same table. Each change is stored first, and the other processes read the change
    from the store. Only one process *drives* the table: it runs the table's engines, and decides when a clock has run
    out.

    Args:
        table_id: the table's id.
        plan: seats, time control, and setup of the match.
        answers: all stored answers.
        services: services that all live tables share.
        lines: all lines that people have written at the table.
        is_stored: whether the match's record is stored.
        drives: whether this process drives the table.
        asked_s: time since the players of the current turn were asked, in seconds. It is used only if another process
            drives the table.
        moved: function that is called after each change of the plan, and when the match is over.

    Attributes:
        id: the table's id.
        plan, drives, services, moved: as the arguments; `plan` and `drives` change with the table.
        match: the match.
        clocks: clocks of the match.
        times: the deadlines, if this is a correspondence match.
        answers: all answers in the match so far.
        driver: asks engines and bots for replies, and runs the timer.
        audience: the pages that show the table, and the programs that follow it.
        pages: sends these pages what they show.
        chat: what people have written at the table.
        turn_plans: the planned turns, if this is a correspondence match.
        found_at: time when somebody last needed the table, by `time.monotonic`.
        result: stores the result of the match, and knows the ratings of its players.
        lock: lock that must be held while the table is changed.
    """

    def __init__(
        self,
        table_id: str,
        plan: TablePlan,
        answers: Iterable[SiteAnswer],
        services: TableServices,
        *,
        lines: list[ChatLine],
        is_stored: bool,
        drives: bool,
        asked_s: float,
        moved: Callable[[], object],
    ) -> None:
        self.id, self.plan, self.drives, self.services = table_id, plan, drives, services
        self.lock, self.audience = asyncio.Lock(), Audience(services.store.site.notices.are_shared)
        self.chat = TableChat(table_id, services.store, lines, services.has_chat)
        self.times = TurnTimes(table_id, services.store)
        self.found_at = 0.0
        self.turn_plans = TurnPlans(table_id, services.store)
        self.pages = TablePages(self)
        self.driver = TableDriver(
            table_id,
            services,
            replied=self._replied,
            timed_out=self._timed_out,
            queue_changed=self.pages.show_status,
            failed=self._failed,
        )
        self._store = services.store.site.matches
        self.result = TableResult(table_id, services.store, is_stored)
        self.moved = moved
        self.rebuild(answers)
        if plan.ready and not drives:
            self.clocks.start(self.match.people_asked, monotonic() - asked_s)

    def rebuild(self, answers: Iterable[SiteAnswer]) -> None:
        """Replaces all answers of the match by `answers`, and sets the match and its clocks to the state after them."""
        self.answers = list(answers)
        self.match = PlayedMatch(self.plan, self.answers)
        self.clocks = Clocks(self.plan.control, len(self.plan.seats))
        for answer in self.answers:
            self._set_clock(answer)

    def _set_clock(self, answer: SiteAnswer) -> None:
        if answer.left_ms is not None:
            self.clocks.set(answer.player, answer.left_ms / 1000)

    @property
    def is_visited(self) -> bool:
        """Whether a page or a program follows the table."""
        return bool(self.audience or self.audience.listeners)

    @property
    def is_attended(self) -> bool:
        """Whether a player follows the table, with a page or a program."""
        return any(self.plan.seat_of(holder) is not None for holder in self.audience.holders)

    @property
    def is_abandoned(self) -> bool:
        """Whether a player who was at the table has left it, and no player is there."""
        return not self.is_attended and bool(self.audience.away(self.plan, monotonic()))

    @property
    def is_idle(self) -> bool:
        """Whether the table can be dropped from memory: nobody follows or changes it, no reply or timer is pending."""
        return not self.is_visited and not self.driver.is_busy and not self.lock.locked()

    @property
    def is_stalled(self) -> bool:
        """Whether an engine or bot must reply, but is not being asked, because the last attempt to ask it has failed.

        `wake` then asks it again. The value is False if another process runs the table's engines and bots.
        """
        if not self.drives or not self.plan.ready or self.lock.locked():
            return False
        return not all(map(self.driver.is_asked, self.match.machines_asked))

    def close(self) -> None:
        """Cancels all tasks of the table."""
        self.driver.close()

    # -- people

    async def join(self, watcher: Watcher) -> None:
        """Adds a page that shows the table. The page receives the whole table now, and each change later."""
        async with self.lock:
            self.audience.add(watcher)
            await self.result.read_ratings(self.plan)
            await self.chat.read()
            await self._note_arrival(watcher.holder)
            self.pages.send_table(watcher)
            if await self._proceed():
                return
            if self.plan.seat_of(watcher.holder) is None:
                self.pages.send_status(watcher)
                self.pages.show_count()
            else:
                self.pages.show_status()

    def leave(self, watcher: Watcher) -> None:
        """Removes a page that no longer shows the table.

        If the person has no other page here, the other pages receive the table's status some time later. It then says
        which players are away.
        """
        is_player = self.plan.seat_of(watcher.holder) is not None
        has_left = self.audience.discard(watcher, is_player)
        if not has_left or not self.audience:
            return
        if is_player:
            asyncio.get_running_loop().call_later(1.1 * AWAY_S, self.pages.show_status)  # timers may be early
        else:
            self.pages.show_count()

    async def wake(self, holder: str = "") -> None:
        """Continues the match: asks the engines and bots that must reply, or starts the clocks.

        Must be called when a program begins to follow the table. A new page needs no call, because `join` also
        continues the match.

        `holder`: string that identifies the program, see `Seat.holder`; "" if nobody has come to the table.
        """
        async with self.lock:
            await self._note_arrival(holder)
            await self.go_on()

    async def _note_arrival(self, holder: str) -> None:
        """Stores that a player has come to the table, so that the player does not lose the match by absence.

        Does nothing if the match belongs to no tournament, or if `holder` is not a player's (see `Seat.holder`).
        """
        plan, player = self.plan, self.plan.seat_of(holder)
        if not plan.tournament or player is None or player in plan.come or self.match.over:
            return
        stored = await self.services.plan_writer.write(
            (self.id, stored_change(lambda plan: note_arrival(plan, player)))
        )
        if stored is not None:
            self._replan(stored)

    # -- changes: stored first (the caller holds the lock)

    async def amend(self, change: Callable[[TablePlan], object]) -> None:
        """Applies the function `change` to the stored plan, and sets this table's plan to the changed plan."""
        self._replan(await asyncio.to_thread(self._store.amend, self.id, stored_change(change)))
        self.moved()

    async def drop_answers(self, turn: int, change: Callable[[dict[str, Any]], None]) -> None:
        """Removes the answers to this turn and all later turns.

        Args:
            turn: number of the turn.
            change: function that changes the stored plan, a dict, in the same transaction.
        """
        self.driver.stop()
        self._replan(await asyncio.to_thread(self._store.drop_answers, self.id, turn, change))
        self.moved()
        self.rebuild([answer for answer in self.answers if answer.turn < turn])
        await self.show_all()

    def _replan(self, stored: dict[str, Any]) -> None:
        self.plan = self.match.plan = msgspec.convert(stored, TablePlan)
        self.match.referee.record.players = [seat.identity for seat in self.plan.seats]

    async def give(self, player: int, **fields: Any) -> None:
        """Stores a player's answer to the current turn, plays it, and sends the result to the pages.

        If another process has stored an answer of this player first, that answer is played instead.

        Args:
            player: the player.
            fields: fields of the `SiteAnswer`, such as `reply` or `fault`. The default of `milliseconds` is the time
                since the player's clock was started.
        """
        now, turn = monotonic(), self.match.turn
        was_running, left_before = player in self.clocks.running, self.clocks.left(player, now) or 0.0
        engine_ms = fields.pop("milliseconds", None)
        seconds = self.clocks.stop(player, now)
        ms = round(1000 * seconds if engine_ms is None else engine_ms, 3)
        left = None if self.plan.seats[player].is_machine else self.clocks.left(player, now)
        answer = SiteAnswer(
            turn=turn, player=player, milliseconds=ms, left_ms=None if left is None else round(1000 * left), **fields
        )
        before = sum(earlier.turn < turn for earlier in self.answers)
        try:
            is_first = await self.services.answer_writer.write(NewAnswer(self.id, before, answer))
        except Exception:
            if was_running:
                self._resume_clock(player, left_before)
            raise
        if not is_first:
            await self._catch_up()
            return
        self._play(answer)
        metrics = self.services.metrics
        metrics.answers.labels("engine" if self.plan.seats[player].is_machine else "person").inc()
        if self.match.over:
            await self._finish()
        await self.go_on()
        metrics.shown.observe(monotonic() - now)

    def _resume_clock(self, player: int, left: float) -> None:
        """Lets a player's clock run again with this time left, in seconds, because the player's answer is not stored.

        The player must answer once more, and receives the increment only then.
        """
        self.clocks.restart(player, max(_LEAST_S, left), monotonic())
        self._set_timer()
        self.pages.show_status()

    def _play(self, answer: SiteAnswer) -> None:
        """Plays a stored answer, and sends the new pictures to all pages."""
        self.answers.append(answer)
        self.turn_plans.chosen.clear()
        turns = self.match.give(answer)
        self.pages.forget()
        for turn in turns:
            self.audience.broadcast(turn)

    async def _finish(self) -> None:
        """Stores the result of the finished match, and frees the places of its bots."""
        if not self.result.is_stored:
            await self.result.store(self.match, self.answers)
            self.services.bot_pool.leave(self.id)
            self.moved()

    # -- events that are not caused by people of this process

    async def drive(self, drives: bool) -> None:
        """Sets whether this process drives the table, that is, runs its engines, bots and clocks."""
        async with self.lock:
            if drives != self.drives:
                self.drives = drives
                self.driver.stop()
                await self.go_on()

    async def catch_up(self) -> bool:
        """Reads changes by other processes from the store. Returns whether the table is still stored."""
        async with self.lock:
            return await self._catch_up()

    async def _catch_up(self) -> bool:
        read = self.services.store.site.opening.read
        first = self.match.turn or (self.answers[-1].turn + 1 if self.answers else 1)
        opened = await asyncio.to_thread(read, self.id, first, self.chat.last)
        if opened is None:
            return False
        stored, answers = opened.table, opened.answers
        plan = msgspec.convert(stored.plan, TablePlan)
        self.result.is_stored = self.result.is_stored or stored.record is not None
        await self.result.read_ratings(self.plan)
        self.chat.show_new(opened.lines, self.audience, self.plan)
        is_taken_back = plan.taken_back != self.plan.taken_back
        if is_taken_back:
            answers = await asyncio.to_thread(self._store.answers, self.id)
        needs_whole_table = is_taken_back or plan.seats != self.plan.seats
        if msgspec.to_builtins(plan) != msgspec.to_builtins(self.plan):
            self._replan(stored.plan)
            self.moved()
        if is_taken_back:
            self.driver.stop()
            self.rebuild(answers)
        else:
            self._play_new(answers)
        await (self.show_all() if needs_whole_table else self.go_on())
        return True

    def _play_new(self, answers: Iterable[SiteAnswer]) -> None:
        """Plays stored answers that another process has received. Those that have been played already are skipped."""
        played = {(answer.turn, answer.player) for answer in self.answers}
        for answer in answers:
            if (answer.turn, answer.player) not in played and answer.player in self.match.asked:
                self.clocks.stop(answer.player, monotonic())
                self._set_clock(answer)
                self._play(answer)

    async def go_on(self) -> None:
        """Continues the match after a change, and sends the table's status to all pages.

        If the match is over, its record is stored. If a player who has resigned must answer, a fault is played as the
        answer. The engines and bots that must answer now are asked.
        """
        if not await self._proceed():
            self.pages.show_status()

    async def _proceed(self) -> bool:
        """Continues the match after a change: the part of `go_on` before the table's status is sent.

        Returns whether an answer was played, so that the pages have received the status already.
        """
        match = self.match
        for end in match.end_early():
            self.pages.forget()
            self.audience.broadcast(end)
        if match.over:
            self.clocks.pause()
            self.driver.stop()
            if self.drives:
                await self._finish()
        elif self.plan.ready:
            for player in match.asked:
                if player in self.plan.resigned:
                    await self.give(player, fault=Termination.RESIGNED, reason=RESIGNED)
                    return True
            if self.drives:
                for player in match.machines_asked:
                    self.driver.ask(match, self.plan, player)
            self.clocks.start(self.match.people_asked, monotonic())
            if self.plan.control.days:
                if await self._play_planned():
                    return True
                await self.times.start(self.plan, match.turn, self.match.people_asked, self.clocks, monotonic())
        self._set_timer()
        return False

    async def _play_planned(self) -> bool:
        """Plays the reply that a player has planned to the opponent's last answer.

        Returns whether a reply was played: False if none was planned.
        """
        last = self.answers[-1] if self.answers else None
        found = await self.turn_plans.reply(self.match, self.plan.people, last)
        if found is not None:
            await self.give(found[0], reply=found[1], milliseconds=0.0)
        return found is not None

    async def _replied(self, match: PlayedMatch, turn: int, player: int, given: dict[str, Any]) -> None:
        """Plays the reply of an engine or bot, unless the match is no longer at the turn of the reply.

        `given`: fields of the `SiteAnswer`, such as `reply`.
        """
        async with self.lock:
            self.driver.forget(player)
            if match is self.match and match.turn == turn and player in match.asked:
                await self.give(player, **given)

    def _set_timer(self) -> None:
        """Sets the timer to the time at which the next clock runs out. Correspondence matches have no timer, see
        `expire`.
        """
        waits = self.drives and not self.match.over and not self.plan.control.days
        self.driver.set_timer(self.clocks.next_timeout(monotonic()) if waits else None)

    async def expire(self) -> None:
        """Continues a correspondence match when a turn is due: starts its clocks, or ends the turn of late players."""
        await self.wake()
        await self._timed_out()

    async def _timed_out(self) -> None:
        """Plays a fault as the answer of a player whose clock has run out."""
        async with self.lock:
            self.driver.timer_ended()
            for player in self.clocks.timed_out(monotonic()):
                if player in self.match.asked:
                    if not (self.plan.control.days or await self.driver.is_timeout_fair()):
                        self.clocks.begin_turn_again(_LEAST_S, monotonic())
                        await self.go_on()
                        return
                    await self.give(player, fault=Termination.TIMEOUT, reason="ran out of time")
                    return
            self._set_timer()

    def _failed(self, error: BaseException) -> None:
        """Logs the error of a background task, and sends an error message to all pages."""
        _LOG.error("%s", error, exc_info=error, extra={"table": self.id})
        self.audience.broadcast(SiteTrouble(text="Something went wrong on the site. Please reload the page."))

    # -- showing

    async def show_all(self) -> None:
        """Sends the whole table to all pages, and continues the match. Called after all changes except played turns."""
        self.pages.forget()
        for watcher in self.audience:
            self.pages.send_table(watcher)
        await self.go_on()
