"""The search hooks of TryAngle for the double oracle.

They implement `lapilli.search.templates.double_oracle_template.DoubleOracleHooks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lapilli.core.content.levels import SettingRange
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
from lapilli.games.tryangle.engine import changes, evaluation, fast_state, move_prior, policy, turn_encoding
from lapilli.games.tryangle.engine.evaluation import weights_of as weights_of
from lapilli.games.tryangle.engine.fast_state import FAST_STATE as FAST_STATE
from lapilli.games.tryangle.engine.fast_state import WIDTH as WIDTH
from lapilli.games.tryangle.rules.commands import amount_of, command_of, parts_of
from lapilli.games.tryangle.rules.geometry import Table
from lapilli.games.tryangle.rules.turn import line_up
from lapilli.games.tryangle.rules.verbs import accepts
from lapilli.kernels.kernel import Ints, Position, Rng, kernel

MOST_ACTIONS = MAX_QUEUE + 1
Scratch = tuple[Any, ...]
"""Scratch arrays and tables, in this order: map records; arriving units; distances between houses; sums per house (see
`policy`); a spare fast state. Then for `move_prior`: its weights (empty if the prior is not used), the features of
houses, the patterns of a way, both players' tables of likelihoods."""

WEIGHTS = {**evaluation.WEIGHTS, "habits": 0.0}
"""The weights of the evaluation, and the setting `habits`: 1 to draw moves with the learned prior (`move_prior`), 0 to
draw moves without it."""
RANGES = {
    **dict.fromkeys(evaluation.WEIGHTS, SettingRange(-1000, 1000)),
    "fade": SettingRange(0, 1),
    "habits": SettingRange(0, 1),
}
"""Ranges of the settings in WEIGHTS."""
_GROUNDS = 9
"""Number of map records: one more than the greatest number of turns of a plan, as each turn may change the paths."""


def new_scratch(settings: Mapping[str, float] = WEIGHTS) -> Scratch:
    """Returns the scratch arrays and tables for the kernels of this module, 160 KB in all.

    If the setting `habits` is not 0, they include the weights of `move_prior`, with which likely moves are predicted.
    """
    return (
        np.zeros(_GROUNDS, fast_state.GROUND),
        np.zeros((2, MAX_HOUSES), np.int64),
        np.zeros((MAX_HOUSES, MAX_HOUSES), np.int64),
        np.zeros((4, MAX_HOUSES), np.int64),
        np.zeros(1, FAST_STATE),
        move_prior.read_weights() if settings["habits"] else np.zeros(0),
        np.zeros((move_prior.HOUSE_FEATURES, MAX_HOUSES), np.int64),
        np.zeros(move_prior.FEATURES, np.int64),
        np.zeros((2, move_prior.ROWS, MAX_HOUSES), np.int64),
    )


@kernel
def enter(p: Position, s: Any, scratch: Scratch, table: Table) -> None:
    """Starts a search at the position `p`: fills the record `s` and the arrays in `scratch`.

    `s` gets the units, owners and scores. `scratch` gets the houses, paths and triangles, and the tables of the search.
    `table` is the table of possible paths on the map (see `rules.geometry`).
    """
    grounds, _, distances, _, _, weights, house_features, features, tables = scratch
    fast_state.read(p, grounds[0], s)
    policy.measure(grounds[0], distances)
    if len(weights) > 0:
        for player in range(2):
            move_prior.predict_moves(grounds[0], s, player, weights, house_features, features, tables[player])


@kernel
def step(s: Any, mine: Ints, theirs: Ints, at: int, scratch: Scratch, table: Table) -> int:
    """Plays one turn of both players on `s`, the position's units, owners and scores.

    Args:
        s: the record; it is changed.
        mine, theirs: the turns of player 0 and of player 1, encoded as integers (`fast_state.WIDTH`).
        at: index in `scratch[0]` of the map record (houses, paths, triangles) before the turn; 0 in the first turn.
        scratch: scratch arrays.
        table: the table of possible paths on the map (see `rules.geometry`).

    Returns:
        The index in `scratch[0]` of the map record after the turn. It differs from `at` if paths have changed.
    """
    return fast_state.play(scratch[0], at, s, scratch[1], mine, theirs, table)


