"""Changes to a table's plan: taking or declining a seat, agreeing to a draw, resigning, being absent.

The functions change the plan that they receive. The caller stores the changed plan.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from lapilli.core.errors import LapilliError
from lapilli.site.live.table.plan import Seat, TablePlan
from lapilli.store import ACCOUNT, PROGRAM


def stored_change(change: Callable[[TablePlan], object]) -> Callable[[dict[str, Any]], None]:
    """Returns a function that applies `change` to a plan in the format of the store."""

    def changed(stored: dict[str, Any]) -> None:
        plan = msgspec.convert(stored, TablePlan)
        change(plan)
        stored.clear()
        stored |= msgspec.to_builtins(plan)

    return changed


def take_seat(plan: TablePlan, key: str, holder: str, name: str) -> None:
    """Assigns an open seat to a person or program with this name. Does nothing if it has this seat already.

    `key`: secret in the link to the seat. `holder`: string that identifies the person or program, see `Seat.holder`.

    Raises:
        LapilliError: no seat has this key, the seat is taken, or the holder has another seat at this table. Also if the
            holder is a guest, and the match is rated or, on a site with accounts, is a correspondence match.
    """
    data = key.encode(errors="replace")  # `compare_digest` accepts only ASCII strings
    seat = next((seat for seat in plan.seats if seat.key and secrets.compare_digest(seat.key.encode(), data)), None)
    if seat is None:
        raise LapilliError("this link is not valid: ask for a new one")
    if seat.holder == holder:
        return
    if plan.seat_of(holder) is not None:
        raise LapilliError("you already have a seat at this table: send the link to your opponent")
    if not seat.is_open:
        raise LapilliError("somebody else has taken this seat, but you can watch")
    if plan.rated and not holder.startswith((ACCOUNT, PROGRAM)):
        raise LapilliError("this match is rated, and guests have no rating: sign in first")
    if plan.control.days and plan.laid_by and not holder.startswith((ACCOUNT, PROGRAM)):
        raise LapilliError("this match goes over days, for which you need an account: sign in first")
    seat.holder, seat.name = holder, name


def is_reserved(seat: Seat, bot: str, member: str) -> bool:
    """Returns whether a seat is open, and reserved for a program or a member.

    Args:
        seat: the seat.
        bot: name of the program; "" for none.
        member: string that identifies the member, see `Seat.holder`; "" for none.
    """
    return seat.is_open and bool((bot and seat.invited == bot) or (member and seat.member == member))


def decline_seat(plan: TablePlan, bot: str, member: str) -> None:
    """Removes the reservations of seats for a program or a member, who declines the invitation.

    Args:
        plan: the plan.
        bot: name of the program; "" for none.
        member: string that identifies the member, see `Seat.holder`; "" for none.

    Raises:
        LapilliError: no seat is reserved for the program or the member.
    """
    reserved = [seat for seat in plan.seats if is_reserved(seat, bot, member)]
    if not reserved:
        raise LapilliError("no seat at this table is reserved for you")
    for seat in reserved:
        seat.invited = seat.member = seat.name = ""


def give_up(plan: TablePlan, player: int, out: Iterable[int], turn: int) -> None:
    """Records in the plan that a player resigns, and that the match is over if only one player is left.

    Args:
        plan: the plan.
        player: the player.
        out: players who have left the match for another reason, for example because they ran out of time.
        turn: number of the current turn.
    """
    if player not in plan.resigned:
        plan.resigned.append(player)
    if len({*plan.resigned, *out}) >= len(plan.seats) - 1 and not plan.conceded:
        plan.conceded = turn


def note_arrival(plan: TablePlan, player: int) -> None:
    """Records in the plan that a player of a tournament has come to the table."""
    plan.come = sorted({*plan.come, player})


def miss(plan: TablePlan, absent: Sequence[int], out: Iterable[int], turn: int) -> None:
    """Records in the plan that players of a tournament did not come to their table, and have lost the match.

    If nobody came, the tournament counts a loss for everybody, although the record of the match has a winner.

    Args:
        plan: the plan.
        absent: the players, at least one.
        out: players who have left the match for another reason, for example because they ran out of time.
        turn: number of the current turn.
    """
    plan.absent = sorted({*plan.absent, *absent})
    give_up(plan, absent[0], out, turn)


def answer_draw(plan: TablePlan, player: int, agrees: bool, turn: int) -> None:
    """Records in the plan that a player offers a draw or agrees to one, or refuses all offers.

    Args:
        plan: the plan.
        player: the player.
        agrees: True to offer a draw or agree to one, False to refuse all offers.
        turn: number of the current turn.
    """
    plan.draws = sorted({*plan.draws, player}) if agrees else []
    if len(plan.draws) == len(plan.seats) and not plan.agreed:
        plan.agreed = turn
