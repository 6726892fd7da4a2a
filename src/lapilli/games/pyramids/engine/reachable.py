"""What can be reached from where the caps stand: quiet steps lead from arrangement to arrangement."""

from __future__ import annotations

import numpy as np

from lapilli.games.pyramids.board import BOARDS, CELL_COUNT, CELLS, HEADINGS
from lapilli.games.pyramids.engine.node import CAP_KEYS, ERUPTIONS, LINES, NUMBERED
from lapilli.kernels.kernel import Ints, Position, kernel, lowest, popcount

LIMIT = 400
"""So many arrangements are looked at; who can reach more is taken to reach everything."""
SLOTS = 1024
"""So many nodes' eruptions are kept."""
_PLACES = 4096
_WIDTH = ERUPTIONS + 2

# The room for it, an array of integers: what is kept (a node's key and what `find_reachable` says); a queue of
# arrangements; a hash set of them; by eruption, how free the caps are afterwards; by cell, where its cap can go; the
# number of this use; what it took, in nodes' worth of time.
_QUEUE = SLOTS * _WIDTH
_SET = _QUEUE + LIMIT
_FREE = _SET + _PLACES
_QUIET = _FREE + ERUPTIONS
_USES = _QUIET + CELLS
_EFFORT = _USES + 1
ROOM = _EFFORT + 1
STAMP = 40


def _tables() -> tuple[np.ndarray, ...]:
    near = np.zeros((2, CELLS), np.int64)
    edge = np.zeros((2, CELLS), np.int64)
    middle = np.zeros((2, CELLS, CELLS), np.int64)
    heading_to = np.zeros((2, CELLS, CELLS), np.int64)
    for board in BOARDS:
        index = board.index
        for cell, around in enumerate(board.neighbours):
            for heading, to in enumerate(around):
                if to < 0:
                    continue
                near[index, cell] |= 1 << to
                heading_to[index, cell, to] = heading
                beyond = board.neighbours[to][heading]
                if beyond < 0:
                    edge[index, cell] |= 1 << to
                else:
                    middle[index, cell, beyond] = 1 << to
    return near, edge, middle, heading_to


NEAR, _EDGE, _MIDDLE, HEADING_TO = _tables()
"""By board and cell: the set of its neighbours; of those from where the board ends in that direction. By board and two
cells: the cell between them, as a set, where they are two steps apart in a direction. By board and two neighbours: the
heading from one to the other."""


@kernel
def full_cells(n: Position) -> int:
    """The set of cells with pieces."""
    full = 0
    for cell in range(CELL_COUNT[n.board]):
        if n.stacks[cell] != 0:
            full |= 1 << cell
    return full


@kernel
def quiet_targets(board: int, caps: int, full: int, cell: int) -> int:
    """The set of cells that the cap on `cell` may step to quietly, the house rule aside."""
    free = int(NEAR[board, cell]) & ~caps
    if (full >> cell) & 1 == 0:
        return free
    held = int(_EDGE[board, cell])
    others = caps
    while others != 0:
        held |= int(_MIDDLE[board, cell, lowest(others)])
        others &= others - 1
    return free & held


@kernel
def freedom(board: int, caps: int, full: int) -> int:
    """How many quiet steps there are."""
    count = 0
    left = caps
    while left != 0:
        count += popcount(quiet_targets(board, caps, full, lowest(left)))
        left &= left - 1
    return count


@kernel
def full_after(n: Position, full: int, action: int, landed: int) -> int:
    """The set of cells with pieces after an eruption."""
    board = int(n.board)
    cell = action // int(HEADINGS[board])
    for place in range(landed):
        full |= 1 << int(LINES[board, action, place])
    if n.heights[cell] == landed:
        full ^= 1 << cell
    return full


