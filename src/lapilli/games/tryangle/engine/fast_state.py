"""Positions for searches: two records, one for each of the two parts of a position (see `rules.position`).

The *map record* (GROUND) has the houses, the present paths and the triangles; it changes only in few turns. The *fast
state* (FAST_STATE) has units, owners of triangles and scores. In all kernels, `g` is a map record and `s` a fast state.
An *encoded turn* is a player's turn as an array of integers (see WIDTH).

In a game's last turn, `play` carries out no commands, because they no longer change the scores.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.tryangle.board import ACTIVE, ADD_PATH, MAX_HOUSES, MAX_TRIANGLES, MAX_TURNS
from lapilli.games.tryangle.rules.ending import end_turn
from lapilli.games.tryangle.rules.geometry import Table
from lapilli.games.tryangle.rules.position import GROUND_FIELDS, STATE_FIELDS, mask_of, near_houses, spread
from lapilli.games.tryangle.rules.turn import Orders, act, kinds_of
from lapilli.kernels.kernel import Ints, Position, kernel, record_dtype

GROUND = record_dtype(
    [
        *GROUND_FIELDS,
        ("masks", np.uint64, MAX_TRIANGLES),  # by triangle: its corners
        ("near", np.uint64, MAX_TRIANGLES),  # by triangle: its corners and their neighbours
        ("near2", np.uint64, MAX_TRIANGLES),  # by triangle: the houses at most 2 steps away when it was found
        ("near3", np.uint64, MAX_TRIANGLES),  # by triangle: the houses at most 3 steps away when it was found
    ]
)
"""dtype of a map record: houses, present paths and triangles. Triangles have the same indices throughout a search."""

FAST_STATE = record_dtype(STATE_FIELDS)
"""dtype of a fast state: the part of a position that changes in every turn, such as units, owners and scores."""

MOST_SPENDS, MOST_MOVES = 24, 54
SPENDS = 2
MOVES = SPENDS + MOST_SPENDS
WIDTH = MOVES + MOST_MOVES
"""Length of an encoded turn, which is a player's turn as an array of integers:

- index 0: the number of commands that use up triangles;
- index 1: the number of moves;
- from index SPENDS on: the commands that use up triangles, as integers (see `rules.commands`);
- from index MOVES on: the moves, as such integers."""

Grounds = Any
"""An array of map records. The first has the paths at which a search starts. Each further one has the paths after a
turn that changed them."""


@kernel
def read(p: Position, g: Any, s: Any) -> None:
    """Copies the position `p` to two records: to `g` its houses, paths and triangles, to `s` its units, owners and
    scores.
    """
    g.houses, g.triangles = p.houses, p.triangles
    for h in range(MAX_HOUSES):
        g.paths[h], g.open[h], g.x[h], g.y[h] = p.paths[h], p.open[h], p.x[h], p.y[h]
        g.around[h, 0], g.around[h, 1] = p.around[h, 0], p.around[h, 1]
        s.units[0, h], s.units[1, h] = p.units[0, h], p.units[1, h]
    for t in range(int(p.triangles)):
        for k in range(3):
            g.corners[t, k] = p.corners[t, k]
    for word in range(2):
        g.live[word] = p.live[word]
    for player in range(2):
        s.score[player], s.left[player] = p.score[player], p.left[player]
        for word in range(2):
            s.own[player, word], s.held[player, word] = p.own[player, word], p.held[player, word]
            s.may[player, word] = p.may[player, word]
    s.turn, s.league, s.over = p.turn, p.league, p.over
    note_reach(g, 0)


@kernel
def note_reach(g: Any, first: int) -> None:
    """Updates which houses are near each triangle, after paths have changed: four fields of the map record `g`.

    The map record contains the position's houses, paths and triangles. The fields are `masks` (the corners), `near`
    (the corners and their neighbours), `near2` and `near3` (the houses at most 2 and 3 steps away). Triangles from the
    index `first` on are new. For the others, only `near` is computed again.
    """
    for t in range(int(g.triangles)):
        g.near[t] = near_houses(g, t)
        if t >= first:
            g.masks[t] = mask_of(g, t)
            g.near2[t] = g.near[t] | spread(g, g.near[t])
            g.near3[t] = g.near2[t] | spread(g, g.near2[t])


@kernel
def orders_of(row: Ints) -> Orders:
    """Converts `row`, a turn encoded as integers (see WIDTH), to Orders, the form of commands that the rules expect."""
    return row, SPENDS, SPENDS + row[0], MOVES, MOVES + row[1]


@kernel
def play(grounds: Grounds, at: int, s: Any, arrivals: Ints, mine: Ints, theirs: Ints, table: Table) -> int:
    """Plays one turn; returns the index in `grounds` of the map record after the turn.

    A map record has the houses, paths and triangles of a position. If paths change, the index is the next one;
    otherwise it is `at` itself.

    Args:
        grounds: array of map records.
        at: index of the map record before the turn.
        s: the position's units, owners of triangles, and scores; it is changed.
        arrivals: scratch array by player and house, zeros before and after the call (see `rules.turn`).
        mine, theirs: the turns of player 0 and of player 1, encoded as integers (see WIDTH).
        table: the table of possible paths on the map (see `rules.geometry`).
    """
    if s.left[0] != ACTIVE or s.left[1] != ACTIVE or s.turn >= MAX_TURNS:
        s.over = 1
        return at
    first, second = orders_of(mine), orders_of(theirs)
    if (kinds_of(first) | kinds_of(second)) >> ADD_PATH and at + 1 < len(grounds):
        grounds[at + 1] = grounds[at]
        at += 1
    g = grounds[at]
    known = int(g.triangles)
    if act(g, s, table, arrivals, first, second, False):
        note_reach(g, known)
    end_turn(g, s)
    return at
