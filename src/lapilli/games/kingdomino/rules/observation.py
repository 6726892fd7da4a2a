"""Observations of Kingdomino: positions as arrays of numbers. They contain everything except future draws."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from lapilli.core.rules.observation import Observation, Part
from lapilli.games.kingdomino.board import MAX_PLAYERS, MAX_SIDE, ONES, TERRAIN_NAMES, TILE, TILES, TWOS
from lapilli.games.kingdomino.rules.position import HARMONY, MIDDLE_KINGDOM, NOBODY, PICK, PUT, WOOD
from lapilli.games.kingdomino.rules.territory import all_crowns, grid_place, size
from lapilli.games.kingdomino.rules.torus import ONE
from lapilli.kernels.kernel import Position, kernel, lowest

_TERRAINS = len(TERRAIN_NAMES)
_PLANES = _TERRAINS + 2
_TERRITORY = _PLANES * MAX_SIDE * MAX_SIDE
_LOT = 4
_TILE = 1 + 2 * (_TERRAINS + 1) + MAX_PLAYERS
_MOST = 127

_EACH = "for each player: first the player who observes, then the others in turn; 0 for missing players"
_ROW = (
    f"{_TILE} numbers for each tile: its number (0: no tile); for the first square, then for the second, "
    f"{_TERRAINS} numbers with 1 for its terrain, then its crowns; {MAX_PLAYERS} numbers with 1 for its owner, where "
    "the player who observes is first"
)
OBSERVATION = Observation(
    (
        Part(
            "territories",
            (MAX_PLAYERS * _PLANES, MAX_SIDE, MAX_SIDE),
            f"{_PLANES} planes {_EACH}. A plane for each terrain has 1 on its squares: {', '.join(TERRAIN_NAMES)}. "
            "Then a plane with the number of crowns, and a plane with 1 on empty squares to which the territory may "
            "grow. The second axis is the column, the third the row, counted as in actions",
        ),
        Part("castle", (1, MAX_SIDE, MAX_SIDE), "1 on the castle"),
        Part("in play", (_LOT, _TILE), _ROW),
        Part("to pick", (_LOT, _TILE), _ROW),
        Part("slot", (_LOT,), "1 for the tile of the row in play that is put next"),
        Part("turn", (2,), "1 if a tile is put now; 1 if a tile is picked now"),
        Part("pile", (TILES,), "1 for each tile, by number, that is not drawn yet"),
        Part("points", (MAX_PLAYERS,), f"points of the zones, at most {_MOST}, {_EACH}"),
        Part("squares", (MAX_PLAYERS,), f"squares of the territory without the castle, {_EACH}"),
        Part("crowns", (MAX_PLAYERS,), f"crowns of the territory, {_EACH}"),
        Part("out", (MAX_PLAYERS,), f"1 if the player has left the game, {_EACH}"),
        Part("rounds left", (1,), "rounds that are left, this one included"),
        Part(
            "form",
            (6,),
            "number of players; tiles in a round; largest extent of a territory; 1 in the league wood; "
            "1 with the house option middle_kingdom; 1 with harmony",
        ),
    )
)
_PLACES = {part.name: sum(prod(p.shape) for p in OBSERVATION.parts[:n]) for n, part in enumerate(OBSERVATION.parts)}
_CASTLE, _IN_PLAY, _TO_PICK = _PLACES["castle"], _PLACES["in play"], _PLACES["to pick"]
_SLOT, _TURN, _PILE = _PLACES["slot"], _PLACES["turn"], _PLACES["pile"]
_POINTS, _SQUARES, _CROWNS, _OUT = (_PLACES[name] for name in ("points", "squares", "crowns", "out"))
_ROUNDS, _FORM = _PLACES["rounds left"], _PLACES["form"]
_SIZE = OBSERVATION.size


@kernel
def observe(p: Position, player: int, out: Any) -> None:
    """Writes the observation of `player` into `out`, in the format that OBSERVATION describes."""
    for place in range(_SIZE):
        out[place] = 0
    centre = int(p.extent) - 1
    out[_CASTLE + centre * MAX_SIDE + centre] = 1
    _write_form(p, out)
    for seat in range(int(p.players)):
        _write_territory(p, (player + seat) % int(p.players), out, seat)
    pile = p.pile
    while pile:
        out[_PILE + lowest(pile) - 1] = 1
        pile &= pile - ONE
    _write_rest(p, player, out)


@kernel
def observe_again(p: Position, player: int, before: int, out: Any) -> None:
    """Updates an observation in `out` after one action, which is faster than writing it anew.

    `out` must contain the observation of the player `before`, who played this action. Only that player's territory can
    have grown. Two players' territories change places in `out` when the turn passes from one to the other. With more
    players, all territories are then written anew.
    """
    players = int(p.players)
    grown = out[_SQUARES] != size(p, before)
    if player != before and players > 2:
        for place in range(players * _TERRITORY):
            out[place] = 0
        for seat in range(players):
            _write_territory(p, (player + seat) % players, out, seat)
    else:
        if player != before:
            for place in range(_TERRITORY):
                out[place], out[_TERRITORY + place] = out[_TERRITORY + place], out[place]
        if grown:
            _write_territory(p, before, out, (before - player) % players)
    for tile in p.pick_tile:  # an action completes at most one row
        if tile:
            out[_PILE + int(tile) - 1] = 0
    for place in range(_IN_PLAY, _PILE):
        out[place] = 0
    _write_rest(p, player, out)


@kernel
def _write_rest(p: Position, player: int, out: Any) -> None:
    """Writes those numbers of an observation into `out` that change during a game, except squares and the pile.

    Where a number can be 0, `out` must be 0 before the call.
    """
    players = int(p.players)
    for seat in range(players):
        other = (player + seat) % players
        out[_POINTS + seat] = min(int(p.score[other]), _MOST)
        out[_SQUARES + seat] = size(p, other)
        out[_CROWNS + seat] = all_crowns(p, other)
        out[_OUT + seat] = 1 if p.left[other] else 0
    for index in range(_LOT):
        _write_tile(int(p.play_tile[index]), int(p.play_owner[index]), player, players, out, _IN_PLAY + index * _TILE)
        _write_tile(int(p.pick_tile[index]), int(p.pick_owner[index]), player, players, out, _TO_PICK + index * _TILE)
    if p.phase == PUT or p.phase == PICK:
        out[_SLOT + int(p.slot)] = 1
        out[_TURN + (1 if p.phase == PICK else 0)] = 1
    out[_ROUNDS] = int(p.rounds) - int(p.this_round) + 1


@kernel
def _write_territory(p: Position, player: int, out: Any, seat: int) -> None:
    """Writes a player's territory into the planes of a seat in an observation, `out`. Seat 0 is the observer's.

    A plane has one number for each square of the grid. The planes must contain zeros, or the same player's territory
    earlier in the game.
    """
    plane = seat * _PLANES
    box, land = p.box[player], p.land[player]
    centre, left, top = int(p.extent) - 1, int(box[0]), int(box[2])
    crowns, reach = (plane + _TERRAINS) * MAX_SIDE, (plane + _TERRAINS + 1) * MAX_SIDE
    for place in range(reach * MAX_SIDE, (reach + MAX_SIDE) * MAX_SIDE):
        out[place] = 0
    for x in range(int(box[1]), left + 2 * centre + 1):
        for y in range(int(box[3]), top + 2 * centre + 1):
            out[(reach + x) * MAX_SIDE + y] = 1
    out[(reach + centre) * MAX_SIDE + centre] = 0
    for terrain in range(_TERRAINS):
        squares = land[terrain]
        while squares:
            place = lowest(squares)
            square = ONE << np.uint64(place)
            squares ^= square
            x, y = grid_place(place, left, top, centre)
            out[((plane + terrain) * MAX_SIDE + x) * MAX_SIDE + y] = 1
            number = (1 if land[ONES] & square else 0) + (2 if land[TWOS] & square else 0)
            out[(crowns + x) * MAX_SIDE + y] = number
            out[(reach + x) * MAX_SIDE + y] = 0


@kernel
def _write_tile(tile: int, owner: int, reader: int, players: int, out: Any, place: int) -> None:
    """Writes a tile and its owner into the observation `out`, from the index `place` on.

    `reader` is the observing player, and `players` the number of players.
    """
    if tile:
        out[place] = tile
        out[place + 1 + TILE[tile, 0]] = 1
        out[place + 1 + _TERRAINS] = TILE[tile, 1]
        out[place + 2 + _TERRAINS + TILE[tile, 2]] = 1
        out[place + 2 + 2 * _TERRAINS] = TILE[tile, 3]
    if owner != NOBODY:
        out[place + 3 + 2 * _TERRAINS + (owner - reader) % players] = 1


@kernel
def _write_form(p: Position, out: Any) -> None:
    """Writes the part "form" of an observation into `out`: the variant, the number of players and the options.

    These numbers stay the same throughout a game.
    """
    out[_FORM] = p.players
    out[_FORM + 1] = p.lot
    out[_FORM + 2] = p.extent
    out[_FORM + 3] = 1 if p.options & WOOD else 0
    out[_FORM + 4] = 1 if p.options & MIDDLE_KINGDOM else 0
    out[_FORM + 5] = 1 if p.options & HARMONY else 0
