"""Kernels that write the turn input of bots, or a single grid, as ASCII text."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kingdomino.board import MAX_SIDE, ONES, SQUARES, TERRAINS, TWOS
from lapilli.games.kingdomino.rules.position import NOBODY, PUT
from lapilli.games.kingdomino.rules.territory import grid_place
from lapilli.kernels.ascii import BLANK, NEWLINE, ZERO, put, put_word, words
from lapilli.kernels.kernel import Batch, Position, kernel, lowest

_TERRAINS = words([TERRAINS], len(TERRAINS))[0]
_TILES = words([" ".join(squares) for squares in SQUARES], len("_0 _0"))
_EMPTY, _CASTLE = (ord(sign) for sign in "_*")
_ONE = np.uint64(1)

GRID_BYTES = MAX_SIDE * (2 * MAX_SIDE + 1)
TURN_BYTES = 4 * GRID_BYTES + 8 * len("48 c0 f0 -1 0\n")


@kernel
def put_grid(p: Position, player: int, out: Any, place: int) -> int:
    """Writes a player's grid into `out` from the index `place` on, two characters per square.

    Returns the index after the grid.
    """
    centre, left, top = int(p.extent) - 1, int(p.box[player, 0]), int(p.box[player, 2])
    side = 2 * centre + 1
    line = 2 * side + 1
    for y in range(side):
        for x in range(side):
            out[place + y * line + 2 * x] = _EMPTY
            out[place + y * line + 2 * x + 1] = ZERO
        out[place + y * line + 2 * side] = NEWLINE
    out[place + centre * line + 2 * centre] = _CASTLE
    land = p.land[player]
    for terrain in range(len(_TERRAINS)):
        mask = land[terrain]
        while mask:
            bit = lowest(mask)
            square = mask & (~mask + _ONE)
            mask ^= square
            x, y = grid_place(bit, left, top, centre)
            at = place + y * line + 2 * x
            out[at] = _TERRAINS[terrain]
            out[at + 1] = ZERO + (1 if land[ONES] & square else 0) + (2 if land[TWOS] & square else 0)
    return place + side * line


@kernel
def _put_tile(tile: int, owner: int, reader: int, players: int, out: Any, place: int) -> int:
    """Writes a tile's number, squares and owner into `out` from the index `place` on.

    Returns the index after this text.

    In the text, `reader`, the player who receives it, is player 0. For no tile (0), the text is `-1 _0 _0 -1`. This
    text is our own choice, which bots can parse: it is unknown how the original referee writes a missing tile, as in
    the first and the last round. `players` is the number of players.
    """
    place = put(out, place, tile if tile else -1, BLANK)
    place = put_word(out, place, _TILES[tile], BLANK)
    return put(out, place, -1 if tile == 0 or owner == NOBODY else (owner - reader) % players, BLANK)


@kernel
def write_grid(batch: Batch, player: int, out: Any) -> int:
    """Writes a player's grid at the position `batch[0]` into `out`; returns the length of the text in bytes."""
    return put_grid(batch[0], player, out, 0)


@kernel
def write_turn_input(batch: Batch, reader: int, out: Any) -> int:
    """Writes the turn input of the player `reader` at the position `batch[0]` into `out`; returns its length in bytes.

    The input consists of all grids, the reader's own first, then the tiles in play, then the tiles to pick. In the
    input, the players are numbered from the reader on: the reader is player 0, the player with the next number is
    player 1, and so on.
    """
    p = batch[0]
    players, lot = int(p.players), int(p.lot)
    place = 0
    for index in range(players):
        place = put_grid(p, (reader + index) % players, out, place)
    current = int(p.slot) if p.phase == PUT else -1
    for slot in range(lot):
        tile, owner = int(p.play_tile[slot]), int(p.play_owner[slot])
        place = _put_tile(tile, owner, reader, players, out, place)
        place = put(out, place, 1 if slot == current else 0, BLANK)
        out[place - 1] = NEWLINE
    for slot in range(lot):
        tile, owner = int(p.pick_tile[slot]), int(p.pick_owner[slot])
        place = _put_tile(tile, owner, reader, players, out, place)
        out[place - 1] = NEWLINE
    return place
