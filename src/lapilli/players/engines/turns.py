"""Whole turns: the positions they lead to, their values, and the goals of tutorial steps."""

from __future__ import annotations

from collections.abc import Callable

from lapilli.core.api import Fault, State
from lapilli.core.content.tutorials import TutorialStep
from lapilli.core.errors import IllegalAction
from lapilli.core.search_result import SearchResult
from lapilli.players.engines.builtin import whole_turn

MARGIN = 0.05
"""Greatest loss of expected score (from 0 to 1) with which a turn still counts as good; above it is an inaccuracy."""
SearchFunction = Callable[[State, int], SearchResult]
"""A function `(state, player) -> SearchResult` that searches the position `state` for a player who is asked in it."""


def after(state: State, player: int, reply: str, others: dict[int, str] | None = None) -> State:
    """Returns the position after a turn of `player`.

    Args:
        state: the position before the turn.
        player: the player.
        reply: the player's reply.
        others: replies of the other players that are asked on this turn. `least` provides a missing reply.

    Raises:
        IllegalAction: the rules refuse the reply.
    """
    position = state.clone()
    replies: dict[int, str | Fault] = {player: reply}
    for asked_player in position.asked():
        if asked_player != player:
            replies[asked_player] = (others or {}).get(asked_player) or least(position, asked_player)
    report = position.game.protocol.play_turn(position, replies)
    for fault in report.faults:
        if fault.player == player:
            raise IllegalAction(fault.reason)
    return position


def least(state: State, player: int) -> str:
    """Returns the reply in which a player does as little as possible: always its lowest legal action."""
    actions = whole_turn(state.clone(), player, lambda position: position.legal_actions(player)[0])
    return state.game.protocol.format_reply(state, player, actions)


def is_same_turn(state: State, player: int, first: str, second: str) -> bool:
    """Returns whether two replies of a player lead to the same position.

    Raises:
        IllegalAction: the rules refuse one of the replies.
    """
    return first == second or after(state, player, first).position() == after(state, player, second).position()


def worth(state: State, player: int, reply: str, search: SearchFunction) -> float:
    """Returns a player's expected score after a turn, in [0, 1], by searching the position after it.

    The search also chooses the turns of the other players, until it is the player's turn, or the game is over. In a
    game of two players, it also stops at the other player's turn, because the values of both players sum to 1.

    Args:
        state: the position, with all hidden information drawn.
        player: the player.
        reply: the player's reply.
        search: function that searches a position.

    Raises:
        IllegalAction: the rules refuse the reply.
    """
    protocol = state.game.protocol
    best_replies = {number: _best(state, number, search) for number in state.asked() if number != player}
    position = after(state, player, reply, best_replies)
    while not position.is_terminal():
        asked = position.asked()
        if player in asked:
            return search(position, player).value
        if asked and position.num_players == 2:
            return 1 - search(position, asked[0]).value
        protocol.play_turn(position, {number: _best(position, number, search) for number in asked})
    return (1 + position.returns()[player]) / 2


def _best(state: State, player: int, search: SearchFunction) -> str:
    """Returns the reply that the search chooses for a player."""
    return state.game.protocol.format_reply(state, player, search(state, player).turn)


def best_line(state: State, player: int, reply: str, search: SearchFunction, turns: int) -> list[list[tuple[int, str]]]:
    """Returns a turn of `player` followed by the best play of all players.

    Args:
        state: the position before the first turn.
        player: the player.
        reply: the player's reply in the first turn.
        search: function that searches a position and chooses all other turns.
        turns: greatest number of turns. Automatic turns do not count.

    Returns:
        For each turn, a list of (player, reply) pairs, one for each player that was asked.
    """
    position, protocol = state.clone(), state.game.protocol
    line: list[list[tuple[int, str]]] = []
    while not position.is_terminal() and len(line) < turns:
        asked = position.asked()
        is_first = not line
        replies = [
            (number, reply if number == player and is_first else _best(position, number, search)) for number in asked
        ]
        protocol.play_turn(position, dict(replies))
        if asked:
            line.append(replies)
    return line


def reaches(step: TutorialStep, state: State, reply: str) -> bool:
    """Returns whether the reply of the tutorial step's player, in the position `state`, meets the step's goal.

    Raises:
        IllegalAction: the rules refuse the reply.
    """
    player = step.player
    position = after(state, player, reply)
    outcome = position.outcome()
    if step.goal == "win":
        return outcome is not None and outcome.ranks[player] == 1 and outcome.ranks.count(1) == 1
    if step.goal == "points":
        return position.scores()[player] - state.scores()[player] >= step.least
    return step.goal == "turn" or any(is_same_turn(state, player, reply, accepted) for accepted in step.accept)
