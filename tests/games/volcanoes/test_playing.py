"""What Monte Carlo tree search asks of the engine, against what it should be, slowly."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from lapilli.games.volcanoes import GAME, rules
from lapilli.games.volcanoes.board import ALL, GROWTH, NEIGHBOURS, SHORTEST, TILES
from lapilli.games.volcanoes.engine import hooks, playouts
from lapilli.games.volcanoes.state import VolcanoesState
from lapilli.kernels.kernel import Rng, new_random, random_below


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
    count = hooks.candidates(state.record, state.current_player(), out)
    return out[:count].tolist()  # type: ignore[no-any-return]


def test_candidates_are_the_legal_tiles_within_two_steps_of_a_volcano() -> None:
    for state in positions(6):
        near = {tile for tile, level in enumerate(state.levels()) if level}
        for _ in range(2):
            near |= {other for tile in near for other in NEIGHBOURS[tile]}
        assert candidates(state) == [tile for tile in state.legal_actions() if tile in near or not near]


@pytest.mark.parametrize("style", [0, 1])
def test_a_playout_plays_what_the_rules_would(style: int) -> None:
    out, ends = np.zeros(2 * rules.MAX_LEGAL, np.int64), set()
    for stamp, state in enumerate(positions(12), start=1):
        played, literal, batch = np.zeros((2, TILES + 1), np.int64), state.clone(), state.array.copy()
        rng, own_rng = new_random(stamp), new_random(stamp)
        moves = played_literally(literal, style, own_rng)
        playouts.play_out(batch[0], state.current_player(), style, rng, played, stamp, out)
        assert batch[0] == literal.array[0]
        assert rng == own_rng
        assert {(player, tile) for player, tile in np.argwhere(played == stamp).tolist()} == moves
        ends.add(int(batch[0]["result"]))
    assert {rules.BLUE_WINS, rules.ORANGE_WINS} <= ends


def played_literally(state: VolcanoesState, style: int, rng: Rng) -> set[tuple[int, int]]:
    """Plays a playout step by step. Returns the tiles that were played, each with its player."""
    moves = set()
    while not state.is_terminal():
        player = state.current_player()
        if player < 0:
            state.apply_action(GROWTH)
            continue
        last = sorted(tile for tile in range(TILES) if founds_a_chain(state, player, tile)) if style == 1 else []
        known, tile = candidates(state), -1
        while not last and tile not in known:
            tile = int(random_below(rng, TILES))
        moves.add((player, last[0] if last else tile))
        state.apply_action(last[0] if last else tile)
    return moves


def founds_a_chain(state: VolcanoesState, player: int, tile: int) -> bool:
    """Whether an empty tile is what a chain of the player's lacks."""
    if state.levels()[tile] != 0:
        return False
    words = [int(state.record[f"{('blue', 'orange')[player]}_{half}"]) for half in ("north", "south")]
    words[tile // 40] |= 1 << tile % 40
    return bool(rules.has_path(*map(np.uint64, words)))


def test_gaps_are_all_tiles_that_complete_a_chain() -> None:
    found, out = 0, np.zeros(2 * rules.MAX_LEGAL, np.int64)
    for state in positions(60, start=100):
        player, free = state.current_player(), [ALL & ~state.record[f"blue_{h}"] for h in ("north", "south")]
        free = [word & ~state.record[f"orange_{h}"] for word, h in zip(free, ("north", "south"), strict=True)]
        own = [state.record[f"{('blue', 'orange')[player]}_{half}"] for half in ("north", "south")]
        won, north, south = playouts.gaps(own[0], own[1], free[0], free[1], out)
        assert not won
        wanted = {tile for tile in range(TILES) if founds_a_chain(state, player, tile)}
        assert {tile for tile in range(TILES) if int((north, south)[tile // 40]) >> tile % 40 & 1} == wanted
        for tile in wanted:
            with_it = [np.uint64(int(word) | (tile // 40 == half) << tile % 40) for half, word in enumerate(own)]
            assert playouts.gaps(with_it[0], with_it[1], free[0], free[1], out)[0]
        found += bool(wanted)
    assert found > 10


def test_no_end_is_overlooked_where_none_is_said_to_be_possible() -> None:
    ended = calm = 0
    for state in positions(60, start=200):
        may = hooks.may_end(state.record, state.current_player())
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
        assert steps + 1 == SHORTEST
