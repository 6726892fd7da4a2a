"""The search hooks of TryAngle for the double oracle (`lapilli.search.double_oracle_template.DoubleOracleHooks`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lapilli.games.tryangle.board import (
    ADD_PATH,
    ADDS,
    ATTACK,
    ATTACKS,
    BUCKETS,
    MAX_HOUSES,
    MAX_QUEUE,
    MOVES,
    REMOVES,
    SPAWN,
    SPAWNS,
)
from lapilli.games.tryangle.engine import changes, evaluation, habits, policy, rows, sketch
from lapilli.games.tryangle.engine.evaluation import weights_of as weights_of
from lapilli.games.tryangle.engine.sketch import SKETCH as SKETCH
from lapilli.games.tryangle.engine.sketch import WIDTH as WIDTH
from lapilli.games.tryangle.rules.commands import amount_of, command_of, parts_of
from lapilli.games.tryangle.rules.geometry import Table
from lapilli.games.tryangle.rules.turn import line_up
from lapilli.games.tryangle.rules.verbs import accepts
from lapilli.kernels.kernel import Ints, Position, Rng, kernel

MOST_ACTIONS = MAX_QUEUE + 1
Scratch = tuple[Any, ...]
"""Scratch arrays and tables, in this order: grounds; arriving units; distances between houses; sums per house (see
`policy`); a spare sketch; and for `habits`: its weights (empty if it is not used), the array `marks`, the patterns of a
way, both players' tables."""

WEIGHTS = {**evaluation.WEIGHTS, "habits": 0.0}
"""The weights of the evaluation, and `habits`: 1 to draw moves from the learned prior (`habits`), 0 not to."""
_GROUNDS = 9
"""Number of grounds: one more than the greatest number of turns of a plan, as each turn may change the paths."""


def new_scratch(settings: Mapping[str, float] = WEIGHTS) -> Scratch:
    """Returns the scratch arrays for the kernels below: 160 KB."""
    return (
        np.zeros(_GROUNDS, sketch.GROUND),
        np.zeros((2, MAX_HOUSES), np.int64),
        np.zeros((MAX_HOUSES, MAX_HOUSES), np.int64),
        np.zeros((4, MAX_HOUSES), np.int64),
        np.zeros(1, SKETCH),
        habits.read_weights() if settings["habits"] else np.zeros(0),
        np.zeros((habits.MARKS, MAX_HOUSES), np.int64),
        np.zeros(habits.FEATURES, np.int64),
        np.zeros((2, habits.ROWS, MAX_HOUSES), np.int64),
    )


@kernel
def enter(p: Position, s: Any, scratch: Scratch, table: Table) -> None:
    """Starts a search at the position `p`: fills `s`, the first ground and the tables."""
    grounds, _, distances, _, _, weights, marks, features, tables = scratch
    sketch.read(p, grounds[0], s)
    sketch.list_open(grounds[0], p, table)
    policy.measure(grounds[0], distances)
    if len(weights) > 0:
        for player in range(2):
            habits.foretell(grounds[0], s, player, weights, marks, features, tables[player])


@kernel
def step(s: Any, mine: Ints, theirs: Ints, at: int, scratch: Scratch) -> int:
    """Plays one turn on `s`: the rows of player 0 (`mine`) and of player 1 (`theirs`).

    `at` is the index of the ground before the turn, 0 in the first turn. Returns the index of the ground after it.
    """
    return sketch.play(scratch[0], at, s, scratch[1], mine, theirs)


@kernel
def usual(s: Any, player: int, row: Ints, rng: Rng, scratch: Scratch) -> None:
    """Writes the turn of the greedy opponent into `row`."""
    grounds, _, distances, sums, spare, _, _, _, _ = scratch
    spare[0] = s
    policy.greedy_row(grounds[0], spare[0], distances, sums, player, rng, row)


@kernel
def clear(row: Ints) -> None:
    """Writes a turn without commands."""
    rows.clear(row)


@kernel
def change(s: Any, player: int, row: Ints, rng: Rng, scratch: Scratch) -> None:
    """Changes a row a little, at random."""
    grounds, _, _, _, _, weights, _, _, tables = scratch
    if len(weights) > 0:
        changes.likely_change(grounds[0], s, player, rng, row, tables[player])
    else:
        changes.change(grounds[0], s, player, rng, row)


@kernel
def copy_row(source: Ints, row: Ints) -> None:
    """Copies a row."""
    rows.copy_row(source, row)


@kernel
def judge(s: Any, player: int, at: int, weights: Any, scratch: Scratch) -> float:
    """Returns the value of a position for a player, in points. `at` is the index of its ground."""
    return evaluation.judge(scratch[0][at], s, player, weights)


@kernel
def expect(s: Any, player: int, worth: float, weights: Any) -> float:
    """Returns the expected score, in [0, 1], of a player's plan with the value `worth`."""
    return evaluation.expect(s, player, worth, weights)


# -- as atomic actions ----------------------------------------------------------------------------------------


@kernel
def actions_of(p: Position, player: int, row: Ints, out: Ints, table: Table) -> int:
    """Converts a row to atomic actions, DONE last; writes them into `out` and returns their number.

    It lines them up in `p`, and leaves out commands that are not legal there.
    """
    number = 0
    for k in range(row[0]):
        number = _line_up(p, player, spend_action(p, row[sketch.SPENDS + k]), out, number, table)
    for k in range(row[1]):
        _, _, house, target, amount = parts_of(row[sketch.MOVES + k])
        first = MOVES + (house * MAX_HOUSES + target) * BUCKETS
        for bucket in range(BUCKETS - 1, -1, -1):
            units = amount_of(p, player, house, bucket)
            while 0 < units <= amount:
                before = number
                number = _line_up(p, player, first + bucket, out, number, table)
                if number == before:
                    break
                amount -= units
    out[number] = 0
    return number + 1


@kernel
def _line_up(p: Position, player: int, action: int, out: Ints, number: int, table: Table) -> int:
    if accepts(p, player, action, table):
        line_up(p, player, command_of(p, player, action))
        out[number] = action
        number += 1
    return number


@kernel
def spend_action(p: Position, order: int) -> int:
    """Returns the atomic action for a command that spends a triangle."""
    kind, t, house, target, _ = parts_of(order)
    if kind == ATTACK:
        return ATTACKS + t * MAX_HOUSES + target
    corner = 0
    for k in range(3):
        if p.corners[t, k] == house:
            corner = k
    if kind == SPAWN:
        return SPAWNS + 3 * t + corner
    return (ADDS if kind == ADD_PATH else REMOVES) + (3 * t + corner) * MAX_HOUSES + target
