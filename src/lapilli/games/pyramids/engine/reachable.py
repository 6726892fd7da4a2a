"""Finds the eruptions that are possible after quiet steps from the present arrangement of the caps.

An arrangement is a set of capped cells. A quiet step moves a cap without an eruption, so it leads from one arrangement
to another.
"""

from __future__ import annotations

import numpy as np

from lapilli.games.pyramids import board as tables
from lapilli.games.pyramids.board import BOARDS, CELL_COUNT, CELLS, HEADINGS
from lapilli.games.pyramids.engine.node import CAP_KEYS, ERUPTIONS, LINES, NUMBERED
from lapilli.kernels.kernel import Ints, Position, kernel, lowest, popcount

LIMIT = 400
"""Greatest number of arrangements that are searched at a node. If there are more, all eruptions are assumed to be
possible."""
SLOTS = 1024
"""Number of slots of the cache. A slot stores the eruptions that are possible at one node."""
_PLACES = 4096
_WIDTH = ERUPTIONS + 2

# Layout of the scratch array of REACHABLE_SCRATCH integers:
# - from 0 on: a cache with SLOTS slots; each has a node's key and the result of `find_reachable`.
# - from _QUEUE on: a queue of arrangements.
# - from _SET on: a hash set of arrangements.
# - from _FREE on, by eruption: the number of quiet steps that are possible after the eruption.
# - from _QUIET on, by cell: the cells to which the cap on this cell can step quietly.
# - at _USES: the number of searches so far.
# - at _EFFORT: the effort of the last search, as the number of nodes that would take the same time.
_QUEUE = SLOTS * _WIDTH
_SET = _QUEUE + LIMIT
_FREE = _SET + _PLACES
_QUIET = _FREE + ERUPTIONS
_USES = _QUIET + CELLS
_EFFORT = _USES + 1
REACHABLE_SCRATCH = _EFFORT + 1
STAMP = 40


def _tables() -> tuple[np.ndarray, ...]:
    edge = np.zeros((2, CELLS), np.int64)
    middle = np.zeros((2, CELLS, CELLS), np.int64)
    for board in BOARDS:
        index = board.index
        for cell, around in enumerate(board.neighbours):
            for heading, to in enumerate(around):
                if to < 0:
                    continue
                beyond = board.neighbours[to][heading]
                if beyond < 0:
                    edge[index, cell] |= 1 << to
                else:
                    middle[index, cell, beyond] = 1 << to
    return edge, middle


NEAR, HEADING_TO = tables.NEAR.astype(np.int64), tables.HEADING_TO.astype(np.int64)
"""Tables of `pyramids.board`, as signed integers."""
_EDGE, _MIDDLE = _tables()
"""Tables for the kernels. Sets of cells are the bits of an integer.

- `_EDGE`, by board and cell: the set of neighbours beyond which the board ends.
- `_MIDDLE`, by board and two cells: the set with the cell between them if they are two steps apart; else 0."""


@kernel
def full_cells(n: Position) -> int:
    """Returns the set of cells that have pieces in the node `n`, as the bits of an integer."""
    full = 0
    for cell in range(CELL_COUNT[n.board]):
        if n.stacks[cell] != 0:
            full |= 1 << cell
    return full


@kernel
def quiet_targets(board: int, caps: int, full: int, cell: int) -> int:
    """Returns the set of cells to which the cap on `cell` may step quietly, that is, without an eruption.

    The house rule, by which a cap may not return to a cell within a turn, is ignored. Sets are the bits of an integer.

    Args:
        board: index of the board.
        caps: set of capped cells.
        full: set of cells that have pieces.
        cell: a capped cell.
    """
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
    """Returns the number of possible quiet steps (steps without an eruption) of all caps together.

    The house rule, by which a cap may not return to a cell within a turn, is ignored.

    Args:
        board: index of the board.
        caps: set of capped cells.
        full: set of cells that have pieces.
    """
    count = 0
    left = caps
    while left != 0:
        count += popcount(quiet_targets(board, caps, full, lowest(left)))
        left &= left - 1
    return count


@kernel
def full_after(n: Position, full: int, action: int, landed: int) -> int:
    """Returns the set of cells that have pieces after an eruption, as the bits of an integer.

    Args:
        n: the node before the eruption.
        full: set of cells that have pieces before the eruption.
        action: the action that makes a stack erupt.
        landed: number of landing pieces.
    """
    board = int(n.board)
    cell = action // int(HEADINGS[board])
    for place in range(landed):
        full |= 1 << int(LINES[board, action, place])
    if n.heights[cell] == landed:
        full ^= 1 << cell
    return full


@kernel
def landing(n: Position, caps: int, action: int) -> int:
    """Returns the number of pieces that land if `action` makes a stack of the node `n` erupt.

    `caps` is the set of capped cells.
    """
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
def find_reachable(n: Position, tighten: int, scratch: Ints) -> int:
    """Finds the eruptions that are possible at a node after quiet steps, or takes them from the cache.

    A quiet step is a step of a cap without an eruption. An arrangement is a set of capped cells.

    Args:
        n: the node; its field `caps` must not be 0.
        tighten: 1 to find also, for each eruption, the arrangement of the caps that leaves the other player the fewest
            quiet steps; 0 to find only the eruptions.
        scratch: scratch array of REACHABLE_SCRATCH integers, zeros at first.

    Returns:
        The index in `scratch` at which the result begins. Its first integer is 1 if there are more than LIMIT
        arrangements, so that all eruptions are assumed to be possible. The next ones are, by the number of the
        eruption, the set of capped cells after it: 0 if they are not known, -1 if the eruption was not found.
    """
    slot = (int(n.key) & (SLOTS - 1)) * _WIDTH
    scratch[_EFFORT] = 0
    if scratch[slot] != n.key ^ tighten:
        scratch[slot] = n.key ^ tighten
        scratch[slot + 1] = 0
        for place in range(slot + 2, slot + _WIDTH):
            scratch[place] = -1
        for place in range(_FREE, _FREE + ERUPTIONS):
            scratch[place] = 1 << 20
        _search_arrangements(n, tighten, slot, scratch)
    return slot + 1


