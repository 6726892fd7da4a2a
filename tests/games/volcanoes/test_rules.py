"""Corners of the rules that random games rarely visit, and what an observation says."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from lapilli.core.api import CHANCE, TERMINAL
from lapilli.games.volcanoes import GAME, rules
from lapilli.games.volcanoes.board import GROWTH, HEMISPHERE, MAX_TURNS, TILES

NORTH, SOUTH = range(HEMISPHERE), range(HEMISPHERE, TILES)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("tile", [0, 17, 39, 40, 61, 79])
@pytest.mark.parametrize("what", ["empty", "own"])
def test_a_single_playable_tile_is_a_move(player: int, tile: int, what: str) -> None:
    """All other tiles are asleep, or the opponent's."""
    own, other = ("1d", "a4")[player]
    board = [other] * TILES
    board[tile] = "." if what == "empty" else own
    state = GAME.from_position(f"{''.join(board)} {player + 1}")
    assert state.current_player() == player
    assert state.legal_actions() == [tile]
    board[tile] = "4" if player == 0 else "d"
    assert GAME.from_position(f"{''.join(board)} {player + 1}").current_player() == TERMINAL


@pytest.mark.parametrize("player", [0, 1])
def test_moves_in_one_hemisphere_are_enough(player: int) -> None:
    other = "d4"[player]
    for free, text in ((NORTH, "." * HEMISPHERE + other * HEMISPHERE), (SOUTH, other * HEMISPHERE + "." * HEMISPHERE)):
        state = GAME.from_position(f"{text} {player + 1}")
        assert state.current_player() == player
        assert state.legal_actions() == list(free)


def seen(levels: list[int], turn: int, player: int) -> dict[str, Any]:
    """What an observation is to say, taken from its description."""
    own = [level if player == 0 else -level for level in levels]
    heights = [[int(level == height) for level in own] for height in (1, 2, 3, 4, -1, -2, -3, -4)]
    # Own, other's, growth, other's, own, growth: orange's own round begins with the fourth turn.
    place = (turn - 1 + (0 if player == 0 else 3)) % 6
    return {
        "tiles": heights,
        "turn": [int(number == place) for number in range(6)],
        "turns left": [min(len(range(turn, MAX_TURNS + 1)), 127)],
    }


@pytest.mark.parametrize("turn", [*range(1, 14), 73, 74, 75, MAX_TURNS - 1, MAX_TURNS])
def test_an_observation_says_what_its_description_says(turn: int) -> None:
    levels = np.array(Random(turn).choices(range(-4, 5), k=TILES)).tolist()
    state = GAME.from_position("".join("dcba.1234"[level + 4] for level in levels) + f" {turn}")
    for player in (0, 1):
        parts = GAME.observation.split(state.observation(player))
        assert {name: part.tolist() for name, part in parts.items()} == seen(levels, turn, player)
        turn_of_the_round = parts["turn"].tolist().index(1)
        current_player = (player, 1 - player, CHANCE, 1 - player, player, CHANCE)[turn_of_the_round]
        assert current_player == state.current_player()


def test_who_is_asked_is_told_of_the_first_of_an_array() -> None:
    batch = np.zeros(8, rules.VOLCANOES)
    batch["turn"] = range(1, 9)
    assert [rules.asked(batch[place:]) for place in range(8)] == [0, 1, -1, 1, 0, -1, 0, 1]
    batch["result"][0] = rules.DRAW
    assert rules.asked(batch) == -1


@pytest.mark.parametrize("symbol", "14ad")
@pytest.mark.parametrize("turn", [3, 6, 9, 12])
def test_growth_comes_though_nobody_could_move(symbol: str, turn: int) -> None:
    state = GAME.from_position(f"{symbol * TILES} {turn}")
    assert state.current_player() == CHANCE
    assert state.legal_actions() == [GROWTH]
