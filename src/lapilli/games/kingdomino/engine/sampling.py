"""Kingdomino's functions for sequential halving; their names are those of
`lapilli.search.sequential_halving_template.SequentialHalvingHooks`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kingdomino.board import MAX_LEGAL
from lapilli.games.kingdomino.engine import room as rooms
from lapilli.games.kingdomino.engine.beginner import beginners_turn
from lapilli.games.kingdomino.engine.plain import judge_plain, propose_plain
from lapilli.games.kingdomino.engine.room import MOST_TURNS, Room
from lapilli.games.kingdomino.engine.rounds import judge_rounds
from lapilli.games.kingdomino.engine.turns import propose_turns
from lapilli.games.kingdomino.engine.weights import read_weights
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.rules.position import KINGDOMINO, OPEN
from lapilli.games.kingdomino.rules.territory import MAX_ZONES
from lapilli.kernels.kernel import Batch, Ints, Position, Rng, World, kernel, random_word

TURN = 2
MOST = MOST_TURNS
_WAYS, _WIDTH = 8, 3
_WAYS_EXPECTED, _WIDTH_EXPECTED = 4, 1
"""`_WAYS`: number of PUTs that are examined. `_WIDTH`: number of territories that a beam search keeps. The other two
are the same for turns that are only shown.
"""


def new_room() -> World:
    """Returns the scratch arrays: positions, actions, zones and the order of turns for quick rollouts, then those of
    the search by the learned value.
    """
    return (
        np.zeros(2, KINGDOMINO),
        np.zeros((2, MAX_LEGAL), np.int64),
        np.zeros((2, MAX_ZONES, 3), np.uint64),
        np.zeros(MOST, np.int64),
        rooms.new_room(read_weights()),
    )


@kernel
def hide(p: Position) -> None:
    """Makes the order of the pile unknown."""
    p.lots = OPEN


@kernel
def redraw(p: Position, rng: Rng) -> None:
    """Chooses a random order of the pile, and draws the tiles that are to be drawn now."""
    p.lots = np.int64(random_word(rng) >> np.uint64(16))
    rules.settle(p)


@kernel
def propose(
    p: Position,
    player: int,
    most: int,
    rounds: int,
    turns: Any,
    priors: Any,
    starts: Batch,
    scratch: Batch,
    actions: Any,
    zones: Any,
    order: Ints,
    room: Room,
) -> int:
    """Proposes turns; returns their number.

    If `rounds` is 0, games are played to the end: then these are all turns, ranked by greedy's evaluation. Otherwise
    they are the turns that promise most by the learned value.
    """
    if rounds == 0:
        return propose_plain(p, player, most, turns, priors, starts, scratch, actions, order)
    return propose_turns(p, player, most, _WAYS, _WIDTH, turns, priors, starts, room)


@kernel
def expect(
    p: Position,
    player: int,
    rounds: int,
    turns: Any,
    priors: Any,
    starts: Batch,
    scratch: Batch,
    actions: Any,
    zones: Any,
    order: Ints,
    room: Room,
) -> None:
    """Proposes one turn, chosen from fewer than in `propose`."""
    if rounds == 0:
        propose_plain(p, player, 1, turns, priors, starts, scratch, actions, order)
    else:
        propose_turns(p, player, 1, _WAYS_EXPECTED, _WIDTH_EXPECTED, turns, priors, starts, room)


@kernel
def judge(
    p: Position,
    player: int,
    rounds: int,
    rng: Rng,
    scratch: Batch,
    actions: Any,
    zones: Any,
    order: Ints,
    room: Room,
) -> float:
    """Returns the player's expected score: by a quick rollout to the end if `rounds` is 0, otherwise by the learned
    value after so many drafted rounds.
    """
    if rounds == 0:
        return judge_plain(p, player, rng, zones, actions[0])
    return judge_rounds(p, player, rounds, room)


@kernel
def beginner(
    p: Position,
    player: int,
    looks: int,
    rng: Rng,
    turn: Ints,
    scratch: Batch,
    actions: Any,
    zones: Any,
    order: Ints,
    room: Room,
) -> None:
    """Fills `turn` with the turn of a beginner who compares `looks` random ones."""
    beginners_turn(p, player, looks, rng, turn, scratch, actions[0])
