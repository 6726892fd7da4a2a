"""Where cells and stacks are drawn, in scene units."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from lapilli.games.pyramids.board import HEX, Board
from lapilli.games.pyramids.picture.look import BASES, CAP_HEIGHT, STEEPNESS, Point

PITCH = ((116.0, 120.0), (102.0, 112.0))
"""By board: cells are so far apart, in x and in y."""
MARGIN = 4.0
FOOT = 45.0
"""How far below a cell's middle its stack stands."""
SLICE = 17.0
"""Visible height of a piece under another, at most."""
ROOM = 92.0
"""Height that a stack may take in its cell."""


@cache
def extent(board: Board) -> Point:
    """Width and height of the picture."""
    dx, dy = PITCH[board.index]
    longest = max(map(len, board.columns))
    return len(board.columns) * dx + (dx / 3 if board.index == HEX else 0) + 2 * MARGIN, longest * dy + 2 * MARGIN


@cache
def middle(board: Board, cell: int) -> Point:
    """A cell's middle."""
    dx, dy = PITCH[board.index]
    across, up = extent(board)
    x, y = board.places[cell]
    left = (across - (len(board.columns) - 1) * dx) / 2
    return left + x * dx, up - MARGIN - (y + 0.5) * dy


def outline(board: Board, cell: int) -> list[Point]:
    """A cell's corners."""
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
    """Where a cell's name begins."""
    x, y = middle(board, cell)
    left, down = (-61.0, 4.0) if board.index == HEX else (-53.0, -43.0)
    return x + left, y + down


def heights(pieces: Sequence[int], is_capped: bool) -> list[float]:
    """How high above the foot the pieces of a stack stand, bottom to top, and then what would lie on them."""
    most = ROOM - (CAP_HEIGHT if is_capped else STEEPNESS * BASES[-1])
    apart = min(SLICE, most / max(1, len(pieces) - (not is_capped)))
    return [place * apart for place in range(len(pieces) + 1)]
