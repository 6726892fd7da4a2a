"""The rules of Volcanoes on bit masks.

A position is one VOLCANOES record. Each hemisphere is a 40-bit word (bit = tile % 40), so a set of tiles is a pair
of words. Who owns a tile says `blue_*` or `orange_*`; its level less one is the two-bit number `high_* low_*`. A tile
on level 4 sleeps: outside a step "asleep" and "level 4" are the same, so it needs no bit of its own.

A cascade goes by phases (golden README, corners 6-9). In a phase every tile that has just reached level 4 erupts
against the levels as they stood at the phase's start; hits are counted per tile in two-bit counters, at most three as
a tile has three neighbours, and all are applied together. No tile erupts twice in a cascade (corner 12), so a cascade
always ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.javarandom import next_int
from lapilli.games.kernel import CHANCE, TERMINAL, kernel, lowest, popcount, random_below, record_dtype
from lapilli.games.volcanoes.board import (
    ALL,
    CYCLE,
    GROWTH,
    HEMISPHERE,
    MAX_TURNS,
    NEAR_NORTH,
    NEAR_SOUTH,
    NONE,
    ONE,
    TILES,
)

VOLCANOES = record_dtype(
    [
        ("blue_north", np.uint64),
        ("blue_south", np.uint64),
        ("orange_north", np.uint64),
        ("orange_south", np.uint64),
        ("low_north", np.uint64),
        ("low_south", np.uint64),
        ("high_north", np.uint64),
        ("high_south", np.uint64),
        ("random", np.int64),  # java.util.Random's state, which only the reply RANDOM draws from
        ("turn", np.int16),  # the referee turn to come, from 1
        ("result", np.int8),
    ]
)

RUNNING, BLUE_WINS, ORANGE_WINS, DRAW, TURN_LIMIT, BLUE_FORFEITS, ORANGE_FORFEITS = range(7)


@kernel
def mover(state: Any) -> int:
    """Who is to move: 0 blue, 1 orange, -1 growth."""
    return CYCLE[(int(state.turn) - 1) % 6]


@kernel
def legal_masks(state: Any, player: int) -> tuple[Any, Any]:
    """The tiles `player` may play, north and south: empty ones and its own below level 4."""
    if player == 0:
        other_north, other_south = state.orange_north, state.orange_south
    else:
        other_north, other_south = state.blue_north, state.blue_south
    north = ALL & ~(other_north | (state.low_north & state.high_north))
    south = ALL & ~(other_south | (state.low_south & state.high_south))
    return north, south


@kernel
def to_move(batch: Any) -> int:
    """The player to move in the first of an array of positions: 0 or 1; CHANCE before growth; TERMINAL at the end, for
    a side without a move, too."""
    state = batch[0]
    if state.result != RUNNING:
        return TERMINAL
    player = mover(state)
    if player < 0:
        return CHANCE
    north, south = legal_masks(state, player)
    return player if north | south else TERMINAL


@kernel
def is_legal(state: Any, player: int, tile: int) -> bool:
    """Whether `player` may play this tile."""
    north, south = legal_masks(state, player)
    word = north if tile < HEMISPHERE else south
    return bool((word >> np.uint64(tile % HEMISPHERE)) & ONE)


@kernel
def count_legal(state: Any, player: int) -> int:
    """How many tiles `player` may play."""
    north, south = legal_masks(state, player)
    return popcount(north) + popcount(south)


@kernel
def legal(state: Any, player: int, out: Any) -> int:
    """Writes the tiles `player` may play into `out` (at least 80 integers), ascending; returns how many."""
    north, south = legal_masks(state, player)
    count = 0
    while north:
        out[count] = lowest(north)
        north &= north - ONE
        count += 1
    while south:
        out[count] = HEMISPHERE + lowest(south)
        south &= south - ONE
        count += 1
    return count


@kernel
def list_legal(batch: Any, player: int, out: Any) -> int:
    """`legal` in the first of an array of positions."""
    return legal(batch[0], player, out)


@kernel
def take_tile(north: Any, south: Any) -> tuple[int, Any, Any]:
    """A tile of a set that is not empty, and the set without it."""
    if north:
        return lowest(north), north & (north - ONE), south
    return HEMISPHERE + lowest(south), north, south & (south - ONE)


@kernel
def level(state: Any, tile: int) -> int:
    """A tile's level: 1 to 4 blue, -1 to -4 orange, 0 empty."""
    bit = ONE << np.uint64(tile % HEMISPHERE)
    if tile < HEMISPHERE:
        blue, orange, low, high = state.blue_north, state.orange_north, state.low_north, state.high_north
    else:
        blue, orange, low, high = state.blue_south, state.orange_south, state.low_south, state.high_south
    if not (blue | orange) & bit:
        return 0
    size = 1 + (1 if low & bit else 0) + (2 if high & bit else 0)
    return size if blue & bit else -size


