"""Plays turns: carries out both players' commands, and the end of the turn.

Commands are integers, see `commands`. They are carried out in *frames*: steps in which commands take effect at the same
time. In all kernels, `g` and `s` are the two parts of a position (see `position`), and `table` is the table of the map
(see `geometry`). `arrivals` has, by player and house, the units that have arrived in this turn: these must not act
again, so they are added to `s.units` only after all commands. `order` is one command, and `orders` are all commands of
a player (Orders); `mine` are the commands of player 0, `theirs` those of player 1.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from lapilli.games.tryangle.board import ACTIVE, ADD_PATH, ATTACK, MAX_TURNS, MOVE, REMOVE_PATH, SPAWN
from lapilli.games.tryangle.rules.commands import parts_of
from lapilli.games.tryangle.rules.ending import end_turn, put_out, settle
from lapilli.games.tryangle.rules.geometry import Table, squared_length
from lapilli.games.tryangle.rules.position import (
    NONE,
    bit,
    can_connect,
    connect,
    disconnect,
    find_open,
    find_triangles,
    linked,
    mask_of,
    near_houses,
    spread,
    tidy,
)
from lapilli.kernels.kernel import Ints, Position, kernel, lowest

Orders: TypeAlias = tuple[Ints, int, int, int, int]
"""A player's commands of one turn, as a tuple: the array of commands; first index and end of the range with commands
that use up triangles; first index and end of the range with moves. Both ranges may be the same; then it contains
commands of all kinds."""

# -- single commands ------------------------------------------------------------------------------------------


@kernel
def has_units(g: Any, units: Any, player: int, t: int) -> bool:
    """Returns whether a player has a unit on each corner of the triangle `t`. `units` has numbers by player and
    house.

    `g`: the position's houses, paths and triangles.
    """
    a, b, c = g.corners[t, 0], g.corners[t, 1], g.corners[t, 2]
    return bool(units[player, a] > 0 and units[player, b] > 0 and units[player, c] > 0)


@kernel
def is_possible(g: Any, s: Any, player: int, order: int) -> bool:
    """Returns whether a player's command, `order`, could be carried out now. Its houses and its triangle must exist.

    `g`: the position's houses, paths and triangles; `s`: its units, owners and scores.
    """
    kind, t, house, target, _ = parts_of(order)
    if kind == MOVE:
        return bool(house != target and s.units[player, house] > 0)
    if s.own[player, t >> 6] & s.held[player, t >> 6] & bit(t & 63) == NONE:
        return False
    if kind == SPAWN:
        return True
    if not has_units(g, s.units, player, t):
        return False
    if kind == ATTACK:
        return bool(near_houses(g, t) & bit(target))
    if kind == ADD_PATH:
        return not linked(g, house, target) and can_connect(g, house, target)
    return linked(g, house, target) and mask_of(g, t) & bit(target) == NONE


@kernel
def spend(g: Any, s: Any, player: int, t: int, units: int) -> None:
    """Uses up the triangle `t` of a player, and `units` of the player's units on each corner, or as many as there are.

    There can be fewer units if the other player has attacked the corner at the same time. `g`: the position's houses,
    paths and triangles; `s`: its units, owners and scores.
    """
    s.own[player, t >> 6] &= ~bit(t & 63)
    s.may[player, t >> 6] &= ~bit(t & 63)
    for k in range(3):
        corner = g.corners[t, k]
        s.units[player, corner] -= min(units, s.units[player, corner])


@kernel
def step_to(g: Any, start: int, goal: int) -> int:
    """Returns the next house on a shortest way from `start` to `goal`; -1 if there is no way.

    If several neighbours of `start` are at the same distance from `goal`, returns the one with the lowest number. `g`:
    the position's houses, paths and triangles. `start` and `goal` are house numbers.
    """
    around = g.paths[start]
    seen = ring = bit(goal)
    while ring != NONE:
        if ring & around != NONE:
            return lowest(ring & around)
        ring = spread(g, ring) & ~seen
        seen |= ring
    return -1


@kernel
def apply(g: Any, s: Any, table: Table, player: int, order: int) -> None:
    """Carries out the command `order` of a player: attacks a house, or builds or removes a path.

    The command must have been possible at the beginning of its frame (a group of simultaneous commands).

    `g`: the position's houses, paths and triangles; `s`: its units, owners and scores. `table`: the table of possible
    paths on the map (see `geometry`).
    """
    kind, t, house, target, _ = parts_of(order)
    if kind == ATTACK:
        spend(g, s, player, t, 1)
        s.units[1 - player, target] = 0
    elif kind == REMOVE_PATH:
        spend(g, s, player, t, 1)
        if linked(g, house, target):
            disconnect(g, table, house, target)
    elif can_connect(g, house, target):
        spend(g, s, player, t, 1)
        connect(g, s, table, house, target)


# -- frames -----------------------------------------------------------------------------------------------------


@kernel
def kinds_of(orders: Orders) -> int:
    """Returns which kinds of commands a player has chosen, as a set of bits. `orders` are the player's commands.

    All other kinds can then be skipped. The set may contain MOVE even if there is no move.
    """
    commands, first, end, first_move, end_move = orders
    kinds = 1 << MOVE if end_move > first_move else 0
    for k in range(first, end):
        kinds |= 1 << (commands[k] & 7)
    return int(kinds)


@kernel
def length_of(g: Any, order: int) -> int:
    """Returns the squared length of the path that the command `order` builds or removes, in map units.

    `g`: the position's houses, paths and triangles.
    """
    _, _, house, target, _ = parts_of(order)
    return squared_length(g.x, g.y, house, target)


@kernel
def take(g: Any, s: Any, player: int, orders: Orders, kind: int) -> int:
    """Returns the index, in a player's commands `orders`, of the next command of a kind to carry out; -1 for none.

    It is the first one that can be carried out; among paths to build, the shortest. A command that cannot be carried
    out now will not be possible later in the turn either: units and triangles are only used up, and all paths are built
    before any is removed. So such commands need not be removed from the list. `g`: the position's houses, paths and
    triangles; `s`: its units, owners and scores.
    """
    commands, first, end, _, _ = orders
    best, best_length = -1, 1 << 62
    for k in range(first, end):
        if commands[k] & 7 == kind and is_possible(g, s, player, commands[k]):
            if kind != ADD_PATH:
                return k
            length = length_of(g, commands[k])
            if length < best_length:
                best, best_length = k, length
    return best


@kernel
def apply_paired(g: Any, s: Any, table: Table, kind: int, mine: Orders, theirs: Orders, only_first: bool) -> bool:
    """Carries out both players' commands of one kind in frames: in each frame, one command per player takes effect.

    Both commands of a frame are chosen before either is carried out. A chosen command cannot be chosen again: its
    triangle is used up, or the other player's path is in its way.

    Args:
        g: the position's houses, paths and triangles.
        s: its units, owners and scores.
        table: the table of possible paths on the map (see `geometry`).
        kind: the kind of command.
        mine, theirs: all commands of player 0 and of player 1.
        only_first: whether to carry out the first frame only.

    Returns:
        Whether there was a frame.
    """
    happened = False
    while not (happened and only_first):
        a, b = take(g, s, 0, mine, kind), take(g, s, 1, theirs, kind)
        if a < 0 and b < 0:
            return happened
        happened = True
        late = False  # whether player 0's path is longer, and so is built after player 1's
        if kind == ADD_PATH and a >= 0 and b >= 0:
            late = length_of(g, mine[0][a]) > length_of(g, theirs[0][b])
        if a >= 0 and not late:
            apply(g, s, table, 0, mine[0][a])
        if b >= 0:
            apply(g, s, table, 1, theirs[0][b])
        if late:
            apply(g, s, table, 0, mine[0][a])
    return happened


@kernel
def move(g: Any, s: Any, arrivals: Any, player: int, orders: Orders) -> bool:
    """Carries out all moves among a player's commands `orders`, in their order; returns whether there were any.

    These and the other player's moves take effect at the same time (one *frame*). So units are not added to the houses
    at which they arrive, but to `arrivals`. `g`: the position's houses, paths and triangles; `s`: its units, owners and
    scores.
    """
    commands, _, _, first, end = orders
    happened = False
    for k in range(first, end):
        kind, _, house, target, amount = parts_of(commands[k])
        units = int(s.units[player, house])
        if kind == MOVE and house != target and units > 0:
            happened = True
            nearer = target if linked(g, house, target) else step_to(g, house, target)
            if nearer >= 0:
                moved = min(amount, units)
                s.units[player, house] -= moved
                arrivals[player, nearer] += moved
    return happened


@kernel
def spawn(g: Any, s: Any, arrivals: Any, player: int, orders: Orders) -> bool:
    """Spawns all units of one player, in the order of the commands `orders`; returns whether there were any.

    These and the other player's spawns take effect at the same time (one *frame*). So new units are not added to their
    houses, but to `arrivals`. `g`: the position's houses, paths and triangles; `s`: its units, owners and scores.
    """
    commands, first, end, _, _ = orders
    happened = False
    for k in range(first, end):
        kind, t, house, _, _ = parts_of(commands[k])
        if kind == SPAWN and is_possible(g, s, player, commands[k]):
            happened = True
            spend(g, s, player, t, 0)
            arrivals[player, house] += 1
    return happened


@kernel
def arrive(g: Any, s: Any, arrivals: Any) -> None:
    """Adds the units that have arrived in this turn to the units on their houses, and sets `arrivals` to zero.

    `arrivals` has the numbers of these units by player and house. `g`: the position's houses, paths and triangles; `s`:
    its units, owners and scores.
    """
    for player in range(2):
        for h in range(int(g.houses)):
            s.units[player, h] += arrivals[player, h]
            arrivals[player, h] = 0


@kernel
def act(g: Any, s: Any, table: Table, arrivals: Any, mine: Orders, theirs: Orders, only_first: bool) -> bool:
    """Carries out all commands of a turn, one kind after another. The commands of a kind take one or more frames.

    A frame is a group of commands that take effect at the same time.

    Args:
        g: the position's houses, paths and triangles.
        s: its units, owners and scores.
        table: the table of possible paths on the map (see `geometry`).
        arrivals: scratch array, by player and house, of units that arrive in this turn. It must be zero before, and is
            zero afterwards.
        mine, theirs: the commands of player 0 and of player 1.
        only_first: whether to carry out the first frame of the turn only.

    Returns:
        Whether paths were built or removed. Triangles that do not exist any more then have no owner, but still are in
        the list.
    """
    rebuilt = False
    kinds = kinds_of(mine) | kinds_of(theirs)
    for kind in range(REMOVE_PATH + 1):
        if kinds >> kind & 1 == 0:
            continue
        if kind == MOVE:
            first = move(g, s, arrivals, 0, mine)
            happened = move(g, s, arrivals, 1, theirs) or first
        elif kind == SPAWN:
            first = spawn(g, s, arrivals, 0, mine)
            happened = spawn(g, s, arrivals, 1, theirs) or first
        else:
            happened = apply_paired(g, s, table, kind, mine, theirs, only_first)
        rebuilt = rebuilt or (happened and kind >= ADD_PATH)
        if happened and only_first:
            break
    if rebuilt:
        for player in range(2):
            for word in range(2):
                s.own[player, word] &= g.live[word]
    arrive(g, s, arrivals)
    return rebuilt


# -- turns ------------------------------------------------------------------------------------------------------


@kernel
def begin(p: Position, table: Table) -> None:
    """Prepares the first turn of a game, in a position with units and paths.

    Lists the triangles, and scores points for this first position twice, as the original does. `table`: the table of
    possible paths on the map (see `geometry`).
    """
    find_open(p, table)
    find_triangles(p)
    settle(p, p)
    settle(p, p)
    p.turn = 1
    put_out(p, p)
    free_units(p)
    end_for_those_out(p)


@kernel
def free_units(p: Position) -> None:
    """Ends all reservations of units: commands of the next turn may use all units."""
    for player in range(2):
        for h in range(int(p.houses)):
            p.remaining[player, h] = p.units[player, h]


@kernel
def end_for_those_out(p: Position) -> None:
    """Sets the field `done` for players who are out: they choose no commands. If both are out, the game is over."""
    for player in range(2):
        p.done[player] = p.left[player] != ACTIVE
    if p.done[0] and p.done[1]:
        p.over = 1


@kernel
def play_turn(p: Position, table: Table, mine: Ints, m: int, theirs: Ints, n: int) -> None:
    """Plays one turn: both players' commands and the end of the turn.

    The commands are the first `m` elements of `mine` for player 0, and the first `n` of `theirs` for player 1. If a
    player is out, or if this is turn MAX_TURNS, the game ends. Then only the first frame of commands is carried out,
    and no points are scored. A frame is a group of commands that take effect at the same time. `table`: the table of
    possible paths on the map (see `geometry`).
    """
    last = p.left[0] != ACTIVE or p.left[1] != ACTIVE or p.turn >= MAX_TURNS
    arrivals = p.remaining  # this field holds the arrivals until all commands are carried out
    for player in range(2):
        for h in range(int(p.houses)):
            arrivals[player, h] = 0
    p.rebuilt = act(p, p, table, arrivals, (mine, 0, m, 0, m), (theirs, 0, n, 0, n), last)
    if p.rebuilt:
        tidy(p)
    for player in range(2):
        for k in range(int(p.queued[player])):
            p.queue[player, k] = 0
        p.spent[player, 0] = p.spent[player, 1] = NONE
        p.queued[player] = p.done[player] = 0
    if last:
        p.over = 1
    else:
        end_turn(p, p)
        end_for_those_out(p)
    free_units(p)


@kernel
def line_up(p: Position, player: int, order: int) -> None:
    """Adds the command `order` to the player's queue for this turn, and reserves its units and its triangle."""
    p.queue[player, p.queued[player]] = order
    p.queued[player] += 1
    kind, t, house, _, amount = parts_of(order)
    if kind == MOVE:
        p.remaining[player, house] -= amount
        return
    p.spent[player, t >> 6] |= bit(t & 63)
    if kind != SPAWN:
        for k in range(3):
            p.remaining[player, p.corners[t, k]] -= 1
