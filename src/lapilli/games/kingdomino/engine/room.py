"""Scratch arrays and network weights of the search by the learned value; they are made once per search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lapilli.games.kingdomino.board import MAX_LEGAL, MAX_PLAYERS
from lapilli.games.kingdomino.engine.features import OF_ALL, OF_TERRAIN
from lapilli.games.kingdomino.engine.weights import BEYOND, HIDDEN, Weights
from lapilli.games.kingdomino.rules.position import KINGDOMINO

WIDEST = 8
"""Maximum number of territories that a beam search keeps."""
MOST_TURNS = 1024
"""Maximum number of turns to choose from: four picks for each PUT."""
_NODES = 3 * WIDEST + 1


class Mind(NamedTuple):
    """Arrays of `value`, all float64.

    Attributes:
        weights: weights of the networks.
        stock: contents of the pile, shape (3, 6), as `features.survey_pile` fills it.
        terrains, whole: features of a territory, shapes (6, OF_TERRAIN) and (OF_ALL,).
        known, units: a cache of the first layer, shapes (7, OF_TERRAIN) and (6, HIDDEN): the features of the last
            terrains, and their results. The last row of `known` begins with the index of the network used.
        hidden, beyond: units of the two layers, shapes (HIDDEN,) and (BEYOND,).
    """

    weights: Weights
    stock: Any
    terrains: Any
    whole: Any
    known: Any
    units: Any
    hidden: Any
    beyond: Any


class Room(NamedTuple):
    """Scratch arrays of `plan`, `draft`, `rounds` and `turns`.

    Attributes:
        mind: arrays of `value`.
        nodes: positions of a beam search: WIDEST to start from, WIDEST after each of two steps, and one for scratch.
        worth: float64, by node: the points that its territory is expected to reach.
        actions: MAX_LEGAL places for a tile, then 2 * WIDEST integers: source and place of each node.
        beams, sizes: by player, WIDEST positions with its best territories, and their number.
        table: float64 of shape (4, 16), by player and set of slots in the row to pick: the expected points.
        got, best: by player a set of slots; the last element is for all players together.
        scores, steps: float64 of shape (5, 4) and integers of shape (2, 5, 4): the present line of the draft.
        puts: places for the tile in play.
        ranked: shape (MOST_TURNS, 6), by turn: index of its PUT, slot of its PICK, and `best` after it.
    """

    mind: Mind
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


def new_room(weights: Weights) -> Room:
    """Returns all scratch arrays, about 100 KB."""
    mind = Mind(
        weights=weights,
        stock=np.zeros((3, 6)),
        terrains=np.zeros((6, OF_TERRAIN)),
        whole=np.zeros(OF_ALL),
        known=np.full((7, OF_TERRAIN), -1.0),
        units=np.zeros((6, HIDDEN)),
        hidden=np.zeros(HIDDEN),
        beyond=np.zeros(BEYOND),
    )
    return Room(
        mind=mind,
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
