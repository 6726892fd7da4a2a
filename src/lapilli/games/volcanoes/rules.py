"""The rules of Volcanoes, computed with bit masks.

A position is one VOLCANOES record. A set of tiles is a pair of 40-bit words, north and south (bit = tile % 40). The
words `blue_*` and `orange_*` hold the tiles of each player. The two-bit number `high_* low_*` of a tile is its level
minus one. A volcano on level 4 is asleep. Between turns every volcano on level 4 is asleep, so no further bit is
needed.

A cascade of eruptions has phases (corner cases 6-9 in the README of the golden tests). In a phase, every tile that has
just reached level 4 erupts and hits its three neighbours. All hits of a phase are based on the levels at its beginning.
They are counted per tile in two-bit counters (at most three hits, since a tile has three neighbours) and then applied
all together. No tile erupts twice in a cascade (corner case 12), so a cascade always ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.core.rules.observation import Observation, Part
from lapilli.core.rules.two_sides import write_values
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
    SHORTEST,
    TILES,
)
from lapilli.kernels.java_random import next_int
from lapilli.kernels.kernel import (
    CHANCE,
    TERMINAL,
    Batch,
    Ints,
    Position,
    Rng,
    Word,
    kernel,
    lowest,
    popcount,
    random_below,
    record_dtype,
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
        ("random", np.int64),  # state of java.util.Random, used only by the reply RANDOM
        ("turn", np.int16),  # number of the next referee turn, from 1
        ("result", np.int8),
        ("left", np.int8, 2),  # by player: code of the fault for which the player left (`fault_codes.code_of`), or 0
    ]
)

RUNNING, BLUE_WINS, ORANGE_WINS, DRAW, TURN_LIMIT, LEFT = range(6)


NUM_ACTIONS = TILES + 1
MAX_LEGAL = TILES


@kernel
def side(p: Position) -> int:
    """Returns the player of the next referee turn: 0 for Blue, 1 for Orange, CHANCE for growth."""
    return CYCLE[(int(p.turn) - 1) % 6]


@kernel
def current_player(p: Position) -> int:
    """Returns the player to move; CHANCE before growth; TERMINAL after the end, or if the player has no legal move."""
    if p.result != RUNNING:
        return TERMINAL
    player = side(p)
    if player < 0:
        return CHANCE
    north, south = legal_masks(p, player)
    return player if north | south else TERMINAL


@kernel
def legal_masks(p: Position, player: int) -> tuple[Word, Word]:
    """Returns the tiles that `player` may play, as two bit masks: for the northern and the southern tiles.

    These are the empty tiles, and the player's volcanoes below level 4.
    """
    if player == 0:
        other_north, other_south = p.orange_north, p.orange_south
    else:
        other_north, other_south = p.blue_north, p.blue_south
    north = ALL & ~(other_north | (p.low_north & p.high_north))
    south = ALL & ~(other_south | (p.low_south & p.high_south))
    return north, south


@kernel
def is_playable(p: Position, player: int, tile: int) -> bool:
    """Returns whether `player` may play this tile, assuming that it is this player's turn."""
    north, south = legal_masks(p, player)
    word = north if tile < HEMISPHERE else south
    return bool((word >> np.uint64(tile % HEMISPHERE)) & ONE)


@kernel
def accepts(p: Position, player: int, action: int) -> bool:
    """Returns whether `action`, which may be any integer, is legal for `player`. It must be this player's turn.

    Before growth, `player` is CHANCE.
    """
    if player < 0:
        return player == CHANCE and action == GROWTH
    return 0 <= action < TILES and is_playable(p, player, action)


@kernel
def count_legal(p: Position, player: int) -> int:
    """Returns the number of tiles that `player` may play."""
    north, south = legal_masks(p, player)
    return popcount(north) + popcount(south)


@kernel
def legal(p: Position, player: int, out: Ints) -> int:
    """Writes the legal actions of a player into `out`, ascending; returns their number.

    If `player` is CHANCE, the only legal action is GROWTH.
    """
    if player < 0:
        out[0] = GROWTH
        return 1 if player == CHANCE else 0
    north, south = legal_masks(p, player)
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
def mask(p: Position, player: int, out: Any, scratch: Ints) -> int:
    """Writes 1 for each legal action of `player` and 0 for every other action into `out`; returns the number of ones.

    `scratch` is not used.
    """
    north, south = legal_masks(p, player) if player >= 0 else (NONE, NONE)
    for tile in range(HEMISPHERE):
        out[tile] = north >> np.uint64(tile) & ONE
        out[HEMISPHERE + tile] = south >> np.uint64(tile) & ONE
    out[GROWTH] = player == CHANCE
    return popcount(north) + popcount(south) + (1 if player == CHANCE else 0)


