"""The scratch arrays of the search `draft`, and the weights of its networks. Each searcher allocates them once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lapilli.games.kingdomino.board import MAX_LEGAL, MAX_PLAYERS
from lapilli.games.kingdomino.engine.network.features import OF_ALL, OF_TERRAIN
from lapilli.games.kingdomino.engine.network.weights import BEYOND, HIDDEN, Weights
from lapilli.games.kingdomino.rules.position import KINGDOMINO
from lapilli.games.kingdomino.rules.territory import MAX_ZONES

WIDEST = 8
"""Greatest number of territories that a beam search keeps after each step."""
MOST_TURNS = 1024
"""Upper bound of the number of legal turns at a position: each PUT can be combined with up to four PICKs."""
_NODES = 3 * WIDEST + 1


class NetworkArrays(NamedTuple):
    """The arrays for evaluating the neural networks of the module `value`. All are float32, except `stock` (float64).

    Attributes:
        weights: weights of the networks.
        stock: contents of the pile, shape (3, 6), as filled by `features.survey_pile`.
        terrains: features of each terrain of a territory, shape (6, OF_TERRAIN).
        whole: features of the whole territory, shape (OF_ALL,).
        known: keys of a cache of the first layer's output, shape (7, OF_TERRAIN): for each terrain the features that
            were used last. `known[6, 0]` is the index of the network.
        units: values of this cache, shape (6, HIDDEN): the output of the first layer for the features in `known`.
        hidden: output of the first layer, summed over the terrains, shape (HIDDEN,).
        beyond: output of the second layer, shape (BEYOND,).
    """

    weights: Weights
    stock: Any
    terrains: Any
    whole: Any
    known: Any
    units: Any
    hidden: Any
    beyond: Any


class DraftScratch(NamedTuple):
    """The scratch arrays of the modules `plan`, `draft`, `rounds` and `turns`.

    A slot is the place of a tile in its row. A set of slots is an integer with one bit per slot.

    Attributes:
        network: arrays of the module `value`.
        nodes: positions of a beam search: WIDEST to start from, WIDEST after each of two steps, and a spare one.
        worth: the expected final points of the territory in each element of `nodes`, float64.
        actions: MAX_LEGAL integers for the places of a tile, then 2 * WIDEST integers: source and place of each result.
        places: greatest number of places of a tile that a beam search examines, a single integer.
        quick: MAX_LEGAL integers for quick estimates of the places.
        zones: shape (2, MAX_ZONES, 3), for the zones of the tile's two terrains.
        beams: by player, WIDEST positions with the player's best territories.
        sizes: by player, the number of valid positions in the player's part of `beams`.
        table: the expected final points by player and set of slots in the row to pick, float64 of shape (4, 16).
        got: by player, the set of slots that the player has picked; the last element is the set of all taken slots.
        best: by player, the set of slots that the player will have after the predicted picks.
        scores: expected scores by number of predicted picks and player, float64 of shape (5, 4).
        steps: the picks that the prediction currently examines, integers of shape (2, 5, 4).
        puts: the PUT actions for the tile that is placed in this turn.
        ranked: shape (MOST_TURNS, 6). For each turn: index of its PUT in `puts`, slot of its PICK, and a copy of
            `best`.
    """

    network: NetworkArrays
    nodes: Any
    worth: Any
    actions: Any
    places: Any
    quick: Any
    zones: Any
    beams: Any
    sizes: Any
    table: Any
    got: Any
    best: Any
    scores: Any
    steps: Any
    puts: Any
    ranked: Any


def new_draft_scratch(weights: Weights) -> DraftScratch:
    """Returns new scratch arrays, about 100 KB, for networks with these weights."""
    network = NetworkArrays(
        weights=weights,
        stock=np.zeros((3, 6)),
        terrains=np.zeros((6, OF_TERRAIN), np.float32),
        whole=np.zeros(OF_ALL, np.float32),
        known=np.full((7, OF_TERRAIN), -1.0, np.float32),
        units=np.zeros((6, HIDDEN), np.float32),
        hidden=np.zeros(HIDDEN, np.float32),
        beyond=np.zeros(BEYOND, np.float32),
    )
    return DraftScratch(
        network=network,
        nodes=np.zeros(_NODES, KINGDOMINO),
        worth=np.zeros(_NODES),
        actions=np.zeros(MAX_LEGAL + 2 * WIDEST, np.int64),
        places=np.full(1, MAX_LEGAL, np.int64),
        quick=np.zeros(MAX_LEGAL, np.int64),
        zones=np.zeros((2, MAX_ZONES, 3), np.uint64),
        beams=np.zeros(MAX_PLAYERS * WIDEST, KINGDOMINO),
        sizes=np.zeros(MAX_PLAYERS, np.int64),
        table=np.zeros((MAX_PLAYERS, 16)),
        got=np.zeros(MAX_PLAYERS + 1, np.int64),
        best=np.zeros(MAX_PLAYERS + 1, np.int64),
        scores=np.zeros((5, MAX_PLAYERS)),
        steps=np.zeros((2, 5, MAX_PLAYERS), np.int64),
        puts=np.zeros(MAX_LEGAL, np.int64),
        ranked=np.zeros((MOST_TURNS, 6), np.int64),
    )
