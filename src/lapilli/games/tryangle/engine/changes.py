"""Small random changes to a player's turn, for hill climbing.

A change sends units to other houses or uses up triangles in another way. In all kernels, `row` is the encoded turn of
`player` that is changed (see `fast_state.WIDTH`). The position is given by its map record `g` (houses, paths,
triangles) and its fast state `s` (units, owners, scores); see `fast_state`.
"""

from __future__ import annotations

from typing import Any

from lapilli.games.tryangle.board import ADD_PATH, ATTACK, ATTACK_LEAGUE, PATH_LEAGUE, REMOVE_PATH, SPAWN
from lapilli.games.tryangle.engine.fast_state import MOVES, SPENDS
from lapilli.games.tryangle.engine.move_prior import some_goal, some_house
from lapilli.games.tryangle.engine.turn_encoding import add_move, add_spend, cut_move, drop_spend, pick, spend_of, stays
from lapilli.games.tryangle.rules.commands import command
from lapilli.games.tryangle.rules.position import NONE, bit
from lapilli.games.tryangle.rules.turn import is_possible
from lapilli.kernels.kernel import Ints, Rng, Word, kernel, random_below

_TRIES = 8
"""Greatest number of attempts to draw a change that has an effect."""


@kernel
def likely_change(g: Any, s: Any, player: int, rng: Rng, row: Ints, prior: Ints) -> None:
    """Makes one or a few random changes to a turn. More likely moves are drawn more often.

    `prior` has the likelihoods of the moves, as `move_prior.predict_moves` writes them for this player. If a change has
    no effect, another change is drawn. `g`: the position's houses, paths and triangles; `s`: its units, owners and
    scores. `row`: the turn, encoded as integers (`fast_state.WIDTH`).
    """
    for _ in range(_TRIES):
        lot = random_below(rng, 16)
        if lot < 10:
            changed = redirect_likely(g, s, player, rng, row, prior)
        elif lot < 12:
            changed = gather(g, s, player, rng, row)
        elif lot < 13:
            changed = leave_corners(g, s, player, rng, row)
        else:
            changed = spend_otherwise(g, s, player, rng, row)
        if changed and random_below(rng, 2):
            return


@kernel
def change(g: Any, s: Any, player: int, rng: Rng, row: Ints) -> None:
    """Makes one or a few random changes to a turn, without the learned likelihoods of moves.

    `g`: the position's houses, paths and triangles; `s`: its units, owners and scores. `row`: the turn, encoded as
    integers (`fast_state.WIDTH`).
    """
    while True:
        lot = random_below(rng, 16)
        if lot < 9:
            redirect(g, s, player, rng, row)
        elif lot < 11:
            gather(g, s, player, rng, row)
        elif lot < 12:
            leave_corners(g, s, player, rng, row)
        else:
            spend_otherwise(g, s, player, rng, row)
        if random_below(rng, 2):
            return


@kernel
def houses_of(g: Any, s: Any, player: int) -> Word:
    """Returns the set of houses on which a player has units.

    `g`: the position's houses, paths and triangles; `s`: its units, owners and scores.
    """
    found = NONE
    for h in range(int(g.houses)):
        if s.units[player, h] > 0:
            found |= bit(h)
    return found


@kernel
def redirect(g: Any, s: Any, player: int, rng: Rng, row: Ints) -> None:
    """Changes a turn: sends units of a random house to a random neighbour, or makes them stay.

    `g`: the position's houses, paths and triangles; `s`: its units, owners and scores. `row`: the turn, encoded as
    integers (`fast_state.WIDTH`).
    """
    houses = houses_of(g, s, player)
    if houses == NONE:
        return
    h = pick(rng, houses)
    goal = pick(rng, g.paths[h] | bit(h))
    if random_below(rng, 3) == 0:
        goal = h
    send(g, s, player, rng, row, h, goal)


@kernel
def redirect_likely(g: Any, s: Any, player: int, rng: Rng, row: Ints, prior: Ints) -> bool:
    """Changes a turn like `redirect`, but prefers moves that the learned likelihoods in `prior` suggest.

    Sends units of a random house to a random neighbour, or makes them stay. Houses whose units' moves are uncertain are
    drawn more often. Returns whether the turn has changed. `g`: the position's houses, paths and triangles; `s`: its
    units, owners and scores. `row`: the turn, encoded as integers (`fast_state.WIDTH`).
    """
    houses = houses_of(g, s, player)
    if houses == NONE:
        return False
    h = some_house(prior, houses, rng)
    return send(g, s, player, rng, row, h, some_goal(prior, h, g.paths[h] | bit(h), rng))


