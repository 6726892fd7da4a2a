"""Observations of Volcano with pyramids: planes over the board, and a few numbers. Nothing is hidden.

A plane is a square array in the layout of `Board.grid`: its first axis is the column, from left to right, its second
the height, upwards. A direction is the same offset for every cell, also on the hex board. The observations of both
boards have the same shape, so that one network can learn both boards. Parts that a board does not use are 0.
"""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.observation import Observation, Part
from lapilli.games.pyramids.board import (
    CELL_COUNT,
    CELLS,
    COLOUR,
    GRID,
    KIND,
    KINDS,
    MAX_CAPS,
    NONE,
    ONE,
    PLACE,
    SIZE,
    TURN_LIMIT,
)
from lapilli.games.pyramids.rules.points import score
from lapilli.kernels.kernel import Position, kernel, lowest

SHOWN = 10
"""Number of pieces of a stack that an observation shows, counted from the top. In random and greedy games, stacks have
at most nine pieces."""
_SIZES, _COLOURS = 3, KINDS // 3
_MOST = 127

OBSERVATION = Observation(
    (
        Part(
            "board",
            (3, GRID, GRID),
            "1 on cells of the board; 1 on cells with a cap; the number of pieces on each cell",
        ),
        Part(
            "visited",
            (MAX_CAPS, GRID, GRID),
            "a plane for each cap, in the order of their cells: 1 where it stands, and where it has stood in this turn",
        ),
        Part(
            "pieces",
            (SHOWN * (_SIZES + _COLOURS), GRID, GRID),
            "of the topmost piece of each stack: a plane for each size (small, medium, large), then one for each "
            "colour, with 1 where the piece has it; then the same of the piece below it, and so on, "
            f"{SHOWN} pieces in all",
        ),
        Part(
            "captures",
            (2, KINDS),
            "the number of pieces of each kind that the player has captured, colour by colour: small, medium, large; "
            "then the same of the opponent",
        ),
        Part("points", (2,), "the player's points, then the opponent's, at most 127"),
        Part("to move", (1,), "1 if it is the player's turn"),
        Part("hex", (1,), "1 on the hex board, 0 on the square one"),
        Part("turns left", (1,), "turns that are left, this one included, at most 127"),
    )
)
_AREA = GRID * GRID
_VISITED = 3 * _AREA
_PIECES = _VISITED + MAX_CAPS * _AREA
_PIECE = (_SIZES + _COLOURS) * _AREA
_CAPTURES = _PIECES + SHOWN * _PIECE
_POINTS = _CAPTURES + 2 * KINDS
_NUMBERS = _POINTS + 5


@kernel
def observe(p: Position, player: int, out: Any) -> None:
    """Writes the observation of `player` into `out`, in the format that OBSERVATION describes."""
    for place in range(_NUMBERS):
        out[place] = 0
    board = int(p.board)
    for cell in range(CELL_COUNT[board]):
        out[PLACE[board, cell]] = 1
        _show_stack(p, cell, int(PLACE[board, cell]), out)
    _show_caps(p, out)
    for side in range(2):
        owner = player if side == 0 else 1 - player
        piece = int(p.top[CELLS + owner])
        while piece > 0:
            out[_CAPTURES + side * KINDS + int(KIND[piece])] += 1
            piece = int(p.below[piece])
        out[_POINTS + side] = min(score(p, owner), _MOST)
    out[_POINTS + 2] = 1 if p.player == player else 0
    out[_POINTS + 3] = board
    out[_POINTS + 4] = min(TURN_LIMIT + 1 - int(p.turn), _MOST)


@kernel
def observe_again(p: Position, player: int, out: Any) -> None:
    """Updates an observation of `player` in `out` after one action, which is faster than writing it anew.

    `out` must contain the observation one action earlier in the same game. After a step of `player` without an
    eruption, only the planes of the caps are written again; otherwise all numbers.
    """
    quiet = False
    for cap in range(MAX_CAPS):
        quiet |= p.steps[cap] > 0
    if not quiet or p.player != player:
        observe(p, player, out)
        return
    for place in range(_AREA, 2 * _AREA):
        out[place] = 0
    for place in range(_VISITED, _PIECES):
        out[place] = 0
    _show_caps(p, out)


@kernel
def _show_stack(p: Position, cell: int, place: int, out: Any) -> None:
    """Writes one cell's stack into the observation `out`: its height, and size and colour of its topmost pieces.

    `place` is the cell's index in a plane, an array with one number for each place of the board.
    """
    height = 0
    piece = int(p.top[cell])
    while piece > 0:
        if height < SHOWN:
            at = _PIECES + height * _PIECE + place
            out[at + int(SIZE[piece]) * _AREA] = 1
            out[at + (_SIZES + int(COLOUR[piece])) * _AREA] = 1
        height += 1
        piece = int(p.below[piece])
    out[2 * _AREA + place] = height


@kernel
def _show_caps(p: Position, out: Any) -> None:
    """Writes the caps into the observation `out`, as planes: arrays with one number for each place of the board.

    They show the cell of each cap, and the cells on which the cap has been in this turn.
    """
    board = int(p.board)
    caps = p.caps
    at = _VISITED
    while caps != NONE:
        cell = lowest(caps)
        caps &= caps - ONE
        out[_AREA + PLACE[board, cell]] = out[at + PLACE[board, cell]] = 1
        visited = p.seen[p.cap_on[cell]]
        while visited != NONE:
            out[at + PLACE[board, lowest(visited)]] = 1
            visited &= visited - ONE
        at += _AREA
