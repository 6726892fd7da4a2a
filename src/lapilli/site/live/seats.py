"""What changes a table's plan: seats taken or declined, draws, giving up. Each is handed the plan as it is stored."""

from __future__ import annotations

import secrets

from lapilli.core.errors import LapilliError
from lapilli.site.live.plan import Plan, Seat


def take_seat(plan: Plan, key: str, holder: str, name: str) -> None:
    """Gives an open seat to whoever has its key. Raises LapilliError where there is no such seat, it is taken, or the
    holder has another one here."""
    asked = key.encode(errors="replace")  # of strings only ASCII ones can be compared
    seat = next((one for one in plan.seats if one.key and secrets.compare_digest(one.key.encode(), asked)), None)
    if seat is None:
        raise LapilliError("there is no such seat: ask for the link again")
    if seat.holder == holder:
        return
    if plan.seat_of(holder) is not None:
        raise LapilliError("you sit at this table already: open the link in another browser, or send it")
    if not seat.is_open:
        raise LapilliError("somebody else has taken this seat: you can watch")
    seat.holder, seat.name = holder, name


def is_kept(seat: Seat, bot: str, member: str) -> bool:
    """Whether a seat waits for the bot of that name, or for the member of whom that is the holder."""
    return seat.is_open and bool((bot and seat.invited == bot) or (member and seat.member == member))


def decline_seat(plan: Plan, bot: str, member: str) -> None:
    """Gives up the seats that are kept for a bot or a member. Raises LapilliError where there is none."""
    kept = [seat for seat in plan.seats if is_kept(seat, bot, member)]
    if not kept:
        raise LapilliError("no seat at this table is kept for you")
    for seat in kept:
        seat.invited = seat.member = seat.name = ""


def give_up(plan: Plan, player: int) -> None:
    """A player resigns, with its next answer at the latest."""
    if player not in plan.resigned:
        plan.resigned.append(player)


def answer_draw(plan: Plan, player: int, agrees: bool, turn: int) -> None:
    """A player offers a draw, agrees to one, or says no to all offers; `turn` is the one that is asked for."""
    plan.draws = sorted({*plan.draws, player}) if agrees else []
    if len(plan.draws) == len(plan.seats) and not plan.agreed:
        plan.agreed = turn
