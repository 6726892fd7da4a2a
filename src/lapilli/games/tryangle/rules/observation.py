"""Observations of TryAngle: positions as arrays of numbers, from the point of view of one player, for machine
learning."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.core.rules.observation import Observation, Part
from lapilli.games.tryangle.board import ACTIVE, MAX_HOUSES, MAX_TRIANGLES, MAX_TURNS, MOVE
from lapilli.games.tryangle.rules.commands import parts_of
from lapilli.games.tryangle.rules.position import ONE
from lapilli.kernels.kernel import Position, Word, kernel

MOST = 32767
_MIRROR_X, _MIRROR_Y = 1919, 959

OBSERVATION = Observation(
    (
        Part(
            "houses",
            (6, MAX_HOUSES),
            "of each house: 1 if there is such a house; its x and its y (for player 1, seen from the other end of the "
            "map); own units; own units that have no command yet; the opponent's units",
        ),
        Part("paths", (MAX_HOUSES, MAX_HOUSES), "1 for two houses with a path between them"),
        Part(
            "triangles",
            (7, MAX_TRIANGLES),
            "of each triangle, 1 if: it exists; it is own; it is the opponent's; it was own when the turn began; the "
            "player may capture it; the opponent may capture it; a command of the player spends it",
        ),
        Part("corners", (MAX_TRIANGLES, MAX_HOUSES), "1 for a triangle and a house at one of its corners"),
        Part("scores", (2,), "own points, the opponent's points; -1 for a player who is out of the game"),
        Part(
            "turn",
            (4,),
            "turns that are left, this one included; league 1 to 3; number of commands so far; 1 if the player has "
            "ended the turn",
        ),
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
    _write_paths(p, out)
    _write_turn(p, player, out)
    _write_lined_up(p, player, out)


@kernel
def observe_again(p: Position, player: int, before: int, out: Any) -> None:
    """Updates an observation of `player` in `out` after one action, which is faster than writing it anew.

    `out` must contain the observation one action earlier in the same game. At the beginning of a turn, the units,
    owners and scores are written again, and the paths and triangles if they have changed. Within a turn, only the
    numbers that the player's last command has changed are written again.
    """
    if p.queued[0] == 0 and p.queued[1] == 0:
        if p.rebuilt:
            _write_paths(p, out)
        _write_turn(p, player, out)
        _write_lined_up(p, player, out)
    else:
        _write_last_command(p, player, out)


@kernel
def _write_bits(out: Any, place: int, bits: Word, number: int) -> None:
    """Writes a set into an observation, `out`: each of the lowest `number` bits of a word, as 0 or 1.

    The first bit is written at the index `place`.
    """
    for k in range(number):
        out[place + k] = bits >> np.uint64(k) & ONE


@kernel
def _write_set(out: Any, part: int, low: Word, high: Word) -> None:
    """Writes one row of the observation's table of triangles: 1 for each triangle in a set, 0 for the others.

    The set consists of two words: `low` has the triangles with indices below 64, `high` the others. `part` is the
    index of the row, and `out` the observation.
    """
    place = _TRIANGLES + part * MAX_TRIANGLES
    _write_bits(out, place, low, 64)
    _write_bits(out, place + 64, high, MAX_TRIANGLES - 64)


@kernel
def _write_lined_up(p: Position, player: int, out: Any) -> None:
    """Writes those numbers of the observation `out` that depend on the commands that the player has chosen so far."""
    for h in range(int(p.houses)):
        out[4 * MAX_HOUSES + h] = min(int(p.remaining[player, h]), MOST)
    _write_set(out, 6, p.spent[player, 0], p.spent[player, 1])
    out[_SCORES + 4] = int(p.queued[player])
    out[_SCORES + 5] = int(p.done[player])


@kernel
def _write_last_command(p: Position, player: int, out: Any) -> None:
    """Writes those numbers of the observation `out` that the player's last command in this turn has changed."""
    number = int(p.queued[player])
    out[_SCORES + 4] = number
    out[_SCORES + 5] = int(p.done[player])
    if number == 0:
        return
    kind, t, house, _, _ = parts_of(p.queue[player, number - 1])
    if kind == MOVE:
        out[4 * MAX_HOUSES + house] = min(int(p.remaining[player, house]), MOST)
        return
    out[_TRIANGLES + 6 * MAX_TRIANGLES + t] = 1
    for k in range(3):
        corner = int(p.corners[t, k])
        out[4 * MAX_HOUSES + corner] = min(int(p.remaining[player, corner]), MOST)


@kernel
def _write_paths(p: Position, out: Any) -> None:
    """Writes into the observation `out` the paths, and which triangles there are.

    Before the call, `out` must contain an observation of an earlier turn of the same game, or zeros.
    """
    houses, triangles = int(p.houses), int(p.triangles)
    for h in range(houses):
        _write_bits(out, _PATHS + h * MAX_HOUSES, p.paths[h], houses)
    for t in range(triangles):
        _write_corners(p, t, out)
    for t in range(triangles, MAX_TRIANGLES):
        if out[_TRIANGLES + t]:
            for h in range(MAX_HOUSES):
                out[_CORNERS + t * MAX_HOUSES + h] = 0
    _write_set(out, 0, p.live[0], p.live[1])


@kernel
def _write_turn(p: Position, player: int, out: Any) -> None:
    """Writes those numbers of the observation `out` that can change in any turn, even if no path is built or
    removed.
    """
    other = 1 - player
    for h in range(int(p.houses)):
        out[3 * MAX_HOUSES + h] = min(int(p.units[player, h]), MOST)
        out[5 * MAX_HOUSES + h] = min(int(p.units[other, h]), MOST)
    _write_set(out, 1, p.own[player, 0], p.own[player, 1])
    _write_set(out, 2, p.own[other, 0], p.own[other, 1])
    _write_set(out, 3, p.held[player, 0], p.held[player, 1])
    _write_set(out, 4, p.may[player, 0], p.may[player, 1])
    _write_set(out, 5, p.may[other, 0], p.may[other, 1])
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
