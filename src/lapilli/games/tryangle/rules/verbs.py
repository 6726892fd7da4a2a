"""Atomic actions: single commands as integers, lined up in the position until both players are done.

`legal` lists the commands that can be useful: each could be carried out on its own, spends no triangle twice and no
more units than there are, and does something. An order that the rules would put right anyway is not lined up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kernel import kernel, lowest, random_below
from lapilli.games.tryangle.board import (
    ADD_PATH,
    ADDS,
    ATTACK,
    ATTACKS,
    BUCKETS,
    DONE,
    MAX_HOUSES,
    MAX_QUEUE,
    MAX_TRIANGLES,
    MOVE,
    MOVES,
    NUM_ACTIONS,
    REMOVE_PATH,
    REMOVES,
    SPAWN,
    SPAWNS,
)
from lapilli.games.tryangle.rules.geometry import PAIRS
from lapilli.games.tryangle.rules.position import NONE, ONE, bit, linked, mask_of
from lapilli.games.tryangle.rules.turn import can_apply, play

MAX_LEGAL = 1 + 2 * 3 * MAX_HOUSES * BUCKETS + MAX_TRIANGLES * (3 + MAX_HOUSES + 3 * MAX_HOUSES)
"""More than a player's legal actions can be. From a corner to a house a path can be built or removed, not both."""


@kernel
def amount_of(state: Any, player: int, house: int, bucket: int) -> int:
    """How many units a bucket means: one, half of those on the house (rounded up), all."""
    units = int(state.units[player, house])
    if bucket == 0:
        return 1
    return (units + 1) // 2 if bucket == 1 else units


