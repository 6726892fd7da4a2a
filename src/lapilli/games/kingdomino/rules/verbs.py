"""The rules of Kingdomino as verbs: how tiles are drawn, placed in territories (PUT) and picked.

A round consists of `lot` slots, which are the turns of the round in their order. Slot i belongs to the player
`play_owner[i]`. This player places the tile `play_tile[i]` and then picks one of the tiles in `pick_tile`, the row to
pick. After the last slot, the row to pick becomes the row in play. The record's field `phase` is the kind of the next
action.
"""

from __future__ import annotations

import numpy as np

from lapilli.games.kingdomino.board import DISCARD, MAX_LEGAL, MAX_SIDE, NUM_ACTIONS, TILE, TILES
from lapilli.games.kingdomino.rules.observation import OBSERVATION, observe, observe_again
from lapilli.games.kingdomino.rules.position import (
    DRAW,
    HARMONY,
    KINGDOMINO,
    MIDDLE_KINGDOM,
    NOBODY,
    OPEN,
    OVER,
    PICK,
    PUT,
    WOOD,
)
from lapilli.games.kingdomino.rules.standings import standings, values
from lapilli.games.kingdomino.rules.territory import anchors, ascending, lay, put_action_at
from lapilli.games.kingdomino.rules.torus import ONE, bit
from lapilli.kernels.java_random import next_int
from lapilli.kernels.kernel import (
    CHANCE,
    TERMINAL,
    Ints,
    Position,
    Rng,
    Word,
    kernel,
    lowest,
    popcount,
    random_below,
)

__all__ = [
    "DRAW",
    "HARMONY",
    "KINGDOMINO",
    "MAX_LEGAL",
    "MIDDLE_KINGDOM",
    "NOBODY",
    "NUM_ACTIONS",
    "OBSERVATION",
    "OPEN",
    "OVER",
    "PICK",
    "PUT",
    "WOOD",
    "accepts",
    "chance",
    "current_player",
    "has_placement",
    "leave",
    "legal",
    "observe",
    "observe_again",
    "play",
    "random_action",
    "settle",
    "slot_owner",
    "standings",
    "turn_number",
    "values",
]


_NO_TILE = 99
"""A number above those of all tiles. It takes the place of 0 (no tile) in comparisons."""


# ----------------------------------------------------------------------------------- the game's flow


@kernel
def slot_owner(p: Position) -> int:
    """Returns the player who acts in the current slot (turn) of the round; NOBODY if the slot's tile was not picked."""
    return int(p.play_owner[p.slot])


@kernel
def current_player(p: Position) -> int:
    """Returns the player whose PUT or PICK is next; CHANCE while tiles are drawn; TERMINAL at the end."""
    if p.phase == DRAW:
        return CHANCE
    return TERMINAL if p.phase == OVER else slot_owner(p)


@kernel
def turn_number(p: Position) -> int:
    """Returns the number of the next referee turn, from 1."""
    return int(p.turns) + 1


@kernel
def _skip(p: Position) -> None:
    """Advances to the next slot whose player is in the game; after a round, to the next round or to the end of the
    game."""
    while True:
        while p.slot < p.lot:
            owner = slot_owner(p)
            if owner != NOBODY and p.left[owner] == 0:
                p.phase = PICK if p.this_round == 1 else PUT
                return
            p.slot += 1
        if p.this_round == p.rounds:
            p.phase = OVER
            return
        _next_round(p)
        if p.this_round < p.rounds:
            p.phase = DRAW
            return


@kernel
def _next_round(p: Position) -> None:
    """Begins the next round: the row to pick becomes the row in play, and the new row to pick is empty."""
    p.this_round += 1
    p.slot = 0
    for index in range(4):
        p.play_tile[index] = p.pick_tile[index]
        p.play_owner[index] = p.pick_owner[index]
        p.pick_tile[index] = 0
        p.pick_owner[index] = NOBODY


@kernel
def _end_turn(p: Position) -> None:
    """Ends the turn of the current slot and advances to the next turn, round, or the end of the game."""
    p.turns += 1
    p.slot += 1
    _skip(p)


@kernel
def _add_to_row(p: Position, tile: int) -> None:
    """Adds a drawn tile to the row to pick, which stays in ascending order.

    Each place of the row keeps its tile, or gets the new tile or the tile of its left neighbour. This is computed
    without branches, because processors cannot predict the place of a random tile.
    """
    p.pile &= ~(ONE << np.uint64(tile))
    row = p.pick_tile
    for index in range(3, -1, -1):
        present = int(row[index]) if row[index] else _NO_TILE
        below = 0 if index == 0 else int(row[index - 1]) if row[index - 1] else _NO_TILE
        new = min(max(below, tile), present)
        row[index] = 0 if new == _NO_TILE else new
    if row[p.lot - 1]:
        _skip(p)


@kernel
def settle(p: Position) -> None:
    """Draws all tiles that must be drawn now, with the random generator in the record.

    Does nothing if the record has no generator (the field `lots` is OPEN): then the caller draws the tiles. Each draw
    calls nextInt(n) of java.util.Random, where n is the number of tiles in the pile. The result is the index of the
    drawn tile in the ascending pile.
    """
    while p.phase == DRAW and p.lots != OPEN:
        p.lots, index = next_int(int(p.lots), popcount(p.pile))
        _add_to_row(p, _select(p.pile, index))


