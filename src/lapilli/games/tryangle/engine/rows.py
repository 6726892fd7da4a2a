"""A player's turn as a row: how commands get into it and out of it."""

from __future__ import annotations

from typing import Any

from lapilli.games.tryangle.board import MOVE, SPAWN
from lapilli.games.tryangle.engine.sketch import MOST_MOVES, MOST_SPENDS, MOVES, SPENDS
from lapilli.games.tryangle.rules.commands import command
from lapilli.games.tryangle.rules.position import ONE, bit
from lapilli.kernels.kernel import Ints, Rng, Word, kernel, lowest, popcount, random_below


@kernel
def clear(row: Ints) -> None:
    """A turn without commands."""
    row[0] = row[1] = 0


@kernel
def copy_row(source: Ints, row: Ints) -> None:
    """Copies what is used of a row."""
    row[0], row[1] = source[0], source[1]
    for k in range(source[0]):
        row[SPENDS + k] = source[SPENDS + k]
    for k in range(source[1]):
        row[MOVES + k] = source[MOVES + k]


@kernel
def add_spend(row: Ints, order: int) -> bool:
    """Adds a command that spends a triangle; False where there is no room."""
    if row[0] >= MOST_SPENDS:
        return False
    row[SPENDS + row[0]] = order
    row[0] += 1
    return True


@kernel
def drop_spend(row: Ints, k: int) -> None:
    """Takes the k-th of these out; the last one gets its place."""
    row[0] -= 1
    row[SPENDS + k] = row[SPENDS + row[0]]


@kernel
def add_move(row: Ints, house: int, target: int, amount: int) -> bool:
    """Adds a move, to an equal one if there is one; False where there is no room."""
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
    """Takes units out of the k-th move, and the move itself with its last ones; the last move gets its place then."""
    row[MOVES + k] -= amount << 22
    if row[MOVES + k] >> 22 <= 0:
        row[1] -= 1
        row[MOVES + k] = row[MOVES + row[1]]


@kernel
def spend_of(row: Ints, t: int) -> int:
    """The place of the command that spends a triangle; -1 where there is none."""
    for k in range(row[0]):
        if row[SPENDS + k] >> 3 & 127 == t:
            return k
    return -1


@kernel
def pick(rng: Rng, houses: Word) -> int:
    """One of a set that is not empty, at random."""
    for _ in range(random_below(rng, popcount(houses))):
        houses &= houses - ONE
    return lowest(houses)


@kernel
def stays(g: Any, s: Any, player: int, row: Ints, house: int) -> int:
    """How many of a house's units neither move nor are paid by a row."""
    left = int(s.units[player, house])
    for k in range(row[1]):
        if row[MOVES + k] >> 10 & 63 == house:
            left -= row[MOVES + k] >> 22
    for k in range(row[0]):
        order = row[SPENDS + k]
        if order & 7 != SPAWN and g.masks[order >> 3 & 127] & bit(house):
            left -= 1
    return left
