"""A fast form of positions for searches. Playing a turn takes a microsecond; with `rules` it takes thirty.

A position is stored in two records. The *map record* (GROUND) has the houses, the present paths and the triangles; it
changes only in few turns. The *fast state* (FAST_STATE) has units, owners of triangles and scores. In all kernels, `g`
is a map record and `s` a fast state. An *encoded turn* is a player's turn as an array of integers (see WIDTH).

The rules are followed exactly for the turns that searches make: in these, moves lead to neighbours, and a player builds
at most one path per turn. The events of a game's last turn are left out, as they do not change the scores.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.tryangle.board import (
    ACTIVE,
    ADD_PATH,
    ATTACK,
    DOMINATED,
    HOPELESS,
    MAX_HOUSES,
    MAX_LENGTH,
    MAX_TRIANGLES,
    MAX_TURNS,
    NO_UNITS,
    REMOVE_PATH,
    SPAWN,
)
from lapilli.games.tryangle.rules.commands import parts_of
from lapilli.games.tryangle.rules.geometry import Table, is_empty, squared_length, touch
from lapilli.games.tryangle.rules.position import NONE, ONE, bit, can_connect, linked
from lapilli.kernels.kernel import Ints, Position, Word, kernel, lowest, popcount, record_dtype

GROUND = record_dtype(
    [
        ("paths", np.uint64, MAX_HOUSES),  # by house: its neighbours
        ("masks", np.uint64, MAX_TRIANGLES),  # by triangle: its corners
        ("near", np.uint64, MAX_TRIANGLES),  # by triangle: its corners and their neighbours
        ("near2", np.uint64, MAX_TRIANGLES),  # by triangle: the houses at most two steps away, when the search began
        ("near3", np.uint64, MAX_TRIANGLES),  # by triangle: the houses at most three steps away, when the search began
        ("around", np.uint64, (MAX_HOUSES, 2)),  # by house: the triangles of which it is a corner, in two words
        ("open", np.uint64, MAX_HOUSES),  # by house: the houses to which a path could be built when the search began
        ("live", np.uint64, 2),  # the indices whose triangles exist; the others were removed with a path
        ("x", np.int16, MAX_HOUSES),
        ("y", np.int16, MAX_HOUSES),
        ("corners", np.int8, (MAX_TRIANGLES, 3)),
        ("houses", np.int8),
        ("triangles", np.int8),  # number of indices used; a new triangle gets the next one
    ]
)
"""dtype of a map record: houses, present paths and triangles. Triangles have the same indices throughout a search."""

FAST_STATE = record_dtype(
    [
        ("units", np.int32, (2, MAX_HOUSES)),
        ("own", np.uint64, (2, 2)),  # by player: sets of triangles, in two words each
        ("held", np.uint64, (2, 2)),  # by player: triangles owned when the turn began; only these can be used up
        ("may", np.uint64, (2, 2)),  # by player: triangles that the player may capture
        ("score", np.int32, 2),
        ("turn", np.int16),
        ("left", np.int8, 2),
        ("league", np.int8),
        ("over", np.int8),
    ]
)
"""dtype of a fast state: the part of a position that changes in every turn, such as units, owners and scores."""

MOST_SPENDS, MOST_MOVES = 24, 54
SPENDS = 2
MOVES = SPENDS + MOST_SPENDS
WIDTH = MOVES + MOST_MOVES
"""Length of an encoded turn, which is a player's turn as an array of integers:

