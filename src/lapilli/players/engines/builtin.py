"""Built-in opponents that play any game, and the lookup of a game's own ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from lapilli.core.api import SIMULTANEOUS, Engine, Game, State

ActionChooser = Callable[[State], int]


def random_turn(state: State, player: int, random: Random) -> Sequence[int]:
    """Returns a turn of uniformly random atomic actions."""
    return whole_turn(state, player, lambda now: random.choice(now.legal_actions(player)))


def whole_turn(state: State, player: int, choose: ActionChooser) -> list[int]:
    """Lets `choose` pick atomic actions until `player`'s turn is over, and returns them. Plays them on `state`, which
    must be the caller's own copy.

    In a simultaneous turn the other players are assumed to do nothing: there the lowest action means "nothing more".
    """
    turn = state.turn
    actions: list[int] = []
    while state.turn == turn and state.current_player() in (player, SIMULTANEOUS):
        action = choose(state)
        actions.append(action)
        if state.current_player() == SIMULTANEOUS:
            joint = [state.legal_actions(other)[0] for other in range(state.num_players)]
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
