"""Where units usually go: features of houses and ways, how likely it makes each way, and that it helps a search.

`python -m games.tryangle.test_move_prior` writes habits.json anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.tryangle.test_engine import score, start
from games.tryangle.test_fast_state import positions, row_of
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.board import MAX_HOUSES, MOVE
from lapilli.games.tryangle.engine import changes, fast_state, hooks, move_prior
from lapilli.games.tryangle.rules.commands import command_of
from lapilli.kernels.kernel import new_random
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher

KEPT = Path(__file__).with_name("habits.json")
MOST = 1 << 20
WITH_PRIOR = {**hooks.WEIGHTS, "habits": 1.0}


def entered(state: Any) -> tuple[Any, Any]:
    """A scratch whose tables are filled for a position, and the position as searches play it."""
    scratch, s = hooks.new_scratch(WITH_PRIOR), np.zeros(1, fast_state.FAST_STATE)
    hooks.enter(state.record, s[0], scratch, state.table)
    return scratch, s[0]


def table_of(scratch: Any, player: int) -> Any:
    return scratch[-1][player]


def test_features_of_houses() -> None:
    """Triangles 0 1 2 and 3 4 5, joined from 2 to 3; player 0 holds the first but for corner 2."""
    state = start("1,0_2,0_0,0_0,1_0,0_0,2")
    scratch, s = entered(state)
    house_features = np.zeros((move_prior.HOUSE_FEATURES, MAX_HOUSES), np.int64)
    move_prior.write_house_features(scratch[0][0], s, 0, house_features)
    assert house_features[move_prior.MINE, :6].tolist() == [1, 2, 0, 0, 0, 0]
    assert house_features[move_prior.THEIRS, :6].tolist() == [0, 0, 0, 1, 0, 2]
    assert house_features[move_prior.LAST, :6].tolist() == [0, 0, 1, 0, 0, 0]
    assert house_features[move_prior.THREAT, :6].tolist() == [0, 0, 1, 2, 3, 1]
    assert house_features[move_prior.HELP, :6].tolist() == [2, 1, 3, 0, 0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_patterns_are_in_their_places(seed: int) -> None:
    """Each is one of its own kind, so that no two kinds share a weight."""
    scratch, s = hooks.new_scratch(), np.zeros(1, fast_state.FAST_STATE)
    house_features, out = (
        np.zeros((move_prior.HOUSE_FEATURES, MAX_HOUSES), np.int64),
        np.zeros(move_prior.FEATURES, np.int64),
    )
    ends = (*move_prior.STARTS[1:], move_prior.PATTERNS)
    for state, _ in positions(seed, 30):
        hooks.enter(state.record, s[0], scratch, state.table)
        ground = scratch[0][0]
        move_prior.write_house_features(ground, s[0], seed % 2, house_features)
        for h in np.flatnonzero(house_features[move_prior.MINE]).tolist():
            for goal in range(int(ground["houses"])):
                if goal == h or int(ground["paths"][h]) >> goal & 1:
                    move_prior.write_way_features(ground, s[0], seed % 2, house_features, h, goal, out)
                    assert all(low <= k < end for k, low, end in zip(out, move_prior.STARTS, ends, strict=True))


def test_both_players_have_the_same_prior() -> None:
    """On a drawn map house 2k + 1 is the image of 2k."""
    scratch, _ = entered(GAME.new_initial_state(seed=3))
    mine, theirs = table_of(scratch, 0), table_of(scratch, 1)
    image = np.arange(MAX_HOUSES) ^ 1
    assert mine.any()
    assert mine[move_prior.UNCERTAIN].tolist() == theirs[move_prior.UNCERTAIN, image].tolist()
    assert mine[move_prior.WAYS :].tolist() == theirs[move_prior.WAYS :][np.ix_(image, image)].tolist()


def test_a_table_says_nothing_of_positions_before() -> None:
    state: Any = GAME.new_initial_state(seed=3)
    fresh, _ = entered(state)
    used, _ = entered(next(before for before, _ in positions(4, 30) if before.turn == 20))
    hooks.enter(state.record, np.zeros(1, fast_state.FAST_STATE)[0], used, state.table)
    for player in (0, 1):
        assert table_of(used, player).tolist() == table_of(fresh, player).tolist()


def test_only_ways_there_are() -> None:
    """To neighbours and to itself, whatever else is likely."""
    scratch, _ = entered(start("1,0_1,0_0,0_1,0_0,0_0,2"))
    ways = table_of(scratch, 0)[move_prior.WAYS + 3]
    assert np.flatnonzero(ways).tolist() == [2, 3, 4, 5]


def test_it_predicts_what_searches_choose() -> None:
    """Far better than if all ways were alike, in a match that nothing was learned from."""
    state: Any = GAME.new_initial_state(seed=5)
    searcher = new_searcher(GAME, GAME.searches["plans"], {})
    predicted, uniform = [], []
    for turn in range(12):
        scratch, s = entered(state)
        lines = {}
        for player in (0, 1):
            chosen = searcher.search(state.clone(), player, Budget(nodes=1000), turn).turn
            commands = [command_of(state.record, player, action) for action in chosen if action]
            goals = {order >> 10 & 63: order >> 16 & 63 for order in commands if order & 7 == MOVE}
            for h in np.flatnonzero(s["units"][player]).tolist():
                ways = table_of(scratch, player)[move_prior.WAYS + h]
                predicted.append(np.log(ways[goals.get(h, h)] / ways.sum()))
                uniform.append(-np.log(np.count_nonzero(ways)))
            lines[player] = GAME.protocol.format_reply(state, player, chosen)
        GAME.protocol.play_turn(state, lines)
    assert len(predicted) > 100
    assert np.mean(predicted) > np.mean(uniform) + 0.15


def test_draws_are_in_proportion() -> None:
    rng, amounts = new_random(1), np.array([5, 0, 1, 9, 4], np.int64)
    houses = np.uint64(0b11101)
    drawn = np.bincount([move_prior.draw(amounts, houses, rng) for _ in range(10_000)], minlength=5)
    assert np.abs(drawn / 10_000 - amounts / 19).max() < 0.02


@pytest.mark.parametrize("seed", range(3))
def test_changes_change_something(seed: int) -> None:
    """Nearly always: where nothing was found in several tries, a row may stay as it was."""
    rng, same, number = new_random(seed), 0, 0
    for state, chosen in positions(seed, 20):
        scratch, s = entered(state)
        for _ in range(20 * int(s["units"][0].any())):
            row = row_of(chosen[0])
            changes.likely_change(scratch[0][0], s, 0, rng, row, table_of(scratch, 0))
            same += commands(row) == sorted(chosen[0])
            number += 1
    assert number > 100
    assert same < 0.1 * number


def commands(row: Any) -> list[int]:
    spends, moves = row[fast_state.SPENDS :][: row[0]], row[fast_state.MOVES :][: row[1]]
    return sorted([*spends.tolist(), *moves.tolist()])


def test_the_weights_that_come_with_the_game() -> None:
    weights = move_prior.read_weights()
    assert weights.shape == (move_prior.PATTERNS,)
    assert np.isfinite(weights).all()
    file = Path(move_prior.__file__).parents[1] / "content" / move_prior.FILE
    assert file.stat().st_size < MOST
    assert f"{move_prior.PATTERNS:,} weights" in file.with_suffix(".md").read_text(encoding="utf-8")


def told(state: Any) -> dict[str, list[int]]:
    """What the weights say of a position, for player 0: how uncertain houses are, and the ways from some of them."""
    scratch, s = entered(state)
    table, some = table_of(scratch, 0), np.flatnonzero(s["units"][0])[:4].tolist()
    return {"uncertain": table[move_prior.UNCERTAIN].tolist()} | {
        str(h): table[move_prior.WAYS + h].tolist() for h in some
    }


def test_what_the_weights_say_is_kept_to_the_last_bit() -> None:
    kept = json.loads(KEPT.read_text())
    assert len(kept) == 3
    for row in kept:
        assert told(GAME.from_position(row["position"])) == row["told"]


def test_what_is_learned_wins() -> None:
    """At equal nodes against the search that it was learned from."""
    assert score("learned", "plans", 10) > 0.5


if __name__ == "__main__":
    some = [state for state, _ in positions(7, 30) if state.turn in (5, 15, 25)]
    rows = [json.dumps({"position": state.position(), "told": told(state)}) for state in some]
    KEPT.write_text("[" + ",\n".join(rows) + "]\n")
