"""What a player is shown in numbers."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from games.kingdomino import walks
from lapilli.games.kingdomino import GAME
from lapilli.games.kingdomino.board import MAX_PLAYERS, TILE
from lapilli.games.kingdomino.picture.story import reach
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState


def parts(state: KingdominoState, player: int) -> dict[str, Any]:
    return GAME.observation.split(state.observation(player))


def planes(state: KingdominoState, player: int) -> Any:
    """What a player's planes should be, from what the State tells."""
    wanted = np.zeros((8, 13, 13), int)
    left, top, columns, rows = reach(state, player)
    wanted[7, left : left + columns, top : top + rows] = 1
    centre = state.kind.side // 2
    wanted[7, centre, centre] = 0
    for (x, y), (terrain, crowns) in state.squares(player).items():
        wanted[terrain, x, y] = 1
        wanted[6, x, y] = crowns
        wanted[7, x, y] = 0
    return wanted


def tile_row(tile: int, owner: int, reader: int, players: int) -> list[int]:
    """What a tile of a row should be."""
    row = [0] * 19
    if tile:
        first, first_crowns, second, second_crowns = TILE[tile].tolist()
        row[0], row[1 + first], row[7], row[8 + second], row[14] = tile, 1, first_crowns, 1, second_crowns
    if owner >= 0:
        row[15 + (owner - reader) % players] = 1
    return row


@pytest.mark.parametrize("form", walks.FORMS)
def test_everything_is_seen_from_the_players_own_seat(form: dict[str, Any]) -> None:
    for state in walks.random_walk(form | {"seed": 4}, Random(5), kill=0.01)[::6]:
        players, record = state.num_players, state.record
        for reader in range(players):
            seen = parts(state, reader)
            seats = [(reader + index) % players for index in range(players)]
            absent = [0] * (MAX_PLAYERS - players)
            own = seen["territories"].reshape(4, 8, 13, 13)
            for seat, player in enumerate(seats):
                assert (own[seat] == planes(state, player)).all()
            assert not own[players:].any()
            for name, row in (("in play", state.row_in_play()), ("to pick", state.row_to_pick())):
                wanted = [tile_row(tile, owner, reader, players) for tile, owner in row]
                assert seen[name][: len(row)].tolist() == wanted
                assert not seen[name][len(row) :].any()
            assert seen["points"].tolist() == [min(int(record["score"][player]), 127) for player in seats] + absent
            assert seen["squares"].tolist() == [len(state.squares(player)) for player in seats] + absent
            crowns = [sum(crowns for _, crowns in state.squares(player).values()) for player in seats]
            assert seen["crowns"].tolist() == crowns + absent
            assert seen["out"].tolist() == [int(state.fault(player) is not None) for player in seats] + absent


@pytest.mark.parametrize("form", walks.FORMS)
def test_turn_pile_and_form(form: dict[str, Any]) -> None:
    keys = form | {"league": "wood", "harmony": True}
    for state in walks.random_walk(keys, Random(6))[::5]:
        seen, record = parts(state, 0), state.record
        phase = int(record["phase"])
        assert seen["turn"].tolist() == [int(phase == rules.PUT), int(phase == rules.PICK)]
        slot = [int(index == record["slot"] and phase in (rules.PUT, rules.PICK)) for index in range(4)]
        assert seen["slot"].tolist() == slot
        assert seen["pile"].tolist() == [int(record["pile"]) >> tile & 1 for tile in range(1, 49)]
        assert seen["rounds left"].tolist() == [state.kind.rounds + 1 - int(record["this_round"])]
        kind = state.kind
        assert seen["form"].tolist() == [state.num_players, kind.lot, kind.extent, 1, 0, 1]
        centre = kind.side // 2
        assert np.argwhere(seen["castle"]).tolist() == [[0, centre, centre]]


def test_points_are_cut_off_at_127() -> None:
    state = walks.start(seed=1)
    state.record["score"][1] = 300
    assert parts(state, 0)["points"].tolist() == [0, 127, 0, 0]