@kernel
def levels(state: Any, out: Any) -> None:
    """Writes all tiles' levels into `out` (80 integers)."""
    for tile in range(TILES):
        out[tile] = level(state, tile)


@kernel
def play(state: Any, action: int) -> None:
    """Plays a legal tile for the player to move, or GROWTH, and everything that follows from it."""
    north, south = begin(state, action)
    while north | south:
        north, south = erupt(state, north, south)
    judge(state)


@kernel
def try_play(batch: Any, action: int) -> bool:
    """Plays a tile or GROWTH on the first of an array of positions if it is legal now; whether it did."""
    state = batch[0]
    player = to_move(batch)
    if action == GROWTH:
        if player != CHANCE:
            return False
    elif player < 0 or not is_legal(state, player, action):
        return False
    play(state, action)
    return True


@kernel
def asked(batch: Any) -> int:
    """Whom the referee asks in the first of an array of positions: 0, 1, or -1 for nobody.

    A side without a legal move has lost, but is asked in vain (golden README, corner 17).
    """
    state = batch[0]
    return mover(state) if state.result == RUNNING else -1


@kernel
def begin(state: Any, action: int) -> tuple[Any, Any]:
    """Plays a tile or GROWTH without what follows from it; returns the tiles that reach level 4, north and south."""
    if action == GROWTH:
        return _grow(state)
    return _raise_tile(state, action)


@kernel
def _grow(state: Any) -> tuple[Any, Any]:
    """Raises every tile that is not asleep by one level; returns those that reach level 4."""
    awake_north = (state.blue_north | state.orange_north) & ~(state.low_north & state.high_north)
    awake_south = (state.blue_south | state.orange_south) & ~(state.low_south & state.high_south)
    return _raise_level(state, awake_north, awake_south)


@kernel
def _raise_tile(state: Any, tile: int) -> tuple[Any, Any]:
    """Founds a volcano of the mover's or raises its own; returns the tile where that reaches level 4."""
    bit = ONE << np.uint64(tile % HEMISPHERE)
    north, south = (bit, NONE) if tile < HEMISPHERE else (NONE, bit)
    occupied = north & (state.blue_north | state.orange_north) | south & (state.blue_south | state.orange_south)
    if occupied:
        return _raise_level(state, north, south)
    if mover(state) == 0:
        state.blue_north |= north
        state.blue_south |= south
    else:
        state.orange_north |= north
        state.orange_south |= south
    return NONE, NONE


@kernel
def _raise_level(state: Any, north: Any, south: Any) -> tuple[Any, Any]:
    """Raises these tiles, none of them empty or asleep, by one level; returns those that reach level 4."""
    erupts_north, erupts_south = (
        north & state.high_north & ~state.low_north,
        south & state.high_south & ~state.low_south,
    )
    state.high_north ^= north & state.low_north
    state.high_south ^= south & state.low_south
    state.low_north ^= north
    state.low_south ^= south
    return erupts_north, erupts_south


@kernel
def _count_hits(north: Any, south: Any) -> tuple[Any, Any, Any, Any]:
    """How often the eruptions of these tiles hit each tile: two-bit counters, (ones, twos) north, then south."""
    ones_north = twos_north = ones_south = twos_south = NONE
    while north | south:
        tile, north, south = take_tile(north, south)
        near = NEAR_NORTH[tile]
        twos_north |= ones_north & near
        ones_north ^= near
        near = NEAR_SOUTH[tile]
        twos_south |= ones_south & near
        ones_south ^= near
    return ones_north, twos_north, ones_south, twos_south


@kernel
def erupt(state: Any, north: Any, south: Any) -> tuple[Any, Any]:
    """Lets these tiles, which are on level 4, erupt together; returns the tiles that reach level 4 by it."""
    b1_north, b2_north, b1_south, b2_south = _count_hits(north & state.blue_north, south & state.blue_south)
    o1_north, o2_north, o1_south, o2_south = _count_hits(north & state.orange_north, south & state.orange_south)
    blue, orange, low, high, north = _settle(
        state.blue_north, state.orange_north, state.low_north, state.high_north, b1_north, b2_north, o1_north, o2_north
    )
    state.blue_north, state.orange_north, state.low_north, state.high_north = blue, orange, low, high
    blue, orange, low, high, south = _settle(
        state.blue_south, state.orange_south, state.low_south, state.high_south, b1_south, b2_south, o1_south, o2_south
    )
    state.blue_south, state.orange_south, state.low_south, state.high_south = blue, orange, low, high
    return north, south


