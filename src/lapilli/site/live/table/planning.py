"""Planned turns of matches over days: a player chooses a turn for the opponent, and the own turn that follows it."""

from __future__ import annotations

from lapilli.core.api import State
from lapilli.core.errors import IllegalAction
from lapilli.site.live.table.draft import Draft
from lapilli.site.live.table.played_match import PlayedMatch
from lapilli.store import PlannedTurn, SiteAnswer

IF, THEN = "if", "then"
"""The two parts of a planned turn: that of the opponent, and that of the player."""


def can_plan(match: PlayedMatch, player: int) -> bool:
    """Returns whether a player may plan a turn now.

    It must be the turn of the only opponent, the match must go over days, and turns must not be simultaneous.
    """
    plan = match.plan
    is_slow = bool(plan.control.days) and plan.ready and len(plan.seats) == 2
    if not is_slow or match.over or player in plan.resigned:
        return False
    return match.asked == (1 - player,) and match.referee.state.current_player() == 1 - player


def reply_to(planned: list[PlannedTurn], last: SiteAnswer | None) -> str:
    """Returns the planned reply to the last answer in a match; "" if there is none."""
    if last is None or last.reply is None:
        return ""
    reply = last.reply.split()  # blanks do not matter
    return next((one.then for one in planned if one.turn == last.turn and one.reply.split() == reply), "")


class Planning:
    """A planned turn while its player chooses it.

    Args:
        state: the position, in which the opponent must act.
        player: the player.

    Attributes:
        turn: number of the opponent's turn.
    """

    def __init__(self, state: State, turn: int, player: int) -> None:
        self.turn, self._player = turn, player
        self._first = Draft(state, 1 - player)
        self._second: Draft | None = None

    @property
    def part(self) -> str:
        """The part that is being chosen, IF or THEN."""
        return IF if self._second is None else THEN

    @property
    def draft(self) -> Draft:
        """The draft of this part."""
        return self._first if self._second is None else self._second

    def go_on(self) -> PlannedTurn | None:
        """Ends the present part, which must be complete. Returns the planned turn if it was the second part.

        Raises:
            IllegalAction: the part is not complete; or nothing can be planned, because the match ends with the
                opponent's turn, chance decides what follows it, or the opponent is to act again.
        """
        reply = self.draft.reply()
        if self._second is not None:
            first, second = (", ".join(draft.labels) for draft in (self._first, self._second))
            return PlannedTurn(self.turn, self._first.reply(), reply, f"If {first}, then {second}")
        after = self._first.state
        if after.is_terminal():
            raise IllegalAction("the match ends with that turn")
        if after.current_player() != self._player or self._first.shown() != after:
            raise IllegalAction("chance or another turn follows that turn, so nothing can be planned")
        self._second = Draft(after, self._player)
        return None
