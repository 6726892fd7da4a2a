"""The scratch arrays of the search `draft`, with the weights of its networks. They are allocated once per searcher."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lapilli.games.kingdomino.board import MAX_LEGAL, MAX_PLAYERS
from lapilli.games.kingdomino.engine.features import OF_ALL, OF_TERRAIN
from lapilli.games.kingdomino.engine.weights import BEYOND, HIDDEN, Weights
from lapilli.games.kingdomino.rules.position import KINGDOMINO

WIDEST = 8
"""Greatest number of territories that a beam search keeps."""
MOST_TURNS = 1024
"""Upper bound of the number of legal turns at a position: four picks for each PUT."""
_NODES = 3 * WIDEST + 1


class NetworkArrays(NamedTuple):
    """The arrays for evaluating the neural networks of the module `value`, all float64.

    Attributes:
        weights: weights of the networks.
        stock: contents of the pile, shape (3, 6), as filled by `features.survey_pile`.
        terrains: features of each terrain of a territory, shape (6, OF_TERRAIN).
        whole: features of the whole territory, shape (OF_ALL,).
        known: cache of the first layer, shape (7, OF_TERRAIN): the features last used for each terrain. The last row
            begins with the index of the network.
        units: cache of the first layer, shape (6, HIDDEN): its output for the features in `known`.
        hidden: output of the first layer, shape (HIDDEN,).
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

    Attributes:
        network: arrays of the module `value`.
        nodes: positions of a beam search: WIDEST to start from, WIDEST after each of two steps, and a spare one.
        worth: the expected points of each node's territory, float64.
        actions: MAX_LEGAL integers for the places of a tile, then 2 * WIDEST integers: source and place of each result.
        beams: by player, WIDEST positions with its best territories.
        sizes: by player, the number of valid positions in `beams`.
        table: the expected points by player and set of slots in the row to pick, float64 of shape (4, 16).
        got: by player, the set of slots that it has picked; the last element is the set of all taken slots.
        best: by player, the set of slots after the best draft.
        scores: expected scores by depth of the draft and player, float64 of shape (5, 4).
        steps: the picks that the search of the draft currently examines, integers of shape (2, 5, 4).
        puts: the PUT actions for the tile in play.
        ranked: shape (MOST_TURNS, 6), by turn: index of its PUT in `puts`, slot of its PICK, and `best` after it.
    """

    network: NetworkArrays
    nodes: Any
    worth: Any
    actions: Any
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
    """Returns new scratch arrays for networks with these weights; they need about 100 KB."""
    network = NetworkArrays(
        weights=weights,
        stock=np.zeros((3, 6)),
        terrains=np.zeros((6, OF_TERRAIN)),
        whole=np.zeros(OF_ALL),
        known=np.full((7, OF_TERRAIN), -1.0),
        units=np.zeros((6, HIDDEN)),
        hidden=np.zeros(HIDDEN),
        beyond=np.zeros(BEYOND),
    )
    return DraftScratch(
        network=network,
        nodes=np.zeros(_NODES, KINGDOMINO),
        worth=np.zeros(_NODES),
        actions=np.zeros(MAX_LEGAL + 2 * WIDEST, np.int64),
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
