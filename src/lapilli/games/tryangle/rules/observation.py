"""Observations of TryAngle: positions as arrays of numbers, from the point of view of one player, for machine
learning."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.core.rules.observation import Observation, Part
from lapilli.games.tryangle.board import ACTIVE, MAX_HOUSES, MAX_TRIANGLES, MAX_TURNS
from lapilli.games.tryangle.rules.position import bit
from lapilli.kernels.kernel import Position, kernel

MOST = 32767
_MIRROR_X, _MIRROR_Y = 1919, 959

OBSERVATION = Observation(
    (
        Part(
            "houses",
            (6, MAX_HOUSES),
            "1 where there is a house; its x and its y (for player 1 seen from the map's other end); own units; own "
            "units that are not lined up yet; the other's units",
        ),
        Part("paths", (MAX_HOUSES, MAX_HOUSES), "1 where there is a path between two houses"),
        Part(
            "triangles",
            (7, MAX_TRIANGLES),
            "1 where there is a triangle; it is own; the other's; was own when the turn began; the player may capture "
            "it; the other may; what the player has lined up spends it",
        ),
        Part("corners", (MAX_TRIANGLES, MAX_HOUSES), "1 where a house is a corner of a triangle"),
        Part("scores", (2,), "own points, the other's; -1 for who was put out"),
        Part("turn", (4,), "turns left, this one included; league 1 to 3; commands lined up; 1 if done with this turn"),
    ),
    np.int16,
)
_PATHS = 6 * MAX_HOUSES
_TRIANGLES = _PATHS + MAX_HOUSES * MAX_HOUSES
_CORNERS = _TRIANGLES + 7 * MAX_TRIANGLES
_SCORES = _CORNERS + MAX_TRIANGLES * MAX_HOUSES


@kernel
def observe(p: Position, player: int, out: Any) -> None:
    """Writes the observation of `player` into `out`, in the format that OBSERVATION describes.

    Commands that the other player has chosen so far for this turn are hidden.
    """
    for place in range(_SCORES):
        out[place] = 0
    for h in range(int(p.houses)):
        x, y = int(p.x[h]), int(p.y[h])
        out[h] = 1
        out[MAX_HOUSES + h] = x if player == 0 else _MIRROR_X - x
        out[2 * MAX_HOUSES + h] = y if player == 0 else _MIRROR_Y - y
    _write_turn(p, player, out)
    _write_lined_up(p, player, out)


@kernel
def observe_again(p: Position, player: int, out: Any) -> None:
    """Updates `out`, which holds the observation of `player` one action earlier in the same game.

    At the beginning of a turn, all numbers except the houses' coordinates are written again. Within a turn, only the
    numbers that depend on the player's own commands are written again.
    """
    if p.queued[0] == 0 and p.queued[1] == 0:
        _write_turn(p, player, out)
    _write_lined_up(p, player, out)


@kernel
def _write_lined_up(p: Position, player: int, out: Any) -> None:
    """Writes the numbers of an observation that change whenever the player chooses a command within a turn."""
    for h in range(int(p.houses)):
        out[4 * MAX_HOUSES + h] = min(int(p.remaining[player, h]), MOST)
    for t in range(int(p.triangles)):
        out[_TRIANGLES + 6 * MAX_TRIANGLES + t] = 1 if p.spent[player, t >> 6] & bit(t & 63) else 0
    out[_SCORES + 4] = int(p.queued[player])
    out[_SCORES + 5] = int(p.done[player])


@kernel
def _write_turn(p: Position, player: int, out: Any) -> None:
    """Writes the numbers of an observation that change from turn to turn.

    `out` must contain an observation of an earlier turn of the same game, or zeros.
    """
    other = 1 - player
    for h in range(int(p.houses)):
        out[3 * MAX_HOUSES + h] = min(int(p.units[player, h]), MOST)
        out[5 * MAX_HOUSES + h] = min(int(p.units[other, h]), MOST)
        for near in range(int(p.houses)):
            out[_PATHS + h * MAX_HOUSES + near] = 1 if p.paths[h] & bit(near) else 0
    for t in range(int(p.triangles)):
        may = int(p.may[t])
        place = _TRIANGLES + t
        _write_corners(p, t, out)
        out[place] = 1
        out[place + MAX_TRIANGLES] = 1 if p.owner[t] == player else 0
        out[place + 2 * MAX_TRIANGLES] = 1 if p.owner[t] == other else 0
        out[place + 3 * MAX_TRIANGLES] = 1 if p.owner_at_start[t] == player else 0
        out[place + 4 * MAX_TRIANGLES] = may >> player & 1
        out[place + 5 * MAX_TRIANGLES] = may >> other & 1
    for t in range(int(p.triangles), MAX_TRIANGLES):
        if out[_TRIANGLES + t]:
            for part in range(7):
                out[_TRIANGLES + part * MAX_TRIANGLES + t] = 0
            for h in range(MAX_HOUSES):
                out[_CORNERS + t * MAX_HOUSES + h] = 0
    out[_SCORES] = int(p.score[player]) if p.left[player] == ACTIVE else -1
    out[_SCORES + 1] = int(p.score[other]) if p.left[other] == ACTIVE else -1
    out[_SCORES + 2] = MAX_TURNS + 1 - int(p.turn)
    out[_SCORES + 3] = int(p.league)


@kernel
def _write_corners(p: Position, t: int, out: Any) -> None:
    """Writes the three corners of the triangle `t` into the part "corners" of an observation.

    Does nothing if `out` has these corners already: reading three elements is faster than writing MAX_HOUSES elements.
    """
    row = _CORNERS + t * MAX_HOUSES
    a, b, c = row + int(p.corners[t, 0]), row + int(p.corners[t, 1]), row + int(p.corners[t, 2])
    if out[a] == 0 or out[b] == 0 or out[c] == 0:
        for h in range(MAX_HOUSES):
            out[row + h] = 0
        out[a] = out[b] = out[c] = 1
