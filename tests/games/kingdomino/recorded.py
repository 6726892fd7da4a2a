"""The positions of the original's traces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import goldens
from games.kingdomino import walks
from lapilli.games.kingdomino.board import TERRAINS
from lapilli.games.kingdomino.state.grid import fill
from lapilli.games.kingdomino.state.state import KingdominoState


def positions() -> Iterator[KingdominoState]:
    """One for each recorded territory and tile."""
    return map(position_of, goldens.lines("kingdomino", "kingdomino_positions.jsonl.gz"))


def position_of(golden: dict[str, Any]) -> KingdominoState:
    """A position in which player 0 has the recorded territory and holds the recorded tile."""
    state = walks.start(variant="duel" if golden["extent"] == 7 else "standard", seed=1)
    while state.record["this_round"] == 1:
        state.apply_action(state.legal_actions()[0])
    side = 2 * golden["extent"] - 1
    squares = {
        (number % side, number // side): (TERRAINS.index(mark[0]), int(mark[1]))
        for number, mark in enumerate(golden["grid"])
        if mark[0] in TERRAINS
    }
    fill(state.record, 0, squares)
    state.record["play_tile"][0] = golden["tile"][0]
    assert state.current_player() == 0
    return state
