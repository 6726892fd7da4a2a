"""Writes the input that bots read: the opening input as lines, and the turn input with a compiled kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.pyramids.board import BOARDS, CELL_COUNT, CELLS, ORIGIN, PIECES, TARGET, board_of
from lapilli.games.pyramids.rules.points import score
from lapilli.games.pyramids.rules.verbs import MAX_LEGAL, current_player, foresee, legal
from lapilli.kernels.ascii import BLANK, NEWLINE, put, put_word, words
from lapilli.kernels.kernel import Batch, Ints, Position, kernel

_CELLS = np.stack([words(board.cells + ("",) * (CELLS - len(board.cells)), 2) for board in BOARDS])
_PIECES = np.stack([words(board.piece_names + ("",) * (PIECES + 1 - len(board.piece_names)), 2) for board in BOARDS])
_DASH = ord("-")

TURN_BYTES = 64 + 3 * PIECES + CELLS * len("A1 0 10 ") + MAX_LEGAL * len("A1-B2 10 10\n")


def opening_lines(variant: str, player: int) -> list[str]:
    """Returns the lines of the opening input, which a bot reads once: variant, player number, board, colours."""
    board = board_of(variant)
    lines = [variant, str(player), f"{len(board.cells)} {len(board.headings)}", " ".join(board.headings)]
    for cell, around in zip(board.cells, board.neighbours, strict=True):
        lines.append(" ".join([cell, *(board.cells[to] if to >= 0 else "-" for to in around)]))
    return [*lines, f"{len(board.colours)} {' '.join(board.colours)}"]


@kernel
def _put_pile(p: Position, pile: int, out: Any, place: int) -> int:
    """Writes a line with the number of pieces of a pile, and the pieces from the bottom to the top.

    `pile` is a cell's number, or CELLS + the player's number for this player's captures. The line begins at the index
    `place` of `out`. Returns the index after the last byte written.
    """
    height = 0
    piece = int(p.top[pile])
    while piece > 0:
        height += 1
        piece = int(p.below[piece])
    place = put(out, place, height, BLANK)
    end = place + 3 * height
    piece, at = int(p.top[pile]), end
    while piece > 0:
        at -= 3
        put_word(out, at, _PIECES[p.board, piece], BLANK)
        piece = int(p.below[piece])
    out[end - 1] = NEWLINE
    return end


@kernel
def write_turn_input(batch: Batch, player: int, actions: Ints, out: Any) -> int:
    """Writes the turn input of `player` at the position `batch[0]` into `out`; returns its length in bytes.

    `actions` is a scratch array of MAX_LEGAL integers.
    """
    p = batch[0]
    board = int(p.board)
    turn: Any = np.int64(p.turn)
    start: Any = np.int64(0)
    place = put(out, start, turn, NEWLINE)
    place = put(out, place, score(p, player), BLANK)
    place = put(out, place, score(p, 1 - player), NEWLINE)
    place = _put_pile(p, CELLS + player, out, place)
    place = _put_pile(p, CELLS + 1 - player, out, place)
    for cell in range(CELL_COUNT[board]):
        place = put_word(out, place, _CELLS[board, cell], BLANK)
        place = put(out, place, 1 if p.cap_on[cell] >= 0 else 0, BLANK)
        place = _put_pile(p, cell, out, place)
    count = legal(p, current_player(p), actions)
    place = put(out, place, count, NEWLINE)
    for action in actions[:count]:
        landed, captured = foresee(p, p.caps, action)
        place = put_word(out, place, _CELLS[board, ORIGIN[board, action]], _DASH)
        place = put_word(out, place, _CELLS[board, TARGET[board, action]], BLANK)
        place = put(out, put(out, place, landed, BLANK), captured, NEWLINE)
    return place