@kernel
def decode(state: Any, player: int, action: int, command: Any) -> None:
    """Fills in the command that an action above DONE stands for, as `rules` has commands."""
    command[4] = 0
    if action < SPAWNS:
        rest, bucket = (action - MOVES) // BUCKETS, (action - MOVES) % BUCKETS
        command[0], command[1] = MOVE, -1
        command[2], command[3] = rest // MAX_HOUSES, rest % MAX_HOUSES
        command[4] = amount_of(state, player, command[2], bucket)
    elif action < ATTACKS:
        triangle, corner = (action - SPAWNS) // 3, (action - SPAWNS) % 3
        command[0], command[1], command[2] = SPAWN, triangle, state.corners[triangle, corner]
        command[3] = state.corners[triangle, 1 if corner == 0 else 0]
    elif action < ADDS:
        triangle = (action - ATTACKS) // MAX_HOUSES
        command[0], command[1], command[2] = ATTACK, triangle, state.corners[triangle, 0]
        command[3] = (action - ATTACKS) % MAX_HOUSES
    else:
        rest = (action - ADDS) if action < REMOVES else (action - REMOVES)
        triangle = rest // MAX_HOUSES // 3
        command[0], command[1] = (ADD_PATH if action < REMOVES else REMOVE_PATH), triangle
        command[2] = state.corners[triangle, rest // MAX_HOUSES % 3]
        command[3] = rest % MAX_HOUSES


@kernel
def exists(state: Any, table: Any, player: int, action: int, command: Any) -> bool:
    """Whether an action above DONE is a command at all here: its triangle is there, its houses are, and are near.

    It may be illegal all the same. Leaves it decoded in `command`.
    """
    if action >= SPAWNS and _triangle_of(action) >= state.triangles:
        return False
    decode(state, player, action, command)
    kind, triangle, house, target = command[0], command[1], command[2], command[3]
    if house >= state.houses or target >= state.houses:
        return False
    if kind == MOVE:
        return bool(command[4] > 0 and table[PAIRS + house * MAX_HOUSES + target] >= 0)
    if kind == REMOVE_PATH:
        return bool(table[PAIRS + house * MAX_HOUSES + target] >= 0 and mask_of(state, triangle) & bit(target) == NONE)
    return bool(kind != ADD_PATH or house == target or table[PAIRS + house * MAX_HOUSES + target] >= 0)


@kernel
def plan(state: Any, player: int, left: Any, command: Any) -> tuple[Any, Any]:
    """What the commands lined up so far leave: units per house in `left`; the triangles they spend, as two masks."""
    for h in range(MAX_HOUSES):
        left[h] = state.units[player, h]
    low = high = NONE
    for k in range(state.queued[player]):
        decode(state, player, int(state.queue[player, k]), command)
        if command[0] == MOVE:
            left[command[2]] -= command[4]
            continue
        if command[1] < 64:
            low |= bit(command[1])
        else:
            high |= bit(command[1] - 64)
        if command[0] != SPAWN:
            for c in range(3):
                left[state.corners[command[1], c]] -= 1
    return low, high


@kernel
def allows(state: Any, table: Any, player: int, action: int, left: Any, low: Any, high: Any, command: Any) -> bool:
    """Whether an action above DONE may join what is lined up (see `plan`). Leaves it decoded in `command`."""
    if action >= SPAWNS and _triangle_of(action) >= state.triangles:
        return False
    decode(state, player, action, command)
    kind, triangle, house, target, amount = command[0], command[1], command[2], command[3], command[4]
    if target >= state.houses:
        return False
    if kind == MOVE:
        if house >= state.houses or house == target or not linked(state, house, target) or amount > left[house]:
            return False
        bucket = (action - MOVES) % BUCKETS
        return bool(bucket == 0 or amount > amount_of(state, player, house, bucket - 1))
    spent = low & bit(triangle) if triangle < 64 else high & bit(triangle - 64)
    if spent != NONE or not can_apply(state, table, player, command):
        return False
    if kind == SPAWN:
        return True
    if state.league < 2 or (state.league < 3 and kind != ATTACK):
        return False
    for k in range(3):
        if left[state.corners[triangle, k]] < 1:
            return False
    return bool(kind != ATTACK or state.units[1 - player, target] > 0)


@kernel
def _triangle_of(action: int) -> int:
    """The triangle that an action beyond the moves spends."""
    if action < ATTACKS:
        return (action - SPAWNS) // 3
    if action < ADDS:
        return (action - ATTACKS) // MAX_HOUSES
    return (action - (ADDS if action < REMOVES else REMOVES)) // MAX_HOUSES // 3


@kernel
def is_legal(state: Any, table: Any, player: int, action: int) -> bool:
    """Whether `player` may play the action now."""
    if state.over or action < 0 or action >= NUM_ACTIONS:
        return False
    if action == DONE:
        return True
    if state.done[player] or state.queued[player] >= MAX_QUEUE:
        return False
    left, command = np.empty(MAX_HOUSES, np.int64), np.empty(5, np.int64)
    low, high = plan(state, player, left, command)
    return allows(state, table, player, action, left, low, high, command)


@kernel
def legal(state: Any, table: Any, player: int, out: Any) -> int:
    """Writes `player`'s legal actions into `out` (MAX_LEGAL integers), ascending; returns how many."""
    if state.over:
        return 0
    out[0] = DONE
    if state.done[player] or state.queued[player] >= MAX_QUEUE:
        return 1
    left = np.empty(MAX_HOUSES, np.int64)
    low, high = plan(state, player, left, np.empty(5, np.int64))
    number = 1
    for h in range(state.houses):
        around = state.paths[h] if left[h] > 0 else NONE
        while around != NONE:
            first = MOVES + (h * MAX_HOUSES + lowest(around)) * BUCKETS
            around &= around - ONE
            number = _collect(state, table, player, first, BUCKETS, left, low, high, out, number)
    for t in range(state.triangles):
        if state.owner[t] == player:
            number = _collect(state, table, player, SPAWNS + 3 * t, 3, left, low, high, out, number)
    for base in (ATTACKS, ADDS, REMOVES):
        ways = MAX_HOUSES if base == ATTACKS else 3 * MAX_HOUSES
        for t in range(state.triangles):
            if state.owner[t] == player and _can_pay(state, t, left):
                number = _collect(state, table, player, base + ways * t, ways, left, low, high, out, number)
    return number


@kernel
def list_legal(batch: Any, table: Any, player: int, out: Any) -> int:
    """`legal` in the first of an array of positions."""
    return legal(batch[0], table, player, out)


@kernel
def _collect(
    state: Any, table: Any, player: int, first: int, ways: int, left: Any, low: Any, high: Any, out: Any, number: int
) -> int:
    """Adds to the `number` actions in `out` those of the `ways` from `first` on that are allowed."""
    command = np.empty(5, np.int64)
    for action in range(first, first + ways):
        if allows(state, table, player, action, left, low, high, command):
            out[number] = action
            number += 1
    return number


@kernel
def _can_pay(state: Any, triangle: int, left: Any) -> bool:
    """Whether a unit is left on each corner."""
    corners = state.corners
    a, b, c = left[corners[triangle, 0]], left[corners[triangle, 1]], left[corners[triangle, 2]]
    return bool(min(a, min(b, c)) > 0)


@kernel
def line_up(state: Any, player: int, action: int) -> None:
    """Adds a legal action to a player's turn; DONE ends it."""
    if action == DONE:
        state.done[player] = 1
    else:
        state.queue[player, state.queued[player]] = action
        state.queued[player] += 1


@kernel
def step(state: Any, table: Any, mine: int, theirs: int) -> None:
    """Plays a legal action of each player; the turn is carried out once both are done."""
    line_up(state, 0, mine)
    line_up(state, 1, theirs)
    if state.done[0] and state.done[1]:
        commands = np.empty((2, MAX_QUEUE, 5), np.int64)
        for player in range(2):
            for k in range(state.queued[player]):
                decode(state, player, int(state.queue[player, k]), commands[player, k])
        play(state, table, commands[0], int(state.queued[0]), commands[1], int(state.queued[1]))


@kernel
def try_step(batch: Any, table: Any, mine: int, theirs: int) -> int:
    """Plays one action of each player on the first of an array of positions if both are legal: then -1, else whose is
    not."""
    state = batch[0]
    if not is_legal(state, table, 0, mine):
        return 0
    if not is_legal(state, table, 1, theirs):
        return 1
    step(state, table, mine, theirs)
    return -1


@kernel
def random_turn(state: Any, table: Any, random: Any, most: int, out: Any) -> int:
    """Plays one turn of up to `most` uniform random actions a player, then DONE. Returns how many joint actions."""
    turn, number = state.turn, 0
    while state.turn == turn and not state.over:
        chosen0 = chosen1 = DONE
        if number < most:
            chosen0 = int(out[random_below(random, legal(state, table, 0, out))])
            chosen1 = int(out[random_below(random, legal(state, table, 1, out))])
        step(state, table, chosen0, chosen1)
        number += 1
    return number


@kernel
def playout(state: Any, table: Any, random: Any, most: int) -> int:
    """Plays at random to the end; returns how many turns."""
    out = np.empty(MAX_LEGAL, np.int32)
    turns = 0
    while not state.over:
        random_turn(state, table, random, most, out)
        turns += 1
    return turns
