"""Plays whole rounds in a simplified way, for the search `draft`.

Known tiles are placed at their best places, and the module `draft` predicts the picks. The argument `scratch` has the
scratch arrays (`engine.scratch.DraftScratch`).
"""

from __future__ import annotations

from typing import Any

from lapilli.games.kingdomino.board import MAX_PLAYERS
from lapilli.games.kingdomino.engine.draft import (
    add_tile,
    draft,
    picks_after,
    put_known_tiles,
    slots_picked,
    tabulate,
    tiles_after,
)
from lapilli.games.kingdomino.engine.network.features import survey_pile
from lapilli.games.kingdomino.engine.network.value import outlook
from lapilli.games.kingdomino.engine.scratch import WIDEST, DraftScratch
from lapilli.games.kingdomino.rules.position import DRAW, NOBODY, PUT
from lapilli.games.kingdomino.rules.verbs import settle
from lapilli.kernels.kernel import Position, kernel

_WIDTH, _PLACES = 3, 6
"""Limits of a beam search in a sample: number of territories to keep, and number of places to examine for each tile."""


@kernel
def value_after_rounds(p: Position, player: int, rounds: int, scratch: DraftScratch) -> float:
    """Plays rounds in a simplified way; returns the player's expected score after them.

    The score is in [0, 1], except that each point of lead adds a little to it (`draft._MARGIN`).

    Args:
        p: the position at the beginning of a round, as `write_next_round` writes it, after all tiles of the row to pick
            are drawn. It must contain a random generator, which draws the later rows. The position is changed.
        player: the player.
        rounds: number of rounds to play.
        scratch: scratch arrays.
    """
    left = rounds
    scratch.places[0] = _PLACES
    while left > 1 and p.this_round + 1 < p.rounds:
        draft_round(p, scratch)
        write_next_round(p, p, scratch.best, scratch)
        settle(p)
        left -= 1
    draft_round(p, scratch)
    value: float = scratch.scores[0, player]
    return value


@kernel
def draft_round(p: Position, scratch: DraftScratch) -> None:
    """Predicts the picks of all players in a whole round.

    Fills `scratch.best` with the set of slots that each player picks, and `scratch.scores[0]` with the expected scores.

    Args:
        p: the position at the beginning of a round, as `write_next_round` writes it, after all tiles of the row to pick
            are drawn.
        scratch: scratch arrays.
    """
    survey_pile(p.pile, scratch.network.stock)
    for player in range(int(p.players)):
        prepare_player(p, player, -1, _WIDTH, scratch)
    clear_picks(scratch)
    draft(p, -1, scratch)


@kernel
def prepare_player(p: Position, player: int, after: int, width: int, scratch: DraftScratch) -> None:
    """Prepares the prediction of the picks: computes its data about a player who is not to move.

    `scratch.beams` gets the player's best territories with all known tiles. `scratch.table` gets the expected points
    for each set of slots that the player may pick. A slot is the place of a tile in its row, and also a turn of the
    round.

    Args:
        p: the position.
        player: the player.
        after: the last slot whose tile has been placed already.
        width: greatest number of territories to keep.
        scratch: scratch arrays.
    """
    scratch.nodes[0] = p
    found, picks = 1, picks_after(p, player, after)
    if p.left[player] == 0:
        found = put_known_tiles(p, player, after, picks, width, scratch)
    keep_beam(player, found, scratch)
    tabulate_picks(p, player, picks, found, width, scratch)


@kernel
def tabulate_picks(p: Position, player: int, picks: int, count: int, width: int, scratch: DraftScratch) -> None:
    """Fills `scratch.table[player]` with the expected final points for each set of slots that the player may pick.

    A slot is the place of a tile in the row to pick. Unlike `draft.tabulate`, this function handles players who have
    left the game and get no more tiles.

    Args:
        p: the position.
        player: the player.
        picks: number of tiles that the player picks, at most 2.
        count: number of territories in `scratch.nodes` to start from.
        width: number of territories to keep between two tiles.
        scratch: scratch arrays.
    """
    if p.left[player]:
        scratch.table[player, 0] = outlook(p, player, 0, 0, scratch.network)
    else:
        tabulate(p, player, picks, count, width, scratch)


