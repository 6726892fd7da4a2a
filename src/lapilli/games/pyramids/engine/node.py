"""Nodes: positions in the form that the search uses. A stack is one integer; the cells of the caps may be unknown.

An *eruption* is the effect of a turn on the stacks: which stack erupts, in which direction, and how many pieces land.
Caps move so freely that usually every eruption is possible from every arrangement of the caps. So the search stores the
cells of the caps only in nodes near the root. There it matters which eruptions the other player can still reach. In
deeper nodes, the search does not know these cells, and assumes that any cells can have caps.
"""

from __future__ import annotations

import numpy as np

from lapilli.games.pyramids.board import (
    ALL_COLOURS,
    BOARDS,
    CELLS,
    COPIES,
    GRID,
    HEADINGS,
    KINDS,
    NUM_ACTIONS,
    PIECES,
    TURN_LIMIT,
)
from lapilli.games.pyramids.rules.verbs import RUNNING
from lapilli.kernels.kernel import Position, kernel, lowest, record_dtype

NODE = record_dtype(
    [
        ("key", np.int64),  # a hash of stacks, captures, caps and player
        ("stacks", np.int64, CELLS),  # by cell: its topmost TALLEST pieces, 5 bits each, the top in the lowest bits
        ("captures", np.int64, 2),  # by player: number of pieces of each kind, 3 bits each
        ("caps", np.int64),  # the set of capped cells; 0 if they are not known
        ("turn", np.int64),
        ("captured", np.int64),  # number of pieces that both players together have captured
        ("exact", np.int64),  # number of further plies (turns) for which the cells of the caps are known
        ("points", np.int16, 2),
        ("colours", np.int8, 2),  # by player: the set of colours captured
        ("pairs", np.int8, 2),  # by player: number of colours in which a further solid nest lacks exactly one piece
        ("open", np.int8, 2),  # by player: 1 if a further nest, of any colours, lacks exactly one piece
        ("heights", np.int8, CELLS),  # by cell: number of pieces
        ("board", np.int8),
        ("player", np.int8),  # the player to move
        ("over", np.int8),
    ]
)
TALLEST = 12
"""Greatest number of pieces of a stack that a node stores, counted from the top. The search ignores lower pieces."""
PIECE = 31
"""Mask of the five bits of a piece in a node's stack. These bits are colour × 4 + size, with sizes 1 to 3; 0 means no
piece."""
_REST = (1 << 5 * (TALLEST - 1)) - 1
_HEIGHTS = 16
LINE = GRID - 2
"""Greatest number of pieces that land in an eruption: the length of the longest line of cells, minus the cell of the
stack and the new cell of the cap."""

# A move is a number with three parts, from the highest bits to the lowest: the set of capped cells after the turn (37
# bits; 0 if they are not known), the number of landing pieces (3 bits), and the action that makes the
# stack erupt (8 bits).
ACTION_BITS, LANDED_BITS = 8, 3
CAPS_SHIFT = ACTION_BITS + LANDED_BITS
ACTION = (1 << ACTION_BITS) - 1
LANDED = (1 << LANDED_BITS) - 1


def _lines() -> np.ndarray:
    lines = np.full((2, NUM_ACTIONS, LINE + 1), -1, np.int8)
    for board in BOARDS:
        width = len(board.headings)
        for cell, around in enumerate(board.neighbours):
            for heading, at in enumerate(around):
                place = 0
                while at >= 0 and (at := board.neighbours[at][heading]) >= 0:
                    lines[board.index, cell * width + heading, place] = at
                    place += 1
    return lines


