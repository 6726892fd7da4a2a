"""The end of a turn: surrounded units die, triangles change owners, points are scored, and players are put out.

In all kernels, `g` and `s` are the two parts of a position (see `position`).
"""

from __future__ import annotations

from typing import Any

from lapilli.games.tryangle.board import ACTIVE, DOMINATED, HOPELESS, NO_UNITS
from lapilli.games.tryangle.rules.position import NONE, ONE, bit
from lapilli.kernels.kernel import Word, kernel, lowest, popcount


@kernel
def end_turn(g: Any, s: Any) -> None:
    """Plays the end of a turn, after both players' commands were carried out.

    `g`: the position's houses, paths and triangles; `s`: its units, owners and scores.
    """
    settle(g, s)
    s.turn += 1
    put_out(g, s)


@kernel
def settle(g: Any, s: Any) -> None:
    """Kills surrounded units (once), gives triangles to their new owners, and scores points for owned triangles.

    `g`: the position's houses, paths and triangles; `s`: its units, owners and scores.
    """
    if judge_houses(g, s, True):
        judge_houses(g, s, False)
    for player in range(2):
        for word in range(2):
            s.held[player, word] = s.own[player, word]
            s.score[player] += popcount(s.own[player, word])


@kernel
def judge_houses(g: Any, s: Any, armed: bool) -> bool:
    """Plays one pass of the end of a turn: surrounded units die; if there are none, players capture triangles.

    Before that, it updates which triangles the players may capture. `armed`: whether units can be killed in this pass.
    Returns True if units died; then no triangle has changed its owner. `g`: the position's houses, paths and triangles;
    `s`: its units, owners and scores.
    """
    units, paths = s.units, g.paths
    present0, present1, major0, major1 = presence(g, s, 0)
    renew_may(g, s, 0, present0)
    renew_may(g, s, 1, present1)
    own0, own1, died = major0, major1, False
    for h in range(int(g.houses)):
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
        capture(g, s, own0, own1)
    return died


@kernel
def presence(g: Any, s: Any, player: int) -> tuple[Word, Word, Word, Word]:
    """Returns four sets of houses: with units of the player, with units of the other player, with more units of the
    player, and with more units of the other player.

    `g`: the position's houses, paths and triangles; `s`: its units, owners and scores.
    """
    mine = theirs = more = less = NONE
    for h in range(int(g.houses)):
        own, other = s.units[player, h], s.units[1 - player, h]
        house = bit(h)
        if own:
            mine |= house
        if other:
            theirs |= house
        if own > other:
            more |= house
        elif other > own:
            less |= house
    return mine, theirs, more, less


@kernel
def renew_may(g: Any, s: Any, player: int, present: Word) -> None:
    """Updates which triangles a player may capture. `present` is the set of houses with units of this player.

    The player may capture all triangles of the other player. The player may capture a free triangle if this was already
    allowed before, or if none of the player's units is on its corners. `g`: the position's houses, paths and triangles;
    `s`: its units, owners and scores.
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
def capture(g: Any, s: Any, own0: Word, own1: Word) -> None:
    """Gives each triangle to the player, if any, who owns the houses on its three corners and may capture the triangle.

    `own0` and `own1` are the sets of houses that player 0 and player 1 own. `g`: the position's houses, paths and
    triangles; `s`: its units, owners and scores.
    """
    for word in range(2):
        gain0 = covered(g, own0, word) & s.may[0, word] & ~s.own[0, word]
        gain1 = covered(g, own1, word) & s.may[1, word] & ~s.own[1, word]
        s.own[0, word] = (s.own[0, word] | gain0) & ~gain1
        s.own[1, word] = (s.own[1, word] | gain1) & ~gain0
        s.may[0, word] = (s.may[0, word] | gain1) & ~gain0
        s.may[1, word] = (s.may[1, word] | gain0) & ~gain1


@kernel
def covered(g: Any, houses: Word, word: int) -> Word:
    """Returns the set of triangles whose corners all lie in the set `houses`.

    A set of triangles consists of two words of 64 bits. Only the word with the index `word` (0 or 1) is computed and
    returned. `g`: the position's houses, paths and triangles.
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
    """Sets the field `left` for each player whom the rules put out of the game. Player 0 is tested first.

    `g`: the position's houses, paths and triangles; `s`: its units, owners and scores.
    """
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
