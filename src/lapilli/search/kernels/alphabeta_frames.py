"""Kernels on the frames of alpha-beta search. A frame is a record with the search's variables for the node at one ply.

The kernels order a node's turns, choose the next one, and record its value. `alphabeta_template` contains the search.
In these kernels, `names` is a power of two, the game's `AlphaBetaHooks.NAMES`.
"""

from __future__ import annotations

import numpy as np

from lapilli.kernels.kernel import Ints, Position, kernel, record_dtype
from lapilli.search.workspace import AlphaBetaArrays

FRAME = record_dtype(
    [
        ("alpha", np.int64),  # the window, from the view of the player to move
        ("beta", np.int64),
        ("floor", np.int64),  # alpha when the search of the node began
        ("best", np.int64),  # the greatest value so far
        ("move", np.int64),  # the turn with this value, -1 for none
        ("current", np.int64),  # the turn that is being searched
        ("hint", np.int64),  # the best turn of an earlier visit to the node, -1 for none
        ("depth", np.int64),  # remaining plies; from 0 downwards only captures and similar turns
        ("count", np.int64),  # number of turns
        ("index", np.int64),  # index of the next turn
        ("reduction", np.int64),  # reduction of the current turn's depth, in plies
        ("step", np.int64),  # state of the current turn's search: BEGUN, NARROW, WIDE or AGAIN
    ]
)
BEGUN, NARROW, WIDE, AGAIN = range(4)
"""Values of a frame's `step`. BEGUN: no turn is searched yet. NARROW: the current turn is being searched with a null
window. WIDE: it is being searched with the full window. AGAIN: its search with a null window has shown that it is
better than expected, so it must be searched again with the full window."""

KILLERS = 2
"""Number of refuting turns ("killers") stored per ply."""
_HISTORY_BITS = 12
_MOST_HISTORY = (1 << _HISTORY_BITS) - 1
_KILLER_GAIN = 100
_FIRST = 1 << 60
_MARGIN = 100
_LATE, _VERY_LATE, LATE_AT_ROOT = 3, 12, 5
"""Late move reductions: turns are ordered by promise, and late turns are searched less deeply. A turn whose index is at
least _LATE is searched one ply less deeply, from the index _VERY_LATE on two plies. At the root, the reduction is one
ply, and begins at the index LATE_AT_ROOT + number of lines."""


@kernel
def drop_futile(f: Position, moves: Ints, gains: Ints, wanted: int) -> None:
    """Removes turns from a node's list that cannot gain enough to matter, so that they are not searched.

    A turn stays in the list if 4/3 of its gain plus _MARGIN is above `wanted`.

    Args:
        f: the node's frame, the record of its search. The number of turns in it is updated.
        moves: the node's turns.
        gains: the immediate gain of each turn.
        wanted: the gain that a turn needs to raise alpha.
    """
    left = 0
    for index in range(f.count):
        if gains[index] + gains[index] // 3 + _MARGIN > wanted:
            moves[left] = moves[index]
            gains[left] = gains[index]
            left += 1
    f.count = left


@kernel
def set_priorities(f: Position, moves: Ints, order: Ints, killers: Ints, history: Ints, names: int) -> None:
    """Replaces each turn's gain in `order` by the turn's priority: turns of higher priority are searched first.

    The best turn of an earlier visit comes first, then the turns with the greatest gains. A killer without a gain
    counts as a turn with the gain _KILLER_GAIN. Among equal gains, turns that were good in other nodes come first.

    Args:
        f: the node's frame, the record of its search.
        moves: the node's turns.
        order: the gains of these turns; overwritten with their priorities.
        killers: the turns that refuted others at this ply.
        history: how often each turn was good in other nodes. A turn's index is the turn modulo `names`.
        names: the game's `AlphaBetaHooks.NAMES`, a power of two.
    """
    for index in range(f.count):
        name = moves[index] & (names - 1)
        if moves[index] == f.hint:
            order[index] = _FIRST
        elif order[index] == 0 and (name == killers[0] or name == killers[1]):
            order[index] = _KILLER_GAIN << _HISTORY_BITS
        else:
            order[index] = (order[index] << _HISTORY_BITS) + history[name]


@kernel
def choose(a: AlphaBetaArrays, ply: int, reduces: bool) -> bool:
    """Selects the next turn to search at a ply. Returns False if no turn needs a search any more.

    This is the most promising turn not yet searched; or the last turn again if it needs a search with the full window.
    The turn, the kind of window and the reduction of the depth are written into the ply's frame, the record of its
    search. `reduces`: whether late turns are searched less deeply.
    """
    f = a.frames[ply]
    if f.step == AGAIN:
        f.step = WIDE
        f.reduction = 0
        return True
    if f.best >= f.beta or f.index == f.count:
        return False
    moves, order = a.moves[ply], a.order[ply]
    index = int(f.index)
    chosen = index
    for other in range(index + 1, f.count):
        if order[other] > order[chosen]:
            chosen = other
    moves[index], moves[chosen] = moves[chosen], moves[index]
    order[index], order[chosen] = order[chosen], order[index]
    f.current = moves[index]
    f.index = index + 1
    f.step = WIDE if index == 0 else NARROW
    f.reduction = 0
    if reduces and f.depth >= 2 and index >= _LATE:
        f.reduction = 1 if index < _VERY_LATE or order[index] >> _HISTORY_BITS >= _KILLER_GAIN else 2
    return True


@kernel
def record_value(f: Position, value: int, killers: Ints, history: Ints, names: int) -> None:
    """Records the value of a turn that was searched: updates the node's frame, its ply's killers and the history.

    If the turn must be searched again with the full window, only the frame's `step` is set.

    Args:
        f: the node's frame, the record of its search.
        value: the value of the turn.
        killers: the turns that refuted others at this ply.
        history: how often each turn was good. A turn's index is the turn modulo `names`.
        names: the game's `AlphaBetaHooks.NAMES`, a power of two.
    """
    if f.step == NARROW and value > f.alpha and (value < f.beta or f.reduction > 0):
        f.step = AGAIN
        return
    if value > f.best:
        f.best = value
        f.move = f.current
        f.alpha = max(f.alpha, value)
    if value >= f.beta:
        name = f.current & (names - 1)
        if killers[0] != name:
            killers[1] = killers[0]
            killers[0] = name
        history[name] = min(history[name] + max(1, f.depth * f.depth), _MOST_HISTORY)