@kernel
def send(g: Any, s: Any, player: int, rng: Rng, row: Ints, house: int, goal: int) -> bool:
    """Changes a turn: redirects some units of `house` to the house `goal`.

    If `goal` is `house` itself, these units stay.

    Returns whether there were units to redirect. `g`: the position's houses, paths and triangles; `s`: its units,
    owners and scores. `row`: the turn, encoded as integers (`fast_state.WIDTH`).
    """
    amount = release(g, s, player, rng, row, house, goal)
    if goal != house and amount > 0:
        add_move(row, house, goal, amount)
    return amount > 0


@kernel
def release(g: Any, s: Any, player: int, rng: Rng, row: Ints, house: int, goal: int) -> int:
    """Frees some units of `house` so that a move to `goal` can be added. Returns the number of units.

    The units are chosen at random: units that the turn makes stay, or units that it sends to a house other than `goal`.
    In the second case, the chosen units are taken out of that move. The move to `goal` itself is not added. Returns 0
    if there are no such units. `g`: the position's houses, paths and triangles; `s`: its units, owners and scores.
    `row`: the turn, encoded as integers (`fast_state.WIDTH`).
    """
    staying = stays(g, s, player, row, house)
    groups = int(staying > 0 and goal != house)
    for k in range(row[1]):
        if row[MOVES + k] >> 10 & 63 == house and row[MOVES + k] >> 16 & 63 != goal:
            groups += 1
    if groups == 0:
        return 0
    chosen = random_below(rng, groups)
    if staying > 0 and goal != house:
        if chosen == 0:
            return share(rng, staying)
        chosen -= 1
    for k in range(row[1]):
        if row[MOVES + k] >> 10 & 63 == house and row[MOVES + k] >> 16 & 63 != goal:
            if chosen == 0:
                amount = share(rng, row[MOVES + k] >> 22)
                cut_move(row, k, amount)
                return amount
            chosen -= 1
    return 0


@kernel
def share(rng: Rng, units: int) -> int:
    """Returns a random number of units, from 1 to `units`.

    The numbers `units` and 1 are more likely than the others.
    """
    lot = random_below(rng, 4)
    if units <= 1 or lot < 2:
        return units
    return 1 if lot == 2 else 1 + random_below(rng, units)


@kernel
def gather(g: Any, s: Any, player: int, rng: Rng, row: Ints) -> bool:
    """Changes a turn: brings units to the corners of a random triangle that the player may capture.

    The units come from neighbouring houses, or stay on a corner instead of moving away. Returns whether the turn has
    changed. `g`: the position's houses, paths and triangles; `s`: its units, owners and scores. `row`: the turn,
    encoded as integers (`fast_state.WIDTH`).
    """
    wanted0 = s.may[player, 0] & ~s.own[player, 0]
    wanted1 = s.may[player, 1] & ~s.own[player, 1]
    t = pick_triangle(rng, wanted0, wanted1)
    if t < 0:
        return False
    changed = False
    houses = houses_of(g, s, player)
    for k in range(3):
        corner = int(g.corners[t, k])
        lacking = 1 + int(s.units[1 - player, corner]) - max(0, stays(g, s, player, row, corner))
        for m in range(row[1]):
            if row[MOVES + m] >> 16 & 63 == corner:
                lacking -= row[MOVES + m] >> 22
        sources = houses & g.paths[corner] & ~g.masks[t]
        if lacking > 0 and houses & bit(corner) != NONE:
            changed = bring_back(row, corner, lacking) or changed
        elif lacking > 0 and sources != NONE:
            start = pick(rng, sources)
            amount = min(lacking, release(g, s, player, rng, row, start, corner))
            if amount > 0:
                add_move(row, start, corner, amount)
                changed = True
    return changed


@kernel
def bring_back(row: Ints, house: int, number: int) -> bool:
    """Changes a turn: up to `number` units that it would move away from a house stay there.

    Returns whether the turn has changed. `row`: the turn, encoded as integers (`fast_state.WIDTH`).
    """
    k, wanted = 0, number
    while k < row[1] and number > 0:
        if row[MOVES + k] >> 10 & 63 == house:
            amount = min(number, row[MOVES + k] >> 22)
            number -= amount
            last = row[1]
            cut_move(row, k, amount)
            k -= last - row[1]
        k += 1
    return number < wanted