@kernel
def take_tile(north: Word, south: Word) -> tuple[int, Word, Word]:
    """Returns one tile of a non-empty set, and the set without this tile.

    A set is two bit masks with one bit per tile: `north` and `south`.
    """
    if north:
        return lowest(north), north & (north - ONE), south
    return HEMISPHERE + lowest(south), north, south & (south - ONE)


@kernel
def level(p: Position, tile: int) -> int:
    """Returns a tile's level: 1 to 4 blue, -1 to -4 orange, 0 empty."""
    bit = ONE << np.uint64(tile % HEMISPHERE)
    if tile < HEMISPHERE:
        blue, orange, low, high = p.blue_north, p.orange_north, p.low_north, p.high_north
    else:
        blue, orange, low, high = p.blue_south, p.orange_south, p.low_south, p.high_south
    if not (blue | orange) & bit:
        return 0
    size = 1 + (1 if low & bit else 0) + (2 if high & bit else 0)
    return size if blue & bit else -size


@kernel
def levels(p: Position, out: Ints) -> None:
    """Writes the levels of all tiles into `out` (80 integers)."""
    for tile in range(TILES):
        out[tile] = level(p, tile)


@kernel
def play(p: Position, action: int) -> None:
    """Plays one turn: a legal tile of the player to move, or GROWTH, and all eruptions that result."""
    north, south = begin(p, action)
    while north | south:
        north, south = erupt(p, north, south)
    finish_turn(p)


@kernel
def asked(batch: Batch) -> int:
    """Returns the player whose reply the referee needs at the position `batch[0]`: 0 or 1; -1 if it needs none.

    A player without a legal move has lost, but is still asked (corner case 17 in the README of the golden tests).
    """
    p = batch[0]
    return side(p) if p.result == RUNNING else -1


@kernel
def begin(p: Position, action: int) -> tuple[Word, Word]:
    """Plays the first part of a turn: raises a tile, or all volcanoes (GROWTH), but plays no eruptions.

    Returns:
        The tiles that reach level 4 and therefore erupt next, as two bit masks: for the northern and the southern
        tiles.
    """
    if action == GROWTH:
        return _grow(p)
    return _raise_tile(p, action)


@kernel
def _grow(p: Position) -> tuple[Word, Word]:
    """Raises every volcano that is not asleep by one level. Returns the tiles that reach level 4.

    The result is two bit masks with one bit per tile: for the northern and the southern tiles.
    """
    awake_north = (p.blue_north | p.orange_north) & ~(p.low_north & p.high_north)
    awake_south = (p.blue_south | p.orange_south) & ~(p.low_south & p.high_south)
    return _raise_level(p, awake_north, awake_south)


@kernel
def _raise_tile(p: Position, tile: int) -> tuple[Word, Word]:
    """Founds or raises a volcano of the player to move.

    Returns two bit masks, for the northern and the southern tiles. They contain the tile if it reaches level 4;
    otherwise they are empty.
    """
    bit = ONE << np.uint64(tile % HEMISPHERE)
    north, south = (bit, NONE) if tile < HEMISPHERE else (NONE, bit)
    occupied = north & (p.blue_north | p.orange_north) | south & (p.blue_south | p.orange_south)
    if occupied:
        return _raise_level(p, north, south)
    if side(p) == 0:
        p.blue_north |= north
        p.blue_south |= south
    else:
        p.orange_north |= north
        p.orange_south |= south
    return NONE, NONE


@kernel
def _raise_level(p: Position, north: Word, south: Word) -> tuple[Word, Word]:
    """Raises the volcanoes on a set of tiles by one level. Returns those tiles that reach level 4.

    A set is two bit masks with one bit per tile: `north` and `south`. None of the tiles may be empty or asleep.
    """
    erupts_north, erupts_south = (
        north & p.high_north & ~p.low_north,
        south & p.high_south & ~p.low_south,
    )
    p.high_north ^= north & p.low_north
    p.high_south ^= south & p.low_south
    p.low_north ^= north
    p.low_south ^= south
    return erupts_north, erupts_south


