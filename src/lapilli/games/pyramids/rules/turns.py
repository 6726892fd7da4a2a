"""Whole turns: every outcome of the turn of the player to move, with a sequence of steps that leads there.

An outcome consists of the caps' cells at the end, the stack that erupted and its direction: quiet steps move no piece.
Caps are interchangeable, so outcomes are found breadth-first over *arrangements*, that is sets of capped cells. The
square board has 53,130 of them and the hex board 2,324,784.
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
"""Default maximum of arrangements to search: all of the square board, the nearest of the hex board."""
SHIFT = 8
STRIDE = 1 << SHIFT
"""An outcome is one number: the index of the arrangement it starts from × STRIDE + the erupting action."""
LANDED = 8
"""An eruption lands fewer pieces than this: no line of cells is longer than 7."""


@kernel
def rank(cells: Word) -> int:
    """Returns the number of a set of cells among the sets of its size."""
    number = 0
    size = 1
    while cells != NONE:
        number += CHOOSE[lowest(cells), size]
        cells &= cells - ONE
        size += 1
    return number


@kernel
def reach(p: Position, sets: Any, came: Any, met: Any, outcomes: Any) -> tuple[int, int, int]:
    """Searches breadth-first over the arrangements that quiet steps lead to.

    Args:
        p: the position.
        sets: receives the arrangements, nearest first; its length is the maximum number to search.
        came: shape (length of `sets`, 2): receives, for each arrangement, the index of the one before it and the action
            that led from there.
        met: one element for each arrangement, by `rank`; zeros.
        outcomes: receives the outcomes, nearest first.

    Returns:
        The numbers of arrangements and of outcomes, and how often the house rule barred the step to a new arrangement.
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
                if barred(p, came, place, cell, to):
                    refused += 1
                    continue
                met[number] = 1
                sets[reached] = after
                came[reached, 0] = place
                came[reached, 1] = action
                reached += 1
        place += 1
    return reached, count, refused


@kernel
def barred(p: Position, came: Any, place: int, cell: int, to: int) -> bool:
    """Returns whether the cap on `cell`, in the arrangement at index `place`, has been on `to` in the recorded sequence
    of steps or before.
    """
    board = int(p.board)
    while place > 0:
        action = int(came[place, 1])
        if TARGET[board, action] == cell:
            cell = int(ORIGIN[board, action])
            if cell == to:
                return True
        place = int(came[place, 0])
    return bool((p.seen[p.cap_on[cell]] >> np.uint64(to)) & ONE != NONE)


@kernel
def first_of_each(p: Position, sets: Any, outcomes: Any, known: Any, first: Ints) -> int:
    """Writes the index of the nearest outcome of every different eruption to `first`; returns how many there are.

    Eruptions differ by the stack, the direction or the number of landing pieces.

    Args:
        known: zeros of shape (STRIDE, LANDED).
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
    """One outcome of a turn.

    Attributes:
        caps: names of the capped cells afterwards, in the order of the cells.
        source: cell whose stack erupts.
        heading: name of the eruption's direction.
        actions: a legal sequence of cap steps that leads there; only the last one erupts.
    """

    caps: tuple[str, ...]
    source: str
    heading: str
    actions: tuple[int, ...]


class TurnOutcomes:
    """The distinct results of the current turn, as a sequence of `TurnOutcome`. Each is made when it is accessed.

    Each outcome has one sequence of steps that leads to it. A quiet step moves a cap without an eruption. Outcomes that
    need fewer quiet steps come first.

    Every listed outcome is legal, but a few legal ones can be missing. By the house rule a cap may not return to a cell
    within the turn, so what is legal depends on the steps before. Only one sequence is stored for each arrangement of
    the caps, and that sequence may bar a step that another one would allow. `refused` counts the barred steps: if it is
    0, nothing is missing.

    How much is missed was measured. In the opening on the square board it is at most 100 of 657,624 outcomes. Trying
    every legal sequence on small random positions with one to three caps and nearly full boards gave: 0.8 % of 17,056
    outcomes on the square board, in 5 of 167 positions, and 3.7 % of 34,650 on the hex board, in 8 of 230 (a test
    repeats it).

    Attributes:
        arrangements: number of arrangements of the caps that quiet steps reached, the present one included.
        complete: whether all reachable arrangements were searched; False if the search stopped at its limit.
        refused: number of steps to a new arrangement that the house rule barred after the stored sequence.
    """

    def __init__(self, record: Any, most: int = MOST) -> None:
        """Searches at most `most` arrangements from `record`, which must be of a game that is not over."""
        if most < 1:
            raise ValueError(f"most is the number of arrangements to search, at least 1, not {most}")
        self._board = BOARDS[int(record["board"])]
        self._record = record.copy()
        caps = popcount(record["caps"])
        existing = comb(len(self._board.cells), caps)
        size = min(most, existing)
        sets = np.empty(size, np.uint64)
        came = np.zeros((size, 2), np.int32)
        outcomes = np.empty(size * max(1, caps) * len(self._board.headings), np.int32)
        reached, count, self.refused = reach(record, sets, came, np.zeros(existing, np.uint8), outcomes)
        self.arrangements = reached
        self.complete = reached < size or size == existing
        self._sets, self._came, self._outcomes = sets[:reached], came[:reached], outcomes[:count]

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
        """Returns the steps of the outcome at `index`; faster than making the whole outcome."""
        place, last = divmod(int(self._outcomes[index]), STRIDE)
        actions = [last]
        while place > 0:
            actions.append(int(self._came[place, 1]))
            place = int(self._came[place, 0])
        return tuple(reversed(actions))

    def eruptions(self) -> list[int]:
        """Returns the index of one nearest outcome of every different eruption (stack, direction, number of pieces)."""
        known, first = np.zeros((STRIDE, LANDED), np.bool_), np.empty(STRIDE * LANDED, np.int64)
        different = first_of_each(self._record, self._sets, self._outcomes, known, first)
        return [int(index) for index in first[:different]]
