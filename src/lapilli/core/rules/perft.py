"""perft: counts the sequences of atomic actions of a given length that can be played from a position.

The counts of each game are in `tests/games/<name>/perft.csv`. Other implementations of a game can be compared with
them.
"""

from __future__ import annotations

from itertools import product

from lapilli.core.state import State
from lapilli.kernels.kernel import SIMULTANEOUS, TERMINAL


def perft(state: State, depth: int) -> int:
    """Returns the number of leaves of the game tree `depth` atomic actions below `state`.

    A chance outcome is one action, and so is a joint action of a simultaneous turn. A game that ends at a smaller depth
    is not counted.
    """
    if depth == 0:
        return 1
    player = state.current_player()
    if player == TERMINAL:
        return 0
    if player == SIMULTANEOUS:
        joint = list(product(*(state.legal_actions(p) for p in range(state.num_players))))
        if depth == 1:
            return len(joint)
        return sum(perft(_after(state, actions), depth - 1) for actions in joint)
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(perft(_after(state, action), depth - 1) for action in actions)


def _after(state: State, action: int | tuple[int, ...]) -> State:
    child = state.clone()
    if isinstance(action, tuple):
        child.apply_actions(action)
    else:
        child.apply_action(action)
    return child
