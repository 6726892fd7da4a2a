"""A position as a search plays it: bit sets for what belongs to whom, a ground that turns mostly leave alone.

It follows the rules exactly as far as plans go (moves to neighbours, one new path of a player a turn), in a microsecond
a turn where `rules` take thirty. What goes on in a game's last turn is left out: nothing counts there any more.
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
        ("paths", np.uint64, MAX_HOUSES),
        ("masks", np.uint64, MAX_TRIANGLES),  # a triangle's corners
        ("near", np.uint64, MAX_TRIANGLES),  # its corners and what is next to them
        ("near2", np.uint64, MAX_TRIANGLES),  # and what is two steps away, when the search began
        ("near3", np.uint64, MAX_TRIANGLES),
        ("around", np.uint64, (MAX_HOUSES, 2)),  # the triangles that a house is a corner of, in two words
        ("open", np.uint64, MAX_HOUSES),  # where a path could lead from a house when the search began
        ("live", np.uint64, 2),  # the triangles that there are; others are gone
        ("x", np.int16, MAX_HOUSES),
        ("y", np.int16, MAX_HOUSES),
        ("corners", np.int8, (MAX_TRIANGLES, 3)),
        ("houses", np.int8),
        ("triangles", np.int8),  # the places used; a new triangle gets the next one
    ]
)
"""The map as it is now. Triangles keep their places for as long as a search lasts."""

SKETCH = record_dtype(
    [
        ("units", np.int32, (2, MAX_HOUSES)),
        ("own", np.uint64, (2, 2)),  # by player: sets of triangles, in two words each
        ("held", np.uint64, (2, 2)),  # owned when the turn began, so that they can be spent
        ("may", np.uint64, (2, 2)),  # which they may capture
        ("score", np.int32, 2),
        ("turn", np.int16),
        ("left", np.int8, 2),
        ("league", np.int8),
        ("over", np.int8),
    ]
)
"""What changes from turn to turn."""

MOST_SPENDS, MOST_MOVES = 24, 54
SPENDS = 2
MOVES = SPENDS + MOST_SPENDS
WIDTH = MOVES + MOST_MOVES
"""A player's turn is a row of integers: how many triangles it spends, how many moves it makes, the commands that
spend, from SPENDS on, and the moves, from MOVES on."""

Grounds = Any
"""Grounds: the one that a search begins with, and room for those that paths built or removed lead to."""


@kernel
def read(p: Position, g: Any, s: Any) -> None:
    """Takes over a position."""
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
    """Enters a triangle of houses a < b < c in place t."""
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
    """What is next to any of these houses."""
    found = NONE
    while houses != NONE:
        found |= g.paths[lowest(houses)]
        houses &= houses - ONE
    return found


@kernel
def list_open(g: Any, p: Position, table: Table) -> None:
    """Finds out which paths could be built."""
    for a in range(int(p.houses)):
        g.open[a] = NONE
        for b in range(int(p.houses)):
            if a != b and not linked(p, a, b) and can_connect(p, table, a, b):
                g.open[a] |= bit(b)


# -- paths ----------------------------------------------------------------------------------------------------


@kernel
def is_clear(g: Any, a: int, b: int) -> bool:
    """Whether a path between two houses would be short enough and touch no other. A house reaches itself."""
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
    """Builds a path and the triangles it completes, which are free."""
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
    """Removes a path and its triangles. Commands already given may still spend these, so they keep their owner."""
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
    """Finds anew what is next to the triangles."""
    for t in range(int(g.triangles)):
        corners = g.corners
        g.near[t] = g.masks[t] | g.paths[corners[t, 0]] | g.paths[corners[t, 1]] | g.paths[corners[t, 2]]


# -- commands -------------------------------------------------------------------------------------------------


@kernel
def can_spend(g: Any, s: Any, player: int, order: int) -> bool:
    """Whether a command that spends a triangle can be carried out now."""
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
    """Uses up a triangle, and as many units on each corner (fewer where an attack of this frame left fewer)."""
    s.own[player, t >> 6] &= ~bit(t & 63)
    s.may[player, t >> 6] &= ~bit(t & 63)
    for k in range(3):
        corner = g.corners[t, k]
        s.units[player, corner] -= min(units, s.units[player, corner])


@kernel
def next_spend(g: Any, s: Any, player: int, row: Ints, kind: int, k: int) -> int:
    """The place of the first command of this kind, from the k-th on, that can be carried out; -1 where none is."""
    while k < row[0]:
        order = row[SPENDS + k]
        if order & 7 == kind and can_spend(g, s, player, order):
            return k
        k += 1
    return -1


@kernel
def carry_out(g: Any, s: Any, player: int, order: int) -> None:
    """Carries out an attack or a change of the paths."""
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
    """The squared distance of a command's house and target."""
    _, _, house, target, _ = parts_of(order)
    return squared_length(g.x, g.y, house, target)


@kernel
def spend_paired(g: Any, s: Any, mine: Ints, theirs: Ints, kind: int) -> None:
    """Frames of one command each, chosen before either is carried out."""
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
    """Whether a row has a command of this kind or a later one among those that spend."""
    found = False
    for k in range(row[0]):
        found = found or row[SPENDS + k] & 7 >= kind
    return found


@kernel
def act(grounds: Grounds, at: int, s: Any, come: Ints, mine: Ints, theirs: Ints) -> int:
    """Carries out both players' commands. Returns the place of the ground in `grounds` from then on.

    `come` is room for two numbers a house, zeros before and after: units that arrive stay apart from those that remain.
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
    """What follows from the units: the surrounded die (once), triangles change hands; then points."""
    if judge_houses(g, s, True):
        judge_houses(g, s, False)
    for player in range(2):
        for word in range(2):
            s.held[player, word] = s.own[player, word]
            s.score[player] += popcount(s.own[player, word])


@kernel
def judge_houses(g: Any, s: Any, armed: bool) -> bool:
    """Marks who may capture what; where it is `armed`, the surrounded die. If any did, that is all, and it returns
    True; else triangles change hands."""
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
    """Which triangles a player may capture: the other's; of free ones, also those with none of its units."""
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
    """The triangles, of this word, whose corners are all among these houses."""
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
    """Tests each player for the endings that the rules bring about."""
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
    """One turn, player 0's row and player 1's. Returns the place of the ground in `grounds` from then on."""
    if s.left[0] != ACTIVE or s.left[1] != ACTIVE or s.turn >= MAX_TURNS:
        s.over = 1
        return at
    at = act(grounds, at, s, come, mine, theirs)
    settle(grounds[at], s)
    s.turn += 1
    put_out(grounds[at], s)
    return at
