"""Finds the most promising turns with the trained network of the module `value`: the best PUTs, each with every PICK.

The value of a turn is the player's expected score after the picks of the other players, as the module `draft` predicts
them. The argument `scratch` has the scratch arrays (`engine.scratch.DraftScratch`).
"""

from __future__ import annotations

from typing import Any

from lapilli.games.kingdomino.board import DISCARD, MAX_LEGAL, TILE
from lapilli.games.kingdomino.engine.draft import draft, picks_after, put_known_tiles, tabulate, tiles_after
from lapilli.games.kingdomino.engine.network.features import survey_pile
from lapilli.games.kingdomino.engine.network.value import outlook
from lapilli.games.kingdomino.engine.rounds import clear_picks, keep_beam, prepare_player, write_next_round
from lapilli.games.kingdomino.engine.scratch import WIDEST, DraftScratch
from lapilli.games.kingdomino.rules.position import NOBODY, PUT, WOOD
from lapilli.games.kingdomino.rules.territory import lay, placements
from lapilli.kernels.kernel import Batch, Position, kernel

_NOTHING = -1
"""Number in place of the missing action in a turn that has no PUT, or no PICK."""


@kernel
def propose_turns(
    p: Position,
    player: int,
    most: int,
    ways: int,
    width: int,
    turns: Any,
    priors: Any,
    starts: Batch,
    scratch: DraftScratch,
) -> int:
    """Finds the most promising turns with their expected scores, the best first; returns the number of turns.

    Args:
        p: the position.
        player: the player to move.
        most: greatest number of turns.
        ways: number of PUTs to examine. When no more tiles will be drawn, twice as many are examined; in the last round
            all.
        width: number of territories to keep in each beam search. When no more tiles will be drawn, WIDEST are kept.
        turns: filled with the actions of each turn; -1 in place of a missing action.
        priors: filled with the expected score of each turn.
        starts: filled with a position for each turn: the beginning of the next round, as `write_next_round` writes it.
        scratch: scratch arrays.
    """
    scratch.places[0] = MAX_LEGAL
    survey_pile(p.pile, scratch.network.stock)
    if tiles_after(p) == 0:
        ways, width = 2 * ways, WIDEST
    for other in range(int(p.players)):
        if other != player:
            prepare_player(p, other, int(p.slot), width, scratch)
    picks = picks_after(p, player, int(p.slot)) + (p.this_round < p.rounds)
    count = 0
    for way in range(_choose_puts(p, player, picks, ways, scratch)):
        found = _put_known(p, player, scratch.puts[way], picks, width, scratch)
        tabulate(p, player, picks, found, width, scratch)
        for slot in range(int(p.lot) if picks else 1):
            if picks and p.pick_owner[slot] != NOBODY:
                continue
            clear_picks(scratch)
            if picks:
                scratch.got[player] = scratch.got[-1] = 1 << slot
            draft(p, int(p.slot), scratch)
            count = _rank(priors, count, most, way, slot, scratch.scores[0, player], scratch)
    for index in range(count):
        put, slot = scratch.puts[scratch.ranked[index, 0]], scratch.ranked[index, 1]
        tile = DISCARD + int(p.pick_tile[slot]) if picks else _NOTHING
        turns[index, 0] = put if put != _NOTHING else tile
        turns[index, 1] = tile if put != _NOTHING else _NOTHING
        keep_beam(player, _put_known(p, player, put, picks, width, scratch), scratch)
        write_next_round(p, starts[index], scratch.ranked[index, 2:], scratch)
    return count


@kernel
def _put_known(p: Position, player: int, put: int, picks: int, width: int, scratch: DraftScratch) -> int:
    """Fills `scratch.nodes` with the best territories after a PUT and all other known tiles; returns their number.

    Args:
        p: the position.
        player: the player to move.
        put: the PUT action, DISCARD, or _NOTHING if there is no tile to place.
        picks: number of further tiles that the player will pick in this round.
        width: greatest number of territories.
        scratch: scratch arrays.
    """
    scratch.nodes[0] = p
    if put != _NOTHING and put != DISCARD:
        lay(scratch.nodes[0], player, int(p.play_tile[p.slot]), put)
    return put_known_tiles(p, player, int(p.slot), picks, width, scratch)


@kernel
def _rank(priors: Any, count: int, most: int, way: int, slot: int, value: float, scratch: DraftScratch) -> int:
    """Inserts a turn into the ranking, which is in `priors` and `scratch.ranked`; returns the new number of turns.

    Args:
        priors: expected scores of the ranked turns, descending.
        count: number of turns in the ranking.
        most: greatest number of turns in the ranking.
        way: index in `scratch.puts` of the turn's PUT.
        slot: slot of the turn's PICK.
        value: expected score of the turn.
        scratch: scratch arrays. They contain the ranking. `best` has, for each player, the tiles of the row that the
            player is expected to have picked at the end of the round after this turn; the ranking stores them, too.
    """
    ranked = scratch.ranked
    at = count
    while at and priors[at - 1] < value:
        at -= 1
    if at >= most:
        return count
    count = min(count + 1, most)
    for later in range(count - 1, at, -1):
        priors[later] = priors[later - 1]
        for column in range(6):
            ranked[later, column] = ranked[later - 1, column]
    priors[at] = value
    ranked[at, 0], ranked[at, 1] = way, slot
    for player in range(4):
        ranked[at, 2 + player] = scratch.best[player]
    return count


@kernel
def _choose_puts(p: Position, player: int, picks: int, ways: int, scratch: DraftScratch) -> int:
    """Fills `scratch.puts` with the most promising PUTs of the tile to place in this turn; returns their number.

    In the last round these are all PUTs, otherwise the best `ways`. DISCARD is included if it is legal. If there is no
    tile to place, the only element is _NOTHING. `picks` is the number of tiles that the player will still pick in this
    round.
    """
    puts, actions, worth = scratch.puts, scratch.actions, scratch.worth
    tile = int(p.play_tile[p.slot])
    puts[0] = _NOTHING
    if p.phase != PUT or tile == 0:
        return 1
    count = placements(p, player, TILE[tile, 0], TILE[tile, 2], puts)
    if count == 0 or p.options & WOOD:
        puts[count] = DISCARD
        count += 1
    if p.this_round == p.rounds or count <= ways:
        return count
    coming = tiles_after(p) + picks
    for slot in range(int(p.lot)):
        coming += slot > p.slot and p.play_owner[slot] == player
        coming += p.pick_owner[slot] == player
    found = 0
    for index in range(count):
        scratch.nodes[0] = p
        if puts[index] != DISCARD:
            lay(scratch.nodes[0], player, tile, puts[index])
        value = outlook(scratch.nodes[0], player, coming, 0, scratch.network)
        at = found
        while at and worth[at - 1] < value:
            at -= 1
        if at < ways:
            found = min(found + 1, ways)
            for later in range(found - 1, at, -1):
                worth[later], actions[later] = worth[later - 1], actions[later - 1]
            worth[at], actions[at] = value, puts[index]
    for index in range(found):
        puts[index] = actions[index]
    return found
