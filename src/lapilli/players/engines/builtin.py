"""Built-in opponents by name: `random`, which plays any game, and the engines of each game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from lapilli.core.api import SIMULTANEOUS, Engine, Game, State

ActionChooser = Callable[[State], int]


def random_turn(state: State, player: int, random: Random) -> Sequence[int]:
    """Returns the actions of a player's turn, each chosen at random from the legal ones. Plays them on `state`."""
    return whole_turn(state, player, lambda position: random.choice(position.legal_actions(player)))


def whole_turn(state: State, player: int, choose: ActionChooser) -> list[int]:
    """Lets `choose` pick one action after the other until the player's turn is over, and returns the actions.

    In a simultaneous turn the other players are assumed to do nothing: their lowest legal action means "nothing more".

    Args:
        state: the position. The actions are played on it, so pass a copy.
        player: the player whose turn it is.
        choose: returns the player's next action in a position.
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
    """Returns the built-in opponents of `game` by name, weakest first."""
    return {"random": random_turn, **game.engines}


def builtin_names(game: Game) -> tuple[str, ...]:
    """Returns the names of the built-in opponents of `game`, weakest first."""
    return tuple(builtin_engines(game))