@kernel
def usual(s: Any, player: int, row: Ints, rng: Rng, scratch: Scratch) -> None:
    """Writes the turn that the greedy opponent would choose for `player` into `row`, encoded as integers.

    `s` contains the position's units, owners and scores. `scratch` contains its map and distances, and memory for
    intermediate results. `rng` is the state of the random generator.
    """
    grounds, _, distances, sums, spare, _, _, _, _ = scratch
    spare[0] = s
    policy.greedy_row(grounds[0], spare[0], distances, sums, player, rng, row)


@kernel
def clear(row: Ints) -> None:
    """Makes `row`, a turn encoded as integers, a turn without commands."""
    turn_encoding.clear(row)


@kernel
def overlook(row: Ints, number: int, rng: Rng) -> None:
    """Removes random commands from `row`, a turn encoded as integers, until at most `number` are left."""
    turn_encoding.overlook(row, number, rng)


@kernel
def change(s: Any, player: int, row: Ints, rng: Rng, scratch: Scratch) -> None:
    """Makes a small random change to `row`, a turn of `player` encoded as integers.

    `s` contains the position's units, owners and scores. `scratch` contains its map and distances, and memory for
    intermediate results. `rng` is the state of the random generator.
    """
    grounds, _, _, _, _, weights, _, _, tables = scratch
    if len(weights) > 0:
        changes.likely_change(grounds[0], s, player, rng, row, tables[player])
    else:
        changes.change(grounds[0], s, player, rng, row)


@kernel
def copy_row(source: Ints, row: Ints) -> None:
    """Copies a turn, encoded as integers, from `source` to `row`."""
    turn_encoding.copy_row(source, row)


@kernel
def evaluate(s: Any, player: int, at: int, weights: Any, scratch: Scratch) -> float:
    """Returns the value of a position for a player, in points.

    `s` contains the position's units, owners and scores. `scratch[0]` contains, at the index `at`, its houses, paths
    and triangles. `weights` is an array that `weights_of` returns.
    """
    return evaluation.evaluate(scratch[0][at], s, player, weights)


@kernel
def expect(s: Any, player: int, worth: float, weights: Any) -> float:
    """Returns the expected score, in [0, 1], of a player whose plan has the value `worth`.

    `s` contains the units, owners and scores of the position at which the plan starts. `weights` is an array that
    `weights_of` returns.
    """
    return evaluation.expect(s, player, worth, weights)


# -- as atomic actions ----------------------------------------------------------------------------------------


@kernel
def actions_of(p: Position, player: int, row: Ints, out: Ints, table: Table) -> int:
    """Converts `row`, a turn encoded as integers, to atomic actions; writes them into `out` and returns their number.

    The last action is DONE. Commands that are not legal at the position `p` are left out. The others are also added to
    the player's queue in `p`, which contains the commands chosen so far. `table` is the table of possible paths on the
    map (see `rules.geometry`).
    """
    number = 0
    for k in range(row[0]):
        number = _line_up(p, player, spend_action(p, row[fast_state.SPENDS + k]), out, number, table)
    for k in range(row[1]):
        _, _, house, target, amount = parts_of(row[fast_state.MOVES + k])
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
    """Appends an action to a list of actions if the action is legal. Returns the new length of the list.

    The list is the first `number` elements of `out`. The action is also added to the player's queue in `p`, which
    contains the commands chosen so far. `table` is the table of possible paths on the map (see `rules.geometry`).
    """
    if accepts(p, player, action, table):
        line_up(p, player, command_of(p, player, action))
        out[number] = action
        number += 1
    return number


@kernel
def spend_action(p: Position, order: int) -> int:
    """Returns the atomic action that chooses the command `order`. The command must be one that uses up a triangle."""
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