@kernel
def _count_hits(north: Word, south: Word) -> tuple[Word, Word, Word, Word]:
    """Counts how many neighbours of each tile erupt. `north` and `south` are the erupting tiles, as bit masks.

    Returns:
        Four bit masks: the low and the high bits of the counts of the northern tiles, then of the southern tiles.
    """
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
def erupt(p: Position, north: Word, south: Word) -> tuple[Word, Word]:
    """Plays one phase of a cascade of eruptions: the given tiles, all on level 4, erupt and change their neighbours.

    `north` and `south` are these tiles, as bit masks with one bit per tile.

    Returns:
        The tiles that reach level 4 and therefore erupt in the next phase, as two bit masks of the same kind.
    """
    b1_north, b2_north, b1_south, b2_south = _count_hits(north & p.blue_north, south & p.blue_south)
    o1_north, o2_north, o1_south, o2_south = _count_hits(north & p.orange_north, south & p.orange_south)
    blue, orange, low, high, north = _settle(
        p.blue_north, p.orange_north, p.low_north, p.high_north, b1_north, b2_north, o1_north, o2_north
    )
    p.blue_north, p.orange_north, p.low_north, p.high_north = blue, orange, low, high
    blue, orange, low, high, south = _settle(
        p.blue_south, p.orange_south, p.low_south, p.high_south, b1_south, b2_south, o1_south, o2_south
    )
    p.blue_south, p.orange_south, p.low_south, p.high_south = blue, orange, low, high
    return north, south


@kernel
def _settle(
    blue: Word, orange: Word, low: Word, high: Word, b1: Word, b2: Word, o1: Word, o2: Word
) -> tuple[Word, Word, Word, Word, Word]:
    """Applies the effects of one phase of eruptions to the tiles of one hemisphere.

    A tile that erupts hits each neighbour once. All arguments and results are bit masks with one bit per tile.

    Args:
        blue, orange: tiles of each player.
        low, high: low and high bits of the tiles' levels minus one.
        b1, b2: low and high bits of the number of hits by Blue's tiles on each tile.
        o1, o2: low and high bits of the number of hits by Orange's tiles on each tile.

    Returns:
        blue, orange, low and high after the phase, and the tiles that have just reached level 4.
    """
    occupied = blue | orange
    friend1, friend2 = (blue & b1) | (orange & o1), (blue & b2) | (orange & o2)
    enemy1, enemy2 = (blue & o1) | (orange & b1), (blue & o2) | (orange & b2)
    asleep = low & high

    # A volcano without hostile hits rises by one level for each friendly hit, at most to level 4.
    calm = occupied & ~(enemy1 | enemy2)
    carry = low & friend1
    full = (high & friend2) | (carry & (high | friend2))
    new_low = calm & ((low ^ friend1) | full)
    new_high = calm & ((high ^ friend2 ^ carry) | full)
    erupting = new_low & new_high & ~asleep

    # One hostile hit takes four levels. Only level 4 with one or two friendly hits, or level 3 with two, survives.
    survivors = ((asleep & (friend1 | friend2)) | (high & ~low & friend2)) & enemy1 & ~enemy2
    new_low |= survivors & asleep & friend2
    left = calm | survivors

    # An empty tile goes to the player with more hits. Its level is the difference; equal numbers of hits cancel out.
    empty = ALL & ~occupied
    to_blue = empty & (b1 | b2) & (b2 | ~(o1 | o2))
    to_orange = empty & (o1 | o2) & (o2 | ~(b1 | b2))
    alone2, alone1 = (to_blue & b2 & ~o1) | (to_orange & o2 & ~b1), b1 | o1
    new_low |= alone2 & ~alone1
    new_high |= alone2 & alone1
    return (blue & left) | to_blue, (orange & left) | to_orange, new_low, new_high, erupting


@kernel
def has_path(north: Word, south: Word) -> bool:
    """Returns whether a set of tiles contains a chain of neighbouring tiles from some tile to its antipode.

    `north` and `south` are the set, as bit masks of the northern and the southern tiles.
    """
    if popcount(north) + popcount(south) < SHORTEST:
        return False
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
def finish_turn(p: Position) -> None:
    """Ends the game if a player has completed a winning chain; otherwise begins the next turn."""
    end_turn(p, has_path(p.blue_north, p.blue_south), has_path(p.orange_north, p.orange_south))


