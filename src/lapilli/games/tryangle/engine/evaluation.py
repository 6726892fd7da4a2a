"""The evaluation function: the lead in points, plus the value of everything that will score further points.

Owned triangles, units, and triangles within reach will score further points. Units that the other player threatens
have a lower value. In all kernels, the position is given by its map record `g` (houses, paths, triangles) and its fast
state `s` (units, owners, scores); see `fast_state`.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from lapilli.games.tryangle.board import ACTIVE, ATTACK_LEAGUE, MAX_TURNS
from lapilli.games.tryangle.rules.ending import covered, presence
from lapilli.games.tryangle.rules.position import NONE, ONE, bit, spread
from lapilli.kernels.kernel import Word, kernel, lowest, popcount

WEIGHTS = {
    "owned": 4.0,
    "unit": 8.0,
    "few": 30.0,
    "near": 3.0,
    "fade": 0.75,
    "stack": 0.3,
    "ring": 0.5,
    "locked": 0.3,
    "harm": 1.0,
    "beyond": 0.04,
}
"""Weights of the evaluation by name, in points:

- `owned`: value of an owned triangle.
- `unit`: value of a unit.
- `few`: factor of the logarithm of the number of units plus 1.
- `near`: value of a triangle that the player would capture without any further step of a unit.
- `fade`: factor by which `near` shrinks for each step that is needed.
- `stack`: loss for each unit beyond the third on a house that can be attacked. Only the house with the most such units
  matters.
- `ring`: loss for a unit that the other player could surround by a single step.
- `locked`: loss for a unit on a corner of a triangle that the player has used up and may not capture yet.
- `harm`: factor of the other player's value, which is subtracted.
- `beyond`: in `expect`, factor of the value that exceeds the lead in points. It was fitted to the ends of matches.

`stack`, `ring` and `locked` are subtracted."""
OWNED, UNIT, FEW, NEAR, FADE, STACK, RING, LOCKED, HARM, BEYOND = range(len(WEIGHTS))

WON = 1000.0
"""Value of a win, above all possible points."""
_LEAD, _LATE = 2.0, 1.0
"""In `expect`, each point of lead counts _LEAD / (_LATE + the number of turns left). Both numbers were fitted to the
ends of 130 matches."""
_HORIZON = 25
"""In this number of turns at the end of a game, everything except the lead in points loses value from turn to turn."""


def weights_of(settings: Any) -> Any:
    """Returns the weights as an array (float64) in the order of WEIGHTS, with defaults for missing settings."""
    return np.array([settings.get(name, weight) for name, weight in WEIGHTS.items()], np.float64)


@kernel
def evaluate(g: Any, s: Any, player: int, weights: Any) -> float:
    """Returns the value of a position for a player, in points: the present lead, plus the value of units and triangles
    that will score further points.

    `weights` is an array that `weights_of` returns. `g`: the position's houses, paths and triangles; `s`: its units,
    owners and scores.
    """
    other = 1 - player
    lead = float(s.score[player] - s.score[other])
    if s.left[0] != ACTIVE or s.left[1] != ACTIVE:
        return WON * (int(s.left[other] != ACTIVE) - int(s.left[player] != ACTIVE)) + lead
    rest = (MAX_TURNS - int(s.turn)) / _HORIZON
    if s.over or rest <= 0.0:
        return lead
    present0, present1, major0, major1 = presence(g, s, player)
    mine = side(g, s, player, present0, major0, present1, weights)
    theirs = side(g, s, other, present1, major1, present0, weights)
    return float(lead + min(1.0, rest) * (mine - weights[HARM] * theirs))


@kernel
def side(g: Any, s: Any, player: int, present: Word, major: Word, others: Word, weights: Any) -> float:
    """Returns the value of one player's triangles and units, in points.

    Args:
        g: the map record: houses, paths, triangles (`fast_state.GROUND`).
        s: the fast state: units, owners of triangles, scores (`fast_state.FAST_STATE`).
        player: the player.
        present: set of houses with units of the player.
        major: set of houses with more units of the player than of the other player.
        others: set of houses with units of the other player.
        weights: the weights, as returned by `weights_of`.
    """
    other = 1 - player
    owned = popcount(s.own[player, 0]) + popcount(s.own[player, 1])
    number = at_risk = ringed = locked = 0
    attacked = under_attack(g, s, other, others)
    one = present | spread(g, present)
    two = one | spread(g, one)
    three = two | spread(g, two)
    stuck0 = g.live[0] & ~(s.own[player, 0] | s.may[player, 0])
    stuck1 = g.live[1] & ~(s.own[player, 1] | s.may[player, 1])
    reach = others | spread(g, others)
    houses, many = present, NONE
    while houses != NONE:
        h = lowest(houses)
        houses &= houses - ONE
        units = int(s.units[player, h])
        number += units
        if units > 1:
            many |= bit(h)
        if attacked & bit(h) != NONE:
            at_risk = max(at_risk, units - 3)
        if g.paths[h] & ~reach == NONE and popcount(g.paths[h] & ~others) <= 1:
            ringed += units
        if (g.around[h, 0] & stuck0) | (g.around[h, 1] & stuck1) != NONE:
            locked += units
    value = weights[OWNED] * owned + weights[UNIT] * number + weights[FEW] * log(1.0 + number)
    value -= weights[STACK] * at_risk + weights[RING] * ringed + weights[LOCKED] * locked
    near, fade = 0.0, weights[FADE]
    for word in range(2):
        wanted = s.may[player, word] & ~s.own[player, word]
        while wanted != NONE:
            t = lowest(wanted) + 64 * word
            wanted &= wanted - ONE
            mask = g.masks[t]
            steps = popcount(mask & ~major)
            steps += max(popcount(mask & ~one), 3 - popcount(present & g.near[t]) - popcount(many & g.near[t]))
            steps += max(popcount(mask & ~two), 3 - popcount(present & g.near2[t]) - popcount(many & g.near2[t]))
            steps += max(popcount(mask & ~three), 3 - popcount(present & g.near3[t]) - popcount(many & g.near3[t]))
            chance = 1.0
            for _ in range(steps):
                chance *= fade
            near += chance
    return float(value + weights[NEAR] * near)


@kernel
def under_attack(g: Any, s: Any, player: int, present: Word) -> Word:
    """Returns the houses that a player could attack in the next turn if the player's units stay where they are.

    The result is a set of houses, as bits. `present` is the set of houses with units of the player. `g`: the position's
    houses, paths and triangles; `s`: its units, owners and scores.
    """
    found = NONE
    if s.league >= ATTACK_LEAGUE:
        for word in range(2):
            ready = covered(g, present, word) & s.own[player, word]
            while ready != NONE:
                found |= g.near[lowest(ready) + 64 * word]
                ready &= ready - ONE
    return found


@kernel
def expect(s: Any, player: int, worth: float, weights: Any) -> float:
    """Returns the expected score of a player who follows a plan: 0 for a certain loss, 1 for a certain win.

    The score is a logistic function of two numbers: the lead in points divided by the number of turns left, and the
    plan's value minus the lead.

    Args:
        s: units, owners and scores of the position at which the plan starts.
        player: the player.
        worth: value of the plan, as returned by `evaluate`.
        weights: the weights, as returned by `weights_of`.
    """
    lead = float(s.score[player] - s.score[1 - player])
    beyond = min(400.0, max(-400.0, worth - lead))
    return 1.0 / (1.0 + exp(-weights[BEYOND] * beyond - _LEAD * lead / (_LATE + MAX_TURNS - int(s.turn))))
