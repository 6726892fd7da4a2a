"""Finds the turns at the root of a search: the possible eruptions, each with a legal sequence of steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lapilli.games.pyramids.board import HEADINGS, TARGET, TURN_STEPS
from lapilli.games.pyramids.engine.arrangements import add_arrangements, write_steps
from lapilli.games.pyramids.engine.evaluation import SCALES, WEIGHTS
from lapilli.games.pyramids.engine.node import (
    ACTION,
    ACTION_BITS,
    CAPS_SHIFT,
    ERUPTIONS,
    LANDED,
    NODE,
    NUMBERED,
    enter,
)
from lapilli.games.pyramids.engine.reachable import (
    HEADING_TO,
    NEAR,
    STAMP,
    freedom,
    full_after,
    full_cells,
    hash_of,
    landing,
    quiet_targets,
)
from lapilli.kernels.clock import now_ns
from lapilli.kernels.kernel import Batch, Ints, kernel, lowest

_EVERY = 64
"""Number of arrangements of the caps that are examined between two checks of the clock."""
_TIGHTENED = 32
"""Number of arrangements of the caps that `tighten` examines in the time that the search needs for one node."""


REACHED, EXACT = range(2)
"""Indices in `RootArrays.numbers`. REACHED: number of arrangements found. EXACT: the setting `exact`."""


class RootArrays(NamedTuple):
    """The arrays with which `Root` finds the turns at the root of a search.

    Attributes:
        node: the root, an array of one node.
        sets, previous, met, nearest, found: arrays that the kernel `explore` fills. It describes them under the same
            names.
        free, forms: arrays that the kernel `tighten` fills, with a row for each eruption. It describes them under the
            same names.
        clock: scratch array for `now_ns`.
        numbers: two integers. At the index REACHED: the number of arrangements of the caps that were found. At the
            index EXACT: the setting `exact`.
    """

    node: Batch
    sets: Ints
    previous: Any
    met: Ints
    nearest: Ints
    found: Ints
    free: Any
    forms: Any
    clock: Ints
    numbers: Ints


class Root:
    """Finds the turns at the root of a search. Implements `lapilli.search.templates.alphabeta_hooks.Turns`.

    A turn found by `begin` determines the eruption, but not the cells of the caps after it. The *forms* of this turn
    are turns with the same eruption that determine these cells, too. The arrays need 1 MiB for 20,000 arrangements of
    the caps.
    """

    def __init__(self, settings: Mapping[str, float]) -> None:
        size = int(settings["arrangements"])
        self.weights = np.array([settings[name] for name in WEIGHTS], np.int64)
        self.moves = np.empty(0, np.int64)
        self.scale = SCALES[0]
        self.quiet = -2 * int(settings["tempo"])
        self.wanted = int(settings["eruptions"])
        self.wanted_depth = 1
        self.arrays = RootArrays(
            node=np.zeros(1, NODE),
            sets=np.empty(size, np.int64),
            previous=np.zeros((size, 2), np.int64),
            met=np.zeros(1 << (3 * size).bit_length(), np.int64),
            nearest=np.empty(ERUPTIONS, np.int64),
            found=np.empty(ERUPTIONS, np.int64),
            free=np.empty((ERUPTIONS, int(settings["forms"])), np.int64),
            forms=np.empty((ERUPTIONS, int(settings["forms"])), np.int64),
            clock=np.zeros(2, np.int64),
            numbers=np.array([0, int(settings["exact"])], np.int64),
        )
        self.node = self.arrays.node

    def begin(self, array: Batch, nodes: int, deadline: int) -> int:
        """Finds one turn for each different eruption of a position, the turns with the fewest steps first.

        Writes them into the attributes of this object.

        Args:
            array: the position, as an array of one record.
            nodes: limit of the effort, in nodes.
            deadline: time at which to stop, on the clock `now_ns`; 0 for no deadline.

        Returns:
            The effort: the number of nodes that the search would examine in the same time.
        """
        count, effort = find_turns(array, self.arrays, nodes, deadline)
        self.scale = SCALES[int(self.node["board"][0])]
        self.moves = self.arrays.found[:count].copy()
        return int(effort)

    def forms(self, moves: Ints, deadline: int) -> tuple[Ints, int]:
        """Returns, for each eruption in `moves`, the turns that leave the other player the fewest quiet steps.

        A quiet step is a step of a cap without an eruption. The setting `forms` limits the number of turns per
        eruption. The second result is the effort: the number of nodes that the search would examine in the same time.
        After the time `deadline` on the clock `now_ns`, the search for forms stops; 0 means no deadline.
        """
        out = np.empty(moves.size * self.arrays.forms.shape[1], np.int64)
        count, effort = find_forms(self.arrays, moves, out, deadline)
        return out[:count], int(effort)

    def actions(self, move: int) -> tuple[int, ...]:
        """Returns the steps of the turn `move` as atomic actions; an empty tuple if `begin` did not find the turn."""
        actions = np.empty(TURN_STEPS, np.int64)
        return tuple(actions[: write_actions(self.arrays, move, actions)].tolist())


@kernel
def find_turns(batch: Batch, r: RootArrays, most: int, deadline: int) -> tuple[int, int]:
    """Finds one turn for each different eruption at the position `batch[0]`, the turns with the fewest steps first.

    Writes the position's node and the turns into `r.node` and `r.found`.

    Args:
        batch: the position, as an array of one record.
        r: the arrays.
        most: greatest number of arrangements of the caps (sets of capped cells) to examine. The limit applies only
            after an eruption has been found.
        deadline: time at which to stop, on the clock `now_ns`; 0 for no deadline. It applies only after an eruption has
            been found.

    Returns:
        The number of turns, and the effort: the number of nodes that a search examines in the same time.
    """
    r.met[:] = 0
    reached, count = explore(batch, r.node, r.sets, r.previous, r.met, r.nearest, r.found, most, r.clock, deadline)
    r.node[0].exact = r.numbers[EXACT]
    r.numbers[REACHED] = reached
    return count, reached


@kernel
def find_forms(r: RootArrays, moves: Ints, out: Ints, deadline: int) -> tuple[int, int]:
    """Writes the forms of some turns into `out`.

    The forms of a turn are the turns with the same eruption that leave the other player the fewest quiet steps (steps
    of caps without an eruption). If no form of a turn is found, the turn itself is written.

    Args:
        r: the arrays, after a call of `find_turns`.
        moves: turns that `find_turns` has found.
        out: filled, turn by turn.
        deadline: time at which to stop, on the clock `now_ns`; 0 for no deadline.

    Returns:
        The number of forms, and the effort: the number of nodes that a search examines in the same time.
    """
    count, most, reached = 0, r.forms.shape[1], r.numbers[REACHED]
    for index in range(len(moves)):
        for form in range(most):
            r.free[index, form], r.forms[index, form] = 1 << 20, 0
    tighten(r.node, r.sets[:reached], moves, r.free, r.forms, r.clock, deadline)
    for index in range(len(moves)):
        if r.forms[index, 0] == 0:
            r.forms[index, 0] = moves[index]
        for form in range(most):
            if r.forms[index, form] != 0:
                out[count] = r.forms[index, form]
                count += 1
    return count, reached * len(moves) // _TIGHTENED


@kernel
def write_actions(r: RootArrays, move: int, out: Ints) -> int:
    """Writes the steps of a turn as atomic actions into `out`, and returns their number.

    Returns 0 if `find_turns` has found no way to play the turn.

    Args:
        r: the arrays, after a call of `find_turns`.
        move: the turn as one number (see `node.ACTION_BITS`), as `find_turns` and `find_forms` write it.
        out: filled with the actions: first the steps without an eruption, then the step that causes the eruption.
    """
    place = find_way(r.node, r.sets[: r.numbers[REACHED]], r.nearest, move)
    if place < 0:
        return 0
    return write_steps(r.previous, place, move & ACTION, out)


@kernel
def explore(
    batch: Batch,
    nodes: Batch,
    sets: Ints,
    previous: Any,
    met: Ints,
    nearest: Ints,
    found: Ints,
    most: int,
    clock: Ints,
    deadline: int,
) -> tuple[int, int]:
    """Finds the eruptions that are possible from arrangements of the caps that quiet steps can reach.

    An arrangement is a set of capped cells. A quiet step is a step of a cap without an eruption. The search over the
    arrangements is breadth-first.

    Args:
        batch: the position, as an array of one record.
        nodes: the first element is filled with the position's node.
        sets: filled with the arrangements, the nearest first.
        previous: for each arrangement, filled with the index of the arrangement before it, and the action between them.
        met: hash set for `free_slot`, zeros at first.
        nearest: filled, by the number of each eruption, with the index of the nearest arrangement from which the
            eruption is possible; -1 if there is none.
        found: filled with the different eruptions as moves (see `node.ACTION_BITS`), the nearest first.
        most: greatest number of arrangements to examine. The limit applies only after an eruption has been found.
        clock: scratch array of two integers.
        deadline: time at which to stop, on the clock `now_ns`; 0 for no deadline. It applies only after an eruption has
            been found.

    Returns:
        The number of arrangements found and the number of different eruptions found.
    """
    p = batch[0]
    n = nodes[0]
    enter(p, n)
    board = int(n.board)
    width = int(HEADINGS[board])
    full = full_cells(n)
    for number in range(ERUPTIONS):
        nearest[number] = -1
    sets[0] = n.caps
    stamp = 1 << STAMP
    met[hash_of(int(n.caps)) & (len(met) - 1)] = stamp | int(n.caps)
    reached = 1
    count = 0
    place: Any = np.int64(0)
    while place < reached:
        if count > 0 and (place >= most or (deadline > 0 and place % _EVERY == 0 and now_ns(clock) > deadline)):
            break
        caps = int(sets[place])
        left = caps
        while left != 0:
            cell = lowest(left)
            left &= left - 1
            quiet = quiet_targets(board, caps, full, cell)
            erupting = int(NEAR[board, cell]) & ~caps & ~quiet
            while erupting != 0:
                action = cell * width + int(HEADING_TO[board, cell, lowest(erupting)])
                erupting &= erupting - 1
                landed = landing(n, caps ^ (1 << cell), action)
                number = int(NUMBERED[board, action]) + landed
                if nearest[number] < 0:
                    nearest[number] = place
                    found[count] = landed << ACTION_BITS | action
                    count += 1
            reached = add_arrangements(p, sets, previous, met, stamp, place, cell, quiet, reached)
        place += 1
    return reached, count


@kernel
def tighten(nodes: Batch, sets: Ints, moves: Ints, free: Any, forms: Any, clock: Ints, deadline: int) -> None:
    """Finds, for each eruption in `moves`, where the caps should stand after it so that the opponent is least free.

    An eruption can be played in several forms, which differ in the arrangement of the caps afterwards (the set of
    capped cells). The best forms are those after which the opponent has the fewest quiet steps. A quiet step is a step
    of a cap without an eruption.

    Args:
        nodes: the first element is the root.
        sets: the possible arrangements before the eruptions, as found by `explore`.
        moves: the eruptions, as moves without capped cells (see `node.CAPS_SHIFT`).
        free: an array with a row for each eruption, and a column for each form to find; very large numbers at first.
            It is filled with the number of quiet steps after each form, the lowest first.
        forms: zeros of the same shape; filled with the forms in the same order, as moves with the capped cells.
        clock: scratch array of two integers.
        deadline: time at which to stop, on the clock `now_ns`; 0 for no deadline.
    """
    n = nodes[0]
    board = int(n.board)
    width = int(HEADINGS[board])
    most = free.shape[1]
    whole = full_cells(n)
    for index in range(len(moves)):
        if deadline > 0 and now_ns(clock) > deadline:
            return
        action = int(moves[index]) & ACTION
        landed = int(moves[index]) >> ACTION_BITS & LANDED
        origin = 1 << (action // width)
        target = 1 << int(TARGET[board, action])
        full = full_after(n, whole, action, landed)
        for place in range(len(sets)):
            caps = int(sets[place])
            if caps & origin == 0 or caps & target != 0 or landing(n, caps, action) != landed:
                continue
            after = caps ^ origin ^ target
            quiet = freedom(board, after, full)
            form = after << CAPS_SHIFT | int(moves[index])
            if quiet >= free[index, most - 1]:
                continue
            at = most - 1
            while at > 0 and free[index, at - 1] > quiet:
                free[index, at] = free[index, at - 1]
                forms[index, at] = forms[index, at - 1]
                at -= 1
            free[index, at] = quiet
            forms[index, at] = form


@kernel
def find_way(nodes: Batch, sets: Ints, nearest: Ints, move: int) -> int:
    """Returns the index in `sets` of an arrangement of the caps from which `move` is possible; -1 if there is none.

    An arrangement is a set of capped cells. `nodes`, `sets` and `nearest` are the arrays that `explore` has filled.
    """
    board = int(nodes[0].board)
    action = move & ACTION
    caps = move >> CAPS_SHIFT
    if caps == 0:
        return int(nearest[NUMBERED[board, action] + (move >> ACTION_BITS & LANDED)])
    before = caps ^ 1 << (action // int(HEADINGS[board])) ^ 1 << int(TARGET[board, action])
    for place in range(len(sets)):
        if sets[place] == before:
            return place
    return -1