@kernel
def keep_beam(player: int, found: int, scratch: DraftScratch) -> None:
    """Stores a player's best territories for later: copies the first `found` of `scratch.nodes` to `scratch.beams`."""
    for index in range(found):
        scratch.beams[player * WIDEST + index] = scratch.nodes[index]
    scratch.sizes[player] = found


@kernel
def clear_picks(scratch: DraftScratch) -> None:
    """Clears `scratch.got`: afterwards, no player has picked a tile in this round."""
    for player in range(MAX_PLAYERS + 1):
        scratch.got[player] = 0


@kernel
def write_next_round(p: Position, out: Position, best: Any, scratch: DraftScratch) -> None:
    """Writes into `out` the position at the beginning of the next round, after given picks of all players.

    In this position, the tiles that are in play at `p` have been placed, and the picked tiles are in play. Each player
    has placed its tiles where its territory is then worth the most expected points, together with the picked tiles.

    If no more tiles will be drawn, the picked tiles have been placed, too. The row in play then has no tiles. It only
    says which player had picked which slot.

    Args:
        p: the present position.
        out: filled with the new position. It may be the same record as `p`.
        best: by player, the set of slots that the player picks, one bit per slot. A slot is the place of a tile in the
            row to pick.
        scratch: scratch arrays. `beams` must contain, for each player, candidates for its territory after it has placed
            its tiles in play, but not the picked tiles.
    """
    lot, coming, following = int(p.lot), tiles_after(p), int(p.this_round) + 1
    _copy_frame(p, out)
    for player in range(int(p.players)):
        chosen, most = 0, 0.0
        for index in range(scratch.sizes[player]):
            value = _put_picked(p, player, index, best[player], scratch)
            if index == 0 or value > most:
                chosen, most = index, value
        if coming:
            copy_territory(scratch.beams[player * WIDEST + chosen], out, player)
        else:
            _put_picked(p, player, chosen, best[player], scratch)
            copy_territory(scratch.nodes[0], out, player)
    for slot in range(lot):
        owner = p.pick_owner[slot]
        for player in range(int(p.players)):
            if best[player] >> slot & 1:
                owner = player
        out.play_tile[slot] = p.pick_tile[slot] if coming and owner != NOBODY else 0
        out.play_owner[slot] = owner
    for slot in range(lot):
        out.pick_tile[slot], out.pick_owner[slot] = 0, NOBODY
    out.this_round = min(following, int(p.rounds))
    out.slot = 0
    out.phase = DRAW if following < p.rounds else PUT


@kernel
def _put_picked(p: Position, player: int, index: int, picked: int, scratch: DraftScratch) -> float:
    """Places the tiles of the slots `picked` in one of the territories in `scratch.beams`; returns the expected points.

    `picked` is a set of slots (places of tiles in the row to pick), one bit per slot. `index` is the number of the
    territory in the player's part of `scratch.beams`. The best resulting territory is written into `scratch.nodes[0]`.
    """
    lot, coming, more, count = int(p.lot), tiles_after(p), 0, 1
    order = picked | slots_picked(p, player)
    scratch.nodes[0] = scratch.beams[player * WIDEST + index]
    for slot in range(lot):
        more += picked >> slot & 1
    if more == 0:
        return outlook(scratch.nodes[0], player, coming, order, scratch.network)
    for slot in range(lot):
        if picked >> slot & 1:
            more -= 1
            count = add_tile(scratch, count, 2 if more else 1, player, int(p.pick_tile[slot]), coming + more, order)
    value: float = scratch.worth[WIDEST]
    return value


@kernel
def _copy_frame(p: Position, out: Position) -> None:
    """Copies everything that stays the same in the next round from the position `p` to the position `out`.

    It consists of the pile, the state of the random generator, the variant, the number of players, and which players
    have left the game.
    """
    out.pile, out.lots, out.turns = p.pile, p.lots, p.turns
    out.players, out.extent, out.lot, out.rounds, out.options = p.players, p.extent, p.lot, p.rounds, p.options
    for player in range(MAX_PLAYERS):
        out.left[player] = p.left[player]


@kernel
def copy_territory(p: Position, out: Position, player: int) -> None:
    """Copies a player's territory, with its bounding box and score, from `p` to `out`."""
    for word in range(8):
        out.land[player, word] = p.land[player, word]
    for side in range(4):
        out.box[player, side] = p.box[player, side]
    out.score[player] = p.score[player]
