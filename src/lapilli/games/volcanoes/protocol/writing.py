"""A kernel that writes the turn input of bots."""

from __future__ import annotations

from typing import Any

from lapilli.games.volcanoes.board import NAMES, TILES
from lapilli.games.volcanoes.rules import is_playable, level
from lapilli.kernels.ascii import BLANK, NEWLINE, put, put_word, words
from lapilli.kernels.kernel import Batch, kernel

_NAMES = words(NAMES, 3)

TURN_BYTES = TILES * len("-4 N01 ") + 1


@kernel
def write_turn_input(batch: Batch, player: int, out: Any) -> int:
    """Writes the turn input of `player` at the position `batch[0]` into `out`, as ASCII; returns its length in bytes.

    The input has two lines: the levels of all tiles, positive for the player's own volcanoes, and the names of the
    tiles that the player may play.
    """
    p = batch[0]
    sign = 1 if player == 0 else -1
    place = 0
    for tile in range(TILES):
        place = put(out, place, sign * level(p, tile), BLANK)
    out[place - 1] = NEWLINE
    start = place
    for tile in range(TILES):
        if is_playable(p, player, tile):
            place = put_word(out, place, _NAMES[tile], BLANK)
    if place == start:  # an empty line, for a player without a legal move
        place += 1
    out[place - 1] = NEWLINE
    return place
