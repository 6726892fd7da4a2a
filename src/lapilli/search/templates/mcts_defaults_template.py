"""Template of the default search hooks of Monte Carlo tree search, for a game that does not define its own."""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.kernel import CHANCE, TERMINAL, Ints, Position, Rng, kernel

rules: Verbs


@kernel
def candidates(p: Position, player: int, out: Ints, *static: Any) -> int:
    """Writes all legal actions into `out` and returns their number: every legal action is a candidate."""
    return rules.legal(p, player, out, *static)


@kernel
def may_end(p: Position, player: int, *static: Any) -> bool:
    """Returns True: in every position, some action might end the game."""
    return True


@kernel
def distance(p: Position, player: int, action: int, *static: Any) -> int:
    """Returns 0 for every action, so that beginners see all actions equally often."""
    return 0


@kernel
def features(p: Position, player: int, actions: Ints, count: int, out: Any, scratch: Ints, *static: Any) -> None:
    """Writes the same pattern (0) for all actions into `out`, so that the policy makes all actions equally likely.

    `out` gets one row for each of the first `count` of `actions`. All other arguments are not used.
    """
    out[:count] = 0


@kernel
def play_out(p: Position, player: int, style: int, rng: Rng, played: Ints, stamp: int, out: Ints, *static: Any) -> None:
    """Plays uniformly random legal actions from the position `p` to the end of the game, whatever the style.

    Args:
        p: the position, which the playout changes.
        player: the player to act, or TERMINAL.
        style: not used.
        rng: state of the random generator.
        played: for each action that a player plays, `played[player, action]` is set to `stamp`.
        stamp: number of the simulation.
        out: scratch array.
        static: constant data of the game.
    """
    while player != TERMINAL:
        action = (
            rules.chance(p, rng, *static) if player == CHANCE else rules.random_action(p, player, rng, out, *static)
        )
        if player >= 0:
            played[player, action] = stamp
        rules.play(p, action, *static)
        player = rules.current_player(p)
