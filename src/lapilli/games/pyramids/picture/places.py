"""Coordinates of cells and stacks in a picture, in scene units. x grows to the right, y downwards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from lapilli.games.pyramids.board import HEX, Board
from lapilli.games.pyramids.picture.look import BASES, CAP_HEIGHT, STEEPNESS, Point

PITCH = ((116.0, 120.0), (102.0, 112.0))
"""Distance between neighbouring cells in x and in y, by board."""
MARGIN = 4.0
FOOT = 45.0
"""Distance from a cell's middle down to the foot of its stack."""
SLICE = 17.0
"""Greatest visible height of a piece that lies under another piece."""
ROOM = 92.0
"""Greatest height of a drawn stack, the cap included."""


@cache
def extent(board: Board) -> Point:
    """Returns the width and height of a board's picture, in scene units."""
    dx, dy = PITCH[board.index]
    longest = max(map(len, board.columns))
    return len(board.columns) * dx + (dx / 3 if board.index == HEX else 0) + 2 * MARGIN, longest * dy + 2 * MARGIN


@cache
def middle(board: Board, cell: int) -> Point:
    """Returns the coordinates (x, y) of a cell's middle."""
    dx, dy = PITCH[board.index]
    across, up = extent(board)
    x, y = board.places[cell]
    left = (across - (len(board.columns) - 1) * dx) / 2
    return left + x * dx, up - MARGIN - (y + 0.5) * dy


def outline(board: Board, cell: int) -> list[Point]:
    """Returns the coordinates of a cell's corners: six on the hex board, four on the square one."""
    dx, dy = PITCH[board.index]
    x, y = middle(board, cell)
    if board.index == HEX:
        wide, narrow, high = dx * 2 / 3 - 3.5, dx / 3 - 2, dy / 2 - 3
        corners = [(wide, 0.0), (narrow, high), (-narrow, high), (-wide, 0.0), (-narrow, -high), (narrow, -high)]
    else:
        wide, high = dx / 2 - 3, dy / 2 - 3
        corners = [(wide, high), (-wide, high), (-wide, -high), (wide, -high)]
    return [(x + a, y + b) for a, b in corners]


def name_point(board: Board, cell: int) -> Point:
    """Returns the point at which a cell's name begins."""
    x, y = middle(board, cell)
    left, down = (-61.0, 4.0) if board.index == HEX else (-53.0, -43.0)
    return x + left, y + down


def heights(pieces: Sequence[int], is_capped: bool) -> list[float]:
    """Returns the heights at which the pieces of a stack are drawn, bottom to top, and then the height of a cap.

    Heights are above the foot of the stack. The cap's height is in the list even if the stack has no cap (`is_capped`
    is False).
    """
    most = ROOM - (CAP_HEIGHT if is_capped else STEEPNESS * BASES[-1])
    apart = min(SLICE, most / max(1, len(pieces) - (not is_capped)))
    return [place * apart for place in range(len(pieces) + 1)]
