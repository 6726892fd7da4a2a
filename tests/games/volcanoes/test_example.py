"""The example bot that tries moves in its head knows the rules: its levels are those of the game."""

from __future__ import annotations

import random
import runpy
from pathlib import Path

from lapilli import load
from lapilli.games.volcanoes.board import INDEX, NEIGHBOURS
from lapilli.games.volcanoes.state import VolcanoesState

BOT = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "volcanoes" / "cascade.py"))
NEAR = [list(tiles) for tiles in NEIGHBOURS]


def begun(seed: int) -> VolcanoesState:
    state = load("volcanoes").new_initial_state(seed=seed)
    assert isinstance(state, VolcanoesState)
    return state


def test_moves_and_growth_change_the_levels_as_in_the_game() -> None:
    chance, grown, erupted = random.Random(1), 0, 0
    for seed in range(60):
        state = begun(seed)
        while not state.is_terminal():
            before, action = state.levels(), chance.choice(state.legal_actions())
            if state.current_player() < 0:
                expected, grown = BOT["grown"](before, NEAR), grown + 1
            else:
                expected, place = list(before), INDEX[state.action_to_string(action)]
                expected[place] += 1 - 2 * state.current_player()
                is_full = abs(expected[place]) == BOT["ASLEEP"]
                BOT["erupt"](expected, NEAR, [place] if is_full else [])
                erupted += is_full
            state.apply_action(action)
            assert state.levels() == expected
    assert min(grown, erupted) > 40


def test_the_chain_that_it_sees_is_the_shortest() -> None:
    chance = random.Random(2)
    for seed in range(5):
        state = begun(seed)
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
        for player, own in ((0, 1), (1, -1)):
            assert (not BOT["lacking"](state.levels(), NEAR, own)) == bool(state.path(player))