@kernel
def landing(n: Position, caps: int, action: int) -> int:
    """How many pieces land where `action` makes a stack erupt."""
    board = int(n.board)
    rest = int(n.stacks[action // int(HEADINGS[board])])
    landed = 0
    at = int(LINES[board, action, 0])
    while at >= 0 and rest > 0 and (caps >> at) & 1 == 0:
        rest >>= 5
        landed += 1
        at = int(LINES[board, action, landed])
    return landed


@kernel
def find_reachable(n: Position, tighten: int, room: Ints) -> int:
    """Finds what can erupt from where the caps of `n` stand, or has it from before.

    Args:
        tighten: 1 to find for each eruption where the caps should stand afterwards to be least free to move.

    Returns:
        Where in `room` it lies: 1 if everything is within reach; then, by the number of each eruption, the caps
        afterwards, 0 if they may be anywhere, -1 where it was not found.
    """
    slot = (int(n.key) & (SLOTS - 1)) * _WIDTH
    room[_EFFORT] = 0
    if room[slot] != n.key ^ tighten:
        room[slot] = n.key ^ tighten
        room[slot + 1] = 0
        for place in range(slot + 2, slot + _WIDTH):
            room[place] = -1
        for place in range(_FREE, _FREE + ERUPTIONS):
            room[place] = 1 << 20
        _look_around(n, tighten, slot, room)
    return slot + 1


@kernel
def _look_around(n: Position, tighten: int, slot: int, room: Ints) -> None:
    """Breadth first over the arrangements that quiet steps lead to, the house rule aside, up to LIMIT."""
    full = full_cells(n)
    met = room[_SET:_FREE]
    room[_USES] += 1
    stamp = int(room[_USES]) << STAMP
    met[hash_of(int(n.caps)) & (_PLACES - 1)] = stamp | int(n.caps)
    room[_QUEUE] = n.caps
    reached = 1
    place = 0
    while place < reached and room[slot + 1] == 0:
        caps = int(room[_QUEUE + place])
        place += 1
        _note_eruptions(n, caps, full, tighten, slot, room)
        key = hash_of(caps)
        left = caps
        while left != 0:
            cell = lowest(left)
            left &= left - 1
            quiet = int(room[_QUIET + cell])
            while quiet != 0:
                to = lowest(quiet)
                quiet &= quiet - 1
                after = caps ^ (1 << cell) ^ (1 << to)
                at = place_for(met, _PLACES - 1, stamp | after, key ^ int(CAP_KEYS[cell]) ^ int(CAP_KEYS[to]))
                if at >= 0 and reached == LIMIT:
                    room[slot + 1] = 1
                elif at >= 0:
                    met[at] = stamp | after
                    room[_QUEUE + reached] = after
                    reached += 1
    room[_EFFORT] = (reached + place) // 4


@kernel
def _note_eruptions(n: Position, caps: int, full: int, tighten: int, slot: int, room: Ints) -> None:
    """Notes what can erupt from an arrangement and, by cell, where its caps can go quietly."""
    board = int(n.board)
    width = int(HEADINGS[board])
    steps = 0
    left = caps
    while left != 0:
        cell = lowest(left)
        left &= left - 1
        room[_QUIET + cell] = quiet_targets(board, caps, full, cell)
        steps += popcount(room[_QUIET + cell])
    left = caps
    while left != 0:
        cell = lowest(left)
        left &= left - 1
        quiet = int(room[_QUIET + cell])
        others = caps ^ (1 << cell)
        erupting = int(NEAR[board, cell]) & ~caps & ~quiet
        while erupting != 0:
            to = lowest(erupting)
            erupting &= erupting - 1
            action = cell * width + int(HEADING_TO[board, cell, to])
            landed = landing(n, others, action)
            number = int(NUMBERED[board, action]) + landed
            if tighten == 0:
                room[slot + 2 + number] = 0
            elif room[_FREE + number] > steps - popcount(quiet):  # about what remains, which is known already
                after = others | 1 << to
                free = freedom(board, after, full_after(n, full, action, landed))
                if free < room[_FREE + number]:
                    room[_FREE + number] = free
                    room[slot + 2 + number] = after


@kernel
def hash_of(caps: int) -> int:
    """A hash of an arrangement: of its caps' keys the exclusive or."""
    key = 0
    while caps != 0:
        key ^= CAP_KEYS[lowest(caps)]
        caps &= caps - 1
    return key


@kernel
def place_for(met: Ints, mask: int, stamped: int, key: int) -> int:
    """Where an arrangement belongs that is met for the first time in a use; -1 if it was met before.

    Args:
        met: a hash set, zeros at first; of it the places up to `mask`, a power of two less one, are used.
        stamped: the arrangement, and above STAMP the number of the use, from 1.
        key: the arrangement's `hash_of`.
    """
    use = stamped >> STAMP
    at = key & mask
    while met[at] >> STAMP == use:
        if met[at] == stamped:
            return -1
        at = (at + 1) & mask
    return at