@kernel
def play(p: Position, action: int) -> None:
    """Plays one legal action, or one draw of a tile; then draws the next tiles if the position draws them itself.

    A position that contains a random generator draws its tiles itself (see `settle`). In a position without one, the
    caller plays each draw as an action of chance.
    """
    if p.phase == DRAW:
        _add_to_row(p, action - DISCARD)
    elif p.phase == PUT:
        if action != DISCARD:
            lay(p, slot_owner(p), int(p.play_tile[p.slot]), action)
        if p.this_round == p.rounds:
            _end_turn(p)
        else:
            p.phase = PICK
    else:
        index = 0
        while p.pick_tile[index] != action - DISCARD:
            index += 1
        p.pick_owner[index] = slot_owner(p)
        _end_turn(p)
    settle(p)


@kernel
def leave(p: Position, player: int, why: int) -> None:
    """Removes the player whose turn it is from the game, because of the fault with the code `why`.

    If all players have left, the game ends.
    """
    p.left[player] = why
    for other in range(int(p.players)):
        if p.left[other] == 0:
            _end_turn(p)
            settle(p)
            return
    p.turns += 1
    p.phase = OVER


# ------------------------------------------------------------------------------------- legal actions


@kernel
def legal(p: Position, player: int, out: Ints) -> int:
    """Writes the legal actions, or the possible draws, into `out`, ascending; returns their number."""
    count = 0
    if p.phase == DRAW:
        pile = p.pile
        while pile:
            out[count] = DISCARD + lowest(pile)
            pile &= pile - ONE
            count += 1
    elif p.phase == PUT:
        tile = int(p.play_tile[p.slot])
        count = ascending(p, player, TILE[tile, 0], TILE[tile, 2], out)
        if count == 0 or p.options & WOOD:
            out[count] = DISCARD
            count += 1
    elif p.phase == PICK:
        for index in range(int(p.lot)):
            if p.pick_owner[index] == NOBODY:
                out[count] = DISCARD + int(p.pick_tile[index])
                count += 1
    return count


@kernel
def accepts(p: Position, player: int, action: int) -> bool:
    """Returns whether `action` is legal, without listing the legal actions. `action` may be any integer."""
    tile = action - DISCARD
    if p.phase == DRAW:
        return bool(1 <= tile <= TILES and p.pile >> np.uint64(tile) & ONE)
    if p.phase == PICK:
        for index in range(int(p.lot)):
            if p.pick_tile[index] == tile:
                return bool(p.pick_owner[index] == NOBODY)
        return False
    if p.phase == OVER or action < 0 or action > DISCARD:
        return False
    if action == DISCARD:
        return bool(p.options & WOOD or not has_placement(p, player))
    masks = _tile_anchors(p, player)
    centre = int(p.extent) - 1
    square = bit((action >> 2) // MAX_SIDE - centre, (action >> 2) % MAX_SIDE - centre)
    if not masks[action & 3] & square:
        return False
    return bool(put_action_at(p, player, lowest(square), action & 3) == action)


@kernel
def has_placement(p: Position, player: int) -> bool:
    """Returns whether the tile that the player to move places in this turn fits anywhere in the territory."""
    masks = _tile_anchors(p, player)
    return bool(masks[0] | masks[1] | masks[2] | masks[3])


@kernel
def _tile_anchors(p: Position, player: int) -> tuple[Word, Word, Word, Word]:
    """Returns the legal places for the first square of this turn's tile, as four bit masks: one for each rotation."""
    tile = int(p.play_tile[p.slot])
    return anchors(p, player, TILE[tile, 0], TILE[tile, 2])


# ------------------------------------------------------------------------------------------- random play


@kernel
def chance(p: Position, rng: Rng) -> int:
    """Returns the action that draws a random tile of the pile. All tiles are equally likely."""
    return DISCARD + _select(p.pile, random_below(rng, popcount(p.pile)))


@kernel
def random_action(p: Position, player: int, rng: Rng, out: Ints) -> int:
    """Returns a uniformly random legal action, without listing all legal actions. So `out`, a scratch array, is not
    used.
    """
    if p.phase == PICK:
        available = 0
        for index in range(int(p.lot)):
            available += p.pick_owner[index] == NOBODY
        chosen = random_below(rng, available)
        index = 0
        while chosen or p.pick_owner[index] != NOBODY:
            chosen -= p.pick_owner[index] == NOBODY
            index += 1
        return DISCARD + int(p.pick_tile[index])
    masks = _tile_anchors(p, player)
    total = popcount(masks[0]) + popcount(masks[1]) + popcount(masks[2]) + popcount(masks[3])
    discards = 1 if total == 0 or p.options & WOOD else 0
    chosen = random_below(rng, total + discards)
    if chosen == total:
        return DISCARD
    rotation = 0
    while chosen >= popcount(masks[rotation]):
        chosen -= popcount(masks[rotation])
        rotation += 1
    return put_action_at(p, player, _select(masks[rotation], chosen), rotation)


@kernel
def _select(mask: Word, index: int) -> int:
    """Returns the number of one of the set bits of a bit mask: the bit that has `index` set bits below it."""
    base = 0
    width = 32
    while width:
        count = popcount(mask & ((ONE << np.uint64(width)) - ONE))
        beyond = int(index >= count)  # without a branch, which processors could not predict
        index -= beyond * count
        mask >>= np.uint64(beyond * width)
        base += beyond * width
        width >>= 1
    return base
