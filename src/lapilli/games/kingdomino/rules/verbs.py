"""The kernel of the game: how tiles are drawn, put and picked, and who wins. Integers in, integers out.

A round is a `lot` of slots. Slot i belongs to `play_owner[i]`, who puts tile `play_tile[i]` and then picks one of
`pick_tile`; when all slots are through, the picked row becomes the row in play. `phase` says what comes next.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.javarandom import next_int
from lapilli.games.kernel import CHANCE, TERMINAL, kernel, lowest, popcount, random_below
from lapilli.games.kingdomino.board import DISCARD, MAX_SIDE, TILE
from lapilli.games.kingdomino.rules.territory import (
    all_crowns,
    anchors,
    lay,
    placements,
    put_action_at,
    size,
)

KINGDOMINO = np.dtype(
    [
        ("land", np.uint64, (4, 8)),  # per player: the squares of each terrain, then the crowns' binary digits
        ("pile", np.uint64),  # bit n: tile n is not drawn yet
        ("lots", np.int64),  # state of java.util.Random that draws the tiles; OPEN: the caller draws
        ("box", np.int8, (4, 4)),  # per player: left, right, top, bottom of territory and castle, castle at 0
        ("score", np.int16, 4),  # sum of the zones' values
        ("play_tile", np.int8, 4),  # 0: none, in the first round
        ("play_owner", np.int8, 4),  # NOBODY: not picked
        ("pick_tile", np.int8, 4),  # ascending; 0: not drawn yet, or the last round
        ("pick_owner", np.int8, 4),
        ("fault", np.int8, 4),  # 0: in the game; else 1 + the place in Termination of what ended it
        ("turns", np.int32),  # referee turns that are over
        ("players", np.int8),
        ("extent", np.int8),
        ("lot", np.int8),
        ("rounds", np.int8),
        ("options", np.int8),  # WOOD, MIDDLE_KINGDOM, HARMONY
        ("round", np.int8),  # from 1
        ("slot", np.int8),  # from 0
        ("phase", np.int8),
    ]
)

DRAW, PUT, PICK, OVER = range(4)
NOBODY = -1
OPEN = -1
WOOD, MIDDLE_KINGDOM, HARMONY = 1, 2, 4
MIDDLE_KINGDOM_POINTS, HARMONY_POINTS = 10, 5
_ONE = np.uint64(1)


# ----------------------------------------------------------------------------------- the game's flow


@kernel
def slot_owner(record: Any) -> int:
    """Whose slot it is; NOBODY for a tile that was not picked."""
    return int(record["play_owner"][record["slot"]])


@kernel
def mover(record: Any) -> int:
    """Whose PUT or PICK it is, or CHANCE, or TERMINAL."""
    if record["phase"] == DRAW:
        return CHANCE
    return TERMINAL if record["phase"] == OVER else slot_owner(record)


@kernel
def to_move(batch: Any) -> int:
    """`mover` in the first of an array of positions."""
    return mover(batch[0])


@kernel
def _skip(record: Any) -> None:
    """Moves on to the next slot whose owner is in the game; over the end of the round, to the next round."""
    while True:
        while record["slot"] < record["lot"]:
            owner = slot_owner(record)
            if owner != NOBODY and record["fault"][owner] == 0:
                record["phase"] = PICK if record["round"] == 1 else PUT
                return
            record["slot"] += 1
        if record["round"] == record["rounds"]:
            record["phase"] = OVER
            return
        _next_round(record)
        if record["round"] < record["rounds"]:
            record["phase"] = DRAW
            return


@kernel
def _next_round(record: Any) -> None:
    """What was picked is in play; the row to pick from is empty."""
    record["round"] += 1
    record["slot"] = 0
    for index in range(4):
        record["play_tile"][index] = record["pick_tile"][index]
        record["play_owner"][index] = record["pick_owner"][index]
        record["pick_tile"][index] = 0
        record["pick_owner"][index] = NOBODY


@kernel
def _end_turn(record: Any) -> None:
    record["turns"] += 1
    record["slot"] += 1
    _skip(record)


@kernel
def _drawn(record: Any, tile: int) -> None:
    """A tile joins the row to pick from, which is kept in ascending order."""
    record["pile"] = record["pile"] & ~(_ONE << np.uint64(tile))
    row = record["pick_tile"]
    index = 0
    while row[index]:
        index += 1
    full = index + 1 == record["lot"]
    while index and row[index - 1] > tile:
        row[index] = row[index - 1]
        index -= 1
    row[index] = tile
    if full:
        _skip(record)


@kernel
def _select(mask: Any, index: int) -> int:
    """The place of the set bit that has `index` set bits below it."""
    base = 0
    width = 32
    while width:
        low = mask & ((_ONE << np.uint64(width)) - _ONE)
        count = popcount(low)
        if index < count:
            mask = low
        else:
            index -= count
            mask >>= np.uint64(width)
            base += width
        width >>= 1
    return base


@kernel
def settle(record: Any) -> None:
    """Draws by the record's own generator while tiles are to be drawn; nothing where lots are open.

    Each draw takes nextInt(n) of the n tiles in the pile, counted from 0 by ascending number.
    """
    while record["phase"] == DRAW and record["lots"] != OPEN:
        pile = record["pile"]
        lots, index = next_int(int(record["lots"]), popcount(pile))
        record["lots"] = lots
        _drawn(record, _select(pile, index))


@kernel
def play(record: Any, action: int) -> None:
    """Plays one legal action, and the draws that follow where lots are settled."""
    phase = record["phase"]
    if phase == DRAW:
        _drawn(record, action - DISCARD)
    elif phase == PUT:
        player = slot_owner(record)
        if action != DISCARD:
            lay(record, player, int(record["play_tile"][record["slot"]]), action)
        if record["round"] == record["rounds"]:
            _end_turn(record)
        else:
            record["phase"] = PICK
    else:
        index = 0
        while record["pick_tile"][index] != action - DISCARD:
            index += 1
        record["pick_owner"][index] = slot_owner(record)
        _end_turn(record)
    settle(record)


@kernel
def try_play(batch: Any, action: int) -> bool:
    """Plays any integer as an action on the first of an array of positions if it is legal; whether it was."""
    record = batch[0]
    if not accepts(record, action):
        return False
    play(record, action)
    return True


@kernel
def drop(record: Any, fault: int) -> None:
    """Ends the game of the player whose turn it is; the game of all when nobody is left."""
    record["fault"][slot_owner(record)] = fault
    left = 0
    for player in range(record["players"]):
        left += record["fault"][player] == 0
    if left:
        _end_turn(record)
        settle(record)
    else:
        record["turns"] += 1
        record["phase"] = OVER


# ------------------------------------------------------------------------------------- legal actions


@kernel
def legal(record: Any, out: Any) -> int:
    """Fills `out` with the legal actions, or the possible draws, in no particular order; how many there are."""
    phase = record["phase"]
    count = 0
    if phase == DRAW:
        pile = record["pile"]
        while pile:
            tile = lowest(pile)
            pile ^= _ONE << np.uint64(tile)
            out[count] = DISCARD + tile
            count += 1
    elif phase == PUT:
        player = slot_owner(record)
        tile = int(record["play_tile"][record["slot"]])
        count = placements(record, player, TILE[tile, 0], TILE[tile, 2], out)
        if count == 0 or record["options"] & WOOD:
            out[count] = DISCARD
            count += 1
    elif phase == PICK:
        for index in range(record["lot"]):
            if record["pick_owner"][index] == NOBODY:
                out[count] = DISCARD + int(record["pick_tile"][index])
                count += 1
    return count


@kernel
def list_legal(batch: Any, out: Any) -> int:
    """`legal` in the first of an array of positions."""
    return legal(batch[0], out)


@kernel
def has_placement(record: Any) -> bool:
    """Whether the tile in play can be put anywhere."""
    masks = _tile_anchors(record, slot_owner(record))
    return bool(masks[0] | masks[1] | masks[2] | masks[3])


@kernel
def accepts(record: Any, action: int) -> bool:
    """Whether `legal` would list this action, any integer."""
    phase = record["phase"]
    tile = action - DISCARD
    if phase == DRAW:
        return bool(1 <= tile <= 48 and record["pile"] >> np.uint64(tile) & _ONE)
    if phase == PICK:
        for index in range(record["lot"]):
            if record["pick_tile"][index] == tile:
                return bool(record["pick_owner"][index] == NOBODY)
        return False
    if phase == OVER or action < 0 or action > DISCARD:
        return False
    player = slot_owner(record)
    if action == DISCARD:
        return bool(record["options"] & WOOD or not has_placement(record))
    masks = _tile_anchors(record, player)
    centre = int(record["extent"]) - 1
    x, y = (action >> 2) // MAX_SIDE - centre, (action >> 2) % MAX_SIDE - centre
    place = (y & 7) << 3 | (x & 7)
    if not masks[action & 3] >> np.uint64(place) & _ONE:
        return False
    return bool(put_action_at(record, player, place, action & 3) == action)


@kernel
def _tile_anchors(record: Any, player: int) -> Any:
    """`anchors` of the tile in play."""
    tile = int(record["play_tile"][record["slot"]])
    return anchors(record, player, TILE[tile, 0], TILE[tile, 2])


# --------------------------------------------------------------------------------- playouts and results


@kernel
def random_action(record: Any, random: Any) -> int:
    """A uniformly random legal action, or draw."""
    phase = record["phase"]
    if phase == DRAW:
        pile = record["pile"]
        return DISCARD + _select(pile, random_below(random, popcount(pile)))
    if phase == PICK:
        available = 0
        for index in range(record["lot"]):
            available += record["pick_owner"][index] == NOBODY
        chosen = random_below(random, available)
        index = 0
        while chosen or record["pick_owner"][index] != NOBODY:
            chosen -= record["pick_owner"][index] == NOBODY
            index += 1
        return DISCARD + int(record["pick_tile"][index])
    player = slot_owner(record)
    masks = _tile_anchors(record, player)
    total = popcount(masks[0]) + popcount(masks[1]) + popcount(masks[2]) + popcount(masks[3])
    discards = 1 if total == 0 or record["options"] & WOOD else 0
    chosen = random_below(random, total + discards)
    if chosen == total:
        return DISCARD
    rotation = 0
    while chosen >= popcount(masks[rotation]):
        chosen -= popcount(masks[rotation])
        rotation += 1
    return put_action_at(record, player, _select(masks[rotation], chosen), rotation)


@kernel
def playout(record: Any, random: Any) -> int:
    """Plays uniformly random actions, and draws, to the end; how many."""
    count = 0
    while record["phase"] != OVER:
        play(record, random_action(record, random))
        count += 1
    return count


@kernel
def standings(record: Any, points: Any, ranks: Any) -> None:
    """Fills in each player's points as the referee would count them now, and the rank, 1 for the best.

    At the end house options and tie-break points are in: of players who share a score those with the largest
    territory get one, and of players who share that too those with the most crowns get another. Ranks go by points
    before tie-break points, then by territory, then by crowns.
    """
    over = record["phase"] == OVER
    number = int(record["players"])
    for player in range(number):
        points[player] = _points(record, player, over)
    for player in range(number):
        ranks[player] = 1
        for other in range(number):
            ranks[player] += _order(record, points, other) > _order(record, points, player)
    if not over:
        return
    extra = 0  # two bits a player: points must not change while they are compared
    for player in range(number):
        extra += _tie_break(record, points, player) << (2 * player)
    for player in range(number):
        points[player] += extra >> (2 * player) & 3


@kernel
def _points(record: Any, player: int, over: int) -> int:
    total = int(record["score"][player])
    if not over:
        return total
    box = record["box"][player]
    central = box[0] == -box[1] and box[2] == -box[3]
    if record["options"] & MIDDLE_KINGDOM and central and size(record, player):
        total += MIDDLE_KINGDOM_POINTS
    if record["options"] & HARMONY and size(record, player) + 1 == int(record["extent"]) ** 2:
        total += HARMONY_POINTS
    return total


@kernel
def _order(record: Any, points: Any, player: int) -> int:
    """A number that is larger the better a player stands."""
    return (int(points[player]) * 64 + size(record, player)) * 256 + all_crowns(record, player)


@kernel
def _tie_break(record: Any, points: Any, player: int) -> int:
    own_size, own_crowns = size(record, player), all_crowns(record, player)
    tied, largest = False, True
    tied_again, richest = False, True
    for other in range(record["players"]):
        if other != player and points[other] == points[player]:
            tied = True
            largest = largest and size(record, other) <= own_size
            if size(record, other) == own_size:
                tied_again = True
                richest = richest and all_crowns(record, other) <= own_crowns
    return int(tied and largest) + int(tied_again and richest)
