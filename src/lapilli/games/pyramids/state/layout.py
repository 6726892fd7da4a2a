"""Fills and reads the NumPy records of positions: piles of numbered pieces, caps, and the start layouts."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.pyramids.board import COPIES, SIZES, Board
from lapilli.games.pyramids.rules.verbs import PYRAMIDS
from lapilli.kernels.java_random import JavaRandom

SWAPS = 999


class PieceBox:
    """The supply of pieces with which a position is set up. Every piece has a number and can be taken once."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._used: dict[int, int] = {}

    def take(self, name: str) -> int:
        """Returns the number of the next piece with a name such as "RS"; 0 if no such piece is left.

        The name must be valid.
        """
        kind = self._board.colours.index(name[0]) * 3 + SIZES.index(name[1])
        used = self._used.get(kind, 0)
        if used == self._board.copies:
            return 0
        self._used[kind] = used + 1
        return 1 + kind * COPIES + used


def push(record: Any, pile: int, piece: int) -> None:
    """Adds a piece on top of a pile.

    `pile` is a cell's number, or CELLS + the player's number for this player's captures.
    """
    record["below"][piece] = record["top"][pile]
    record["top"][pile] = piece


def pile(record: Any, pile: int) -> list[int]:
    """Returns the numbers of a pile's pieces, bottom to top.

    `pile` is a cell's number, or CELLS + the player's number for this player's captures.
    """
    return climb(int(record["top"][pile]), record["below"].tolist())


def climb(piece: int, below: list[int]) -> list[int]:
    """Returns the numbers of a pile's pieces, bottom to top. Goes from each piece to the piece below it.

    Args:
        piece: number of the topmost piece; 0 for an empty pile.
        below: the field `below` of a record, as a list: by piece, the number of the piece that it lies on, 0 for none.
    """
    pieces = []
    while piece:
        pieces.append(piece)
        piece = below[piece]
    return pieces[::-1]


def put_caps(record: Any, cells: list[int]) -> None:
    """Places a cap on each of these cells of a position without caps. A cap's number is its index in `cells`."""
    for cap, cell in enumerate(cells):
        record["cap_on"][cell] = cap
        record["caps"] |= np.uint64(1 << cell)


def empty_record() -> Any:
    """Returns a record of the empty square board: no caps, no pieces, player 0 to move in turn 1."""
    record = np.zeros(1, PYRAMIDS)[0]
    record["turn"] = 1
    record["cap_on"][:] = -1
    return record


def start_record(board: Board, lot: int | None) -> Any:
    """Returns the record of the first position of a game, with the printed layout or with a random one.

    A random layout begins with a list of the n cells of the printed layout in the order of their numbers. D4 of the hex
    board is not in the list and stays empty. Then two indices are drawn 999 times, `a = nextInt(n)` and `b =
    nextInt(n)` of a `java.util.Random(lot)`. Each time the contents of the two cells are swapped, pieces and cap
    together (nothing happens if a = b). boardspace.net also makes 999 swaps of whole cells, but with its own random
    number generator.

    Args:
        board: the board.
        lot: seed of a random layout; None for the printed layout.
    """
    places = [cell for cell, colour in enumerate(board.start_colours) if colour != "-"]
    contents = [(board.start_colours[cell], board.cells[cell] in board.start_caps) for cell in places]
    if lot is not None:
        random = JavaRandom(lot)
        for _ in range(SWAPS):
            a = random.next_int(len(places))
            b = random.next_int(len(places))
            contents[a], contents[b] = contents[b], contents[a]
    record = empty_record()
    record["board"] = board.index
    box = PieceBox(board)
    for cell, (colour, _) in zip(places, contents, strict=True):
        for size in SIZES:
            push(record, cell, box.take(colour + size))
    put_caps(record, [cell for cell, (_, is_capped) in zip(places, contents, strict=True) if is_capped])
    return record
