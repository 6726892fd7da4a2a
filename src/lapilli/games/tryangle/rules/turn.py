"""Plays turns: the effects of commands on a position, and the end of a turn.

Commands are integers, see `commands`. They are carried out in *frames*: steps in which commands take effect at the same
time. In all kernels, `mine` and `theirs` are arrays with the commands of player 0 and of player 1, of which the first
`m` and `n` elements are used. `table` is the table of the map (see `geometry`).
"""

from __future__ import annotations

from lapilli.games.tryangle.board import (
    ACTIVE,
    ADD_PATH,
    ATTACK,
    DOMINATED,
    HOPELESS,
    MAX_TURNS,
    MOVE,
    NO_UNITS,
    REMOVE_PATH,
    SPAWN,
)
from lapilli.games.tryangle.rules.commands import parts_of
from lapilli.games.tryangle.rules.geometry import Table, squared_length
from lapilli.games.tryangle.rules.position import (
    NONE,
    ONE,
    bit,
    can_connect,
    connect,
    disconnect,
    find_triangles,
    in_reach,
    linked,
    mask_of,
    tidy,
)
from lapilli.kernels.kernel import Ints, Position, Word, kernel, lowest

# -- commands -------------------------------------------------------------------------------------------------


@kernel
def can_apply(p: Position, table: Table, player: int, command: int) -> bool:
    """Returns whether a player's command could be carried out now. Its houses and its triangle must exist."""
    kind, t, house, target, _ = parts_of(command)
    if kind == MOVE:
        return bool(house != target and p.remaining[player, house] > 0)
    if p.owner[t] != player or p.owner_at_start[t] != player:
        return False
    if kind == SPAWN:
        return True
    for k in range(3):
        if p.remaining[player, p.corners[t, k]] < 1:
            return False
    if kind == ATTACK:
        return in_reach(p, t, target)
    if kind == ADD_PATH:
        return not linked(p, house, target) and can_connect(p, table, house, target)
    return linked(p, house, target) and (mask_of(p, t) & bit(target)) == NONE


@kernel
def spend(p: Position, player: int, t: int, units: int) -> None:
    """Uses up the triangle `t` of a player, and `units` of the player's units on each corner, or as many as there
    are."""
    p.owner[t] = -1
    p.may[t] &= 7 ^ (1 << player)
    for k in range(3):
        corner = int(p.corners[t, k])
        p.units[player, corner] -= min(units, int(p.units[player, corner]))
        p.remaining[player, corner] -= min(units, int(p.remaining[player, corner]))


@kernel
def step_to(p: Position, start: int, goal: int) -> int:
    """Returns the next house on a shortest way from `start` to `goal`; -1 if there is no way.

    If several neighbours of `start` are at the same distance from `goal`, returns the one with the lowest number.
    """
    around = p.paths[start]
    seen = ring = bit(goal)
    while ring != NONE:
        if ring & around != NONE:
            return lowest(ring & around)
        spread = NONE
        while ring != NONE:
            spread |= p.paths[lowest(ring)]
            ring &= ring - ONE
        ring = spread & ~seen
        seen |= ring
    return -1


@kernel
def apply(p: Position, table: Table, player: int, command: int) -> None:
    """Carries out a player's command, which must have been possible when its frame began."""
    kind, t, house, target, amount = parts_of(command)
    if kind == MOVE:
        nearer = step_to(p, house, target)
        if nearer >= 0:
            moved = min(amount, int(p.remaining[player, house]))
            p.units[player, house] -= moved
            p.remaining[player, house] -= moved
            p.units[player, nearer] += moved
    elif kind == SPAWN:
        spend(p, player, t, 0)
        p.units[player, house] += 1
    elif kind == ATTACK:
        spend(p, player, t, 1)
        p.units[1 - player, target] = p.remaining[1 - player, target] = 0
    elif kind == REMOVE_PATH:
        spend(p, player, t, 1)
        disconnect(p, house, target)
    elif can_connect(p, table, house, target):
        spend(p, player, t, 1)
        connect(p, house, target)


@kernel
def length_of(p: Position, command: int) -> int:
    """Returns the squared distance between a command's house and target, in map units."""
    _, _, house, target, _ = parts_of(command)
    return squared_length(p.x, p.y, house, target)


