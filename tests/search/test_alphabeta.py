"""Alpha-beta on turns: what it finds is what looking at everything would find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lapilli.core.api import State
from lapilli.core.content.levels import Search
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.search.search_result import SearchResult
from lapilli.games import load
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher
from plain import printed_either_way

GAME = load("pyramids")
SMALL = "RS/-/-/BM*/-/GSRM/-/-/-/BS/-/-/YLPS/-/-*/-/GM/-/-/RL/-/-/-/PMYS/- YSGMRL YLBMRS 0 -"
"""A position with few turns."""


def searcher(**settings: float) -> Any:
    return new_searcher(GAME, GAME.searches["alphabeta"], settings)


def searched(state: State, **settings: float) -> SearchResult:
    result: SearchResult = searcher(**settings).search(state.clone(), state.current_player(), Budget(nodes=20_000), 1)
    return result


def exhaustive(engine: Any, node: Any, weights: Any, depth: int, quiescence: int) -> int:
    """The value of a node by looking at every turn."""
    if node[0]["over"]:
        return int(engine.value(node[0], weights))
    best: int = -engine.WIN
    if depth <= 0:
        best = int(engine.value(node[0], weights))
        if depth <= -quiescence:
            return best
    moves, gains = np.zeros((2, engine.MAX_TURNS), np.int64)
    count = engine.turns(node[0], depth <= 0, moves, gains, np.zeros(engine.SCRATCH, np.int64))
    for move in moves[:count].tolist():
        child = node.copy()
        engine.advance(child[0], move)
        best = max(best, -exhaustive(engine, child, weights, depth - 1, quiescence))
    return best


@pytest.mark.parametrize("table", [0, 1])
@pytest.mark.parametrize(("depth", "quiescence"), [(1, 2), (2, 1), (3, 0)])
def test_it_finds_the_value_that_looking_at_everything_finds(depth: int, quiescence: int, table: int) -> None:
    search = searcher(reductions=0, table=table, quiescence=quiescence)
    engine, known = search._engine, search._turns
    known.begin(GAME.from_position(SMALL).array, 10_000, 0)
    search._nodes[0] = known.node[0]
    search._limit(Budget(nodes=10**9), 0, 1.0)
    seen = np.array([known.moves, *np.zeros((2, len(known.moves)), np.int64)])
    assert search._template.iterate(search._nodes, search._arrays, seen, depth, len(known.moves)) == len(known.moves)
    for move, value, _ in seen.T.tolist():
        child = known.node.copy()
        engine.advance(child[0], move)
        assert value == -exhaustive(engine, child, known.weights, depth - 1, quiescence), move


def test_of_the_best_turn_the_value_is_exact_and_the_others_are_no_better() -> None:
    search = searcher(reductions=0)
    known = search._turns
    known.begin(GAME.from_position(SMALL).array, 10_000, 0)
    search._nodes[0] = known.node[0]
    search._limit(Budget(nodes=10**9), 0, 1.0)
    found = []
    for lines in (1, len(known.moves)):
        seen = np.array([known.moves, *np.zeros((2, len(known.moves)), np.int64)])
        search._template.iterate(search._nodes, search._arrays, seen, 2, lines)
        found.append((seen[1, 0], dict(seen[:2].T.tolist())))
    (best, bounds), (same, exact) = found
    assert best == same
    assert all(exact[move] <= bounds[move] <= best for move in bounds)


@pytest.mark.parametrize("variant", GAME.variants)
def test_turns_are_legal_and_the_same_again(variant: str) -> None:
    state = GAME.new_initial_state(variant=variant, seed=5)
    searchers = [searcher(), searcher()]
    for number in range(3):
        player = state.current_player()
        one, other = (search.search(state.clone(), player, Budget(nodes=3000), number) for search in searchers)
        assert (one.turn, one.value, one.lines, one.nodes) == (other.turn, other.value, other.lines, other.nodes)
        assert one.turn == one.lines[0].turn
        for line in one.lines:
            assert 0 <= line.value <= one.value <= 1
            after = state.clone()
            for who, turn in ((player, line.turn), *line.follow):
                assert after.current_player() == who
                for action in turn:
                    after.apply_action(action)
                assert after.is_terminal() or after.current_player() != who
        for action in one.turn:
            state.apply_action(action)


def test_more_nodes_see_more() -> None:
    """The nodes are a limit, and what is left of it goes into greater depth."""
    state = GAME.new_initial_state(variant="hex-random", seed=9)
    few, many = (searcher().search(state.clone(), 0, Budget(nodes=nodes), 1) for nodes in (2000, 40_000))
    assert few.nodes < 4000
    assert 30_000 < many.nodes < 44_000
    assert len(many.lines[0].follow) >= 1


def test_it_stops_on_time() -> None:
    state = GAME.new_initial_state(variant="hex", seed=8)
    search = searcher()
    search.search(state.clone(), 0, Budget(nodes=3000), 1)
    assert search.search(state.clone(), 0, Budget(ms=40), 1).ms < 80  # with room for a busy machine


def test_a_beginner_sees_a_few_turns_once() -> None:
    state = GAME.new_initial_state(variant="square", seed=1)
    seen = {searcher(blunder=1, sees=2).search(state.clone(), 0, Budget(nodes=5000), seed).turn for seed in range(30)}
    assert len(seen) > 4
    assert len(searcher(blunder=1, sees=2).search(state.clone(), 0, Budget(nodes=5000), 3).lines) == 2


@pytest.mark.parametrize(
    ("setting", "value"), [("quiescence", -1), ("quiescence", 99), ("sees", 0), ("forms", 0), ("tempo", 1e9)]
)
def test_settings_out_of_range(setting: str, value: float) -> None:
    with pytest.raises(LapilliError, match=setting):
        searcher(**{setting: value})


def test_unknown_settings() -> None:
    with pytest.raises(UnknownName, match="quiescence"):
        new_searcher(GAME, Search(method="alphabeta"), {"quiet": 1})


SEARCH = """
from lapilli.games import load
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher
game = load("pyramids")
for variant in ("square-random", "hex"):
    state = game.new_initial_state(variant=variant, seed=4)
    search = new_searcher(game, game.searches["alphabeta"], {"eruptions": 2, "forms": 2})
    result = search.search(state.clone(), 0, Budget(nodes=1500), 7)
    print(result.turn, result.value, result.lines, result.nodes)
"""


def test_without_the_compiler_it_thinks_the_same() -> None:
    assert printed_either_way(SEARCH).count("\n") == 2
