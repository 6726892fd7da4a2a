"""The bot text of a turn, written by a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kernel import kernel
from lapilli.games.pyramids.board import ACTIONS, BOARDS, CELLS, ORIGIN, PIECES, TARGET
from lapilli.games.pyramids.rules.verbs import foresee, legal, score
from lapilli.games.writing import BLANK, NEWLINE, put, put_word, words

_NUMBERS = np.array([len(board.cells) for board in BOARDS])
_CELLS = np.stack([words(board.cells + ("",) * (CELLS - len(board.cells)), 2) for board in BOARDS])
_PIECES = np.stack([words(board.piece_names + ("",) * (PIECES + 1 - len(board.piece_names)), 2) for board in BOARDS])
_DASH = ord("-")

TURN_BYTES = 64 + 3 * PIECES + CELLS * len("A1 0 10 ") + ACTIONS * len("A1-B2 10 10\n")


@kernel
def _put_pile(r: Any, pile: int, out: Any, place: int) -> int:
    """Writes a line: how many pieces are on a pile, and which, from the bottom to the top."""
    height = 0
    piece = int(r["top"][pile])
    while piece > 0:
        height += 1
        piece = int(r["below"][piece])
    place = put(out, place, height, BLANK)
    end = place + 3 * height
    piece, at = int(r["top"][pile]), end
    while piece > 0:
        at -= 3
        put_word(out, at, _PIECES[r["board"], piece], BLANK)
        piece = int(r["below"][piece])
    out[end - 1] = NEWLINE
    return end


@kernel
def write_turn_input(batch: Any, player: int, out: Any) -> int:
    """Writes what `player` is sent in the first of an array of positions; returns its length."""
    r = batch[0]
    board = int(r["board"])
    place = put(out, 0, int(r["turn"]), NEWLINE)
    place = put(out, place, score(r, player), BLANK)
    place = put(out, place, score(r, 1 - player), NEWLINE)
    place = _put_pile(r, CELLS + player, out, place)
    place = _put_pile(r, CELLS + 1 - player, out, place)
    for cell in range(_NUMBERS[board]):
        place = put_word(out, place, _CELLS[board, cell], BLANK)
        place = put(out, place, 1 if r["cap_on"][cell] >= 0 else 0, BLANK)
        place = _put_pile(r, cell, out, place)
    actions = np.empty(ACTIONS, np.int64)
    count = legal(r, actions)
    place = put(out, place, count, NEWLINE)
    for action in actions[:count]:
        landed, captured = foresee(r, r["caps"], action)
        place = put_word(out, place, _CELLS[board, ORIGIN[board, action]], _DASH)
        place = put_word(out, place, _CELLS[board, TARGET[board, action]], BLANK)
        place = put(out, put(out, place, landed, BLANK), captured, NEWLINE)
    return place
