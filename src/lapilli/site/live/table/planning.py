"""Planned turns (conditional moves) in correspondence matches: "if the opponent plays this, I reply with that"."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lapilli.core.api import State
from lapilli.core.errors import IllegalAction
from lapilli.site.live.table.draft import Draft
from lapilli.site.live.table.played_match import PlayedMatch
from lapilli.store import PlannedTurn, SiteAnswer, Store

IF, THEN = "if", "then"
"""The two parts of a planned turn: IF is the opponent's turn, THEN is the player's reply."""


def can_plan(match: PlayedMatch, player: int) -> bool:
    """Returns whether a player may plan a turn now.

    This is possible in a correspondence match between two players, when it is the opponent's turn and the turn is not
    simultaneous.
    """
    plan = match.plan
    is_slow = bool(plan.control.days) and plan.ready and len(plan.seats) == 2
    if not is_slow or match.over or player in plan.resigned:
        return False
    return match.asked == (1 - player,) and match.referee.state.current_player() == 1 - player


def _reply_to(planned: Sequence[PlannedTurn], last: SiteAnswer) -> str:
    """Returns the planned reply to the last answer in a match; "" if there is none."""
    if last.reply is None:
        return ""
    reply = last.reply.split()  # blanks do not matter
    return next((one.then for one in planned if one.turn == last.turn and one.reply.split() == reply), "")


class Planning:
    """A planned turn that a player is choosing: first the opponent's turn, then the player's reply.

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
        """The part of the planned turn that the player chooses now: IF for the opponent's turn, THEN for the reply."""
        return IF if self._second is None else THEN

    @property
    def draft(self) -> Draft:
        """The actions that the player has chosen so far for this part of the planned turn."""
        return self._first if self._second is None else self._second

    def go_on(self) -> PlannedTurn | None:
        """Goes on from the opponent's turn to the player's reply or, after the reply, returns the planned turn.

        The part that the player has been choosing must be complete. Returns None after the opponent's turn.

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


class OwnPlans(NamedTuple):
    """The turns that one player has planned: replies to turns that the opponent may play.

    Attributes:
        may: whether the player may plan a turn now.
        planning: the planned turn that the player is choosing; None for none.
        planned: the turns that the player has planned.
    """

    may: bool = False
    planning: Planning | None = None
    planned: Sequence[PlannedTurn] = ()


class TurnPlans:
    """The planned turns of a correspondence match: replies that players have planned to turns of their opponents.

    They are in the store, except planned turns that players are still choosing.

    Args:
        table_id: id of the table.
        store: the site's store.

    Attributes:
        chosen: the planned turns that players are choosing, by player.
    """

    def __init__(self, table_id: str, store: Store) -> None:
        self.chosen: dict[int, Planning] = {}
        self._planned: dict[int, list[PlannedTurn]] = {}
        self._table_id, self._store = table_id, store.site.planned

    async def read(self, player: int) -> None:
        """Reads from the store which replies a player has planned to turns of the opponent."""
        self._planned[player] = await asyncio.to_thread(self._store.listed, self._table_id, player)

    async def add(self, player: int, planned: PlannedTurn) -> None:
        """Stores a turn that a player has planned: a reply to a certain turn of the opponent.

        Raises LapilliError if the player has planned too many turns.
        """
        await asyncio.to_thread(self._store.add, self._table_id, player, planned)
        await self.read(player)

    async def remove(self, player: int, reply: str) -> None:
        """Deletes the turn that a player has planned in case the opponent replies with `reply`."""
        await asyncio.to_thread(self._store.remove, self._table_id, player, reply)
        await self.read(player)

    async def reply(self, match: PlayedMatch, people: Iterable[int], last: SiteAnswer | None) -> tuple[int, str] | None:
        """Reads the planned turns of these people, and returns the reply that must be played now.

        Args:
            match: the match.
            people: the players that are people or programs.
            last: the last answer in the match; None for none.

        Returns:
            A tuple (player, reply); None if nobody has planned a reply to the last answer.
        """
        for player in people:
            await self.read(player)
            if last is None or player == last.player or player not in match.asked:
                continue
            if reply := _reply_to(self._planned[player], last):
                return player, reply
        return None

    def of(self, match: PlayedMatch, player: int | None) -> OwnPlans:
        """Returns a player's planned replies to the opponent's current turn, and the reply that is being planned.

        `player` is None for a person who only watches. The result is empty for such a person, and for a player who may
        not plan a turn now.
        """
        if player is None or not can_plan(match, player):
            return OwnPlans()
        planned = [one for one in self._planned.get(player, ()) if one.turn == match.turn]
        return OwnPlans(True, self.chosen.get(player), planned)
