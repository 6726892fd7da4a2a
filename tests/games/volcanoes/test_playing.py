"""What Monte Carlo tree search asks of the engine, against what it should be, slowly."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from lapilli.games.volcanoes import GAME, rules
from lapilli.games.volcanoes.board import ALL, GROWTH, NEIGHBOURS, TILES
from lapilli.games.volcanoes.engine import playing
from lapilli.games.volcanoes.state import VolcanoesState
from lapilli.kernels.kernel import new_random


def positions(games: int, start: int = 0) -> Iterator[VolcanoesState]:
    """Every position of random games in which a player is to move."""
    for seed in range(start, start + games):
        state, random = GAME.new_initial_state(), Random(seed)
        while not state.is_terminal():
            if state.current_player() >= 0:
                assert isinstance(state, VolcanoesState)
                yield state
            state.apply_action(random.choice(state.legal_actions()))


def candidates(state: VolcanoesState) -> list[int]:
    out = np.zeros(rules.MAX_LEGAL, np.int64)
    count = playing.candidates(state.record, state.current_player(), out)
    return out[:count].tolist()  # type: ignore[no-any-return]


def test_candidates_are_the_legal_tiles_within_two_steps_of_a_volcano() -> None:
    for state in positions(6):
        near = {tile for tile, level in enumerate(state.levels()) if level}
        for _ in range(2):
            near |= {other for tile in near for other in NEIGHBOURS[tile]}
        assert candidates(state) == [tile for tile in state.legal_actions() if tile in near or not near]


@pytest.mark.parametrize("style", [0, 1])
def test_playouts_choose_candidates(style: int) -> None:
    out, rng = np.zeros(rules.MAX_LEGAL, np.int64), new_random(5)
    for state in positions(10):
        chosen = {playing.choose(state.record, state.current_player(), style, rng, out) for _ in range(20)}
        assert chosen <= set(candidates(state))
        assert style == 1 or len(chosen) > min(3, len(candidates(state)) - 1)


def founds_a_chain(state: VolcanoesState, player: int, tile: int) -> bool:
    """Whether an empty tile is what a chain of the player's lacks."""
    if state.levels()[tile] != 0:
        return False
    words = [int(state.record[f"{('blue', 'orange')[player]}_{half}"]) for half in ("north", "south")]
    words[tile // 40] |= 1 << tile % 40
    return bool(rules.has_path(*map(np.uint64, words)))


def test_a_completing_tile_is_found_where_there_is_one() -> None:
    found = 0
    for state in positions(60, start=100):
        player, free = state.current_player(), [ALL & ~state.record[f"blue_{h}"] for h in ("north", "south")]
        free = [word & ~state.record[f"orange_{h}"] for word, h in zip(free, ("north", "south"), strict=True)]
        own = [state.record[f"{('blue', 'orange')[player]}_{half}"] for half in ("north", "south")]
        tile = playing.completing(*own, *free)
        wanted = {tile for tile in range(TILES) if founds_a_chain(state, player, tile)}
        assert tile in wanted or (tile == -1 and not wanted)
        found += bool(wanted)
    assert found > 10


def test_no_end_is_overlooked_where_none_is_said_to_be_possible() -> None:
    ended = calm = 0
    for state in positions(60, start=200):
        may = playing.may_end(state.record, state.current_player())
        ends = any(ends_by(state, tile) for tile in state.legal_actions())
        assert may or not ends
        ended, calm = ended + ends, calm + (not may)
    assert ended > 20
    assert calm > 200


def ends_by(state: VolcanoesState, tile: int) -> bool:
    after = state.clone()
    after.apply_action(tile)
    if after.current_player() < 0 and not after.is_terminal():
        after.apply_action(GROWTH)
    return after.is_terminal()


def test_the_shortest_chain_is_as_long_as_is_said() -> None:
    for start in range(TILES):
        reached, steps = {start}, 0
        while (start + 40) % TILES not in reached:
            reached |= {near for tile in reached for near in NEIGHBOURS[tile]}
            steps += 1
        assert steps + 1 == playing.SHORTEST
