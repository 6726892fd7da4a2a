"""Comparison of whole turns: whether two lead to the same position, and the value of a turn."""

from __future__ import annotations

from collections.abc import Callable

from lapilli.core.api import Fault, State
from lapilli.core.content.tutorials import TutorialStep
from lapilli.core.errors import IllegalAction
from lapilli.players.engines.builtin import whole_turn
from lapilli.search.result import SearchResult

MARGIN = 0.05
"""A turn that is worth this much less than the best one still counts as good; one that loses more is called an
inaccuracy.
"""
Think = Callable[[State, int], SearchResult]
"""Function that returns the search result of a position for one of the players asked there."""


def after(state: State, player: int, reply: str, others: dict[int, str] | None = None) -> State:
    """Returns the position after a turn of `player`. The other players' replies are `others`, or turns in which they do
    as little as possible.

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
    """Returns the reply in which a player does as little as possible."""
    actions = whole_turn(state.clone(), player, lambda now: now.legal_actions(player)[0])
    return state.game.protocol.format_reply(state, player, actions)


def is_same_turn(state: State, player: int, one: str, other: str) -> bool:
    """Returns whether two turns lead to the same position. Raises IllegalAction if the rules refuse one of them."""
    return one == other or after(state, player, one).position() == after(state, player, other).position()


def worth(state: State, player: int, reply: str, think: Think) -> float:
    """Returns a player's expected score after a turn, in [0, 1], from a search of the position that the turn leads to.

    The other players play the turns that the search chooses, up to the next position where the search gives the
    player's value.

    Args:
        state: the position, with all hidden information drawn.

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
    """Returns a turn and the best play that follows, at most `turns` turns in which somebody is asked. Each turn is a
    list of (player, reply) pairs of the players asked.
    """
    now, protocol = state.clone(), state.game.protocol
    line: list[list[tuple[int, str]]] = []
    while not now.is_terminal() and len(line) < turns:
        asked = now.asked()
        said = [(one, reply if one == player and not line else _best(now, one, think)) for one in asked]
        protocol.play_turn(now, dict(said))
        if asked:
            line.append(said)
    return line


def reaches(step: TutorialStep, state: State, reply: str) -> bool:
    """Returns whether a turn meets the goal of a tutorial step. Raises IllegalAction if the rules refuse it."""
    player = step.player
    then = after(state, player, reply)
    outcome = then.outcome()
    if step.goal == "win":
        return outcome is not None and outcome.ranks[player] == 1 and outcome.ranks.count(1) == 1
    if step.goal == "points":
        return then.scores()[player] - state.scores()[player] >= step.least
    return step.goal == "turn" or any(is_same_turn(state, player, reply, one) for one in step.accept)
