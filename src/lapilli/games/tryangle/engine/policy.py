"""The greedy opponent as a compiled kernel.

Searches start from its turn, and at first assume that both players play like this opponent.

In all kernels, the position is given by its map record `g` (houses, paths, triangles) and its fast state `s` (units,
owners, scores). `row` is the encoded turn that is written. `fast_state` describes all three. `sums` is described at
FREE, and `distances` is the array that `measure` fills.
"""

from __future__ import annotations

from typing import Any

from lapilli.games.tryangle.board import ATTACK, ATTACK_LEAGUE, SPAWN
from lapilli.games.tryangle.engine.turn_encoding import add_move, add_spend, clear, pick
from lapilli.games.tryangle.rules.commands import command
from lapilli.games.tryangle.rules.position import NONE, ONE, bit
from lapilli.games.tryangle.rules.turn import is_possible
from lapilli.kernels.kernel import Ints, Rng, Word, kernel, lowest, random_below

FAR = 50
"""Distance between houses that are not connected."""
_ATTACK_COST = 3
_ARMY_SHARE = 45
"""The greedy opponent spawns while it has fewer units than the other player, or fewer than this percentage of the
number of houses."""
FREE, KEPT, OTHER, TAKEN = range(4)
"""First indices of the array `sums`, which has numbers of units by house (second index):

- `FREE`: the player's units that have no task yet.
- `KEPT`: the player's units whose task is to stay on the house or to move to it.
- `OTHER`: the other player's units.
- `TAKEN`: the player's units that would move to the triangle that is being examined."""


@kernel
def measure(g: Any, distances: Any) -> None:
    """Fills `distances[a, b]` with the distance between the houses a and b, in steps; FAR if they are not connected.

    `g`: the position's houses, paths and triangles.
    """
    for start in range(int(g.houses)):
        for h in range(int(g.houses)):
            distances[start, h] = FAR
        ring = seen = bit(start)
        steps = 0
        while ring != NONE:
            spread = NONE
            while ring != NONE:
                h = lowest(ring)
                ring &= ring - ONE
                distances[start, h] = steps
                spread |= g.paths[h]
            ring = spread & ~seen
            seen |= spread
            steps += 1


@kernel
def greedy_row(g: Any, s: Any, distances: Any, sums: Ints, player: int, rng: Rng, row: Ints) -> None:
    """Writes the greedy opponent's turn for `player` into `row`, encoded as integers (`fast_state.WIDTH`).

    Args:
        g: the position's houses, paths and triangles.
        s: its units, owners and scores; it is changed.
        distances: the array that `measure` has filled.
        sums: scratch array for numbers of units by task and house (see FREE).
        player: the player.
        rng: state of the random generator.
        row: filled with the turn.
    """
    clear(row)
    for h in range(int(g.houses)):
        sums[FREE, h] = s.units[player, h]
        sums[OTHER, h] = s.units[1 - player, h]
        sums[KEPT, h] = sums[TAKEN, h] = 0
    if s.league >= ATTACK_LEAGUE:
        while _attack(g, s, sums, player, row):
            pass
    _spawn(g, s, sums, player, row)
    _guard(g, s, sums, player)
    while _send(g, s, distances, sums, player, rng, row):
        pass
    _step_off(g, s, sums, player, rng, row)


@kernel
def _attack(g: Any, s: Any, sums: Ints, player: int, row: Ints) -> bool:
    """Appends the attack that kills the most units to `row`, if it kills more units than it costs.

    Returns whether an attack was appended. Then the units in `sums` (see FREE) and the triangle's owner in `s` are
    updated. `g`: the position's houses, paths and triangles.
    """
    best, kills = -1, _ATTACK_COST
    for t in range(int(g.triangles)):
        if _kept(s, player, t):
            near = g.near[t]
            while near != NONE:
                h = lowest(near)
                near &= near - ONE
                order = command(ATTACK, t, int(g.corners[t, 0]), h, 0)
                if sums[OTHER, h] > kills and _can_pay(g, sums, t) and is_possible(g, s, player, order):
                    best, kills = order, sums[OTHER, h]
    if best < 0 or not add_spend(row, best):
        return False
    t = best >> 3 & 127
    sums[OTHER, best >> 16 & 63] = 0
    for k in range(3):
        sums[FREE, g.corners[t, k]] -= 1
    s.own[player, t >> 6] &= ~bit(t & 63)
    return True