@kernel
def _search_arrangements(n: Position, tighten: int, slot: int, scratch: Ints) -> None:
    """Finds the eruptions that are possible at a node, and writes them into a cache for later calls.

    Searches breadth-first over at most LIMIT arrangements of the caps (sets of capped cells). The house rule, by which
    a cap may not return to a cell within a turn, is ignored.

    Args:
        n: the node.
        tighten: 1 to find also, for each eruption, the arrangement of the caps that leaves the other player the fewest
            quiet steps (steps without an eruption); 0 to find only the eruptions.
        slot: index in `scratch` at which the result is written, as `find_reachable` returns it.
        scratch: scratch array that contains the cache.
    """
    full = full_cells(n)
    met = scratch[_SET:_FREE]
    scratch[_USES] += 1
    stamp = int(scratch[_USES]) << STAMP
    met[hash_of(int(n.caps)) & (_PLACES - 1)] = stamp | int(n.caps)
    scratch[_QUEUE] = n.caps
    reached = 1
    place = 0
    while place < reached and scratch[slot + 1] == 0:
        caps = int(scratch[_QUEUE + place])
        place += 1
        _store_eruptions(n, caps, full, tighten, slot, scratch)
        key = hash_of(caps)
        left = caps
        while left != 0:
            cell = lowest(left)
            left &= left - 1
            quiet = int(scratch[_QUIET + cell])
            while quiet != 0:
                to = lowest(quiet)
                quiet &= quiet - 1
                after = caps ^ (1 << cell) ^ (1 << to)
                at = free_slot(met, _PLACES - 1, stamp | after, key ^ int(CAP_KEYS[cell]) ^ int(CAP_KEYS[to]))
                if at >= 0 and reached == LIMIT:
                    scratch[slot + 1] = 1
                elif at >= 0:
                    met[at] = stamp | after
                    scratch[_QUEUE + reached] = after
                    reached += 1
    scratch[_EFFORT] = (reached + place) // 4


@kernel
def _store_eruptions(n: Position, caps: int, full: int, tighten: int, slot: int, scratch: Ints) -> None:
    """Finds the eruptions that are possible if the caps lie on the cells `caps`, and stores them in the cache.

    Also writes the quiet steps, which are steps of caps without an eruption, into `scratch` from the index _QUIET on.

    Args:
        n: the node.
        caps: set of capped cells.
        full: set of cells that have pieces.
        tighten: 1 to find also, for each eruption, the arrangement of the caps that leaves the other player the fewest
            quiet steps; 0 to find only the eruptions.
        slot: index in `scratch` at which the result is written.
        scratch: scratch array that contains the cache.
    """
    board = int(n.board)
    width = int(HEADINGS[board])
    steps = 0
    left = caps
    while left != 0:
        cell = lowest(left)
        left &= left - 1
        scratch[_QUIET + cell] = quiet_targets(board, caps, full, cell)
        steps += popcount(scratch[_QUIET + cell])
    left = caps
    while left != 0:
        cell = lowest(left)
        left &= left - 1
        quiet = int(scratch[_QUIET + cell])
        others = caps ^ (1 << cell)
        erupting = int(NEAR[board, cell]) & ~caps & ~quiet
        while erupting != 0:
            to = lowest(erupting)
            erupting &= erupting - 1
            action = cell * width + int(HEADING_TO[board, cell, to])
            landed = landing(n, others, action)
            number = int(NUMBERED[board, action]) + landed
            if tighten == 0:
                scratch[slot + 2 + number] = 0
            elif scratch[_FREE + number] > steps - popcount(quiet):  # estimates the later quiet steps quickly
                after = others | 1 << to
                free = freedom(board, after, full_after(n, full, action, landed))
                if free < scratch[_FREE + number]:
                    scratch[_FREE + number] = free
                    scratch[slot + 2 + number] = after


@kernel
def forget(scratch: Ints) -> None:
    """Empties the cache that `find_reachable` has filled in a scratch array.

    After this, a search does not depend on earlier searches, and takes as long as the first.
    """
    for slot in range(SLOTS):
        scratch[slot * _WIDTH] = 0
    scratch[_SET:_FREE] = 0
    scratch[_USES] = 0


@kernel
def hash_of(caps: int) -> int:
    """Returns the hash of `caps`, a set of capped cells. Each cell has a random key; the hash is the XOR of these
    keys.
    """
    key = 0
    while caps != 0:
        key ^= CAP_KEYS[lowest(caps)]
        caps &= caps - 1
    return key


@kernel
def free_slot(met: Ints, mask: int, stamped: int, key: int) -> int:
    """Returns the index at which to store an arrangement in a hash set; -1 if the arrangement is stored already.

    Args:
        met: the hash set, zeros at first.
        mask: last index that is used, a power of two minus one.
        stamped: the arrangement as a set of cells, with the number of the search (from 1) in the bits from STAMP on.
            Entries of earlier searches are treated as empty, so the hash set need not be cleared.
        key: the hash of the arrangement, from `hash_of`.
    """
    use = stamped >> STAMP
    at = key & mask
    while met[at] >> STAMP == use:
        if met[at] == stamped:
            return -1
        at = (at + 1) & mask
    return at
