"""Commands as integers, and the conversion of atomic actions to commands.

A command is one integer with these parts, from the lowest bit on: kind, triangle (its index in the position's list),
house, target and amount. The house is the start of a move, the corner at which a unit spawns, or the corner at which a
path begins.
"""

from __future__ import annotations

from lapilli.games.tryangle.board import (
    ADD_PATH,
    ADDS,
    ATTACK,
    ATTACKS,
    BUCKETS,
    MAX_HOUSES,
    MOVE,
    MOVES,
    REMOVE_PATH,
    REMOVES,
    SPAWN,
    SPAWNS,
)
from lapilli.kernels.kernel import Position, kernel


@kernel
def command(kind: int, triangle: int, house: int, target: int, amount: int) -> int:
    """Returns a command as one integer, which consists of these parts.

    `kind` is one of MOVE, SPAWN, ATTACK and so on; `triangle` is an index in the position's list; `house` and `target`
    are house numbers; `amount` is a number of units.
    """
    return kind | triangle << 3 | house << 10 | target << 16 | amount << 22


@kernel
def parts_of(command: int) -> tuple[int, int, int, int, int]:
    """Returns the parts of a command: kind, triangle, house, target and amount."""
    return command & 7, command >> 3 & 127, command >> 10 & 63, command >> 16 & 63, command >> 22


@kernel
def amount_of(p: Position, player: int, house: int, bucket: int) -> int:
    """Returns the number of units that a bucket means for a player's units on a house.

    Bucket 0 is one unit, bucket 1 half of the units (rounded up), bucket 2 all of them.
    """
    units = int(p.units[player, house])
    if bucket == 0:
        return 1
    return (units + 1) // 2 if bucket == 1 else units


@kernel
def triangle_of(action: int) -> int:
    """Returns the index of the triangle that an action uses up. The action must be neither a move nor DONE."""
    if action < ATTACKS:
        return (action - SPAWNS) // 3
    if action < ADDS:
        return (action - ATTACKS) // MAX_HOUSES
    return (action - (ADDS if action < REMOVES else REMOVES)) // MAX_HOUSES // 3


@kernel
def command_of(p: Position, player: int, action: int) -> int:
    """Returns the command that an atomic action chooses.

    The action must not be DONE, and its triangle must exist.
    """
    if action < SPAWNS:
        bucket, rest = (action - MOVES) % BUCKETS, (action - MOVES) // BUCKETS
        house, target = rest // MAX_HOUSES, rest % MAX_HOUSES
        return command(MOVE, 0, house, target, amount_of(p, player, house, bucket))
    triangle = triangle_of(action)
    if action < ATTACKS:
        corner = (action - SPAWNS) % 3
        other = 1 if corner == 0 else 0
        return command(SPAWN, triangle, int(p.corners[triangle, corner]), int(p.corners[triangle, other]), 0)
    if action < ADDS:
        return command(ATTACK, triangle, int(p.corners[triangle, 0]), (action - ATTACKS) % MAX_HOUSES, 0)
    kind, rest = (ADD_PATH, action - ADDS) if action < REMOVES else (REMOVE_PATH, action - REMOVES)
    house = int(p.corners[triangle, rest // MAX_HOUSES % 3])
    return command(kind, triangle, house, rest % MAX_HOUSES, 0)
