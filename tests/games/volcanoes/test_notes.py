"""Notes for beginners say what happens."""

from __future__ import annotations

import random
from typing import cast

from lapilli.core.setup import Setup
from lapilli.games import load
from lapilli.games.volcanoes.board import INDEX
from lapilli.games.volcanoes.state import VolcanoesState

GAME = load("volcanoes")


def position(turn: int, **levels: str) -> VolcanoesState:
    tiles = ["."] * 80
    for name, symbol in levels.items():
        tiles[INDEX[name]] = symbol
    return cast(VolcanoesState, GAME.new_initial_state(Setup(seed=1, position=f"{''.join(tiles)} {turn}")))


def test_the_most_urgent_comes_first() -> None:
    [first, *_] = GAME.notes(position(1), 0)
    assert (first.name, first.places) == ("aim", ("tile-N01", "tile-S01"))
    [first, *_] = GAME.notes(position(5, N22="3", N23="b"), 0)
    assert first.text == "Raise N22 now and it erupts: that destroys a volcano of Orange beside it."
    assert first.places == ("tile-N22", "tile-N23")
    [first, *_] = GAME.notes(position(5, N22="c", N23="2"), 0)
    assert (
        first.text == "N22 of Orange is about to erupt: when all volcanoes grow after this turn, it destroys your N23."
    )
    [first, *_] = GAME.notes(position(5, N22="3"), 0)
    assert (first.name, first.places) == ("growth", ("tile-N22",))
    assert [note.name for note in GAME.notes(position(1, N22="3"), 0)] == [], "growth is not next"


def test_what_would_be_destroyed_is_destroyed() -> None:
    seen = 0
    for seed in range(5):
        chance = random.Random(seed)
        state = cast(VolcanoesState, GAME.new_initial_state(Setup(seed=seed)))
        while not state.is_terminal():
            for player in state.asked():
                for note in GAME.notes(state, player):
                    if note.name == "eruption":
                        tile, *lost = (INDEX[key.removeprefix("tile-")] for key in note.places)
                        after = state.clone()
                        after.apply_action(tile)
                        seen += 1
                        sign = 1 - 2 * player
                        assert all(after.level(near) * sign >= 0 for near in lost)
            state.apply_action(chance.choice(state.legal_actions()))
    assert seen
