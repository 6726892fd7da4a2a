"""Predicts the final points of a territory with a small neural network, which was trained on matches.

The first layer of the network has the same weights for each terrain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kingdomino.engine.network.features import OF_ALL, OF_TERRAIN, write_features
from lapilli.games.kingdomino.engine.network.weights import HIDDEN
from lapilli.games.kingdomino.engine.scratch import NetworkArrays
from lapilli.games.kingdomino.rules.territory import all_crowns, size
from lapilli.kernels.kernel import Position, kernel

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_POINTS = 8.0
"""A network output of 1 means this many points."""


@kernel
def kind_of(p: Position) -> int:
    """Returns the index of the network for this form of the game: 0 to 2 for 2 to 4 players, 3 for the duel."""
    return 3 if p.extent > 5 else int(p.players) - 2


@kernel
def outlook(p: Position, player: int, coming: int, order: int, network: NetworkArrays) -> float:
    """Returns the expected final points of a player's territory.

    If the player will get no more tiles, the result is the present score plus a small fraction. The fraction depends on
    squares and crowns, so that territories with the same score differ.

    Args:
        p: the position.
        player: owner of the territory.
        coming: number of tiles that the player will still get.
        order: set of the player's turns in the next round, one bit per turn; 0 if it is not known.
        network: the network's weights and scratch arrays. `stock` must contain the pile, as `survey_pile` writes it.
    """
    points = float(p.score[player])
    if coming == 0:
        return points + (size(p, player) * 256 + all_crowns(p, player)) / 16384
    write_features(p, player, coming, order, network.stock, network.terrains, network.whole)
    kind = kind_of(p)
    _first_layers(kind, network)
    hidden, beyond = network.hidden, network.beyond
    layer, end = network.weights.second[kind], network.weights.third[kind]
    units = len(beyond)
    for unit in range(units):
        beyond[unit] = layer[HIDDEN + OF_ALL, unit]
    for number in range(HIDDEN):
        if hidden[number] != _ZERO:
            _add_row(beyond, hidden[number], layer[number])
    for number in range(OF_ALL):
        if network.whole[number] != _ZERO:
            _add_row(beyond, network.whole[number], layer[HIDDEN + number])
    quarter = units // 4
    a = b = c = d = _ZERO  # four sums: additions to one sum would wait for each other
    for unit in range(quarter):
        a += max(beyond[unit], _ZERO) * end[unit]
        b += max(beyond[unit + quarter], _ZERO) * end[unit + quarter]
        c += max(beyond[unit + 2 * quarter], _ZERO) * end[unit + 2 * quarter]
        d += max(beyond[unit + 3 * quarter], _ZERO) * end[unit + 3 * quarter]
    return points + _POINTS * float((a + b) + (c + d) + end[units])


@kernel
def _add_row(sums: Any, factor: Any, row: Any) -> None:
    """Adds `factor` times a row of weights to `sums`. This is one step of computing a network's layer.

    The loop's length is not a constant: otherwise the compiler unrolls the loop, and uses no vector instructions.
    """
    for unit in range(len(sums)):
        sums[unit] += factor * row[unit]


@kernel
def _first_layers(kind: int, network: NetworkArrays) -> None:
    """Computes the first layer's output for the features of each terrain, and writes the sum into `network.hidden`.

    `kind` selects the weights, see `kind_of`. The output for each terrain is cached. A search tries one tile at many
    places, and most terrains are the same at all of these places.
    """
    terrains, known, units, hidden = network.terrains, network.known, network.units, network.hidden
    if known[6, 0] != kind:
        known[:] = -1.0
        known[6, 0] = kind
    for unit in range(len(hidden)):
        hidden[unit] = _ZERO
    for terrain in range(6):
        number = 0
        while number < OF_TERRAIN and terrains[terrain, number] == known[terrain, number]:
            number += 1
        if number < OF_TERRAIN:
            _first_layer(terrains[terrain], known[terrain], network.weights.first[kind], units[terrain])
        _add_row(hidden, _ONE, units[terrain])


@kernel
def _first_layer(terrain: Any, known: Any, layer: Any, units: Any) -> None:
    """Computes the output of the first layer, whose weights are `layer`, for the features `terrain` of one terrain.
    Writes the output into `units`, and copies the features into `known`."""
    for unit in range(len(units)):
        units[unit] = layer[OF_TERRAIN, unit]
    for number in range(OF_TERRAIN):
        known[number] = terrain[number]
        if known[number] != _ZERO:
            _add_row(units, known[number], layer[number])
    for unit in range(len(units)):
        units[unit] = max(units[unit], _ZERO)