@kernel
def end_turn(p: Position, blue: bool, orange: bool) -> None:
    """Ends the game if a player has a winning chain; otherwise begins the next turn.

    `blue` and `orange` say which players have a winning chain. A chain that is completed on the last turn comes too
    late: the turn limit ends the game without a winner.
    """
    if blue or orange:
        if p.turn >= MAX_TURNS:
            p.result = TURN_LIMIT
        elif blue and orange:
            p.result = DRAW
        else:
            p.result = BLUE_WINS if blue else ORANGE_WINS
        return
    p.turn += 1
    if p.turn > MAX_TURNS:
        p.result = TURN_LIMIT


@kernel
def chance(p: Position, rng: Rng) -> int:
    """Returns GROWTH, the only action of CHANCE."""
    return GROWTH


@kernel
def draw_random(p: Position) -> int:
    """Draws the tile that the reply RANDOM plays, as the original referee does, with java.util.Random.

    The result of nextInt(number of legal tiles) is an index into the legal tiles in ascending order. The draw changes
    the state of the generator in the record.
    """
    player = side(p)
    p.random, index = next_int(p.random, count_legal(p, player))
    tile = 0
    while True:
        if is_playable(p, player, tile):
            if index == 0:
                return tile
            index -= 1
        tile += 1


@kernel
def random_action(p: Position, player: int, rng: Rng, out: Ints) -> int:
    """Returns a uniformly random legal tile.

    Tiles are drawn until one is legal. Most tiles are legal, so this is faster than listing the legal tiles. So `out`,
    a scratch array for such a list, is not used.
    """
    while True:
        tile: int = random_below(rng, TILES)
        if is_playable(p, player, tile):
            return tile


@kernel
def leave(p: Position, player: int, why: int) -> None:
    """Removes a player from the game because of the fault with the code `why`.

    The game ends, and the other player wins.
    """
    p.left[player] = why
    p.result = LEFT


@kernel
def winner(p: Position) -> int:
    """Returns the winner, 0 or 1; -1 if nobody has won or the game is not over."""
    if p.result == BLUE_WINS or p.result == ORANGE_WINS:
        return 0 if p.result == BLUE_WINS else 1
    if p.result == LEFT:
        return 1 if p.left[0] else 0
    return 1 - side(p) if p.result == RUNNING and current_player(p) == TERMINAL else -1


@kernel
def values(p: Position, out: Any) -> None:
    """Writes the players' utilities into `out`: 1 for the winner and -1 for the loser. Without a winner, both are 0."""
    write_values(winner(p), out)


OBSERVATION = Observation(
    (
        Part(
            "tiles",
            (8, TILES),
            "a plane for each level from 1 to 4: 1 on the player's tiles of this level; "
            "then the same of the opponent's",
        ),
        Part(
            "turn",
            (6,),
            "which turn of the round it is, 1 at its place: own, opponent's, growth, opponent's, own, growth",
        ),
        Part("turns left", (1,), "turns that are left, this one included, at most 127"),
    )
)
_TURN, _LEFT = 8 * TILES, 8 * TILES + 6


@kernel
def observe(p: Position, player: int, out: Any) -> None:
    """Writes a player's observation into `out`, in the format that OBSERVATION describes.

    In the part "turn", the cycle of six turns begins with a turn of the observing player. For Orange it begins with the
    fourth turn.
    """
    for place in range(_LEFT):
        out[place] = 0
    other_north, other_south = (p.orange_north, p.orange_south) if player == 0 else (p.blue_north, p.blue_south)
    _write_levels(p.blue_north | p.orange_north, other_north, p.low_north, p.high_north, 0, out)
    _write_levels(p.blue_south | p.orange_south, other_south, p.low_south, p.high_south, HEMISPHERE, out)
    out[_TURN + (int(p.turn) - 1 + 3 * player) % 6] = 1
    out[_LEFT] = min(MAX_TURNS + 1 - int(p.turn), 127)


@kernel
def _write_levels(occupied: Word, other: Word, low: Word, high: Word, first: int, out: Any) -> None:
    """Writes the volcanoes of one hemisphere into an observation, `out`: a 1 for each, by its tile, owner and level.

    Args:
        occupied: tiles with volcanoes of either player, as a bit mask.
        other: tiles with volcanoes of the player who does not observe.
        low, high: low and high bits of the tiles' levels minus one.
        first: number of the hemisphere's first tile.
        out: the observation. Its part "tiles" is written.
    """
    while occupied:
        place = lowest(occupied)
        occupied &= occupied - ONE
        tile = np.uint64(place)
        plane = int(low >> tile & ONE) + 2 * int(high >> tile & ONE) + 4 * int(other >> tile & ONE)
        out[plane * TILES + first + place] = 1
