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
    FOLLOW,
    GRID,
    HEADING_TO,
    HEADINGS,
    KIND,
    KINDS,
    MAX_CAPS,
    NEAR,
    NONE,
    ONE,
    PLACE,
    SIZE,
    TARGET,
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
        _show_stack(p, cell, out)
    _show_caps(p, out)
    for side in range(2):
        _show_captures(p, player if side == 0 else 1 - player, side, out)
    _show_turn(p, player, out)


@kernel
def observe_again(p: Position, player: int, before: int, out: Any) -> None:
    """Updates an observation in `out` after one action, which is faster than writing it anew.

    `out` must contain the observation of the player `before`, who played this action. After a step without an eruption,
    only the planes of the caps are written again; after an eruption, also the stacks that it has changed, and what its
    player has captured. At the end of a game, all numbers are written.
    """
    quiet = False
    for cap in range(MAX_CAPS):
        quiet |= p.steps[cap] > 0
    if quiet != (player == before):
        observe(p, player, out)
        return
    if not quiet:
        _show_eruption(p, out)
        for kind in range(KINDS):
            out[_CAPTURES + kind], out[_CAPTURES + KINDS + kind] = out[_CAPTURES + KINDS + kind], 0
        out[_POINTS] = out[_POINTS + 1]
        _show_captures(p, before, 1, out)
        _show_turn(p, player, out)
    for place in range(_AREA, 2 * _AREA):
        out[place] = 0
    for place in range(_VISITED, _PIECES):
        out[place] = 0
    _show_caps(p, out)


@kernel
def _show_eruption(p: Position, out: Any) -> None:
    """Writes the stacks that the last step's eruption has changed into the observation `out`.

    The step is found by comparing the caps with those of the earlier position, which `out` still contains.
    """
    board = int(p.board)
    cell = to = 0
    caps = p.caps
    while caps != NONE:
        capped = lowest(caps)
        caps &= caps - ONE
        if out[_AREA + PLACE[board, capped]] == 0:
            to = capped
    free = NEAR[board, to] & ~p.caps
    while free != NONE:
        uncapped = lowest(free)
        free &= free - ONE
        if out[_AREA + PLACE[board, uncapped]] == 1:
            cell = uncapped
    landed = int(out[2 * _AREA + PLACE[board, cell]])
    _show_stack(p, cell, out)
    landed -= int(out[2 * _AREA + PLACE[board, cell]])
    onward = cell * int(HEADINGS[board]) + int(HEADING_TO[board, cell, to])
    for _ in range(landed):
        onward = int(FOLLOW[board, onward])
        _show_stack(p, int(TARGET[board, onward]), out)


@kernel
def _show_stack(p: Position, cell: int, out: Any) -> None:
    """Writes one cell's stack into the observation `out`: its height, and size and colour of its topmost pieces.

    For this cell, `out` must contain zeros, or the stack of an earlier position.
    """
    place = int(PLACE[p.board, cell])
    for level in range(min(int(out[2 * _AREA + place]), SHOWN)):
        for plane in range(_SIZES + _COLOURS):
            out[_PIECES + level * _PIECE + plane * _AREA + place] = 0
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
def _show_captures(p: Position, owner: int, side: int, out: Any) -> None:
    """Writes the pieces that the player `owner` has captured, and their points, into the observation `out`.

    `side`: 0 if `owner` is the observer, else 1. The numbers of pieces must be 0 before the call.
    """
    piece = int(p.top[CELLS + owner])
    while piece > 0:
        out[_CAPTURES + side * KINDS + int(KIND[piece])] += 1
        piece = int(p.below[piece])
    out[_POINTS + side] = min(score(p, owner), _MOST)


@kernel
def _show_turn(p: Position, player: int, out: Any) -> None:
    """Writes into the observation `out` of `player`: whether it is the player's turn, the board, and the turns left."""
    out[_POINTS + 2] = 1 if p.player == player else 0
    out[_POINTS + 3] = p.board
    out[_POINTS + 4] = min(TURN_LIMIT + 1 - int(p.turn), _MOST)


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
