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
    ATTACK_LEAGUE,
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
    PATH_LEAGUE,
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
from lapilli.games.tryangle.rules.position import NONE, ONE, bit, linked, mask_of, near_houses
from lapilli.games.tryangle.rules.turn import has_units, line_up, play_turn
from lapilli.kernels.kernel import (
    SIMULTANEOUS,
    TERMINAL,
    Ints,
    Position,
    Word,
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
    possible paths on the map (see `geometry`).
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
def usable(p: Position, player: int, word: int) -> Word:
    """Returns one of the two words of the set of triangles that the player's next command may use up.

    `word` is 0 for the triangles with indices below 64, and 1 for the others.
    """
    return p.own[player, word] & p.held[player, word] & ~p.spent[player, word]


@kernel
def goals_of(p: Position, player: int, kind: int, triangle: int, corner: int) -> Word:
    """Returns the set of houses that a command can have as its target, assuming that its triangle may be used up.

    Args:
        p: the position.
        player: the player who gives the command.
        kind: ATTACK, ADD_PATH or REMOVE_PATH.
        triangle: the triangle that the command uses up.
        corner: the house at which the path begins; not used for attacks.
    """
    if kind == ADD_PATH:
        return p.open[corner] | (bit(corner) & ~p.paths[corner])
    if kind == REMOVE_PATH:
        return p.paths[corner] & ~mask_of(p, triangle)
    houses, goals = near_houses(p, triangle), NONE
    while houses != NONE:
        house = lowest(houses)
        houses &= houses - ONE
        if p.units[1 - player, house] > 0:
            goals |= bit(house)
    return goals


@kernel
def is_move_legal(p: Position, player: int, house: int, bucket: int) -> bool:
    """Returns whether the player may move the number of units that `bucket` means (`commands.amount_of`) from `house`.

    At least this number of units must be free to leave the house. If a smaller bucket means the same number, only the
    smallest such bucket is legal.
    """
    amount = amount_of(p, player, house, bucket)
    if amount > p.remaining[player, house]:
        return False
    return bool(bucket == 0 or amount > amount_of(p, player, house, bucket - 1))


@kernel
def allows(p: Position, player: int, action: int) -> bool:
    """Returns whether `player` may choose an action other than DONE now. Does not test whether the queue is full."""
    if action >= SPAWNS and triangle_of(action) >= p.triangles:
        return False
    kind, triangle, house, target, _ = parts_of(command_of(p, player, action))
    if target >= p.houses:
        return False
    if kind == MOVE:
        near = house < p.houses and house != target and linked(p, house, target)
        return bool(near and is_move_legal(p, player, house, (action - MOVES) % BUCKETS))
    if usable(p, player, triangle >> 6) & bit(triangle & 63) == NONE:
        return False
    if kind == SPAWN:
        return True
    if p.league < (ATTACK_LEAGUE if kind == ATTACK else PATH_LEAGUE) or not has_units(p, p.remaining, player, triangle):
        return False
    return bool(goals_of(p, player, kind, triangle, house) & bit(target))


@kernel
def accepts(p: Position, player: int, action: int, table: Table) -> bool:
    """Returns whether `player` may choose an action now. `action` may be any integer. DONE is legal until the end.

    `table`: the table of possible paths on the map (see `geometry`).
    """
    if p.over or player < 0 or action < 0 or action >= NUM_ACTIONS:
        return False
    if action == DONE:
        return True
    return bool(not p.done[player] and p.queued[player] < MAX_QUEUE and allows(p, player, action))


@kernel
def legal(p: Position, player: int, out: Ints, table: Table) -> int:
    """Writes the actions that `player` may choose now into `out`, ascending; returns their number.

    `table`: the table of possible paths on the map (see `geometry`).
    """
    if p.over or player < 0:
        return 0
    out[0] = DONE
    if p.done[player] or p.queued[player] >= MAX_QUEUE:
        return 1
    number = _list_moves(p, player, out, 1)
    for word in range(2):
        triangles = usable(p, player, word)
        while triangles != NONE:
            first = SPAWNS + 3 * (lowest(triangles) + 64 * word)
            triangles &= triangles - ONE
            for corner in range(3):
                out[number] = first + corner
                number += 1
    if p.league >= ATTACK_LEAGUE:
        number = _list_spends(p, player, ATTACK, out, number)
    if p.league >= PATH_LEAGUE:
        number = _list_spends(p, player, ADD_PATH, out, number)
        number = _list_spends(p, player, REMOVE_PATH, out, number)
    return number


@kernel
def _list_moves(p: Position, player: int, out: Ints, number: int) -> int:
    """Appends the player's legal moves to the `number` actions in `out`; returns the new number."""
    for house in range(int(p.houses)):
        if p.remaining[player, house] <= 0:
            continue
        around = p.paths[house] & ~bit(house)
        half, whole = is_move_legal(p, player, house, 1), is_move_legal(p, player, house, 2)
        while around != NONE:
            first = MOVES + (house * MAX_HOUSES + lowest(around)) * BUCKETS
            around &= around - ONE
            out[number] = first
            number += 1
            if half:
                out[number] = first + 1
                number += 1
            if whole:
                out[number] = first + 2
                number += 1
    return number


@kernel
def _list_spends(p: Position, player: int, kind: int, out: Ints, number: int) -> int:
    """Appends the player's legal commands of a kind to the `number` actions in `out`; returns the new number.

    `kind`: ATTACK, ADD_PATH or REMOVE_PATH, the kinds of commands that use up a triangle and have a target.
    """
    base = ATTACKS if kind == ATTACK else ADDS if kind == ADD_PATH else REMOVES
    ways = 1 if kind == ATTACK else 3
    for word in range(2):
        triangles = usable(p, player, word)
        while triangles != NONE:
            triangle = lowest(triangles) + 64 * word
            triangles &= triangles - ONE
            if not has_units(p, p.remaining, player, triangle):
                continue
            for corner in range(ways):
                goals = goals_of(p, player, kind, triangle, int(p.corners[triangle, corner]))
                while goals != NONE:
                    out[number] = base + (ways * triangle + corner) * MAX_HOUSES + lowest(goals)
                    goals &= goals - ONE
                    number += 1
    return number


# -- play -----------------------------------------------------------------------------------------------------


@kernel
def play_joint(p: Position, actions: Ints, table: Table) -> None:
    """Plays one action of each player, `actions`: adds the command to the player's queue, or ends the turn (DONE).

    Once both players are done, carries out all commands and plays the end of the turn. `table`: the table of possible
    paths on the map (see `geometry`).
    """
    for player in range(2):
        if actions[player] == DONE:
            p.done[player] = 1
        else:
            line_up(p, player, command_of(p, player, actions[player]))
    if p.done[0] and p.done[1]:
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
