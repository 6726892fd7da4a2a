"""Simple engines: built-in opponents that are plain functions, not searches. Every game has one called `random`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from lapilli.core.api import SIMULTANEOUS, Engine, Game, State

ActionChooser = Callable[[State], int]
"""A function that returns an action to play in a position."""


def random_turn(state: State, player: int, random: Random) -> Sequence[int]:
    """Plays a turn of random legal actions for `player` on `state`, and returns the actions."""
    return whole_turn(state, player, lambda position: random.choice(position.legal_actions(player)))


def whole_turn(state: State, player: int, choose: ActionChooser) -> list[int]:
    """Plays the whole turn of a player on `state`: calls `choose` for each action. Returns the actions.

    In a simultaneous turn, all other players do nothing: each plays its lowest legal action, which means "nothing
    more".

    Args:
        state: the position. It is changed, so pass a copy.
        player: the player whose turn it is.
        choose: function that returns the player's next action in the position that it receives.
    """
    turn = state.turn
    actions: list[int] = []
    while state.turn == turn and state.current_player() in (player, SIMULTANEOUS):
        action = choose(state)
        actions.append(action)
        if state.current_player() == SIMULTANEOUS:
            joint = [state.legal_actions(number)[0] for number in range(state.num_players)]
            joint[player] = action
            state.apply_actions(joint)
        else:
            state.apply_action(action)
    return actions


def builtin_engines(game: Game) -> dict[str, Engine]:
    """Returns the simple engines of `game` by name, weakest first. For searches and levels, see `search_names`."""
    return {"random": random_turn, **game.engines}


def builtin_names(game: Game) -> tuple[str, ...]:
    """Returns the names of the simple engines of `game`, weakest first. For searches and levels, see `search_names`."""
    return tuple(builtin_engines(game))
