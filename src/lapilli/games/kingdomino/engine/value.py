"""Predicts the final points of a territory with a small neural network, which was trained on matches.

The first layer of the network has the same weights for each terrain.
"""

from __future__ import annotations

from typing import Any

from lapilli.games.kingdomino.engine.features import OF_ALL, OF_TERRAIN, write_features
from lapilli.games.kingdomino.engine.scratch import NetworkArrays
from lapilli.games.kingdomino.engine.weights import BEYOND, HIDDEN
from lapilli.games.kingdomino.rules.territory import all_crowns, size
from lapilli.kernels.kernel import Position, kernel

_POINTS = 8.0
"""A network output of 1 means this many points."""


@kernel
def kind_of(p: Position) -> int:
    """Returns the index of the network for this form of the game: 0 to 2 for 2 to 4 players, 3 for the duel."""
    return 3 if p.extent > 5 else int(p.players) - 2


@kernel
def outlook(p: Position, player: int, coming: int, network: NetworkArrays) -> float:
    """Returns the expected final points of a player's territory.

    If the player will get no more tiles, the result is the present score plus a small fraction for squares and crowns,
    which break ties.

    Args:
        p: the position.
        player: owner of the territory.
        coming: number of tiles that the player will still get.
        network: the network's weights and scratch arrays. `stock` must contain the pile, as `survey_pile` writes it.
    """
    points = float(p.score[player])
    if coming == 0:
        return points + (size(p, player) * 256 + all_crowns(p, player)) / 16384
    write_features(p, player, coming, network.stock, network.terrains, network.whole)
    kind = kind_of(p)
    _look_at_terrains(kind, network)
    hidden, beyond = network.hidden, network.beyond
    layer, end = network.weights.second[kind], network.weights.third[kind]
    for unit in range(BEYOND):
        beyond[unit] = layer[HIDDEN + OF_ALL, unit]
    for number in range(HIDDEN):
        value = hidden[number]
        if value != 0.0:
            for unit in range(BEYOND):
                beyond[unit] += value * layer[number, unit]
    for number in range(OF_ALL):
        value = network.whole[number]
        if value != 0.0:
            for unit in range(BEYOND):
                beyond[unit] += value * layer[HIDDEN + number, unit]
    more = end[BEYOND]
    for unit in range(BEYOND):
        more += max(beyond[unit], 0.0) * end[unit]
    return points + _POINTS * float(more)


@kernel
def _look_at_terrains(kind: int, network: NetworkArrays) -> None:
    """Computes the first layer's output for the features of each terrain, and writes the sum into `network.hidden`.

    `kind` selects the weights, see `kind_of`. The output for each terrain is cached. A search tries one tile at many
    places, and most terrains are the same at all of these places.
    """
    terrains, known, units, hidden = network.terrains, network.known, network.units, network.hidden
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
            _look_at_one(terrains[terrain], known[terrain], network.weights.first[kind], units[terrain])
        for unit in range(HIDDEN):
            hidden[unit] += units[terrain, unit]


@kernel
def _look_at_one(terrain: Any, known: Any, layer: Any, units: Any) -> None:
    """Computes the output of the first layer for one terrain into `units`, and stores the terrain's features in
    `known`."""
    for unit in range(HIDDEN):
        units[unit] = layer[OF_TERRAIN, unit]
    for number in range(OF_TERRAIN):
        value = known[number] = terrain[number]
        if value != 0.0:
            for unit in range(HIDDEN):
                units[unit] += value * layer[number, unit]
    for unit in range(HIDDEN):
        units[unit] = max(units[unit], 0.0)