@kernel
def _kept(s: Any, player: int, t: int) -> bool:
    """Returns whether a player may use up the triangle `t`: owns it now, and owned it when the turn began.

    `s`: the position's units, owners and scores.
    """
    return bool(s.own[player, t >> 6] & s.held[player, t >> 6] & bit(t & 63))


@kernel
def _can_pay(g: Any, sums: Ints, t: int) -> bool:
    """Returns whether the player has a free unit on each corner of the triangle `t`, as an attack needs.

    `sums` has the numbers of free units (see FREE). `g`: the position's houses, paths and triangles.
    """
    free, corners = sums[FREE], g.corners
    return bool(min(free[corners[t, 0]], min(free[corners[t, 1]], free[corners[t, 2]])) > 0)


@kernel
def _spawn(g: Any, s: Any, sums: Ints, player: int, row: Ints) -> None:
    """Adds commands to `row` that spawn the units that the player lacks (see _ARMY_SHARE), as far as possible.

    `sums` has the numbers of units (see FREE). Each unit spawns on its triangle's weakest corner. `g`: the position's
    houses, paths and triangles; `s`: its units, owners and scores.
    """
    mine = theirs = 0
    for h in range(int(g.houses)):
        mine += sums[FREE, h]
        theirs += sums[OTHER, h]
    wanted = max((_ARMY_SHARE * int(g.houses) + 50) // 100, theirs) - mine
    for t in range(int(g.triangles)):
        if wanted > 0 and _kept(s, player, t):
            weakest, least = 0, 1 << 30
            for k in range(3):
                corner = g.corners[t, k]
                lead = sums[FREE, corner] - sums[OTHER, corner]
                if lead < least:
                    weakest, least = int(corner), lead
            if add_spend(row, command(SPAWN, t, weakest, weakest, 0)):
                s.own[player, t >> 6] &= ~bit(t & 63)
            wanted -= 1


@kernel
def _guard(g: Any, s: Any, sums: Ints, player: int) -> None:
    """Gives free units on the corners of the player's triangles the task to stay there.

    The number of units that a corner needs is the number of enemy units on the corner, plus that on its neighbouring
    houses (but at least 1). If the corner has fewer free units, all of them stay. `g`: the position's houses, paths and
    triangles; `s`: its units, owners and scores. `sums` has the numbers of free units and of the other player's units
    (see FREE).
    """
    for t in range(int(g.triangles)):
        if s.own[player, t >> 6] & bit(t & 63) != NONE:
            for k in range(3):
                corner = int(g.corners[t, k])
                threat, around = 0, g.paths[corner]
                while around != NONE:
                    threat += sums[OTHER, lowest(around)]
                    around &= around - ONE
                wanted = sums[OTHER, corner] + max(1, threat) - sums[KEPT, corner]
                kept = max(0, min(sums[FREE, corner], wanted))
                sums[FREE, corner] -= kept
                sums[KEPT, corner] += kept


@kernel
def _send(g: Any, s: Any, distances: Any, sums: Ints, player: int, rng: Rng, row: Ints) -> bool:
    """Sends free units to the triangle that is cheapest to capture; returns False if there is no such triangle.

    The moves are added to `row`. `sums` has the numbers of free units (see FREE), and `distances` is the array that
    `measure` has filled. `g`: the position's houses, paths and triangles; `s`: its units, owners and scores.
    """
    sources = NONE
    for h in range(int(g.houses)):
        if sums[FREE, h] > 0:
            sources |= bit(h)
    best, least = -1, 1 << 30
    for t in range(int(g.triangles)):
        if s.may[player, t >> 6] & bit(t & 63) and not s.own[player, t >> 6] & bit(t & 63):
            cost = _tasks(g, distances, sums, sources, t, rng, row, False)
            if cost > 0:
                cost = 4 * cost + random_below(rng, 3)
                if cost < least:
                    best, least = t, cost
    if best < 0:
        return False
    _tasks(g, distances, sums, sources, best, rng, row, True)
    return True


@kernel
def _tasks(g: Any, distances: Any, sums: Ints, sources: Word, t: int, rng: Rng, row: Ints, in_earnest: bool) -> int:
    """Sends the nearest units to the corners of a triangle that lack units, or only computes the cost of this.

    Args:
        g: the position's houses, paths and triangles.
        distances: distances between all houses, as filled by `measure`.
        sums: numbers of units by house (see FREE).
        sources: set of houses with free units.
        t: index of the triangle.
        rng: state of the random generator.
        row: the turn to which moves are added, encoded as integers (`fast_state.WIDTH`).
        in_earnest: whether to send the units; if False, only the cost is computed.

    Returns:
        The cost: the sum of the distances of all units that move, plus 1 per unit. It is 0 if no corner lacks units,
        and -1 if there are not enough free units.
    """
    cost, used = 0, NONE
    for k in range(3):
        corner = int(g.corners[t, k])
        lacking = sums[OTHER, corner] + 1 - sums[KEPT, corner]
        left = sources
        while lacking > 0 and cost >= 0:
            start, nearest, ring = -1, FAR, left
            while ring != NONE:
                h = lowest(ring)
                ring &= ring - ONE
                if distances[h, corner] < nearest:
                    start, nearest = h, int(distances[h, corner])
            if start < 0:
                cost = -1
                break
            left &= ~bit(start)
            number = min(lacking, sums[FREE, start] - sums[TAKEN, start])
            if number > 0:
                lacking -= number
                cost += number * (nearest + 1)
                sums[TAKEN, start] += number
                used |= bit(start)
                if in_earnest:
                    sums[KEPT, corner] += number
                    if start != corner:
                        add_move(row, start, _toward(g, distances, start, corner, rng), number)
        if cost < 0:
            break
    while used != NONE:
        start = lowest(used)
        used &= used - ONE
        if in_earnest:
            sums[FREE, start] -= sums[TAKEN, start]
        sums[TAKEN, start] = 0
    return cost


@kernel
def _toward(g: Any, distances: Any, start: int, goal: int, rng: Rng) -> int:
    """Returns a random neighbour of `start` that is nearer to `goal`. `measure` has filled `distances`.

    `g`: the position's houses, paths and triangles.
    """
    nearer, around = NONE, g.paths[start]
    while around != NONE:
        h = lowest(around)
        around &= around - ONE
        if distances[h, goal] < distances[start, goal]:
            nearer |= bit(h)
    return pick(rng, nearer)


@kernel
def _step_off(g: Any, s: Any, sums: Ints, player: int, rng: Rng, row: Ints) -> None:
    """Moves free units off the corners of triangles that the player has used up.

    The player can capture such a triangle again once none of the player's units is on its corners. The moves are added
    to `row`; `sums` has the numbers of free units (see FREE). `g`: the position's houses, paths and triangles; `s`: its
    units, owners and scores.
    """
    used = NONE
    for t in range(int(g.triangles)):
        here = bit(t & 63)
        if g.live[t >> 6] & here and not (s.own[player, t >> 6] | s.may[player, t >> 6]) & here:
            used |= g.masks[t]
    for h in range(int(g.houses)):
        if sums[FREE, h] > 0 and used & bit(h):
            anywhere = g.paths[h] & ~bit(h)
            outside = anywhere & ~used
            if anywhere != NONE:
                add_move(row, h, pick(rng, outside if outside != NONE else anywhere), sums[FREE, h])
