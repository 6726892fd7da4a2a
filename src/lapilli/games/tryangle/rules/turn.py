"""The kernel: what a turn's commands do to a position.

Commands are rows of an int64 array: kind, triangle (its place in the position's list), house, target, amount. The
house is a move's start, a spawn's corner, or the corner that a path begins at.
"""

from __future__ import annotations

from typing import Any

from lapilli.games.kernel import kernel, lowest
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
from lapilli.games.tryangle.rules.geometry import squared_length
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

# -- commands -------------------------------------------------------------------------------------------------


@kernel
def can_apply(state: Any, table: Any, player: int, command: Any) -> bool:
    """Whether a well-formed command could be carried out now."""
    kind, t, house, target = command[0], command[1], command[2], command[3]
    if kind == MOVE:
        return bool(house != target and state.remaining[player, house] > 0)
    if state.owner[t] != player or state.owner_at_start[t] != player:
        return False
    if kind == SPAWN:
        return True
    for k in range(3):
        if state.remaining[player, state.corners[t, k]] < 1:
            return False
    if kind == ATTACK:
        return in_reach(state, t, target)
    if kind == ADD_PATH:
        return not linked(state, house, target) and can_connect(state, table, house, target)
    return linked(state, house, target) and (mask_of(state, t) & bit(target)) == NONE


@kernel
def spend(state: Any, player: int, t: int, units: int) -> None:
    """Uses up a triangle, and as many units on each corner (fewer where there are fewer)."""
    state.owner[t] = -1
    state.may[t] &= 7 ^ (1 << player)
    for k in range(3):
        corner = state.corners[t, k]
        state.units[player, corner] -= min(units, state.units[player, corner])
        state.remaining[player, corner] -= min(units, state.remaining[player, corner])


@kernel
def step_to(state: Any, start: int, goal: int) -> int:
    """The lowest neighbour that is nearer to the goal; -1 where the goal cannot be reached."""
    around = state.paths[start]
    seen = ring = bit(goal)
    while ring != NONE:
        if ring & around != NONE:
            return lowest(ring & around)
        spread = NONE
        while ring != NONE:
            spread |= state.paths[lowest(ring)]
            ring &= ring - ONE
        ring = spread & ~seen
        seen |= ring
    return -1


@kernel
def apply(state: Any, table: Any, player: int, command: Any) -> None:
    """Carries out a command that could be applied when its frame began."""
    kind, t, house, target = command[0], command[1], command[2], command[3]
    if kind == MOVE:
        nearer = step_to(state, house, target)
        if nearer >= 0:
            moved = min(command[4], state.remaining[player, house])
            state.units[player, house] -= moved
            state.remaining[player, house] -= moved
            state.units[player, nearer] += moved
    elif kind == SPAWN:
        spend(state, player, t, 0)
        state.units[player, house] += 1
    elif kind == ATTACK:
        spend(state, player, t, 1)
        state.units[1 - player, target] = state.remaining[1 - player, target] = 0
    elif kind == REMOVE_PATH:
        spend(state, player, t, 1)
        disconnect(state, house, target)
    elif can_connect(state, table, house, target):
        spend(state, player, t, 1)
        connect(state, house, target)


@kernel
def take(state: Any, table: Any, player: int, commands: Any, number: int, kind: int) -> int:
    """The first of a player's commands of a kind that can be applied; of paths to build, the shortest. Else -1.

    A command that cannot be applied now never can later in the turn: units and triangles are only used up, and all
    paths are built before any is removed. So there is no need to drop such commands, they are passed over each time.
    """
    best, best_length = -1, 1 << 62
    for k in range(number):
        if commands[k, 0] == kind and can_apply(state, table, player, commands[k]):
            if kind != ADD_PATH:
                return k
            length = squared_length(state.x, state.y, commands[k, 2], commands[k, 3])
            if length < best_length:
                best, best_length = k, length
    return best


@kernel
def apply_paired(state: Any, table: Any, kind: int, mine: Any, m: int, theirs: Any, n: int, only_first: bool) -> bool:
    """Frames of one command each: both are chosen before either is carried out. Whether there was a frame.

    What was taken cannot be taken again: it has spent its triangle, or the other's path has come in its way.
    """
    happened = False
    while not (happened and only_first):
        a, b = take(state, table, 0, mine, m, kind), take(state, table, 1, theirs, n, kind)
        if a < 0 and b < 0:
            return happened
        happened = True
        late = False  # player 0's path is the longer one
        if kind == ADD_PATH and a >= 0 and b >= 0:
            length = squared_length(state.x, state.y, mine[a, 2], mine[a, 3])
            late = length > squared_length(state.x, state.y, theirs[b, 2], theirs[b, 3])
        if a >= 0 and not late:
            apply(state, table, 0, mine[a])
        if b >= 0:
            apply(state, table, 1, theirs[b])
        if late:
            apply(state, table, 0, mine[a])
    return happened


