"""What the search asks of this game: the turns to look at in a node, what they do, and what a node is worth."""

from __future__ import annotations

from collections.abc import Mapping

from lapilli.games.pyramids.board import ALL_COLOURS, CELL_COUNT, HEADINGS
from lapilli.games.pyramids.engine.evaluation import WEIGHTS
from lapilli.games.pyramids.engine.evaluation import WIN as WIN
from lapilli.games.pyramids.engine.evaluation import value as value
from lapilli.games.pyramids.engine.node import ACTION_BITS, CAPS_SHIFT, LINES, NUMBERED, PIECE
from lapilli.games.pyramids.engine.node import NODE as NODE
from lapilli.games.pyramids.engine.node import advance as advance
from lapilli.games.pyramids.engine.reachable import ROOM, find_reachable
from lapilli.games.pyramids.engine.root import Root
from lapilli.kernels.kernel import Ints, Position, kernel

MAX_TURNS = 320
"""No node has so many different eruptions."""
NAMES = 2048
"""A move's lowest bits, below this, name its eruption: for what is learned of moves while searching."""
EFFORT = 0
"""Where in the scratch room `turns` writes what it took, in nodes' worth of time."""
_END = 3000
"""What the last missing colour gains: it is never left out, and looked at first."""
_WORTHS = 1
_REACHABLE = _WORTHS + 32
SCRATCH = _REACHABLE + ROOM
SETTINGS = {"eruptions": 12.0, "forms": 16.0, "exact": 3.0, "arrangements": 20_000.0, **WEIGHTS}
"""The engine's own settings: of how many eruptions the forms are looked at, and how many of each; for how many plies
the caps are known; how many arrangements of the caps are looked at for a turn; and the weights of the evaluation."""


@kernel
def turns(n: Position, noisy: int, moves: Ints, gains: Ints, scratch: Ints) -> int:
    """Writes the turns of the player to move and what each gains at once; returns how many.

    Where the caps are known, those within reach; otherwise all that there could be.

    Args:
        noisy: 1 for only those whose last piece to land is captured.
    """
    board = int(n.board)
    width = int(HEADINGS[board])
    _weigh_pieces(n, scratch[_WORTHS:])
    scratch[EFFORT] = 1
    found = 0
    if n.caps != 0:
        found = _REACHABLE + find_reachable(n, 1 if n.exact > 0 else 0, scratch[_REACHABLE:])
        scratch[EFFORT] += scratch[SCRATCH - 1]
    count = 0
    for cell in range(CELL_COUNT[board]):
        stack = int(n.stacks[cell])
        if stack == 0:
            continue
        for action in range(cell * width, (cell + 1) * width):
            rest = stack
            gain = 0
            landed = 0
            while rest > 0 and LINES[board, action, landed] >= 0:
                piece = rest & PIECE
                captured = int(n.stacks[LINES[board, action, landed]]) & 3 == piece & 3
                rest >>= 5
                landed += 1
                if captured:
                    gain += scratch[_WORTHS + piece]
                elif noisy != 0:
                    continue
                caps = 0
                if found > 0:
                    caps = scratch[found + 1 + int(NUMBERED[board, action]) + landed]
                    if caps < 0 and scratch[found] != 0:  # it can reach so much that it is taken to reach this
                        caps = 0
                if caps >= 0:
                    moves[count] = caps << CAPS_SHIFT | landed << ACTION_BITS | action
                    gains[count] = gain
                    count += 1
    return count


@kernel
def _weigh_pieces(n: Position, out: Ints) -> None:
    """Writes what each piece, by its bits, would be worth to the player to move, about and rather too much: points in
    hundredths, a new colour, the end of the game."""
    player = int(n.player)
    counts = int(n.captures[player])
    smalls = 0
    mediums = 0
    larges = 0
    word = counts
    while word != 0:
        smalls += word & 7
        mediums += (word >> 3) & 7
        larges += (word >> 6) & 7
        word >>= 9
    small_is_rare = 200 if smalls < mediums and smalls < larges else 0
    medium_is_rare = 200 if mediums < smalls and mediums < larges else 0
    large_is_rare = 200 if larges < smalls and larges < mediums else 0
    for colour in range(6):
        small = counts & 7
        medium = (counts >> 3) & 7
        large = (counts >> 6) & 7
        counts >>= 9
        worth = 100
        colours = int(n.colours[player]) | 1 << colour
        if colours != n.colours[player]:
            worth = _END if colours == ALL_COLOURS[n.board] else 200
        out[colour * 4 + 1] = worth + small_is_rare + (200 if small < medium and small < large else 0)
        out[colour * 4 + 2] = worth + medium_is_rare + (200 if medium < small and medium < large else 0)
        out[colour * 4 + 3] = worth + large_is_rare + (200 if large < small and large < medium else 0)


def new_turns(settings: Mapping[str, float]) -> Root:
    """Room for the turns of a position."""
    return Root(settings)
