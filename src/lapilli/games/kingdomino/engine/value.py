"""Predicts how many points a territory will reach, by a small network that is the same for each terrain, trained on
matches.
"""

from __future__ import annotations

from typing import Any

from lapilli.games.kingdomino.engine.features import OF_ALL, OF_TERRAIN, describe
from lapilli.games.kingdomino.engine.room import Mind
from lapilli.games.kingdomino.engine.weights import BEYOND, HIDDEN
from lapilli.games.kingdomino.rules.territory import all_crowns, size
from lapilli.kernels.kernel import Position, kernel

_POINTS = 8.0
"""Unit of the networks' output, in points."""


@kernel
def kind_of(p: Position) -> int:
    """Returns the index of the network for this form of the game."""
    return 3 if p.extent > 5 else int(p.players) - 2


@kernel
def outlook(p: Position, player: int, coming: int, mind: Mind) -> float:
    """Returns the points that the player's territory is expected to reach.

    If no tile is to come, the result is exact, and its fraction contains the squares and crowns that break ties.

    Args:
        coming: number of tiles that the player will still get.
    """
    points = float(p.score[player])
    if coming == 0:
        return points + (size(p, player) * 256 + all_crowns(p, player)) / 16384
    describe(p, player, coming, mind.stock, mind.terrains, mind.whole)
    kind = kind_of(p)
    _look_at_terrains(kind, mind)
    hidden, beyond, layer, end = mind.hidden, mind.beyond, mind.weights.second[kind], mind.weights.third[kind]
    for unit in range(BEYOND):
        beyond[unit] = layer[HIDDEN + OF_ALL, unit]
    for number in range(HIDDEN):
        given = hidden[number]
        if given != 0.0:
            for unit in range(BEYOND):
                beyond[unit] += given * layer[number, unit]
    for number in range(OF_ALL):
        given = mind.whole[number]
        if given != 0.0:
            for unit in range(BEYOND):
                beyond[unit] += given * layer[HIDDEN + number, unit]
    more = end[BEYOND]
    for unit in range(BEYOND):
        more += max(beyond[unit], 0.0) * end[unit]
    return points + _POINTS * float(more)


@kernel
def _look_at_terrains(kind: int, mind: Mind) -> None:
    """Computes the first layer into `hidden`.

    From one place for a tile to the next most terrains stay the same, so their results are cached.
    """
    terrains, known, units, hidden = mind.terrains, mind.known, mind.units, mind.hidden
    if known[6, 0] != kind:
        known[:] = -1.0
        known[6, 0] = kind
    for unit in range(HIDDEN):
        hidden[unit] = 0.0
    for terrain in range(6):
        number = 0
        while number < OF_TERRAIN and terrains[terrain, number] == known[terrain, number]:
            number += 1
        if number < OF_TERRAIN:
            _look_at_one(terrains[terrain], known[terrain], mind.weights.first[kind], units[terrain])
        for unit in range(HIDDEN):
            hidden[unit] += units[terrain, unit]


@kernel
def _look_at_one(terrain: Any, known: Any, layer: Any, units: Any) -> None:
    for unit in range(HIDDEN):
        units[unit] = layer[OF_TERRAIN, unit]
    for number in range(OF_TERRAIN):
        given = known[number] = terrain[number]
        if given != 0.0:
            for unit in range(HIDDEN):
                units[unit] += given * layer[number, unit]
    for unit in range(HIDDEN):
        units[unit] = max(units[unit], 0.0)