- index 0: the number of commands that use up triangles;
- index 1: the number of moves;
- from index SPENDS on: the commands that use up triangles, as integers (see `rules.commands`);
- from index MOVES on: the moves, as such integers."""

Grounds = Any
"""An array of map records. The first has the paths at which a search starts. Each further one has the paths after a
turn that changed them."""


@kernel
def read(p: Position, g: Any, s: Any) -> None:
    """Converts the position `p` to the map record `g` and the fast state `s`."""
    g.houses, g.triangles = p.houses, p.triangles
    for word in range(2):
        g.live[word] = NONE
        for player in range(2):
            s.own[player, word] = s.held[player, word] = s.may[player, word] = NONE
    for h in range(int(p.houses)):
        g.paths[h], g.x[h], g.y[h] = p.paths[h], p.x[h], p.y[h]
        g.around[h, 0] = g.around[h, 1] = NONE
        s.units[0, h], s.units[1, h] = p.units[0, h], p.units[1, h]
    for h in range(int(p.houses), MAX_HOUSES):
        s.units[0, h] = s.units[1, h] = 0
    for t in range(int(p.triangles)):
        note_triangle(g, t, int(p.corners[t, 0]), int(p.corners[t, 1]), int(p.corners[t, 2]))
        word, here = t >> 6, bit(t & 63)
        if p.owner[t] >= 0:
            s.own[p.owner[t], word] |= here
        if p.owner_at_start[t] >= 0:
            s.held[p.owner_at_start[t], word] |= here
        for player in range(2):
            if p.may[t] >> player & 1:
                s.may[player, word] |= here
    for player in range(2):
        s.score[player], s.left[player] = p.score[player], p.left[player]
    s.turn, s.league, s.over = p.turn, p.league, p.over


@kernel
def note_triangle(g: Any, t: int, a: int, b: int, c: int) -> None:
    """Stores the triangle of the houses a < b < c in the map record, at the index `t`."""
    g.corners[t, 0], g.corners[t, 1], g.corners[t, 2] = a, b, c
    g.masks[t] = bit(a) | bit(b) | bit(c)
    g.near[t] = g.masks[t] | g.paths[a] | g.paths[b] | g.paths[c]
    g.near2[t] = g.near[t] | spread(g, g.near[t])
    g.near3[t] = g.near2[t] | spread(g, g.near2[t])
    word, here = t >> 6, bit(t & 63)
    g.live[word] |= here
    g.around[a, word] |= here
    g.around[b, word] |= here
    g.around[c, word] |= here


@kernel
def spread(g: Any, houses: Word) -> Word:
    """Returns the set of all neighbours of the houses in a set."""
    found = NONE
    while houses != NONE:
        found |= g.paths[lowest(houses)]
        houses &= houses - ONE
    return found


@kernel
def list_open(g: Any, p: Position, table: Table) -> None:
    """Fills the field `open` of the map record `g`: the paths that could be built at the position `p`.

    `table` is the table of the map (see `rules.geometry`).
    """
    for a in range(int(p.houses)):
        g.open[a] = NONE
        for b in range(int(p.houses)):
            if a != b and not linked(p, a, b) and can_connect(p, table, a, b):
                g.open[a] |= bit(b)


# -- paths ----------------------------------------------------------------------------------------------------


@kernel
def is_clear(g: Any, a: int, b: int) -> bool:
    """Returns whether a path between two houses would be short enough and touch no other path.

    A path from a house to itself is always possible.
    """
    if a == b:
        return True
    if squared_length(g.x, g.y, a, b) > MAX_LENGTH * MAX_LENGTH:
        return False
    for c in range(int(g.houses)):
        later = g.paths[c] & ~((bit(c) << ONE) - ONE)
        while later != NONE:
            if touch(g.x, g.y, a, b, c, lowest(later)):
                return False
            later &= later - ONE
    return True


@kernel
def build(g: Any, s: Any, a: int, b: int) -> None:
    """Builds the path from a to b, and adds the triangles that it completes.

    These are free, and both players may capture them.
    """
    g.paths[a] |= bit(b)
    g.paths[b] |= bit(a)
    common = g.paths[a] & g.paths[b] & ~(bit(a) | bit(b))
    while a != b and common != NONE:
        c = lowest(common)
        common &= common - ONE
        low, high = min(a, min(b, c)), max(a, max(b, c))
        middle, t = a + b + c - low - high, int(g.triangles)
        if t < MAX_TRIANGLES and is_empty(g.x, g.y, int(g.houses), low, middle, high):
            note_triangle(g, t, low, middle, high)
            g.triangles = t + 1
            s.may[0, t >> 6] |= bit(t & 63)
            s.may[1, t >> 6] |= bit(t & 63)
    renew_near(g)


@kernel
def cut(g: Any, a: int, b: int) -> None:
    """Removes the path from a to b, and its triangles, from the map record.

    The triangles keep their owners in the fast state, because commands of this turn may still use them up.
    """
    g.paths[a] &= ~bit(b)
    g.paths[b] &= ~bit(a)
    for word in range(2):
        gone = g.around[a, word] & g.around[b, word]
        g.live[word] &= ~gone
        for h in range(int(g.houses)):
            g.around[h, word] &= ~gone
    renew_near(g)


@kernel
def renew_near(g: Any) -> None:
    """Computes the field `near` of the map record again, after paths have changed."""
    for t in range(int(g.triangles)):
        corners = g.corners
        g.near[t] = g.masks[t] | g.paths[corners[t, 0]] | g.paths[corners[t, 1]] | g.paths[corners[t, 2]]


# -- commands -------------------------------------------------------------------------------------------------


@kernel
def can_spend(g: Any, s: Any, player: int, order: int) -> bool:
    """Returns whether the command `order`, which uses up a triangle, can be carried out now."""
    kind, t, house, target, _ = parts_of(order)
    if s.own[player, t >> 6] & s.held[player, t >> 6] & bit(t & 63) == NONE:
        return False
    if kind == SPAWN:
        return True
    units, corners = s.units, g.corners
    if units[player, corners[t, 0]] < 1 or units[player, corners[t, 1]] < 1 or units[player, corners[t, 2]] < 1:
        return False
    if kind == ATTACK:
        return bool(g.near[t] & bit(target))
    linked = g.paths[house] & bit(target) != NONE
    if kind == ADD_PATH:
        return bool(not linked and is_clear(g, house, target))
    return bool(linked and g.masks[t] & bit(target) == NONE)


@kernel
def pay(g: Any, s: Any, player: int, t: int, units: int) -> None:
    """Uses up the triangle `t` of a player, and `units` of the player's units on each corner, or as many as there are.

    There can be fewer units if the other player has attacked the corner in the same frame.
    """
    s.own[player, t >> 6] &= ~bit(t & 63)
    s.may[player, t >> 6] &= ~bit(t & 63)
    for k in range(3):
        corner = g.corners[t, k]
        s.units[player, corner] -= min(units, s.units[player, corner])


@kernel
def next_spend(g: Any, s: Any, player: int, row: Ints, kind: int, k: int) -> int:
    """Returns the index of the next command of a kind in the encoded turn `row` that can be carried out; -1 if there is
    none.

    Only commands that use up triangles are searched, from the index `k` on.
    """
    while k < row[0]:
        order = row[SPENDS + k]
        if order & 7 == kind and can_spend(g, s, player, order):
            return k
        k += 1
    return -1


@kernel
def carry_out(g: Any, s: Any, player: int, order: int) -> None:
    """Carries out the command `order` of a player, which attacks, or builds or removes a path."""
    kind, t, house, target, _ = parts_of(order)
    if kind == ATTACK:
        pay(g, s, player, t, 1)
        s.units[1 - player, target] = 0
    elif kind == REMOVE_PATH:
        pay(g, s, player, t, 1)
        if g.paths[house] & bit(target):
            cut(g, house, target)
    elif is_clear(g, house, target):
        pay(g, s, player, t, 1)
        if g.paths[house] & bit(target) == NONE:
            build(g, s, house, target)


@kernel
def length_of(g: Any, order: int) -> int:
    """Returns the squared distance between house and target of the command `order`, in map units."""
    _, _, house, target, _ = parts_of(order)
    return squared_length(g.x, g.y, house, target)


@kernel
def spend_paired(g: Any, s: Any, mine: Ints, theirs: Ints, kind: int) -> None:
    """Carries out both players' commands of a kind in frames: each frame takes one command per player.

    Both commands of a frame are chosen before either is carried out. `mine` and `theirs` are the encoded turns of
    player 0 and of player 1.
    """
    a = b = 0
    while a >= 0 or b >= 0:
        a = next_spend(g, s, 0, mine, kind, a) if a >= 0 else -1
        b = next_spend(g, s, 1, theirs, kind, b) if b >= 0 else -1
        late = False
        if kind == ADD_PATH and a >= 0 and b >= 0:
            late = length_of(g, mine[SPENDS + a]) > length_of(g, theirs[SPENDS + b])
        if a >= 0 and not late:
            carry_out(g, s, 0, mine[SPENDS + a])
        if b >= 0:
            carry_out(g, s, 1, theirs[SPENDS + b])
        if late:
            carry_out(g, s, 0, mine[SPENDS + a])
        a, b = a + (a >= 0), b + (b >= 0)


@kernel
def has_kind(row: Ints, kind: int) -> bool:
    """Returns whether an encoded turn has a command that uses up a triangle and is of the kind `kind` or of a later
    kind.

    Kinds are in the order in which they are carried out (see `board.ATTACK`).
    """
    found = False
    for k in range(row[0]):
        found = found or row[SPENDS + k] & 7 >= kind
    return found


@kernel
def act(grounds: Grounds, at: int, s: Any, come: Ints, mine: Ints, theirs: Ints) -> int:
    """Carries out both players' commands of a turn; returns the index in `grounds` of the map record after the turn.

    If paths change, this is the next index; otherwise it is `at` itself.

    Args:
        grounds: array of map records.
        at: index of the map record before the turn.
        s: the fast state: units, owners of triangles, scores.
        come: scratch array by player and house, zeros before and after the call. It counts arriving units, which must
            not act again in this turn.
        mine, theirs: the encoded turns of player 0 and of player 1.
    """
    g = grounds[at]
    if mine[0] or theirs[0]:
        spend_paired(g, s, mine, theirs, ATTACK)
    for player in range(2):
        row = mine if player == 0 else theirs
        for k in range(row[1]):
            _, _, house, target, amount = parts_of(row[MOVES + k])
            moved = min(amount, s.units[player, house]) if g.paths[house] & bit(target) else 0
            s.units[player, house] -= moved
            come[player, target] += moved
        for k in range(row[0]):
            order = row[SPENDS + k]
            if order & 7 == SPAWN and can_spend(g, s, player, order):
                pay(g, s, player, order >> 3 & 127, 0)
                come[player, order >> 10 & 63] += 1
    if has_kind(mine, ADD_PATH) or has_kind(theirs, ADD_PATH):
        if at + 1 < len(grounds):
            grounds[at + 1] = grounds[at]
            at += 1
        g = grounds[at]
        spend_paired(g, s, mine, theirs, ADD_PATH)
        spend_paired(g, s, mine, theirs, REMOVE_PATH)
        for word in range(2):
            s.own[0, word] &= g.live[word]
            s.own[1, word] &= g.live[word]
    for player in range(2):
        for h in range(int(g.houses)):
            s.units[player, h] += come[player, h]
            come[player, h] = 0
    return at


# -- the end of a turn ----------------------------------------------------------------------------------------


@kernel
def settle(g: Any, s: Any) -> None:
    """Plays the end of a turn: surrounded units die (once), triangles change owners, and points are scored."""
    if judge_houses(g, s, True):
        judge_houses(g, s, False)
    for player in range(2):
        for word in range(2):
            s.held[player, word] = s.own[player, word]
            s.score[player] += popcount(s.own[player, word])


@kernel
def judge_houses(g: Any, s: Any, armed: bool) -> bool:
    """Plays one pass of the end of a turn: kills surrounded units; if there are no such units, players capture
    triangles.

    Before that, it updates which triangles the players may capture. Units are killed only if `armed` is True. Returns
    True if units died; then no triangle has changed its owner.
    """
    units, paths, houses = s.units, g.paths, int(g.houses)
    present0 = present1 = major0 = major1 = NONE
    for h in range(houses):
        mine, theirs = units[0, h], units[1, h]
        house = bit(h)
        if mine:
            present0 |= house
        if theirs:
            present1 |= house
        if mine > theirs:
            major0 |= house
        elif theirs > mine:
            major1 |= house
    renew_may(g, s, 0, present0)
    renew_may(g, s, 1, present1)
    own0, own1, died = major0, major1, False
    for h in range(houses):
        around = paths[h]
        if around & ~major1 == NONE:
            if around != NONE:
                own0, own1 = own0 & ~bit(h), own1 | bit(h)
                if armed and units[0, h]:
                    units[0, h] = 0
                    died = True
        elif around & ~major0 == NONE:
            own0, own1 = own0 | bit(h), own1 & ~bit(h)
            if armed and units[1, h]:
                units[1, h] = 0
                died = True
    if not died:
        for word in range(2):
            gain0 = covered(g, own0, word) & s.may[0, word] & ~s.own[0, word]
            gain1 = covered(g, own1, word) & s.may[1, word] & ~s.own[1, word]
            s.own[0, word] = (s.own[0, word] | gain0) & ~gain1
            s.own[1, word] = (s.own[1, word] | gain1) & ~gain0
            s.may[0, word] = (s.may[0, word] | gain1) & ~gain0
            s.may[1, word] = (s.may[1, word] | gain0) & ~gain1
    return died


@kernel
def renew_may(g: Any, s: Any, player: int, present: Word) -> None:
    """Updates which triangles a player may capture. `present` is the set of houses with units of this player.

    The player may capture all triangles of the other player. Of the free triangles, the player may capture those that
    were allowed before, and those with none of the player's units on their corners.
    """
    touched0 = touched1 = NONE
    while present != NONE:
        h = lowest(present)
        present &= present - ONE
        touched0 |= g.around[h, 0]
        touched1 |= g.around[h, 1]
    for word in range(2):
        touched = touched0 if word == 0 else touched1
        other = s.own[1 - player, word]
        free = g.live[word] & ~s.own[player, word]
        s.may[player, word] = (free & (s.may[player, word] | ~touched)) | other


@kernel
def covered(g: Any, houses: Word, word: int) -> Word:
    """Returns the set of triangles whose corners all lie in the set `houses`.

    A set of triangles has two words of 64 bits. The word with the index `word` is returned.
    """
    once = twice = thrice = NONE
    while houses != NONE:
        here = g.around[lowest(houses), word]
        houses &= houses - ONE
        thrice |= twice & here
        twice |= once & here
        once |= here
    return thrice


@kernel
def put_out(g: Any, s: Any) -> None:
    """Sets the field `left` of the fast state `s` for each player whom the rules put out of the game."""
    for player in range(2):
        mine = popcount(s.own[player, 0]) + popcount(s.own[player, 1])
        theirs = popcount(s.own[1 - player, 0]) + popcount(s.own[1 - player, 1])
        units = 0
        for h in range(int(g.houses)):
            units += s.units[player, h]
        rival = s.score[1 - player] if s.left[1 - player] == ACTIVE else -1
        if units == 0 and mine == 0:
            s.left[player] = NO_UNITS
        elif units == 1 and mine == 0 and s.score[player] < rival:
            s.left[player] = HOPELESS
        elif theirs >= 0.8 * (popcount(g.live[0]) + popcount(g.live[1])):
            s.left[player] = DOMINATED


@kernel
def play(grounds: Grounds, at: int, s: Any, come: Ints, mine: Ints, theirs: Ints) -> int:
    """Plays one turn; returns the index of the map record after the turn. The arguments are those of `act`."""
    if s.left[0] != ACTIVE or s.left[1] != ACTIVE or s.turn >= MAX_TURNS:
        s.over = 1
        return at
    at = act(grounds, at, s, come, mine, theirs)
    settle(grounds[at], s)
    s.turn += 1
    put_out(grounds[at], s)
    return at
