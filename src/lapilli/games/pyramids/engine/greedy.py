"""The greedy opponent, which considers only its own next turn, and a simple evaluation of positions."""

from __future__ import annotations

from math import tanh
from typing import Any, NamedTuple

import numpy as np

from lapilli.core.state import State
from lapilli.games.pyramids.board import CELL_COUNT, HEADINGS, TURN_STEPS
from lapilli.games.pyramids.engine.arrangements import add_arrangements, write_steps
from lapilli.games.pyramids.engine.node import (
    ACTION_BITS,
    ERUPTIONS,
    LINES,
    NODE,
    NUMBERED,
    advance,
    enter,
)
from lapilli.games.pyramids.engine.reachable import (
    HEADING_TO,
    NEAR,
    STAMP,
    full_cells,
    hash_of,
    landing,
    quiet_targets,
)
from lapilli.games.pyramids.rules.points import score
from lapilli.games.pyramids.rules.turns import MOST
from lapilli.games.pyramids.rules.verbs import legal
from lapilli.games.pyramids.state.state import record_of
from lapilli.kernels.kernel import (
    Batch,
    Ints,
    Position,
    Rng,
    Static,
    kernel,
    lowest,
    new_random,
    random_below,
    seed_random,
)

TURN = TURN_STEPS
"""Greatest number of actions of a turn."""
_WIN = 1000
"""Added to the lead after a turn that wins the game; more than all points together."""
_NEVER = -10 * _WIN
"""Value of an eruption that is impossible, or that the search has found already. It is below all other values."""
_SLOTS = 1 << 17
"""Number of slots of the hash set of arrangements: a power of two, about twice the number of arrangements."""
_MOST_SEARCHES = 1 << 20
"""Number of searches after which the hash set is cleared, because the number of a search has only 23 bits in it."""
_SCALE = 15.0
"""The evaluation is tanh(lead / _SCALE): a lead of this many points has the value tanh(1), about 3/4. Two solid nests
have 14 points."""


class PyramidsGreedyArrays(NamedTuple):
    """Scratch arrays of the greedy opponent. An arrangement is a set of capped cells.

    Attributes:
        nodes: two nodes of the alpha-beta search: the position, and the position after an eruption.
        values: the value of each eruption, by the eruption's number (`node.NUMBERED`).
        sets: arrangements.
        previous: for each arrangement, the index of the arrangement before it and the action between them.
        met: hash set of arrangements, for `reachable.free_slot`.
        searches: one integer, the number of searches that have used `met` since it was cleared.
        rng: state of a random generator.
    """

    nodes: Batch
    values: Ints
    sets: Ints
    previous: Any
    met: Ints
    searches: Ints
    rng: Rng


def new_workspace() -> PyramidsGreedyArrays:
    """Returns the scratch arrays for `choose_turn`."""
    return PyramidsGreedyArrays(
        nodes=np.zeros(2, NODE),
        values=np.empty(ERUPTIONS, np.int64),
        sets=np.empty(MOST, np.int64),
        previous=np.zeros((MOST, 2), np.int32),
        met=np.zeros(_SLOTS, np.int64),
        searches=np.zeros(1, np.int64),
        rng=new_random(0),
    )


@kernel
def choose_turn(
    p: Position, player: int, seed: int, nodes: int, w: PyramidsGreedyArrays, static: Static, turn: Ints
) -> int:
    """Writes the greedy opponent's turn into `turn`, and returns the number of its actions.

    The turn is the one after which the player has the largest lead in points. Every different eruption that is possible
    after steps without an eruption is considered. A turn that ends the game is best if the player wins, and worst if
    the player loses. If no eruption is possible, the turn is a single legal step.

    Args:
        p: the position.
        player: the player to move.
        seed: seed of the random generator, which decides between equally good eruptions.
        nodes, static: not used.
        w: scratch arrays, from `new_workspace`.
        turn: filled with the actions, at most TURN.
    """
    seed_random(w.rng, np.uint64(seed))
    enter(p, w.nodes[0])
    evaluate_eruptions(w.nodes, player, w.values)
    place, action = find_best(p, w)
    if action < 0:
        return min(legal(p, player, turn), 1)
    return write_steps(w.previous, place, action, turn)


