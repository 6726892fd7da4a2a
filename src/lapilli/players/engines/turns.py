"""Whole turns as people compare them: whether two come to the same, and what one is worth."""

from __future__ import annotations

from collections.abc import Callable

from lapilli.core.api import Fault, State
from lapilli.core.content.tutorials import Step
from lapilli.core.errors import IllegalAction
from lapilli.players.engines.builtin import whole_turn
from lapilli.search.result import Thought

MARGIN = 0.05
"""A turn that is worth so much less than the best one is as good: what loses more is called an inaccuracy."""
Think = Callable[[State, int], Thought]
"""What a search thinks of a position for one of those asked there."""


def after(state: State, player: int, reply: str, others: dict[int, str] | None = None) -> State:
    """The position after a turn, of which the others do what is given, or else as little as they can.

    Raises:
        IllegalAction: the rules refuse the reply.
    """
    now = state.clone()
    replies: dict[int, str | Fault] = {player: reply}
    for other in now.asked():
        if other != player:
            replies[other] = (others or {}).get(other) or least(now, other)
    report = now.game.protocol.play_turn(now, replies)
    for fault in report.faults:
        if fault.player == player:
            raise IllegalAction(fault.reason)
    return now


def least(state: State, player: int) -> str:
    """The turn of one who does as little as possible."""
    actions = whole_turn(state.clone(), player, lambda now: now.legal_actions(player)[0])
    return state.game.protocol.format_reply(state, player, actions)


def is_same_turn(state: State, player: int, one: str, other: str) -> bool:
    """Whether two turns come to the same position. Raises IllegalAction where the rules refuse one of them."""
    return one == other or after(state, player, one).position() == after(state, player, other).position()


def worth(state: State, player: int, reply: str, think: Think) -> float:
    """The expected score of a player after a turn, in [0, 1], by what a search thinks of the position that it leads to.

    The others play what the search would play, up to the next position where it tells the player's value.

    Args:
        state: with all that is hidden in it drawn.

    Raises:
        IllegalAction: the rules refuse the reply.
    """
    protocol = state.game.protocol
    others = [other for other in state.asked() if other != player]
    now = after(state, player, reply, {other: _best(state, other, think) for other in others})
    while not now.is_terminal():
        asked = now.asked()
        if player in asked:
            return think(now, player).value
        if asked and now.num_players == 2:
            return 1 - think(now, asked[0]).value
        protocol.play_turn(now, {other: _best(now, other, think) for other in asked})
    return (1 + now.returns()[player]) / 2


def _best(state: State, player: int, think: Think) -> str:
    return state.game.protocol.format_reply(state, player, think(state, player).turn)


def best_line(state: State, player: int, reply: str, think: Think, turns: int) -> list[list[tuple[int, str]]]:
    """A turn and what follows in best play, at most so many turns in which somebody is asked: each the replies of those
    asked, as pairs of a player and its reply."""
    now, protocol = state.clone(), state.game.protocol
    line: list[list[tuple[int, str]]] = []
    while not now.is_terminal() and len(line) < turns:
        asked = now.asked()
        said = [(one, reply if one == player and not line else _best(now, one, think)) for one in asked]
        protocol.play_turn(now, dict(said))
        if asked:
            line.append(said)
    return line


def reaches(step: Step, state: State, reply: str) -> bool:
    """Whether a turn is what a step of a tutorial asks for. Raises IllegalAction where the rules refuse it."""
    player = step.player
    then = after(state, player, reply)
    outcome = then.outcome()
    if step.goal == "win":
        return outcome is not None and outcome.ranks[player] == 1 and outcome.ranks.count(1) == 1
    if step.goal == "points":
        return then.scores()[player] - state.scores()[player] >= step.least
    return step.goal == "turn" or any(is_same_turn(state, player, reply, one) for one in step.accept)
