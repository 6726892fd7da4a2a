"""Messages that describe a table to its pages: the whole table, and its status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from lapilli.site.live.drivers.driver import TableDriver
from lapilli.site.live.messages.to_page import Hello, ShownDraft, ShownOutcome, ShownPlan, TableStatus
from lapilli.site.live.table.clocks import Clocks
from lapilli.site.live.table.planning import THEN, OwnPlans
from lapilli.site.live.table.played_match import PlayedMatch


def hello_of(match: PlayedMatch, seat: int | None) -> Hello:
    """Returns the message with the whole table, for a page of the player `seat`, or of a watcher if `seat` is None."""
    return Hello(look=match.fixed_parts(), frame=match.picture(), log=match.log, seat=seat)


class Presence(NamedTuple):
    """Which people have a table's page open, and which do not.

    Attributes:
        away: players who had the page open, and no longer have.
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
        now: the current time, as for `Clocks`.
        took_turns: whether the player has answered in this match.
        ratings: as in `TableStatus`.
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