LINES = _lines()
"""By board and action: the cells on which pieces of the eruption can land, the nearest first; -1 after the last."""
NUMBERED = np.cumsum((LINES >= 0).sum(axis=2), axis=1) - (LINES >= 0).sum(axis=2) - 1
"""Offsets for numbering the eruptions of a board, by board and action. The number of an eruption is the offset plus the
number of landing pieces, from 0 to ERUPTIONS - 1."""
ERUPTIONS = int((LINES >= 0).sum(axis=(1, 2)).max())
"""Greatest number of different eruptions on a board."""
CODE = np.array([0] + [(piece // COPIES // 3) * 4 + piece // COPIES % 3 + 1 for piece in range(PIECES)], np.int64)
"""By piece number: the five bits of the piece in a node's stack (see PIECE)."""
_random = np.random.default_rng(2701)
STACK_KEYS = _random.integers(1 << 62, size=(CELLS, _HEIGHTS, PIECE + 1), dtype=np.int64)
CAPTURE_KEYS = _random.integers(1 << 62, size=(2, KINDS, 8), dtype=np.int64)
CAP_KEYS = _random.integers(1 << 62, size=CELLS, dtype=np.int64)
PLAYER_KEY = int(_random.integers(1 << 62))


@kernel
def enter(p: Position, n: Position) -> None:
    """Fills the node `n` with the position `p`, which may be at the beginning of a turn or within a turn."""
    n.key = 0
    n.board = p.board
    n.player = p.player
    n.turn = p.turn
    n.over = 1 if p.result != RUNNING else 0
    n.caps = 0
    n.captured = 0
    for cell in range(CELLS):
        n.stacks[cell] = 0
        height = 0
        piece = int(p.top[cell])
        while piece > 0:
            if height < TALLEST:
                n.stacks[cell] |= int(CODE[piece]) << (5 * height)
            height += 1
            piece = int(p.below[piece])
        n.heights[cell] = height
        word = int(n.stacks[cell])
        while word > 0:
            height -= 1
            n.key ^= STACK_KEYS[cell, min(height, _HEIGHTS - 1), word & PIECE]
            word >>= 5
    for player in range(2):
        n.captures[player] = 0
        n.colours[player] = 0
        piece = int(p.top[CELLS + player])
        while piece > 0:
            take(n, player, int(CODE[piece]))
            piece = int(p.below[piece])
        count_points(n, player)
    if n.player == 1:
        n.key ^= PLAYER_KEY
    place_caps(n, int(p.caps))


@kernel
def kind_of(piece: int) -> int:
    """Returns the kind of a piece as one number: colour × 3 + size (0 to 2).

    `piece` is the piece as five bits of a node's stack: colour × 4 + size (1 to 3).
    """
    return (piece >> 2) * 3 + (piece & 3) - 1


@kernel
def take(n: Position, player: int, piece: int) -> None:
    """Adds a piece to the captures of `player` in the node `n`. The points are not updated (see `count_points`).

    `piece` is the piece as five bits of a node's stack: colour × 4 + size (1 to 3).
    """
    kind = kind_of(piece)
    count = int(n.captures[player] >> (3 * kind)) & 7
    n.key ^= CAPTURE_KEYS[player, kind, count] ^ CAPTURE_KEYS[player, kind, count + 1]
    n.captures[player] += 1 << (3 * kind)
    n.captured += 1
    n.colours[player] |= np.int8(1 << (piece >> 2))


@kernel
def count_points(n: Position, player: int) -> None:
    """Updates a player's fields `points`, `pairs` and `open` from the player's captures.

    A nest is a small, a medium and a large piece; a solid nest has one colour. `pairs` is the number of colours in
    which a further solid nest lacks exactly one piece. `open` is 1 if a further nest, of any colours, lacks exactly one
    piece.
    """
    counts = int(n.captures[player])
    solid = 0
    pairs = 0
    smalls = 0
    mediums = 0
    larges = 0
    while counts != 0:
        small = counts & 7
        medium = (counts >> 3) & 7
        large = (counts >> 6) & 7
        counts >>= 9
        least = min(small, medium, large)
        solid += least
        pairs += (small > least) + (medium > least) + (large > least) == 2
        smalls += small
        mediums += medium
        larges += large
    least = min(smalls, mediums, larges)
    n.points[player] = smalls + mediums + larges + 2 * least + 2 * solid
    n.pairs[player] = pairs
    n.open[player] = (smalls > least) + (mediums > least) + (larges > least) == 2


@kernel
def place_caps(n: Position, caps: int) -> None:
    """Sets the cells of the caps in a node, and updates the node's hash.

    `caps`: the set of capped cells; 0 if they are not known. The search then assumes that any cells can have caps.
    """
    changed = int(n.caps) ^ caps
    while changed != 0:
        n.key ^= CAP_KEYS[lowest(changed)]
        changed &= changed - 1
    n.caps = caps


@kernel
def advance(n: Position, move: int) -> None:
    """Plays a move on a node: the eruption, its captures, and the end of the turn.

    The integer `move` consists of the action that makes a stack erupt, the number of landing pieces, and the capped
    cells after the turn (see ACTION_BITS).
    """
    action = move & ACTION
    board = int(n.board)
    player = int(n.player)
    cell = action // int(HEADINGS[board])
    word = int(n.stacks[cell])
    height = int(n.heights[cell])
    points_change = False
    for place in range((move >> ACTION_BITS) & LANDED):
        at = int(LINES[board, action, place])
        piece = word & PIECE
        word >>= 5
        height -= 1
        n.key ^= STACK_KEYS[cell, min(height, _HEIGHTS - 1), piece]
        resting = int(n.stacks[at])
        if resting & 3 == piece & 3:  # never if the cell is empty: sizes start at 1
            take(n, player, piece)
            points_change = True
        else:
            n.stacks[at] = (resting & _REST) << 5 | piece
            n.key ^= STACK_KEYS[at, min(int(n.heights[at]), _HEIGHTS - 1), piece]
            n.heights[at] += 1
    n.stacks[cell] = word
    n.heights[cell] = height
    if points_change:
        count_points(n, player)
    place_caps(n, move >> CAPS_SHIFT)
    n.player = 1 - player
    n.key ^= PLAYER_KEY
    n.turn += 1
    n.exact -= 1
    n.over = 1 if n.colours[player] == ALL_COLOURS[board] or n.turn > TURN_LIMIT else 0
