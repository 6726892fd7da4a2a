"""Sends a table's pages the messages that describe it: the whole table, and its status after each change."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from lapilli.site.live.drivers.driver import TableDriver
from lapilli.site.live.messages.to_page import Hello, ShownDraft, ShownOutcome, ShownPlan, TableStatus
from lapilli.site.live.table.audience import Watcher, packed_of
from lapilli.site.live.table.clocks import Clocks
from lapilli.site.live.table.planning import THEN, OwnPlans
from lapilli.site.live.table.played_match import PlayedMatch

if TYPE_CHECKING:
    from lapilli.site.live.table.live_table import LiveTable

COUNT_S = 1.0
"""Longest time until pages see that the number of people who watch has changed, in seconds."""


def hello_of(match: PlayedMatch, seat: int | None) -> Hello:
    """Returns the message with the whole table, for a page of the player `seat`, or of a watcher if `seat` is None."""
    return Hello(look=match.fixed_parts(), frame=match.picture(), log=match.log, seat=seat)


class Presence(NamedTuple):
    """Which people have a table's page open, and which do not.

    Attributes:
        away: players who had the page open, and have closed it.
        vacation: players who are on vacation.
        watching: number of people who only watch.
    """

    away: Sequence[int]
    vacation: Sequence[int]
    watching: int


def status_of(
    match: PlayedMatch,
    clocks: Clocks,
    driver: TableDriver,
    seat: int | None,
    now: float,
    took_turns: bool,
    ratings: Mapping[int, str],
    presence: Presence,
    plans: OwnPlans,
) -> TableStatus:
    """Returns the table's status, with only what the player at this seat may know.

    Args:
        match: the match.
        clocks: the clocks of the match.
        driver: the table's driver, which knows why a bot or an engine has not replied yet.
        seat: the player; None for a watcher.
        now: the current time, by `time.monotonic`.
        took_turns: whether the player has answered in this match.
        ratings: the change of each rated player's rating by the match, in words; empty until the match is over.
        presence: who has the table's page open.
        plans: what the player plans.
    """
    plan = match.plan
    asked = match.asked if plan.ready else ()
    outcome = match.outcome
    is_helped = seat is not None and plan.is_against_engines(seat) and not plan.is_serious
    return TableStatus(
        turn=match.turn,
        asked=asked,
        answered=list(match.given),
        engines=[number for number, one in enumerate(plan.seats) if one.is_machine],
        clocks=[None if one.is_machine else _ms(clocks.left(number, now)) for number, one in enumerate(plan.seats)],
        running=clocks.running if clocks.exist else (),
        queue=driver.queue,
        compiled=driver.compiled,
        open=[number for number, one in enumerate(plan.seats) if one.is_open],
        links=plan.links(seat),
        cancels=seat is not None and plan.may_cancel(plan.seats[seat].holder),
        outcome=None if outcome is None else ShownOutcome(match.result(seat), outcome.reason, outcome.ranks),
        resigning=seat in plan.resigned,
        draws=plan.draws,
        peers=seat is not None and plan.is_among_people and not match.over,
        rated=plan.rated,
        ratings=ratings,
        rematch=plan.rematch,
        tournament=plan.tournament,
        helps=is_helped and not match.over,
        hints=is_helped and bool(match.game.searches),
        took_turns=took_turns,
        away=presence.away,
        vacation=presence.vacation,
        days=plan.control.days,
        watching=presence.watching,
        plans=plans.may,
        planning=plans.planning.part if plans.planning else "",
        planned=[ShownPlan(one.reply, one.words) for one in plans.planned],
        draft=_draft_of(match, seat, asked, plans),
    )


def _draft_of(
    match: PlayedMatch, seat: int | None, asked: Sequence[int], plans: OwnPlans
) -> ShownDraft | msgspec.UnsetType:
    """Returns the draft of the player at `seat`: for the present turn if the player must answer, or for a planned turn.

    Returns UNSET if the player need not answer and plans nothing. `asked`: the players who must answer.
    """
    if seat is not None and seat in asked:
        return match.shown_draft(seat)
    if plans.planning is None:
        return msgspec.UNSET
    return match.shown(plans.planning.draft, is_elsewhere=plans.planning.part == THEN)


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(1000 * seconds)


class TablePages:
    """Sends the pages of a table what they show: the whole table, and later its status after each change.

    Args:
        table: the table.
    """

    def __init__(self, table: LiveTable) -> None:
        self._table = table
        self._hellos: dict[int | None, bytes] = {}
        self._counts_at = 0.0

    def forget(self) -> None:
        """Drops the descriptions of the whole table that are ready for new pages.

        Must be called when the match has changed, so that the next page receives a new description.
        """
        self._hellos.clear()

    def send_table(self, watcher: Watcher) -> None:
        """Sends the whole table to a page."""
        table = self._table
        seat = table.plan.seat_of(watcher.holder)
        if seat not in self._hellos:
            self._hellos[seat] = packed_of(hello_of(table.match, seat))
        watcher.put(self._hellos[seat])
        watcher.send(table.chat.shown(watcher, table.plan))

    def send_status(self, watcher: Watcher) -> None:
        """Sends the table's status to one page."""
        watcher.send(self._status(self._table.plan.seat_of(watcher.holder)))

    def show_status(self, player: int | None = None) -> None:
        """Sends the table's status to the pages of one player or, if `player` is None, to all pages."""
        if player is None:
            self._counts_at = 0.0
        audience = self._table.audience
        audience.send_by_seat(self._table.plan.seat_of, self._status, player)
        audience.wake_listeners()

    def show_count(self) -> None:
        """Sends all pages the number of people who watch, up to `COUNT_S` seconds later.

        So the number is sent only once if several people come or go within this time.
        """
        if not self._counts_at:
            loop = asyncio.get_running_loop()
            self._counts_at = loop.time() + COUNT_S
            loop.call_at(self._counts_at, self._count_is_due, self._counts_at)

    def _count_is_due(self, at: float) -> None:
        if self._counts_at == at:
            self.show_status()

    def _status(self, seat: int | None) -> TableStatus:
        """Returns the table's status as the player `seat` may see it; None for a person who only watches."""
        table, now = self._table, monotonic()
        plan, audience = table.plan, table.audience
        presence = Presence(audience.away(plan, now), table.times.away, audience.watching(plan))
        took_turns = any(answer.player == seat for answer in table.answers)
        plans = table.turn_plans.of(table.match, seat)
        return status_of(
            table.match, table.clocks, table.driver, seat, now, took_turns, table.result.ratings, presence, plans
        )
