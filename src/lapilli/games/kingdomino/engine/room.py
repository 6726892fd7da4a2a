"""What the valued search knows, and the room that its kernels work in: arrays, made once a search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lapilli.games.kingdomino.board import MAX_LEGAL, MAX_PLAYERS
from lapilli.games.kingdomino.engine.features import OF_ALL, OF_TERRAIN
from lapilli.games.kingdomino.engine.weights import BEYOND, HIDDEN, Weights
from lapilli.games.kingdomino.rules.position import KINGDOMINO

WIDEST = 8
"""Territories that a search for places keeps at most."""
MOST_TURNS = 1024
"""Turns to choose from at most: four picks for each PUT."""
_NODES = 3 * WIDEST + 1


class Mind(NamedTuple):
    """What `value` needs: float64 arrays.

    Attributes:
        weights: of the networks. stock: what is in the pile, (3, 6), as `features.survey_pile` fills it.
        terrains, whole: (6, OF_TERRAIN) and (OF_ALL,), a territory in numbers.
        known, units: (7, OF_TERRAIN) and (6, HIDDEN), the last terrains that went through the first layer, and what
            came out; the last row begins with which network that was.
        hidden, beyond: (HIDDEN,) and (BEYOND,), the layers.
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
    """What `plan`, `draft` and `valued` need.

    Attributes:
        mind: as above.
        nodes: positions in which a search for places goes on: those to begin with, two steps from them, WIDEST each,
            and one to work in. worth: float64, what their territories are expected to come to.
        actions: places for a tile, MAX_LEGAL, and then 2 * WIDEST: source and place of each node.
        beams, sizes: by player, WIDEST positions with its best territories, and how many there are.
        table: float64 of (4, 16), by player what each set of slots in the row to pick comes to.
        got, best: by player a set of slots, and one of all.
        scores, steps: float64 of (5, 4) and integers of (2, 5, 4), the draft's picks so far.
        puts: places for the tile in play. ranked: (MOST_TURNS, 6): number of the PUT, slot of the PICK, and `best`.
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
    """All of it, about 100 KB."""
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
