"""What the networks that come with the game say of some positions, to the last bit."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games.kingdomino import walks
from lapilli.core.state import State
from lapilli.games.kingdomino import GAME
from lapilli.games.kingdomino.engine.network.features import survey_pile
from lapilli.games.kingdomino.engine.network.value import outlook
from lapilli.games.kingdomino.engine.network.weights import read_weights
from lapilli.games.kingdomino.engine.scratch import new_draft_scratch

KEPT = Path(__file__).with_name("values.json")
"""Setups, positions, and the points that each player's territory is expected to come to with one tile more, and with
five; `python -m games.kingdomino.test_values` writes it."""
COMING = (1, 5)
TURNS = (6, 14, 21)
SEED = 3


def values(state: State) -> list[str]:
    network = new_draft_scratch(read_weights()).network
    survey_pile(state.array["pile"][0], network.stock)
    players = range(state.num_players)
    return [float(outlook(state.record, player, coming, 0, network)).hex() for player in players for coming in COMING]


def positions(form: dict[str, Any]) -> list[State]:
    """Some of a match of greedy players."""
    state, random = walks.start(**form, seed=SEED), Random(SEED)
    found: list[State] = []
    for turn in range(max(TURNS)):
        for action in GAME.engines["greedy"](state.clone(), state.current_player(), random):
            state.apply_action(action)
        if turn + 1 in TURNS and not state.is_terminal():
            found.append(state.clone())
    return found


@pytest.mark.parametrize("form", walks.FORMS)
def test_values_are_the_same_to_the_last_bit(form: dict[str, Any]) -> None:
    kept = [row for row in json.loads(KEPT.read_text()) if row["setup"] == form]
    assert len(kept) > 1
    for row in kept:
        assert values(GAME.from_position(row["position"], **form)) == row["values"]


if __name__ == "__main__":
    rows = [
        {"setup": form, "position": state.position(), "values": values(state)}
        for form in walks.FORMS
        for state in positions(form)
    ]
    KEPT.write_text(json.dumps(rows, indent=1) + "\n")