@kernel
def take(p: Position, table: Table, player: int, commands: Ints, number: int, kind: int) -> int:
    """Returns the index of the player's next command of a kind to carry out; -1 if there is none.

    It is the first of the `number` commands that can be carried out; among paths to build, the shortest. A command that
    cannot be carried out now will not be possible later in the turn either: units and triangles are only used up, and
    all paths are built before any is removed. So such commands need not be removed from the list.
    """
    best, best_length = -1, 1 << 62
    for k in range(number):
        if commands[k] & 7 == kind and can_apply(p, table, player, commands[k]):
            if kind != ADD_PATH:
                return k
            length = length_of(p, commands[k])
            if length < best_length:
                best, best_length = k, length
    return best


@kernel
def apply_paired(
    p: Position, table: Table, kind: int, mine: Ints, m: int, theirs: Ints, n: int, only_first: bool
) -> bool:
    """Carries out commands of a kind in frames, one command per player in each; if `only_first`, only the first frame.

    Both commands of a frame are chosen before either is carried out. A chosen command cannot be chosen again: its
    triangle is used up, or the other player's path is in its way. Returns whether there was a frame.
    """
    happened = False
    while not (happened and only_first):
        a, b = take(p, table, 0, mine, m, kind), take(p, table, 1, theirs, n, kind)
        if a < 0 and b < 0:
            return happened
        happened = True
        late = False  # player 0's path is the longer one
        if kind == ADD_PATH and a >= 0 and b >= 0:
            late = length_of(p, mine[a]) > length_of(p, theirs[b])
        if a >= 0 and not late:
            apply(p, table, 0, mine[a])
        if b >= 0:
            apply(p, table, 1, theirs[b])
        if late:
            apply(p, table, 0, mine[a])
    return happened


@kernel
def apply_together(p: Position, table: Table, kind: int, player: int, commands: Ints, number: int) -> bool:
    """Carries out all commands of a kind of one player, in their order; returns whether there were any.

    These and the other player's commands of the same kind make up one frame.
    """
    happened = False
    for k in range(number):
        if commands[k] & 7 == kind and can_apply(p, table, player, commands[k]):
            apply(p, table, player, commands[k])
            happened = True
    return happened


@kernel
def act(p: Position, table: Table, mine: Ints, m: int, theirs: Ints, n: int, only_first: bool) -> None:
    """Carries out both players' commands, one kind after another.

    The commands of a kind take one or more frames. If `only_first`, only the first frame of the turn is carried out.
    """
    rebuilt = False
    for kind in range(REMOVE_PATH + 1):
        if kind in (MOVE, SPAWN):
            first = apply_together(p, table, kind, 0, mine, m)
            happened = apply_together(p, table, kind, 1, theirs, n) or first
        else:
            happened = apply_paired(p, table, kind, mine, m, theirs, n, only_first)
        rebuilt = rebuilt or (happened and kind >= ADD_PATH)
        if happened and only_first:
            break
    if rebuilt:
        tidy(p)


# -- the end of a turn ------------------------------------------------------------------------------------------


@kernel
def settle(p: Position) -> None:
    """Plays the end of a turn: repeats `one_pass` until nothing changes, then scores points for owned triangles.

    Surrounded units die only in the first pass.
    """
    armed = True
    while one_pass(p, armed):
        armed = False
    for t in range(int(p.triangles)):
        owner = p.owner[t]
        p.owner_at_start[t] = owner
        if owner >= 0:
            p.score[owner] += 1


@kernel
def one_pass(p: Position, armed: bool) -> bool:
    """Plays one pass of the end of a turn; returns whether anything changed.

    At first, all units become free to act in the next turn, and the players' rights to capture triangles are updated.
    Then surrounded units die, if `armed` is True. If none die, the players capture triangles.
    """
    units, paths = p.units, p.paths
    present0 = present1 = major0 = major1 = NONE
    for h in range(int(p.houses)):
        own, other = units[0, h], units[1, h]
        p.remaining[0, h], p.remaining[1, h] = own, other
        house = bit(h)
        if own:
            present0 |= house
        if other:
            present1 |= house
        if own > other:
            major0 |= house
        elif other > own:
            major1 |= house
    update_flags(p, present0, present1)
    died = False
    own0, own1 = major0, major1
    for h in range(int(p.houses)):
        around = paths[h]
        if around == NONE:
            continue
        if around & ~major1 == NONE:
            own0, own1 = own0 & ~bit(h), own1 | bit(h)
            if armed and units[0, h]:
                units[0, h] = 0
                died = True
        elif around & ~major0 == NONE:
            own0, own1 = own0 | bit(h), own1 & ~bit(h)
            if armed and units[1, h]:
                units[1, h] = 0
                died = True
    return died or capture(p, own0, own1)