@kernel
def apply_together(state: Any, table: Any, kind: int, player: int, commands: Any, number: int) -> bool:
    """A player's part of a frame that takes all commands of a kind, in their order. Whether there was any."""
    happened = False
    for k in range(number):
        if commands[k, 0] == kind and can_apply(state, table, player, commands[k]):
            apply(state, table, player, commands[k])
            happened = True
    return happened


@kernel
def act(state: Any, table: Any, mine: Any, m: int, theirs: Any, n: int, only_first: bool) -> None:
    """Carries out both players' commands, kind by kind; only the first frame where the game ends with this turn."""
    rebuilt = False
    for kind in range(REMOVE_PATH + 1):
        if kind in (MOVE, SPAWN):
            first = apply_together(state, table, kind, 0, mine, m)
            happened = apply_together(state, table, kind, 1, theirs, n) or first
        else:
            happened = apply_paired(state, table, kind, mine, m, theirs, n, only_first)
        rebuilt = rebuilt or (happened and kind >= ADD_PATH)
        if happened and only_first:
            break
    if rebuilt:
        tidy(state)


# -- the end of a turn ------------------------------------------------------------------------------------------


@kernel
def settle(state: Any) -> None:
    """Passes until nothing happens any more: the surrounded die (once), triangles change hands; then points."""
    armed = True
    while one_pass(state, armed):
        armed = False
    for t in range(state.triangles):
        owner = state.owner[t]
        state.owner_at_start[t] = owner
        if owner >= 0:
            state.score[owner] += 1


@kernel
def one_pass(state: Any, armed: bool) -> bool:
    """One pass; whether units died or a triangle changed hands."""
    units, paths = state.units, state.paths
    present0 = present1 = major0 = major1 = NONE
    for h in range(state.houses):
        own, other = units[0, h], units[1, h]
        state.remaining[0, h], state.remaining[1, h] = own, other
        house = bit(h)
        if own:
            present0 |= house
        if other:
            present1 |= house
        if own > other:
            major0 |= house
        elif other > own:
            major1 |= house
    update_flags(state, present0, present1)
    died = False
    own0, own1 = major0, major1
    for h in range(state.houses):
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
    return died or capture(state, own0, own1)


@kernel
def update_flags(state: Any, present0: Any, present1: Any) -> None:
    """Who may capture each triangle: the other side of its owner; of a free one, also who has left all corners."""
    for t in range(state.triangles):
        if state.owner[t] >= 0:
            state.may[t] = 2 >> state.owner[t]
        else:
            corners = mask_of(state, t)
            if corners & present0 == NONE:
                state.may[t] |= 1
            if corners & present1 == NONE:
                state.may[t] |= 2


@kernel
def capture(state: Any, own0: Any, own1: Any) -> bool:
    """Gives triangles to who owns all three corners and may have them. Whether any changed hands."""
    changed = False
    for t in range(state.triangles):
        corners, may, owner = mask_of(state, t), state.may[t], state.owner[t]
        if may & 1 and owner != 0 and corners & ~own0 == NONE:
            state.owner[t] = 0
            changed = True
        elif may & 2 and owner != 1 and corners & ~own1 == NONE:
            state.owner[t] = 1
            changed = True
    return changed


@kernel
def put_out(state: Any) -> None:
    """Tests each active player, player 0 first, for the endings that the rules bring about."""
    owned0 = owned1 = 0
    for t in range(state.triangles):
        if state.owner[t] == 0:
            owned0 += 1
        elif state.owner[t] == 1:
            owned1 += 1
    for player in range(2):
        mine, theirs = (owned0, owned1) if player == 0 else (owned1, owned0)
        units = 0
        for h in range(state.houses):
            units += state.units[player, h]
        rival = state.score[1 - player] if state.out[1 - player] == ACTIVE else -1
        if units == 0 and mine == 0:
            state.out[player] = NO_UNITS
        elif units == 1 and mine == 0 and state.score[player] < rival:
            state.out[player] = HOPELESS
        elif theirs >= 0.8 * int(state.triangles):
            state.out[player] = DOMINATED
        state.done[player] = state.out[player] != ACTIVE
    if state.out[0] != ACTIVE and state.out[1] != ACTIVE:
        state.over = 1


@kernel
def begin(state: Any) -> None:
    """From units and paths to the first turn: triangles, and the opening position counted twice."""
    state.triangles = 0
    find_triangles(state)
    settle(state)
    settle(state)
    state.turn = 1
    put_out(state)


@kernel
def play(state: Any, table: Any, mine: Any, m: int, theirs: Any, n: int) -> None:
    """One turn: both players' commands (m and n rows), and what follows from them.

    Where a player is out, the game ends with this turn, and only its first frame is carried out; so it is on the last
    turn. The score of either is never counted again then.
    """
    last = state.out[0] != ACTIVE or state.out[1] != ACTIVE or state.turn >= MAX_TURNS
    act(state, table, mine, m, theirs, n, last)
    for player in range(2):
        for k in range(state.queued[player]):
            state.queue[player, k] = 0
        state.queued[player] = state.done[player] = 0
    if last:
        state.over = 1
        return
    settle(state)
    state.turn += 1
    put_out(state)