@kernel
def pick_triangle(rng: Rng, low: Word, high: Word) -> int:
    """Returns the index of a random triangle of a set; -1 if the set is empty.

    The set consists of two words: `low` has the triangles with indices below 64, `high` the others.
    """
    if low == NONE and high == NONE:
        return -1
    if high == NONE or (low != NONE and random_below(rng, 2)):
        return pick(rng, low)
    return 64 + pick(rng, high)


@kernel
def leave_corners(g: Any, s: Any, player: int, rng: Rng, row: Ints) -> bool:
    """Changes a turn: sends the player's units off the corners of a random triangle that the player has used up or will
    use up.

    The player can capture such a triangle again only after the player's units have left all its corners. Returns
    whether any units leave. `g`: the position's houses, paths and triangles; `s`: its units, owners and scores. `row`:
    the turn, encoded as integers (`fast_state.WIDTH`).
    """
    stuck0 = g.live[0] & ~(s.own[player, 0] | s.may[player, 0])
    stuck1 = g.live[1] & ~(s.own[player, 1] | s.may[player, 1])
    for k in range(row[0]):
        t = row[SPENDS + k] >> 3 & 127
        if t < 64:
            stuck0 |= bit(t)
        else:
            stuck1 |= bit(t - 64)
    t = pick_triangle(rng, stuck0, stuck1)
    if t < 0:
        return False
    changed = False
    for k in range(3):
        corner = int(g.corners[t, k])
        outside = g.paths[corner] & ~g.masks[t]
        m = 0
        while m < row[1]:
            if row[MOVES + m] >> 16 & 63 == corner:
                cut_move(row, m, row[MOVES + m] >> 22)
            else:
                m += 1
        staying = stays(g, s, player, row, corner)
        if staying > 0 and outside != NONE:
            add_move(row, corner, pick(rng, outside), staying)
            changed = True
    return changed


@kernel
def spend_otherwise(g: Any, s: Any, player: int, rng: Rng, row: Ints) -> bool:
    """Changes a turn: uses up a random triangle of the player for a new command, or no longer uses it up.

    Returns whether the turn has changed. `g`: the position's houses, paths and triangles; `s`: its units, owners and
    scores. `row`: the turn, encoded as integers (`fast_state.WIDTH`).
    """
    t = pick_triangle(rng, s.own[player, 0] & s.held[player, 0], s.own[player, 1] & s.held[player, 1])
    if t < 0:
        return False
    k = spend_of(row, t)
    if k >= 0:
        drop_spend(row, k)
        if random_below(rng, 2):
            return True
    order = some_spend(g, s, player, rng, row, t)
    if order >= 0:
        add_spend(row, order)
    return order >= 0 or k >= 0


@kernel
def some_spend(g: Any, s: Any, player: int, rng: Rng, row: Ints, t: int) -> int:
    """Returns a random command that uses up the triangle `t`; -1 if the drawn command cannot be carried out.

    Except for a spawn, the command needs a unit of the player on each corner of the triangle. If the turn would move
    all units away from a corner, the turn is changed so that one unit stays there. `g`: the position's houses, paths
    and triangles; `s`: its units, owners and scores. `row`: the turn, encoded as integers (`fast_state.WIDTH`).
    """
    corner = int(g.corners[t, random_below(rng, 3)])
    lot = random_below(rng, 8)
    if s.league < ATTACK_LEAGUE or lot < 4:
        return command(SPAWN, t, corner, corner, 0)
    if s.league < PATH_LEAGUE or lot < 6:
        targets = g.near[t] & houses_of(g, s, 1 - player)
        if targets == NONE:
            return -1
        order = command(ATTACK, t, corner, pick(rng, targets), 0)
    elif lot == 6:
        targets = g.paths[corner] & ~g.masks[t]
        if targets == NONE:
            return -1
        order = command(REMOVE_PATH, t, corner, pick(rng, targets), 0)
    else:
        if g.open[corner] == NONE:
            return -1
        order = command(ADD_PATH, t, corner, pick(rng, g.open[corner]), 0)
        for k in range(row[0]):
            if row[SPENDS + k] & 7 == ADD_PATH:
                return -1
    if not is_possible(g, s, player, order):
        return -1
    for k in range(3):  # the command costs a unit on each corner, so one unit must stay on each
        corner = int(g.corners[t, k])
        if stays(g, s, player, row, corner) < 1:
            bring_back(row, corner, 1)
        if stays(g, s, player, row, corner) < 1:
            return -1
    return order