@kernel
def update_flags(p: Position, present0: Word, present1: Word) -> None:
    """Updates which players may capture each triangle.

    A triangle with an owner may be captured only by the owner's opponent. If a triangle has no owner, a player without
    units on its corners may capture it; for a player with units there, nothing changes. `present0` and `present1` are
    the sets of houses with units of player 0 and of player 1.
    """
    for t in range(int(p.triangles)):
        if p.owner[t] >= 0:
            p.may[t] = 2 >> p.owner[t]
        else:
            corners = mask_of(p, t)
            if corners & present0 == NONE:
                p.may[t] |= 1
            if corners & present1 == NONE:
                p.may[t] |= 2


@kernel
def capture(p: Position, own0: Word, own1: Word) -> bool:
    """Gives each triangle to the player, if any, who owns the houses on its three corners and may capture the triangle.

    `own0` and `own1` are the sets of houses that player 0 and player 1 own. Returns whether any triangle changed its
    owner.
    """
    changed = False
    for t in range(int(p.triangles)):
        corners, may, owner = mask_of(p, t), p.may[t], p.owner[t]
        if may & 1 and owner != 0 and corners & ~own0 == NONE:
            p.owner[t] = 0
            changed = True
        elif may & 2 and owner != 1 and corners & ~own1 == NONE:
            p.owner[t] = 1
            changed = True
    return changed


@kernel
def put_out(p: Position) -> None:
    """Sets the fields `left` and `done` for players whom the rules put out of the game. Player 0 is tested first."""
    owned0 = owned1 = 0
    for t in range(int(p.triangles)):
        if p.owner[t] == 0:
            owned0 += 1
        elif p.owner[t] == 1:
            owned1 += 1
    for player in range(2):
        mine, theirs = (owned0, owned1) if player == 0 else (owned1, owned0)
        units = 0
        for h in range(int(p.houses)):
            units += p.units[player, h]
        rival = p.score[1 - player] if p.left[1 - player] == ACTIVE else -1
        if units == 0 and mine == 0:
            p.left[player] = NO_UNITS
        elif units == 1 and mine == 0 and p.score[player] < rival:
            p.left[player] = HOPELESS
        elif theirs >= 0.8 * int(p.triangles):
            p.left[player] = DOMINATED
        p.done[player] = p.left[player] != ACTIVE
    if p.left[0] != ACTIVE and p.left[1] != ACTIVE:
        p.over = 1


@kernel
def begin(p: Position) -> None:
    """Prepares the first turn of a game, in a position with units and paths.

    Lists the triangles, and scores points for this first position twice, as the original does.
    """
    p.triangles = 0
    find_triangles(p)
    settle(p)
    settle(p)
    p.turn = 1
    put_out(p)


@kernel
def play_turn(p: Position, table: Table, mine: Ints, m: int, theirs: Ints, n: int) -> None:
    """Plays one turn: both players' commands and the end of the turn.

    If a player is out, or if this is turn MAX_TURNS, the game ends. Then only the first frame of commands is carried
    out, and no points are scored.
    """
    last = p.left[0] != ACTIVE or p.left[1] != ACTIVE or p.turn >= MAX_TURNS
    act(p, table, mine, m, theirs, n, last)
    for player in range(2):
        for k in range(int(p.queued[player])):
            p.queue[player, k] = 0
        p.queued[player] = p.done[player] = 0
    if last:
        p.over = 1
        return
    settle(p)
    p.turn += 1
    put_out(p)


@kernel
def line_up(p: Position, player: int, command: int) -> None:
    """Adds a command to the player's queue for this turn, and reserves the units and the triangle that it uses."""
    p.queue[player, p.queued[player]] = command
    p.queued[player] += 1
    kind, t, house, _, amount = parts_of(command)
    if kind == MOVE:
        p.remaining[player, house] -= amount
        return
    p.spent[player, t >> 6] |= bit(t & 63)
    if kind != SPAWN:
        for k in range(3):
            p.remaining[player, p.corners[t, k]] -= 1


@kernel
def set_free(p: Position) -> None:
    """Makes the units and triangles that `line_up` has reserved available again, so that the turn can be played."""
    for player in range(2):
        if p.queued[player]:
            p.spent[player, 0] = p.spent[player, 1] = NONE
            for h in range(int(p.houses)):
                p.remaining[player, h] = p.units[player, h]
