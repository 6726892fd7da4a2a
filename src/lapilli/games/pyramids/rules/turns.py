"""Whole turns: finds the outcomes of the current turn, each with a sequence of steps that leads to it.

An outcome consists of the stack that erupts, the direction of the eruption, and the capped cells after it. Quiet steps
move no piece, and caps are interchangeable. So a breadth-first search over *arrangements*, which are sets of capped
cells, finds the outcomes. The square board has 53,130 arrangements and the hex board 2,324,784.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any, overload

import numpy as np

from lapilli.games.pyramids.board import BEYOND, BOARDS, CHOOSE, HEADING_TO, HEADINGS, NEAR, NONE, ONE, ORIGIN, TARGET
from lapilli.games.pyramids.rules.verbs import foresee
from lapilli.kernels.kernel import Ints, Position, Word, kernel, lowest, popcount

MOST = 60_000
"""Default limit of arrangements to search. It is above the number of all arrangements of the square board; on the hex
board the search covers only the nearest ones."""
SHIFT = 8
STRIDE = 1 << SHIFT
"""An outcome is stored as one number: the index of the arrangement before the eruption × STRIDE + the action that makes
the stack erupt."""
LANDED = 8
"""Exclusive upper bound of the number of pieces that land in an eruption: no line of cells is longer than 7."""


@kernel
def rank(cells: Word) -> int:
    """Returns the index of a set of cells among all sets of the same size, with which an array can store data about it.

    The number is a sum of binomial coefficients (`board.CHOOSE`).
    """
    number = 0
    size = 1
    while cells != NONE:
        number += CHOOSE[lowest(cells), size]
        cells &= cells - ONE
        size += 1
    return number


@kernel
def reach(p: Position, sets: Any, previous: Any, met: Any, outcomes: Any) -> tuple[int, int, int]:
    """Finds the outcomes of the turn, by a breadth-first search over the arrangements of the caps that quiet steps can
    reach.

    An arrangement is a set of capped cells. A quiet step is a step of a cap without an eruption. An outcome is an
    eruption together with the capped cells after it.

    Args:
        p: the position.
        sets: filled with the arrangements (sets of capped cells), nearest first. Its length is the greatest number of
            arrangements to search.
        previous: shape (length of `sets`, 2). For each arrangement, filled with the index of the arrangement before it
            and the action that led from that one.
        met: scratch array, zeros at first, with one element for each possible arrangement.
        outcomes: filled with the outcomes, nearest first. Each is one integer: the index of the arrangement before the
            eruption × STRIDE + the action that makes the stack erupt.

    Returns:
        The number of arrangements, the number of outcomes, and the number of barred steps. A barred step would have led
        to a new arrangement, but the house rule forbids it: a cap may not return to a cell within the turn.
    """
    board = int(p.board)
    width = int(HEADINGS[board])
    full = NONE
    for cell in range(NEAR.shape[1]):
        if p.top[cell] > 0:
            full |= ONE << np.uint64(cell)
    sets[0] = p.caps
    met[rank(p.caps)] = 1
    reached = 1
    count = 0
    refused = 0
    place: Any = np.int64(0)
    while place < reached:
        arrangement = sets[place]
        caps = arrangement
        while caps != NONE:
            cell = lowest(caps)
            caps &= caps - ONE
            is_full = (full >> np.uint64(cell)) & ONE != NONE
            free = NEAR[board, cell] & ~arrangement
            left = arrangement ^ (ONE << np.uint64(cell))
            while free != NONE:
                to = lowest(free)
                free &= free - ONE
                action = cell * width + int(HEADING_TO[board, cell, to])
                beyond = int(BEYOND[board, action])
                if is_full and beyond >= 0 and (arrangement >> np.uint64(beyond)) & ONE == NONE:
                    outcomes[count] = place * STRIDE + action
                    count += 1
                    continue
                after = left | (ONE << np.uint64(to))
                number = rank(after)
                if met[number] != 0 or reached == sets.shape[0]:
                    continue
                if barred(p, previous, place, cell, to):
                    refused += 1
                    continue
                met[number] = 1
                sets[reached] = after
                previous[reached, 0] = place
                previous[reached, 1] = action
                reached += 1
        place += 1
    return reached, count, refused


@kernel
def barred(p: Position, previous: Any, place: int, cell: int, to: int) -> bool:
    """Returns whether the house rule bars a quiet step from `cell` to `to`, because the cap has been on `to` in this
    turn.

    A quiet step is a step of a cap without an eruption.

    Args:
        p: the position at which the search started.
        previous: the array that `reach` fills; it determines the steps before this one.
        place: index of the arrangement (set of capped cells) before the step.
        cell: cell of the cap in this arrangement.
        to: target of the step.
    """
    board = int(p.board)
    while place > 0:
        action = int(previous[place, 1])
        if TARGET[board, action] == cell:
            cell = int(ORIGIN[board, action])
            if cell == to:
                return True
        place = int(previous[place, 0])
    return bool((p.seen[p.cap_on[cell]] >> np.uint64(to)) & ONE != NONE)


@kernel
def first_of_each(p: Position, sets: Any, outcomes: Any, known: Any, first: Ints) -> int:
    """Finds, for each different eruption, the outcome of the turn with the fewest quiet steps.

    An outcome is an eruption with the capped cells after it. A quiet step is a step of a cap without an eruption.
    Eruptions differ by the stack, the direction or the number of landing pieces. Returns the number of eruptions.

    Args:
        p: the position.
        sets, outcomes: arrangements of the caps and outcomes, as the kernel `reach` has written them.
        known: scratch array of shape (STRIDE, LANDED), false at first.
        first: filled with the index in `outcomes` of the outcome found for each eruption.
    """
    different = 0
    for index in range(len(outcomes)):
        outcome = int(outcomes[index])
        action = outcome & (STRIDE - 1)
        landed, _ = foresee(p, sets[outcome >> SHIFT], action)
        if not known[action, landed]:
            known[action, landed] = True
            first[different] = index
            different += 1
    return different


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """One outcome of a turn: an eruption, and the capped cells after it.

    Attributes:
        caps: names of the capped cells after the turn, in the order of the cells.
        source: name of the cell whose stack erupts.
        heading: name of the eruption's direction.
        actions: a legal sequence of cap steps that leads to the outcome; only the last one makes a stack erupt.
    """

    caps: tuple[str, ...]
    source: str
    heading: str
    actions: tuple[int, ...]


class TurnOutcomes:
    """The distinct outcomes of the current turn, as a sequence of `TurnOutcome`. Each is created when it is accessed.

    Outcomes that need fewer quiet steps (cap steps without an eruption) come first.

    Every listed outcome is legal, but a few legal ones can be missing. By the house rule a cap may not return to a cell
    within the turn, so the legal steps depend on the steps before. Only one sequence of steps is stored for each
    arrangement of the caps, and this sequence may bar a step that another sequence would allow. `refused` is the number
    of barred steps: if it is 0, no outcome of the searched arrangements is missing.

    The share of missing outcomes was measured. In the opening on the square board, at most 100 of 657,624 are missing.
    On small random positions with one to three caps and nearly full boards, every legal sequence was tried: 0.8 % of
    17,056 outcomes were missing on the square board (in 5 of 167 positions), and 3.7 % of 34,650 on the hex board (in 8
    of 230). A test repeats this second measurement.

    Attributes:
        arrangements: number of arrangements of the caps that were searched, the present one included.
        complete: whether all reachable arrangements were searched; False if the search stopped at its limit.
        refused: number of steps to a new arrangement that the house rule barred.
    """

    def __init__(self, record: Any, most: int = MOST) -> None:
        """Searches the arrangements of caps that the turn can reach, at most `most` of them.

        Args:
            record: the position, a record with the dtype PYRAMIDS. The game must not be over.
            most: greatest number of arrangements.

        Raises:
            ValueError: `most` is below 1.
        """
        if most < 1:
            raise ValueError(f"most is the number of arrangements to search, at least 1, not {most}")
        self._board = BOARDS[int(record["board"])]
        self._record = record.copy()
        caps = popcount(record["caps"])
        existing = comb(len(self._board.cells), caps)
        size = min(most, existing)
        sets = np.empty(size, np.uint64)
        previous = np.zeros((size, 2), np.int32)
        outcomes = np.empty(size * max(1, caps) * len(self._board.headings), np.int32)
        reached, count, self.refused = reach(record, sets, previous, np.zeros(existing, np.uint8), outcomes)
        self.arrangements = reached
        self.complete = reached < size or size == existing
        self._sets, self._previous, self._outcomes = sets[:reached], previous[:reached], outcomes[:count]

    def __len__(self) -> int:
        return len(self._outcomes)

    @overload
    def __getitem__(self, index: int) -> TurnOutcome: ...

    @overload
    def __getitem__(self, index: slice) -> list[TurnOutcome]: ...

    def __getitem__(self, index: int | slice) -> TurnOutcome | list[TurnOutcome]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        actions = self.actions(index)
        board, last = self._board, actions[-1]
        cell, heading = divmod(last, len(board.headings))
        caps = int(self._sets[int(self._outcomes[index]) // STRIDE])
        caps ^= 1 << cell | 1 << board.neighbours[cell][heading]
        names = tuple(name for number, name in enumerate(board.cells) if caps >> number & 1)
        return TurnOutcome(names, board.cells[cell], board.headings[heading], actions)

    def __iter__(self) -> Iterator[TurnOutcome]:
        return (self[index] for index in range(len(self)))

    def actions(self, index: int) -> tuple[int, ...]:
        """Returns the actions of the outcome at `index`. This is faster than creating the whole TurnOutcome."""
        place, last = divmod(int(self._outcomes[index]), STRIDE)
        actions = [last]
        while place > 0:
            actions.append(int(self._previous[place, 1]))
            place = int(self._previous[place, 0])
        return tuple(reversed(actions))

    def eruptions(self) -> list[int]:
        """Returns, for each different eruption, the index of an outcome that needs the fewest quiet steps.

        A quiet step is a step of a cap without an eruption. Eruptions differ by the stack, the direction or the number
        of landing pieces.
        """
        known, first = np.zeros((STRIDE, LANDED), np.bool_), np.empty(STRIDE * LANDED, np.int64)
        different = first_of_each(self._record, self._sets, self._outcomes, known, first)
        return [int(index) for index in first[:different]]