@kernel
def evaluate_eruptions(nodes: Batch, player: int, values: Ints) -> None:
    """Writes the value of each eruption of a position into `values`, as if the caps could be on any cells.

    The value is the player's lead in points after the eruption. If the eruption ends the game, _WIN is added for a win
    and subtracted for a loss. Eruptions for which the stack has too few pieces have the value _NEVER.

    Args:
        nodes: two nodes. The first is the position; the second is overwritten.
        player: the player to move.
        values: filled, by the number of each eruption (`node.NUMBERED`).
    """
    before = nodes[0]
    after = nodes[1]
    board = int(before.board)
    width = int(HEADINGS[board])
    for number in range(ERUPTIONS):
        values[number] = _NEVER
    for cell in range(CELL_COUNT[board]):
        height = int(before.heights[cell])
        for action in range(cell * width, (cell + 1) * width):
            landed = 0
            while landed < height and LINES[board, action, landed] >= 0:
                landed += 1
                nodes[1] = before
                advance(after, landed << ACTION_BITS | action)
                value = int(after.points[player]) - int(after.points[1 - player])
                if after.over != 0 and value != 0:
                    value += _WIN if value > 0 else -_WIN
                values[int(NUMBERED[board, action]) + landed] = value


@kernel
def find_best(p: Position, w: PyramidsGreedyArrays) -> tuple[int, int]:
    """Finds the best eruption that is possible after quiet steps. Ties are broken at random.

    A quiet step is a step of a cap without an eruption. An arrangement is a set of capped cells. The search over the
    arrangements is breadth-first and finds the same eruptions as `rules.turns.TurnOutcomes`. It ends early when all
    eruptions that are at least as good as the best one have been found.

    Args:
        p: the position.
        w: the scratch arrays. `w.nodes[0]` must be the position, and `w.values` the values of its eruptions, which are
            overwritten. `w.sets` and `w.previous` are filled with the arrangements.

    Returns:
        The index of the arrangement before the eruption, and the action that makes the stack erupt. The action is -1 if
        no eruption is possible.
    """
    n = w.nodes[0]
    full = full_cells(n)
    stamp = begin_search(n, w)
    reached = 1
    best = _NEVER
    best_place = 0
    best_action = -1
    ties = 0
    left = count_from(w.values, _NEVER + 1)
    place: Any = np.int64(0)
    while place < reached and left > 0:
        caps = int(w.sets[place])
        rest = caps
        while rest != 0:
            cell = lowest(rest)
            rest &= rest - 1
            quiet = quiet_targets(int(n.board), caps, full, cell)
            erupting = int(NEAR[n.board, cell]) & ~caps & ~quiet
            while erupting != 0:
                action = cell * int(HEADINGS[n.board]) + int(HEADING_TO[n.board, cell, lowest(erupting)])
                erupting &= erupting - 1
                number = int(NUMBERED[n.board, action]) + landing(n, caps ^ (1 << cell), action)
                value = int(w.values[number])
                if value == _NEVER or value < best:
                    continue
                w.values[number] = _NEVER
                left -= 1
                if value > best:
                    best = value
                    ties = 0
                    left = count_from(w.values, best)
                ties += 1
                if random_below(w.rng, ties) == 0:
                    best_place = place
                    best_action = action
            reached = add_arrangements(p, w.sets, w.previous, w.met, stamp, place, cell, quiet, reached)
        place += 1
    return best_place, best_action


@kernel
def begin_search(n: Position, w: PyramidsGreedyArrays) -> int:
    """Makes the present arrangement of the caps the first one in `w.sets` and the only one in the hash set `w.met`.

    Returns the number of the search, in the bits that `reachable.free_slot` expects. `n` is the position's node.
    """
    if w.searches[0] == _MOST_SEARCHES:
        w.met[:] = 0
        w.searches[0] = 0
    w.searches[0] += 1
    stamp = int(w.searches[0]) << STAMP
    w.sets[0] = n.caps
    w.met[hash_of(int(n.caps)) & (_SLOTS - 1)] = stamp | int(n.caps)
    return stamp


@kernel
def count_from(values: Ints, least: int) -> int:
    """Returns how many of the integers in `values` are `least` or more."""
    count = 0
    for index in range(len(values)):
        count += values[index] >= least
    return count


def evaluation(state: State, player: int) -> float:
    """Returns the value of a position for a player, in [-1, 1].

    During the game, it depends on the player's lead in points. At the end of the game, it is the result.
    """
    outcome = state.outcome()
    if outcome is not None:
        return state.returns()[player]
    record = record_of(state)
    return tanh((score(record, player) - score(record, 1 - player)) / _SCALE)
