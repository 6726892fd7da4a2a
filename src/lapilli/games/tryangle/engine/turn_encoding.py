"""Kernels that add commands to an encoded turn, and remove them.

In all kernels, `row` is the encoded turn: a player's turn as an array of integers (see `fast_state.WIDTH`).
"""

from __future__ import annotations

from typing import Any

from lapilli.games.tryangle.board import MOVE, SPAWN
from lapilli.games.tryangle.engine.fast_state import MOST_MOVES, MOST_SPENDS, MOVES, SPENDS
from lapilli.games.tryangle.rules.commands import command
from lapilli.games.tryangle.rules.position import ONE, bit
from lapilli.kernels.kernel import Ints, Rng, Word, kernel, lowest, popcount, random_below


@kernel
def clear(row: Ints) -> None:
    """Makes `row`, a turn encoded as integers, a turn without commands."""
    row[0] = row[1] = 0


@kernel
def copy_row(source: Ints, row: Ints) -> None:
    """Copies a turn, encoded as integers, from `source` to `row`. Unused elements are not copied."""
    row[0], row[1] = source[0], source[1]
    for k in range(source[0]):
        row[SPENDS + k] = source[SPENDS + k]
    for k in range(source[1]):
        row[MOVES + k] = source[MOVES + k]


@kernel
def add_spend(row: Ints, order: int) -> bool:
    """Adds a command that uses up a triangle to a turn; returns False if there is no space for it.

    `row` is the turn, encoded as integers (`fast_state.WIDTH`), and `order` the command as one integer.
    """
    if row[0] >= MOST_SPENDS:
        return False
    row[SPENDS + row[0]] = order
    row[0] += 1
    return True


@kernel
def drop_spend(row: Ints, k: int) -> None:
    """Removes one of the commands that use up triangles from a turn. The last such command takes its place.

    `row` is the turn, encoded as integers (`fast_state.WIDTH`), and `k` the command's index among these commands, from
    0.
    """
    row[0] -= 1
    row[SPENDS + k] = row[SPENDS + row[0]]


@kernel
def overlook(row: Ints, number: int, rng: Rng) -> None:
    """Removes random commands from a turn, until at most `number` are left.

    `row` is the turn, encoded as integers (`fast_state.WIDTH`).
    """
    while row[0] + row[1] > number:
        k = random_below(rng, row[0] + row[1])
        if k < row[0]:
            drop_spend(row, k)
        else:
            cut_move(row, k - row[0], row[MOVES + k - row[0]] >> 22)


@kernel
def add_move(row: Ints, house: int, target: int, amount: int) -> bool:
    """Adds a move of `amount` units from `house` to `target` to a turn. Returns False if there is no space for the
    move.

    If the turn already has a move from `house` to `target`, this move is enlarged. `row` is the turn, encoded as
    integers (`fast_state.WIDTH`).
    """
    way = command(MOVE, 0, house, target, 0)
    for k in range(row[1]):
        if row[MOVES + k] & ((1 << 22) - 1) == way:
            row[MOVES + k] += amount << 22
            return True
    if row[1] >= MOST_MOVES:
        return False
    row[MOVES + row[1]] = way | amount << 22
    row[1] += 1
    return True


@kernel
def cut_move(row: Ints, k: int, amount: int) -> None:
    """Reduces one move of a turn by `amount` units.

    If no units are left in this move, the move is removed, and the last move of the turn takes its place. `row` is the
    turn, encoded as integers (`fast_state.WIDTH`), and `k` the index of the move among the turn's moves, from 0.
    """
    row[MOVES + k] -= amount << 22
    if row[MOVES + k] >> 22 <= 0:
        row[1] -= 1
        row[MOVES + k] = row[MOVES + row[1]]


@kernel
def spend_of(row: Ints, t: int) -> int:
    """Returns the index of the command that uses up the triangle `t` in a turn; -1 if there is no such command.

    The commands that use up triangles are counted from 0. `row` is the turn, encoded as integers (`fast_state.WIDTH`).
    """
    for k in range(row[0]):
        if row[SPENDS + k] >> 3 & 127 == t:
            return k
    return -1


@kernel
def pick(rng: Rng, houses: Word) -> int:
    """Returns a uniformly random house of a non-empty set of houses."""
    for _ in range(random_below(rng, popcount(houses))):
        houses &= houses - ONE
    return lowest(houses)


@kernel
def stays(g: Any, s: Any, player: int, row: Ints, house: int) -> int:
    """Returns how many of a player's units stay on a house, because a turn neither moves them nor uses them up.

    The number is negative if the turn needs more units than there are. `g`: the position's houses, paths and triangles;
    `s`: its units, owners and scores. `row`: the turn, encoded as integers (`fast_state.WIDTH`).
    """
    left = int(s.units[player, house])
    for k in range(row[1]):
        if row[MOVES + k] >> 10 & 63 == house:
            left -= row[MOVES + k] >> 22
    for k in range(row[0]):
        order = row[SPENDS + k]
        if order & 7 != SPAWN and g.masks[order >> 3 & 127] & bit(house):
            left -= 1
    return left