@kernel
def _settle(
    blue: Any, orange: Any, low: Any, high: Any, b1: Any, b2: Any, o1: Any, o2: Any
) -> tuple[Any, Any, Any, Any, Any]:
    """Applies one phase's hits to one hemisphere.

    Args:
        blue, orange: owners. low, high: the level less one. b1, b2, o1, o2: counters of blue's and orange's hits.

    Returns:
        blue, orange, low and high after the phase, and the tiles that have just reached level 4.
    """
    occupied = blue | orange
    friend1, friend2 = (blue & b1) | (orange & o1), (blue & b2) | (orange & o2)
    enemy1, enemy2 = (blue & o1) | (orange & b1), (blue & o2) | (orange & b2)
    asleep = low & high

    # Not hit by an enemy: level + friends, at most 4.
    calm = occupied & ~(enemy1 | enemy2)
    carry = low & friend1
    full = (high & friend2) | (carry & (high | friend2))
    new_low = calm & ((low ^ friend1) | full)
    new_high = calm & ((high ^ friend2 ^ carry) | full)
    erupting = new_low & new_high & ~asleep

    # Hit by one enemy (-4): only level 4 with a friend or two, or level 3 with two friends, is left with anything.
    survivors = ((asleep & (friend1 | friend2)) | (high & ~low & friend2)) & enemy1 & ~enemy2
    new_low |= survivors & asleep & friend2
    left = calm | survivors

    # Empty tiles go to the majority, on the level of its lead; equal numbers cancel out.
    empty = ALL & ~occupied
    to_blue = empty & (b1 | b2) & (b2 | ~(o1 | o2))
    to_orange = empty & (o1 | o2) & (o2 | ~(b1 | b2))
    alone2, alone1 = (to_blue & b2 & ~o1) | (to_orange & o2 & ~b1), b1 | o1
    new_low |= alone2 & ~alone1
    new_high |= alone2 & alone1
    return (blue & left) | to_blue, (orange & left) | to_orange, new_low, new_high, erupting


@kernel
def has_path(north: Any, south: Any) -> bool:
    """Whether these tiles join any tile to its antipode."""
    pairs = north & south
    while pairs:
        reached_north = front_north = pairs & (~pairs + ONE)
        reached_south = front_south = NONE
        while front_north | front_south:
            tile, front_north, front_south = take_tile(front_north, front_south)
            near = NEAR_NORTH[tile] & north & ~reached_north
            reached_north |= near
            front_north |= near
            near = NEAR_SOUTH[tile] & south & ~reached_south
            reached_south |= near
            front_south |= near
        if reached_north & reached_south:
            return True
        pairs &= ~reached_north
    return False


@kernel
def judge(state: Any) -> None:
    """After a step: has somebody won? Else the turn passes on. A path made on the last turn comes too late."""
    blue = has_path(state.blue_north, state.blue_south)
    orange = has_path(state.orange_north, state.orange_south)
    if blue or orange:
        if state.turn >= MAX_TURNS:
            state.result = TURN_LIMIT
        elif blue and orange:
            state.result = DRAW
        else:
            state.result = BLUE_WINS if blue else ORANGE_WINS
        return
    state.turn += 1
    if state.turn > MAX_TURNS:
        state.result = TURN_LIMIT


@kernel
def draw_random(state: Any) -> int:
    """What the reply RANDOM plays: nextInt over the legal tiles in name order, with the referee's one generator."""
    player = mover(state)
    state.random, index = next_int(state.random, count_legal(state, player))
    tile = 0
    while True:
        if is_legal(state, player, tile):
            if index == 0:
                return tile
            index -= 1
        tile += 1


@kernel
def choose(state: Any, player: int, rng: Any) -> int:
    """A uniform legal tile; -1 when there is none. Most tiles are legal, so drawing until one is beats counting."""
    if count_legal(state, player) == 0:
        return -1
    while True:
        tile: int = random_below(rng, TILES)
        if is_legal(state, player, tile):
            return tile


@kernel
def playout(state: Any, rng: Any) -> int:
    """Plays uniform random moves to the end; returns how many referee turns that took, growth included."""
    plies = 0
    while state.result == RUNNING:
        player = mover(state)
        action = GROWTH if player < 0 else choose(state, player, rng)
        if action < 0:
            state.result = BLUE_FORFEITS if player == 0 else ORANGE_FORFEITS
        else:
            play(state, action)
            plies += 1
    return plies
