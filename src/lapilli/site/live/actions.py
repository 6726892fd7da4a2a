"""A live table: who comes and goes there, and what they do. How the match goes on is in `course`."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.site.live import wire
from lapilli.site.live.course import Course
from lapilli.site.live.plan import Plan
from lapilli.site.live.seating import answer_draw, decline_seat, give_up, take_seat
from lapilli.site.live.services import new_id
from lapilli.site.live.watching import Watcher


class Room(Course):
    """A table, and what people do there: they come and go, take seats, play, and ask for things."""

    _hint_task: asyncio.Task[None] | None = None

    # -- who comes and goes

    async def join(self, watcher: Watcher) -> None:
        """Shows the table to a page from now on."""
        async with self._lock:
            self.audience.add(watcher)
            self._greet(watcher)
            await self._go_on()

    def leave(self, watcher: Watcher) -> None:
        self.audience.discard(watcher)

    async def sit(self, key: str, holder: str, name: str) -> None:
        """Gives an open seat to whoever has its key.

        Raises:
            LapilliError: there is no such seat, it is taken, or the holder has another one here.
        """

        async with self._lock:
            await self._amend(lambda plan: take_seat(plan, key, holder, name))
            await self._show_afresh()

    async def rename(self, holder: str, name: str) -> None:
        """Calls somebody who sits here otherwise; a bot by its id."""

        def renamed(plan: Plan) -> None:
            for seat in plan.seats:
                if seat.is_of(holder):
                    seat.name = name

        async with self._lock:
            await self._amend(renamed)
            await self._show_afresh()

    async def decline(self, bot: str, member: str) -> None:
        """Gives up the seat that is kept for a bot or a member. Raises LapilliError where there is none."""

        async with self._lock:
            await self._amend(lambda plan: decline_seat(plan, bot, member))
            await self._go_on()

    async def wake(self) -> None:
        """Has the match go on, for somebody who follows it without a page."""
        async with self._lock:
            await self._go_on()

    # -- what people do

    async def act(self, watcher: Watcher, message: wire.Message) -> None:
        """Does what somebody at the table asks for.

        Raises:
            LapilliError: it cannot be done; nothing has changed.
        """
        async with self._lock:
            player = self._playing(watcher.holder, isinstance(message, wire.Rematch))
            if isinstance(message, wire.Rematch):
                await self._rematch()
            elif isinstance(message, wire.Resign):
                await self._resign(player)
            elif isinstance(message, wire.Draw):
                await self._draw(player, message.agrees)
            elif isinstance(message, wire.TakeBack):
                await self._take_back(player)
            else:
                await self._draft(watcher, player, message)

    def _playing(self, holder: str, afterwards: bool = False) -> int:
        """The seat of somebody who may do something now, or once the match is over. Raises LapilliError."""
        player = self.plan.seat_of(holder)
        if player is None:
            raise LapilliError("you watch: only who sits at the table plays")
        if not afterwards and self.table.over:
            raise LapilliError("the match is over")
        if not afterwards and not self.plan.ready:
            raise LapilliError("wait until all seats are taken")
        return player

    async def reply(self, holder: str, turn: int, text: str) -> None:
        """Plays what a bot has answered, as it wrote it. One that the rules refuse is its fault.

        Raises:
            LapilliError: that turn is not asked for, or not of this one.
        """
        async with self._lock:
            player = self._playing(holder)
            if turn != self.table.turn or player not in self.table.asked:
                raise IllegalAction("that turn is over" if turn <= self.table.turn else "that turn is still to come")
            await self._give(player, reply=text)

    async def say(self, holder: str, message: wire.Resign | wire.Draw) -> None:
        """The same for what is not an answer."""
        await self.act(Watcher(holder), message)

    async def _draft(
        self, watcher: Watcher, player: int, message: wire.Pick | wire.Undo | wire.Commit | wire.Hint
    ) -> None:
        if message.turn != self.table.turn:
            raise IllegalAction("that turn is over")
        draft = self.table.draft(player)
        if isinstance(message, wire.Hint):
            return self._hint(watcher, player)
        if isinstance(message, wire.Pick):
            draft.pick(message.action)
        elif isinstance(message, wire.Undo):
            draft.undo()
        if isinstance(message, wire.Commit) or draft.is_settled:
            await self._give(player, reply=draft.reply())
            return None
        self._tell(player)
        return None

    async def _resign(self, player: int) -> None:
        await self._amend(lambda plan: give_up(plan, player))
        await self._go_on()

    async def _draw(self, player: int, agrees: bool) -> None:
        """Offers a draw, agrees to one, or says no to all offers."""
        if not self.plan.is_among_people:
            raise LapilliError("engines agree to no draw")
        turn = self.table.turn
        await self._amend(lambda plan: answer_draw(plan, player, agrees, turn))
        await self._go_on()

    async def _take_back(self, player: int) -> None:
        if not self.plan.is_against_engines(player):
            raise LapilliError("against people nothing is taken back")
        mine = [answer.turn for answer in self.answers if answer.player == player]
        if not mine:
            raise LapilliError("there is nothing to take back")
        self._stop_thinking()

        def change(stored: dict[str, Any]) -> None:
            stored["taken_back"] = stored.get("taken_back", 0) + 1
            stored.pop("resigned", None)

        self._replan(await asyncio.to_thread(self._store.drop_answers, self.id, mine[-1], change))
        self._rebuild([answer for answer in self.answers if answer.turn < mine[-1]])
        await self._show_afresh()

    def _hint(self, watcher: Watcher, player: int) -> None:
        if not self.plan.is_against_engines(player) or not self.table.game.searches:
            raise LapilliError("there are hints against engines only")
        draft, turn = self.table.draft(player), self.table.turn
        is_thinking = self._hint_task is not None and not self._hint_task.done()
        if draft.complete or is_thinking:
            raise LapilliError("a hint is under way" if is_thinking else "the turn is complete: play it, or take back")
        count = len(draft.actions)

        async def think() -> None:
            action = await self._services.engines.hint(draft.state, player)
            async with self._lock:
                if self.table.drafts.get(player) is draft and len(draft.actions) == count:
                    for choice in draft.choices():
                        if choice.action == action:
                            way = [step for step in choice.way if not step.startswith("=")]
                            watcher.send({"type": "hint", "turn": turn, "label": choice.label, "way": way})

        self._hint_task = self._work.start(think())

    async def _rematch(self) -> None:
        if not self.table.over:
            raise LapilliError("the match is not over")
        table_id = new_id()

        def change(plan: Plan) -> None:
            plan.rematch = plan.rematch or table_id

        await self._amend(change)
        again = msgspec.to_builtins(self.plan.again())
        await asyncio.to_thread(self._store.add, self.plan.rematch, self.plan.game, again)
        self._tell()
