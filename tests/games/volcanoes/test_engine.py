"""The greedy opponent's kernels against what their descriptions say, slowly."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from lapilli.games.volcanoes import GAME, rules
from lapilli.games.volcanoes.board import GROWTH, HEMISPHERE, NEIGHBOURS, TILES
from lapilli.games.volcanoes.engine import greedy as engine
from lapilli.games.volcanoes.state import VolcanoesState
from lapilli.kernels.kernel import new_random


def position(seed: int, symbols: str, turn: int) -> VolcanoesState:
    text = "".join(Random(seed).choices(symbols, k=TILES))
    return GAME.from_position(f"{text} {turn}")  # type: ignore[return-value]


def lacking(levels: list[int], sign: int) -> int:
    """How many empty tiles the cheapest chain from any tile to its antipode has; 40 where there is none."""

    def cost(start: int) -> float:
        costs, before = [float("inf")] * TILES, None
        costs[start] = prices[start]
        while costs != before:  # every tile asks its neighbours, until nobody hears anything new
            before = list(costs)
            for tile, (a, b, c) in enumerate(NEIGHBOURS):
                costs[tile] = min(costs[tile], min(costs[a], costs[b], costs[c]) + prices[tile])
        return costs[start + HEMISPHERE]

    prices = [1 if level == 0 else 0 if level * sign > 0 else float("inf") for level in levels]
    return int(min(40, *(cost(start) for start in range(HEMISPHERE))))


def standing(state: VolcanoesState, player: int) -> int:
    """What `evaluate` describes."""
    result = int(state.record["result"])
    if result in (rules.DRAW, rules.TURN_LIMIT):
        return 0
    if result != rules.RUNNING:
        return 1_000_000 if rules.winner(state.record) == player else -1_000_000
    levels = state.levels()
    heights = sum(level + 2 * (level == 3) - 2 * (level == -3) for level in levels)
    value = 40 * (lacking(levels, -1) - lacking(levels, 1)) + heights
    return value if player == 0 else -value


POSITIONS = [
    pytest.param(seed, symbols, turn, id=f"{symbols} {seed}")
    for symbols, turn in (
        ("..1a", 1),
        (".......1234abcd", 2),
        ("...34cd", 4),
        (".1d4a", 5),
        ("1234abcd.", 200),
        (".", 7),
    )
    for seed in range(3)
]


@pytest.mark.parametrize(("seed", "symbols", "turn"), POSITIONS)
def test_missing_is_the_cheapest_chains_price(seed: int, symbols: str, turn: int) -> None:
    state = position(seed, symbols, turn)
    assert engine.missing(state.record, 0, 0, 0)[0] == lacking(state.levels(), 1)
    assert engine.missing(state.record, 1, 0, 0)[0] == lacking(state.levels(), -1)
    for player in (0, 1):
        assert engine.evaluate(state.record, player) == standing(state, player)


@pytest.mark.parametrize("result", [rules.BLUE_WINS, rules.ORANGE_WINS, rules.DRAW, rules.TURN_LIMIT])
def test_an_end_is_worth_more_than_anything_else(result: int) -> None:
    state = position(1, ".1a", 9)
    state.record["result"] = result
    for player in (0, 1):
        assert engine.evaluate(state.record, player) == standing(state, player)


def best_tiles(state: VolcanoesState) -> set[int]:
    """The tiles after which `evaluate` gives the best position."""
    player = state.current_player()
    values: dict[int, int] = {}
    for tile in state.legal_actions():
        after = state.clone()
        after.apply_action(tile)
        if after.current_player() < 0 and not after.is_terminal():
            after.apply_action(GROWTH)
        values[tile] = engine.evaluate(after.record, player)
    return {tile for tile, value in values.items() if value == max(values.values())}


@pytest.mark.parametrize("turn", [1, 2, 4, 5, 199, 200])
@pytest.mark.parametrize("seed", [1, 2])
def test_greedy_plays_one_of_the_best_tiles(seed: int, turn: int) -> None:
    state = position(seed, ".......123abc", turn)
    best = best_tiles(state)
    chosen: set[Any] = {
        tile for lot in range(40) for tile in GAME.engines["greedy"](state, state.current_player(), Random(lot))
    }
    assert chosen <= best
    assert len(chosen) > min(len(best) - 1, 3), "ties are broken by lot"


@pytest.mark.parametrize("seed", range(6))
def test_greedy_plays_one_of_the_best_tiles_throughout_a_match(seed: int) -> None:
    """As a match goes on, all ways occur in which the lengths of the shortest chains change."""
    state, rng = GAME.new_initial_state(seed=seed), Random(seed)
    while not state.is_terminal():
        player = state.current_player()
        tile = GROWTH if player < 0 else GAME.engines["greedy"](state.clone(), player, rng)[0]
        assert player < 0 or tile in best_tiles(state)  # type: ignore[arg-type]
        state.apply_action(tile if rng.random() < 0.6 else rng.choice(state.legal_actions()))


def test_ties_are_broken_evenly() -> None:
    state = GAME.new_initial_state()
    scratch, tiles = np.zeros(1, rules.VOLCANOES), np.empty(rules.MAX_LEGAL, np.int64)
    rng = new_random(1)
    drawn = [engine.best_tile(state.record, 0, scratch, tiles, engine.new_layers(), rng) for _ in range(16 * TILES)]
    assert all(3 < drawn.count(tile) < 40 for tile in range(TILES))
