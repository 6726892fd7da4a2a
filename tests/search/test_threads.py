"""Searches with several threads: what they find, that they stop together, and that no thread survives its search."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from hashlib import sha256
from random import Random
from typing import Any

import numpy as np
import pytest

from lapilli.core.api import CHANCE, State
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.match.analyser import Analyser
from lapilli.match.match import play_match
from lapilli.players.engines.searches import find_search, with_threads
from lapilli.search.budget import Budget
from lapilli.search.families import children_of, first_child
from lapilli.search.kernels.transposition_table import is_known, store_result
from lapilli.search.searcher import new_searcher
from lapilli.search.threads import MOST, free_threads, run_in_threads
from search.positions import after

VOLCANOES, PYRAMIDS, TICTACTOE = map(load, ("volcanoes", "pyramids", "tictactoe"))


@pytest.fixture(autouse=True)
def no_thread_survives() -> Iterator[None]:
    before = threading.active_count()
    yield
    assert threading.active_count() == before


def searcher(game: Any, **settings: float) -> Any:
    return new_searcher(game, list(game.searches.values())[-1], {"keep": 0, **settings})


def found(search: Any, state: State, budget: Budget, seed: int = 1) -> Any:
    return search.search(state.clone(), state.current_player(), budget, seed)


def test_one_thread_finds_by_nodes_what_it_found_before_there_were_several() -> None:
    state, digest = VOLCANOES.new_initial_state(seed=1), sha256()
    search = new_searcher(VOLCANOES, VOLCANOES.searches["uct"], {})
    while not state.is_terminal():
        if state.current_player() == CHANCE:
            state.apply_action(state.legal_actions()[0])
            continue
        result = found(search, state, Budget(nodes=300), state.turn)
        digest.update(repr([(line.turn, line.nodes, line.follow) for line in result.lines]).encode())
        for action in result.turn:
            state.apply_action(action)
    assert digest.hexdigest()[:16] == "3e9d182764698ca8"


@pytest.mark.parametrize("seed", range(6))
def test_threads_build_one_sound_tree(seed: int) -> None:
    state = VOLCANOES.from_position(VOLCANOES.openings()[seed])
    search = searcher(VOLCANOES, threads=3)
    result = found(search, state, Budget(nodes=3000), seed)
    (tree, counts), *others = ((each.tree, each.counts) for each in search._workspaces)
    assert all(other is tree for other, _ in others)
    assert result.nodes == 3000 or result.proven
    assert result.nodes - 30 <= tree[0]["visits"] <= result.nodes  # two threads may count one visit
    assert not counts[search._template.LOCKS :].any()
    queue, seen = [(0, state)], 0
    while queue:
        index, position = queue.pop()
        children = children_of(tree, index)
        seen += len(children)
        assert len(set(children["action"].tolist())) == len(children)
        assert set(children["action"].tolist()) <= set(position.legal_actions())
        for number, child in enumerate(children):
            if child["family"]:
                queue.append((first_child(tree[index]["family"]) + number, after(position, int(child["action"]))))
    assert 3000 // 20 < seen < counts[search._template.USED]


def test_threads_prove_only_what_is_so() -> None:
    for seed in range(20):
        state = TICTACTOE.new_initial_state()
        for action in Random(seed).sample(range(9), 4):
            state.apply_action(action)
        if not state.is_terminal():
            one, three = (
                found(searcher(TICTACTOE, threads=threads), state, Budget(nodes=20_000)) for threads in (1, 3)
            )
            assert one.proven
            assert three.proven
            assert three.value == one.value


def test_fewer_nodes_than_threads_are_enough() -> None:
    state = VOLCANOES.new_initial_state(seed=1)
    assert found(searcher(VOLCANOES, threads=4), state, Budget(nodes=2)).nodes == 2


@pytest.mark.parametrize("game", [VOLCANOES, PYRAMIDS], ids=["mcts", "alphabeta"])
def test_a_time_limit_holds_for_all_threads(game: Any) -> None:
    """The best of three: the first may compile kernels, and the machine may have other things to do."""
    state, search = game.new_initial_state(seed=1), searcher(game, threads=2)
    results = [found(search, state, Budget(ms=50), seed) for seed in range(3)]
    assert min(result.ms for result in results) < 200
    assert max(result.nodes for result in results) > 50


def test_a_proof_in_one_thread_ends_all() -> None:
    state = TICTACTOE.new_initial_state()
    for action in (0, 3, 1, 4):
        state.apply_action(action)
    result = found(searcher(TICTACTOE, threads=3), state, Budget(ms=20_000))
    assert (result.turn, result.value, result.proven) == ((2,), 1.0, True)
    assert result.ms < 10_000


def test_alpha_beta_spends_its_nodes_in_all_threads() -> None:
    state = PYRAMIDS.new_initial_state(seed=1)
    one, two = (found(searcher(PYRAMIDS, threads=threads), state, Budget(nodes=20_000)) for threads in (1, 2))
    assert 10_000 < two.nodes < 21_000
    assert abs(two.value - one.value) < 0.2
    assert len(two.lines) == len(one.lines)


def test_an_entry_with_fields_of_two_nodes_is_not_believed() -> None:
    search = searcher(PYRAMIDS)
    table, salt = search._table, 12345
    nodes, frames = search._nodes, search._arrays.frames
    nodes[0]["key"], nodes[1]["key"] = 77, 77 + len(table)  # two nodes with one place in the table
    kept = []
    for place, (move, value, depth) in enumerate(((5, -40, 2), (9, 300, -3))):
        f = frames[place]
        f["move"], f["best"], f["depth"], f["floor"], f["beta"] = move, value, depth, -1000, 1000
        store_result(nodes[place], f, table, salt)
        kept.append(table[77].copy())
        f["move"], f["best"], f["alpha"] = -1, 0, -1000
        assert is_known(nodes[place], f, table, salt)
        assert (f["move"], f["hint"], f["best"]) == (move, move, value)
    for field in ("check", "move", "result"):
        table[77] = kept[0]
        table[77][field] = kept[1][field]
        assert not any(is_known(nodes[place], frames[place], table, salt) for place in (0, 1))


@pytest.mark.parametrize("game", [VOLCANOES, PYRAMIDS], ids=["mcts", "alphabeta"])
def test_numbers_of_threads(game: Any) -> None:
    for wrong in (0, 1.5, MOST + 1):
        with pytest.raises(LapilliError, match=f"threads must be a whole number from 1 to {MOST}"):
            searcher(game, threads=wrong)
    with pytest.raises(LapilliError, match="omit threads="):
        searcher(game, threads=2).turn_kernel(game.new_initial_state(seed=1))
    assert free_threads(1000) == 1
    assert 1 <= free_threads(0) <= (os.cpu_count() or 1)


def test_an_analysis_takes_threads_where_the_method_can() -> None:
    for game, name, expected in (
        (VOLCANOES, "best", 3),
        (VOLCANOES, "best:threads=2", 2),
        (load("tryangle"), "best", None),
    ):
        named = find_search(game, name)
        assert named is not None
        assert with_threads(game, named.search, 3).settings.get("threads") == expected
    record = play_match(VOLCANOES, ["random", "random"], seed=1)
    analyser = Analyser(record, "uct", Budget(nodes=20), threads=2)
    next(analyser.analyse())
    (search,) = analyser._searchers.values()
    assert search.settings["threads"] == 2


def test_an_interrupted_search_stops_its_threads() -> None:
    stopped, ended = threading.Event(), []

    def interrupted() -> None:
        raise KeyboardInterrupt

    def helper() -> None:
        ended.append(stopped.wait(30))

    with pytest.raises(KeyboardInterrupt):
        run_in_threads([interrupted, helper, helper], stopped.set)
    assert ended == [True, True]


def test_an_error_in_a_thread_is_raised() -> None:
    stopped = threading.Event()

    def failing() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run_in_threads([lambda: assert_(stopped.wait(30)), failing], stopped.set)


def assert_(value: bool) -> None:
    assert value


def test_the_root_of_each_thread_has_its_share() -> None:
    state, search = PYRAMIDS.new_initial_state(seed=1), searcher(PYRAMIDS, threads=3)
    found(search, state, Budget(nodes=3000))
    assert all(np.array_equal(nodes[0], search._nodes[0]) for nodes in search._helpers_nodes)
