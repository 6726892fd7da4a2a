"""The verbs of TryAngle: the rules as functions with the names that all games share.

An atomic action is one command. The command is *lined up*, that is, added to the player's queue in the position. All
queued commands are carried out when both players are done. `legal` lists only commands that can be useful: each can be
carried out, uses units and triangles that are not reserved yet, and has an effect. Commands with the same effect as a
listed one are left out.
"""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.two_sides import write_values
from lapilli.games.tryangle.board import (
    ACTIVE,
    ADD_PATH,
    ADDS,
    ATTACK,
    ATTACKS,
    BUCKETS,
    DONE,
    FAULT,
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
from lapilli.games.tryangle.rules.commands import amount_of, command_of, parts_of, triangle_of
from lapilli.games.tryangle.rules.geometry import PAIRS, Table
from lapilli.games.tryangle.rules.observation import OBSERVATION as OBSERVATION
from lapilli.games.tryangle.rules.observation import observe as observe
from lapilli.games.tryangle.rules.observation import observe_again as observe_again
from lapilli.games.tryangle.rules.position import NONE, ONE, bit, linked, mask_of
from lapilli.games.tryangle.rules.turn import can_apply, line_up, play_turn, set_free
from lapilli.kernels.kernel import (
    SIMULTANEOUS,
    TERMINAL,
    Ints,
    Position,
    kernel,
    lowest,
)

MAX_LEGAL = 1 + 2 * 3 * MAX_HOUSES * BUCKETS + MAX_TRIANGLES * (3 + MAX_HOUSES + 3 * MAX_HOUSES)
"""Upper bound of the number of a player's legal actions. A corner and another house have only one action here: to build
the path between them, or to remove it."""


@kernel
def current_player(p: Position) -> int:
    """Returns SIMULTANEOUS, since both players act at once; TERMINAL if the game is over."""
    return TERMINAL if p.over else SIMULTANEOUS


@kernel
def command_at(p: Position, player: int, action: int, table: Table) -> int:
    """Returns the command that an action chooses; -1 if there can be no such command on this map.

    The result is -1, for instance, if the triangle or a house does not exist, or if the houses are too far apart. A
    command that is returned may still be illegal at this position. The action must not be DONE. `table` is the table of
    the map (see `geometry`).
    """
    if action >= SPAWNS and triangle_of(action) >= p.triangles:
        return -1
    order = command_of(p, player, action)
    kind, triangle, house, target, amount = parts_of(order)
    if house >= p.houses or target >= p.houses:
        return -1
    is_near = table[PAIRS + house * MAX_HOUSES + target] >= 0
    if kind == MOVE:
        return order if amount > 0 and is_near else -1
    if kind == REMOVE_PATH:
        return order if is_near and mask_of(p, triangle) & bit(target) == NONE else -1
    return order if kind != ADD_PATH or house == target or is_near else -1


# -- legal actions --------------------------------------------------------------------------------------------


@kernel
def allows(p: Position, table: Table, player: int, action: int) -> bool:
    """Returns whether `player` may choose an action other than DONE now. Does not test whether the queue is full."""
    if action >= SPAWNS and triangle_of(action) >= p.triangles:
        return False
    order = command_of(p, player, action)
    kind, triangle, house, target, amount = parts_of(order)
    if target >= p.houses:
        return False
    if kind == MOVE:
        if house >= p.houses or house == target or not linked(p, house, target) or amount > p.remaining[player, house]:
            return False
        bucket = (action - MOVES) % BUCKETS
        return bool(bucket == 0 or amount > amount_of(p, player, house, bucket - 1))
    if p.spent[player, triangle >> 6] & bit(triangle & 63) or not can_apply(p, table, player, order):
        return False
    if kind == SPAWN:
        return True
    if p.league < 2 or (p.league < 3 and kind != ATTACK):
        return False
    return bool(kind != ATTACK or p.units[1 - player, target] > 0)


@kernel
def accepts(p: Position, player: int, action: int, table: Table) -> bool:
    """Returns whether `player` may choose an action now. `action` may be any integer. DONE is legal until the end."""
    if p.over or player < 0 or action < 0 or action >= NUM_ACTIONS:
        return False
    if action == DONE:
        return True
    return bool(not p.done[player] and p.queued[player] < MAX_QUEUE and allows(p, table, player, action))


@kernel
def legal(p: Position, player: int, out: Ints, table: Table) -> int:
    """Writes the actions that `player` may choose now into `out`, ascending; returns their number."""
    if p.over or player < 0:
        return 0
    out[0] = DONE
    if p.done[player] or p.queued[player] >= MAX_QUEUE:
        return 1
    number = 1
    for h in range(int(p.houses)):
        around = p.paths[h] if p.remaining[player, h] > 0 else NONE
        while around != NONE:
            first = MOVES + (h * MAX_HOUSES + lowest(around)) * BUCKETS
            around &= around - ONE
            number = _collect(p, table, player, first, BUCKETS, out, number)
    for t in range(int(p.triangles)):
        if p.owner[t] == player:
            number = _collect(p, table, player, SPAWNS + 3 * t, 3, out, number)
    for base in (ATTACKS, ADDS, REMOVES):
        ways = MAX_HOUSES if base == ATTACKS else 3 * MAX_HOUSES
        for t in range(int(p.triangles)):
            if p.owner[t] == player and _can_pay(p, player, t):
                number = _collect(p, table, player, base + ways * t, ways, out, number)
    return number


@kernel
def _collect(p: Position, table: Table, player: int, first: int, ways: int, out: Ints, number: int) -> int:
    """Appends the legal actions among `first` to `first + ways - 1` to the `number` actions in `out`.

    Returns the new number of actions in `out`.
    """
    for action in range(first, first + ways):
        if allows(p, table, player, action):
            out[number] = action
            number += 1
    return number


@kernel
def _can_pay(p: Position, player: int, triangle: int) -> bool:
    """Returns whether the player has, on each corner of a triangle, a unit that no command of this turn uses yet."""
    left, corners = p.remaining, p.corners
    a, b, c = left[player, corners[triangle, 0]], left[player, corners[triangle, 1]], left[player, corners[triangle, 2]]
    return bool(min(a, min(b, c)) > 0)


# -- play -----------------------------------------------------------------------------------------------------


@kernel
def play_joint(p: Position, actions: Ints, table: Table) -> None:
    """Plays one action of each player: adds the command to the player's queue, or ends the player's turn (DONE).

    Once both players are done, carries out all commands and plays the end of the turn.
    """
    for player in range(2):
        if actions[player] == DONE:
            p.done[player] = 1
        else:
            line_up(p, player, command_of(p, player, actions[player]))
    if p.done[0] and p.done[1]:
        set_free(p)
        play_turn(p, table, p.queue[0], int(p.queued[0]), p.queue[1], int(p.queued[1]))


@kernel
def leave(p: Position, player: int, why: int) -> None:
    """Puts a player out because of a fault. The player chooses no more commands, and the game ends with this turn.

    `why` is the code of the fault's Termination (`fault_codes.code_of`).
    """
    p.left[player] = FAULT - 1 + why
    p.done[player] = 1


@kernel
def points(p: Position, player: int) -> int:
    """Returns a player's points; -1 for a player who was put out."""
    return int(p.score[player]) if p.left[player] == ACTIVE else -1


@kernel
def values(p: Position, out: Any) -> None:
    """Writes the players' utilities into `out`: 1 for the player with more points, -1 for the other one.

    Both are 0 if both players have the same number of points or the game is not over.
    """
    lead = points(p, 0) - points(p, 1) if p.over else 0
    write_values(-1 if lead == 0 else int(lead < 0), out)
