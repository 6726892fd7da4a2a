"""Judges whole turns: the position after a turn, its value, and whether the turn meets the goal of a tutorial step."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

from lapilli.core.api import Fault, State
from lapilli.core.content.tutorials import TutorialStep
from lapilli.core.errors import IllegalAction
from lapilli.core.search.search_result import SearchResult
from lapilli.players.engines.builtin import whole_turn

MARGIN = 0.05
"""Greatest loss of a good turn: the expected score (0 to 1) of the best turn minus the expected score of this turn. A
turn with a greater loss is an inaccuracy.
"""
SearchFunction = Callable[[State, int], SearchResult]
"""A function `(state, player) -> SearchResult` that searches for the best turn of `player` in the position `state`. The
referee must be asking this player for a reply there.
"""


def after(state: State, player: int, reply: str, others: dict[int, str] | None = None) -> State:
    """Returns the position after a turn of `player`.

    Args:
        state: the position before the turn.
        player: the player.
        reply: the player's reply.
        others: replies of other players that are asked on the same turn. A player whose reply is missing does as little
            as possible, see `least`.

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
    """Returns the reply by which a player does as little as possible: each of its actions is the lowest legal one."""
    actions = whole_turn(state.clone(), player, lambda position: position.legal_actions(player)[0])
    return state.game.protocol.format_reply(state, player, actions)


def actions_in(state: State, player: int, reply: str) -> list[int]:
    """Returns the atomic actions of a player's reply; empty if they are not found.

    Finds the actions one by one. For each legal action, it formats a reply that consists of the actions found so far
    and this action. The next action is the one whose formatted reply begins like `reply` for the most characters.

    Args:
        state: the position before the turn.
        player: the player.
        reply: the player's reply, as `Protocol.format_reply` formats it.
    """
    protocol, actions = state.game.protocol, list[int]()

    def in_common(action: int) -> int:
        text = protocol.format_reply(state, player, [*actions, action])
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(reply, text, strict=False)))

    def choose(position: State) -> int:
        actions.append(max(position.legal_actions(player), key=in_common))
        return actions[-1]

    whole_turn(state.clone(), player, choose)
    return actions if protocol.format_reply(state, player, actions) == reply else []


def is_same_turn(state: State, player: int, first: str, second: str) -> bool:
    """Returns whether two replies of a player, `first` and `second`, lead to the same position.

    Raises:
        IllegalAction: the rules refuse one of the replies.
    """
    return first == second or after(state, player, first).position() == after(state, player, second).position()


def remembering(search: SearchFunction) -> SearchFunction:
    """Returns a function that returns the same results as `search`, but searches each position only once for a player.

    The function stores the results. All positions that it receives must belong to one match.
    """
    known: dict[tuple[bytes, int], SearchResult] = {}

    def search_once(state: State, player: int) -> SearchResult:
        key = state.array.tobytes(), player
        if key not in known:
            known[key] = search(state, player)
        return known[key]

    return search_once


def worth(state: State, player: int, reply: str, search: SearchFunction) -> float:
    """Returns the value of a player's turn: the player's expected score, from 0 to 1, in the position after the turn.

    After the turn, the other players play the turns that the search chooses for them, until it is the player's turn
    again or the game is over. The position reached then is searched. In a game of two players, this stops already at
    the other player's turn, because the values of the two players sum to 1.

    Args:
        state: the position before the turn. Hidden information must have been replaced by random values, if there is
            any.
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
    """Returns the reply with the turn that the search chooses for a player."""
    return state.game.protocol.format_reply(state, player, search(state, player).turn)


def best_line(state: State, player: int, reply: str, search: SearchFunction, turns: int) -> list[list[tuple[int, str]]]:
    """Returns a line of play: a given turn of `player`, and after it the turns that the search finds best for each
    player.

    Args:
        state: the position before the first turn.
        player: the player.
        reply: the player's reply in the first turn.
        search: function that searches a position and chooses all other turns.
        turns: greatest number of turns in the result. Turns on which no player is asked are played, but are not in the
            result.

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
    """Returns whether `reply`, played in the position `state` by the player of a tutorial step, meets the step's goal.

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
