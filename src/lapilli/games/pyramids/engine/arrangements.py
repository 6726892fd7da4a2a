"""Steps of a breadth-first search over arrangements of the caps. An arrangement is a set of capped cells."""

from __future__ import annotations

from typing import Any

from lapilli.games.pyramids.board import HEADINGS
from lapilli.games.pyramids.engine.node import CAP_KEYS
from lapilli.games.pyramids.engine.reachable import HEADING_TO, free_slot, hash_of
from lapilli.games.pyramids.rules.turns import barred
from lapilli.kernels.kernel import Ints, Position, kernel, lowest


@kernel
def add_arrangements(
    p: Position, sets: Ints, previous: Any, met: Ints, stamp: int, place: int, cell: int, quiet: int, reached: int
) -> int:
    """Adds the new arrangements to which the quiet steps of one cap lead; returns the number of arrangements then.

    A quiet step is a step of a cap without an eruption.

    Args:
        p: the position.
        sets: the arrangements, as the bits of integers. New ones are added at the index `reached`.
        previous: for each arrangement, the index of the arrangement before it and the action between them.
        met: hash set for `reachable.free_slot`, to which the new arrangements are added.
        stamp: the number of the search, in the bits that `reachable.free_slot` expects.
        place: index of the arrangement before the step.
        cell: cell of the cap.
        quiet: set of cells to which the cap may step quietly, as the bits of an integer.
        reached: number of arrangements found so far.
    """
    caps = int(sets[place])
    mask = len(met) - 1
    key = hash_of(caps) ^ int(CAP_KEYS[cell])
    while quiet != 0 and reached < len(sets):
        to = lowest(quiet)
        quiet &= quiet - 1
        after = caps ^ (1 << cell) | 1 << to
        at = free_slot(met, mask, stamp | after, key ^ int(CAP_KEYS[to]))
        if at < 0 or barred(p, previous, place, cell, to):
            continue
        met[at] = stamp | after
        sets[reached] = after
        previous[reached, 0] = place
        previous[reached, 1] = cell * int(HEADINGS[p.board]) + int(HEADING_TO[p.board, cell, to])
        reached += 1
    return reached


@kernel
def write_steps(previous: Any, place: int, action: int, turn: Ints) -> int:
    """Writes a turn into `turn`, and returns the number of its actions.

    Args:
        previous: for each arrangement, the index of the arrangement before it and the action between them.
        place: index of the arrangement before the eruption; 0 is the arrangement at the start of the turn.
        action: the action that makes a stack erupt, the turn's last one.
        turn: filled: first the actions that lead to the arrangement, then `action`.
    """
    length = 1
    step = place
    while step > 0:
        step = int(previous[step, 0])
        length += 1
    turn[length - 1] = action
    step = place
    for index in range(length - 2, -1, -1):
        turn[index] = previous[step, 1]
        step = int(previous[step, 0])
    return length
