"""Changes to a table's plan: take or decline a seat, agree to a draw, resign. Each function gets the stored plan."""

from __future__ import annotations

import secrets

from lapilli.core.errors import LapilliError
from lapilli.site.live.plan import Seat, TablePlan


def take_seat(plan: TablePlan, key: str, holder: str, name: str) -> None:
    """Assigns the open seat with this key to a holder. Raises LapilliError if there is no such seat, it is taken, or
    the holder has another seat here.
    """
    asked = key.encode(errors="replace")  # `compare_digest` accepts only ASCII strings
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
    """Whether a seat is open and kept for the bot of this name, or for this member.

    Args:
        member: the member, in the format of `Seat.holder`.
    """
    return seat.is_open and bool((bot and seat.invited == bot) or (member and seat.member == member))


def decline_seat(plan: TablePlan, bot: str, member: str) -> None:
    """Gives up the seats that are kept for a bot or a member. Raises LapilliError if there are none."""
    kept = [seat for seat in plan.seats if is_kept(seat, bot, member)]
    if not kept:
        raise LapilliError("no seat at this table is kept for you")
    for seat in kept:
        seat.invited = seat.member = seat.name = ""


def give_up(plan: TablePlan, player: int) -> None:
    """Lets a player resign; this takes effect with its next answer at the latest."""
    if player not in plan.resigned:
        plan.resigned.append(player)


def answer_draw(plan: TablePlan, player: int, agrees: bool, turn: int) -> None:
    """Records that a player offers a draw or agrees to one, or refuses all offers.

    Args:
        agrees: whether the player offers or agrees; False refuses.
        turn: the current referee turn.
    """
    plan.draws = sorted({*plan.draws, player}) if agrees else []
    if len(plan.draws) == len(plan.seats) and not plan.agreed:
        plan.agreed = turn
