"""A prior for moves: for each house, the probabilities that its units move to each neighbour or stay, without a search.

A *way* leads from a house to a neighbour, or to the house itself if units stay. A way has six patterns. Each pattern is
computed from a few numbers of the way's two houses and has a learned weight. The probability of a way is proportional
to the exponential of the sum of its six weights. The weights were learned from turns that long searches chose
(`weights.md`). In all kernels, the position is given by its map record `g` (houses, paths, triangles) and its fast
state `s` (units, owners, scores); see `fast_state`.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from math import exp
from typing import Any

import numpy as np

from lapilli.games.tryangle.board import MAX_HOUSES
from lapilli.games.tryangle.engine.evaluation import under_attack
from lapilli.games.tryangle.rules.position import NONE, ONE, bit, spread
from lapilli.kernels.kernel import Ints, Rng, Word, kernel, lowest, popcount, random_below

HOUSE_FEATURES = 12
MINE, THEIRS, OWN, WANTED, LAST, STUCK, LOST, THREAT, HELP, RING, RISK, LIKELY = range(HOUSE_FEATURES)
"""First indices of the array `house_features`, which has these numbers for each house (second index):

- `MINE`, `THEIRS`: number of units on the house, of the player and of the other player.
- `OWN`, `LOST`: number of triangles with a corner on the house that the player owns, and that the other player owns.
- `WANTED`: number of triangles with a corner on the house that the player may capture.
- `LAST`: number of WANTED triangles on whose other two corners the player has more units than the other player.
- `STUCK`: number of triangles with a corner on the house that the player has used up, and so may not capture.
- `THREAT`, `HELP`: number of units on neighbouring houses, of the other player and of the player.
- `RING`: number of neighbouring houses where units of the other player would be surrounded if the player took this
  house.
- `RISK`: 1 if the other player can attack the house, else 0.
- `LIKELY`: used within `predict_moves`: likelihood that units move to the house."""

_SIZES = (
    2 * 3 * 3 * 4 * 3 * 3 * 2,
    2 * 3 * 4 * 3 * 4 * 3 * 3,
    2 * 4 * 4 * 3 * 3,
    2 * 3 * 3 * 3 * 4,
    2 * 3 * 2 * 2 * 4 * 3,
)
FEATURES = len(_SIZES) + 1
STARTS = tuple(sum(_SIZES[:k]) for k in range(FEATURES))
PATTERNS = STARTS[-1] + 4 * 3 * 4 * 3
_A, _B, _C, _D, _E, _F = STARTS


@kernel
def write_house_features(g: Any, s: Any, player: int, house_features: Ints) -> None:
    """Fills `house_features` with twelve numbers for each house, such as units and threats, as a player sees them.

    The comment below MINE lists the numbers. `g`: the position's houses, paths and triangles; `s`: its units, owners
    and scores.
    """
    other = 1 - player
    present = theirs = major = NONE
    for h in range(int(g.houses)):
        if s.units[player, h]:
            present |= bit(h)
        if s.units[other, h]:
            theirs |= bit(h)
        if s.units[player, h] > s.units[other, h]:
            major |= bit(h)
    attacked = under_attack(g, s, other, theirs)
    for h in range(int(g.houses)):
        house_features[MINE, h], house_features[THEIRS, h] = s.units[player, h], s.units[other, h]
        for k in range(OWN, RISK):
            house_features[k, h] = 0
        for word in range(2):
            here, own, may = g.around[h, word], s.own[player, word], s.may[player, word]
            wanted = here & may & ~own
            house_features[OWN, h] += popcount(here & own)
            house_features[WANTED, h] += popcount(wanted)
            house_features[STUCK, h] += popcount(here & ~may & ~own)
            house_features[LOST, h] += popcount(here & s.own[other, word])
            while wanted != NONE:
                t = lowest(wanted) + 64 * word
                wanted &= wanted - ONE
                house_features[LAST, h] += int(g.masks[t] & ~major & ~bit(h) == NONE)
        around = g.paths[h] & ~bit(h)
        while around != NONE:
            near = lowest(around)
            around &= around - ONE
            house_features[THREAT, h] += s.units[other, near]
            house_features[HELP, h] += s.units[player, near]
            if theirs & bit(near) != NONE and g.paths[near] & ~major & ~bit(h) == NONE:
                house_features[RING, h] += 1
        house_features[RISK, h] = int(attacked & bit(h) != NONE)


@kernel
def write_way_features(g: Any, s: Any, player: int, house_features: Any, house: int, goal: int, out: Ints) -> None:
    """Describes a possible move from `house` to `goal` by six patterns, and writes their numbers into `out`.

    Each number is the index of a learned weight. If `goal` is `house`, the units stay. `house_features` is the array
    that `write_house_features` has filled. `g`: the position's houses, paths and triangles; `s`: its units, owners and
    scores.
    """
    stays = int(house == goal)
    mine, theirs = min(house_features[MINE, house], 3) - 1, min(house_features[THEIRS, house], 2)
    to_mine, to_theirs = min(house_features[MINE, goal], 2), min(house_features[THEIRS, goal], 3)
    own, wanted = min(house_features[OWN, house], 3), min(house_features[WANTED, house], 2)
    stuck, last = min(house_features[STUCK, house], 2), min(house_features[LAST, goal], 2)
    both_own = both_wanted = 0
    for word in range(2):
        both = g.around[house, word] & g.around[goal, word]
        both_own += popcount(both & s.own[player, word])
        both_wanted += popcount(both & s.may[player, word] & ~s.own[player, word])
    a = ((stays * 3 + mine) * 3 + theirs) * 4 + own
    out[0] = _A + ((a * 3 + wanted) * 3 + stuck) * 2 + house_features[RISK, house]
    b = ((stays * 3 + to_mine) * 4 + to_theirs) * 3 + last
    b = (b * 4 + min(house_features[WANTED, goal], 3)) * 3 + min(house_features[OWN, goal], 2)
    out[1] = _B + b * 3 + min(house_features[STUCK, goal], 2)
    c = (stays * 4 + min(house_features[THREAT, house], 3)) * 4 + min(house_features[THREAT, goal], 3)
    out[2] = _C + (c * 3 + min(to_theirs, 2)) * 3 + mine
    d = ((stays * 3 + min(both_own, 2)) * 3 + min(both_wanted, 2)) * 3 + min(house_features[LOST, goal], 2)
    out[3] = _D + d * 4 + min(house_features[HELP, goal], 3)
    e = ((stays * 3 + min(house_features[RING, goal], 2)) * 2 + house_features[RISK, goal]) * 2 + house_features[
        RISK, house
    ]
    out[4] = _E + (e * 4 + min(house_features[HELP, goal], 3)) * 3 + to_mine
    near = spread(g, g.paths[goal] & ~g.paths[house]) if not stays else NONE
    fresh = empty = 0
    while near != NONE:
        h = lowest(near)
        near &= near - ONE
        if house_features[MINE, h] == 0:
            empty += 1
            fresh += house_features[WANTED, h]
    out[5] = _F + ((min(fresh // 3, 3) * 3 + min(empty // 2, 2)) * 4 + own) * 3 + last


# -- likelihoods ----------------------------------------------------------------------------------------------

UNCERTAIN, WAYS = 0, 1
"""First indices of a player's table of likelihoods; the second index is a house. `table[UNCERTAIN]` has the
uncertainty about the moves of each house's units. `table[WAYS + h]` has the likelihoods that units of house h move
to each house."""
ROWS = WAYS + MAX_HOUSES
_WHOLE = 1_000
_LEAST = 20
"""`_WHOLE`: sum of the likelihoods of all moves from a house, before `_LEAST` is added to each of them. Because of
`_LEAST`, even the least likely moves are tried."""
_FINE, _LARGEST = 1e6, 20.0


@kernel
def predict_moves(g: Any, s: Any, player: int, weights: Any, house_features: Ints, features: Ints, table: Ints) -> None:
    """Predicts, without a search, where a player's units will move: fills a table with the likelihoods of all moves.

    Args:
        g: the position's houses, paths and triangles.
        s: its units, owners and scores.
        player: the player.
        weights: the weights from `read_weights`.
        house_features, features: scratch arrays.
        table: filled, integers of shape (ROWS, MAX_HOUSES). The row UNCERTAIN gets, for each house, how uncertain the
            moves of its units are. The row WAYS + h gets the likelihoods that units of house h move to each house.
    """
    write_house_features(g, s, player, house_features)
    for h in range(int(g.houses)):
        for goal in range(MAX_HOUSES):
            table[WAYS + h, goal] = 0
        goals = g.paths[h] | bit(h)
        if house_features[MINE, h] == 0:
            set_equal(goals, table, h)
            continue
        whole, most, rest = 0, 0, goals
        while rest != NONE:
            goal = lowest(rest)
            rest &= rest - ONE
            write_way_features(g, s, player, house_features, h, goal, features)
            logit = 0.0
            for k in range(FEATURES):
                logit += weights[features[k]]
            house_features[LIKELY, goal] = int(_FINE * exp(min(_LARGEST, logit)))
            whole += house_features[LIKELY, goal]
        while goals != NONE:
            goal = lowest(goals)
            goals &= goals - ONE
            share = _WHOLE * house_features[LIKELY, goal] // max(1, whole)
            most = max(most, share)
            table[WAYS + h, goal] = share + _LEAST
        table[UNCERTAIN, h] = _WHOLE - most + _LEAST


@kernel
def set_equal(goals: Word, table: Ints, house: int) -> None:
    """Makes all moves from a house to the houses of the set `goals` equally likely.

    `table` contains the likelihoods of all moves, as `predict_moves` writes them. This is for a house without units at
    present. In plans of several turns, units may arrive there, and then move on.
    """
    table[UNCERTAIN, house] = _LEAST
    while goals != NONE:
        table[WAYS + house, lowest(goals)] = _LEAST
        goals &= goals - ONE


@kernel
def some_house(table: Ints, houses: Word, rng: Rng) -> int:
    """Returns a random house of `houses`, a non-empty set. Houses with more uncertain moves are drawn more often.

    `table` contains how uncertain the moves of each house's units are, as `predict_moves` has written it.
    """
    return draw(table[UNCERTAIN], houses, rng)


@kernel
def some_goal(table: Ints, house: int, goals: Word, rng: Rng) -> int:
    """Returns a random house of the set `goals`, for a move of units of `house`.

    The probabilities are proportional to the likelihoods of these moves in `table` (see `predict_moves`).
    """
    return draw(table[WAYS + house], goals, rng)


@kernel
def draw(amounts: Ints, houses: Word, rng: Rng) -> int:
    """Returns a random house of the non-empty set `houses`. A house with a large number in `amounts` is more likely.

    A house's probability is proportional to its number in `amounts`.
    """
    whole, rest = 0, houses
    while rest != NONE:
        whole += amounts[lowest(rest)]
        rest &= rest - ONE
    threshold, last = random_below(rng, max(1, whole)), 0
    while houses != NONE:
        last = lowest(houses)
        threshold -= amounts[last]
        if threshold < 0:
            break
        houses &= houses - ONE
    return last


# -- weights --------------------------------------------------------------------------------------------------

FILE = "weights.npz"
"""Name of the file with the weights, in the game's folder `content`."""


@cache
def read_weights() -> Any:
    """Returns the trained weights of the move prior that come with the game: float64, PATTERNS numbers."""
    file = resources.files("lapilli.games.tryangle") / "content" / FILE
    with resources.as_file(file) as path, np.load(path) as arrays:
        return np.ascontiguousarray(arrays["ways"], np.float64)
