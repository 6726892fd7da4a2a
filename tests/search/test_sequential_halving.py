"""Monte Carlo evaluation, on every game that has a search of this method."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from lapilli.core.api import Game, State
from lapilli.core.search.search_result import SearchResult
from lapilli.games import load, names
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher
from plain import printed_either_way

SEARCHES = [
    (name, search)
    for name in names()
    for search, kept in load(name).searches.items()
    if kept.method == "sequential_halving"
]
each_search = pytest.mark.parametrize(("name", "search"), SEARCHES)


def search_result(state: State, search: str, budget: Budget, seed: int = 5, **settings: float) -> SearchResult:
    """What a new search comes to for whoever is to move."""
    searcher = new_searcher(state.game, state.game.searches[search], settings)
    return searcher.search(state.clone(), state.current_player(), budget, seed)


def positions(game: Game, number: int) -> list[State]:
    """Positions of random matches in which a player's turn begins, in all variants and numbers of players."""
    random = Random(3)
    found: list[State] = []
    while len(found) < number:
        state = game.new_initial_state(seed=len(found), variant=random.choice(game.variants or (None,)))
        for _ in range(random.randrange(game.max_game_length // 2)):
            turn = state.turn
            while not state.is_terminal() and state.turn == turn:
                state.apply_action(random.choice(state.legal_actions()))
        if not state.is_terminal():
            found.append(state)
    return found


@each_search
def test_turns_are_legal_and_lines_go_on_legally(name: str, search: str) -> None:
    for state in positions(load(name), 12):
        found = search_result(state, search, Budget(nodes=60))
        assert found.turn == found.lines[0].turn
        assert found.value == found.lines[0].value
        assert all(0 <= line.value <= 1 for line in found.lines)
        assert all(one.value >= other.value for one, other in pairwise(found.lines))
        assert found.nodes <= 60
        for line in found.lines:
            after, turn = state.clone(), state.turn
            for action in line.turn:
                after.apply_action(action)
            assert after.is_terminal() or after.turn == turn + 1
            for player, actions in line.follow:
                assert after.current_player() == player
                for action in actions:
                    after.apply_action(action)


@each_search
def test_the_same_nodes_and_seed_give_the_same_thought(name: str, search: str) -> None:
    for state in positions(load(name), 3):
        one, other = (replace(search_result(state, search, Budget(nodes=200)), ms=0) for _ in range(2))
        assert one == other


@each_search
def test_what_is_hidden_does_not_matter(name: str, search: str) -> None:
    for state in positions(load(name), 6):
        one, other = (replace(search_result(state.determinised(n), search, Budget(nodes=200)), ms=0) for n in (1, 2))
        assert one == other


@each_search
def test_a_beginners_turn_is_legal_and_the_same_again(name: str, search: str) -> None:
    for state in positions(load(name), 8):
        one, other = (replace(search_result(state, search, Budget(nodes=9), blunder=1, sees=3), ms=0) for _ in range(2))
        assert one == other
        assert len({line.turn for line in one.lines}) == len(one.lines)
        assert one.turn == one.lines[0].turn
        turn = state.turn
        for action in one.turn:
            state.apply_action(action)
        assert state.is_terminal() or state.turn == turn + 1


@each_search
def test_one_that_sees_more_scores_more(name: str, search: str) -> None:
    """Played by beginners alone, who compare a few turns, and many."""
    points = []
    for sees in (1, 30):
        random, total = Random(8), 0
        for seed in range(8):
            state = load(name).new_initial_state(seed=seed)
            while not state.is_terminal():
                found = search_result(state, search, Budget(nodes=1), random.getrandbits(60), blunder=1, sees=sees)
                for action in found.turn:
                    state.apply_action(action)
            total += sum(state.scores())
        points.append(total)
    assert points[1] > 1.1 * points[0]


@each_search
def test_it_stops_in_time(name: str, search: str) -> None:
    state = positions(load(name), 1)[0]
    search_result(state, search, Budget(nodes=10))  # compiles
    assert min(search_result(state, search, Budget(ms=20)).ms for _ in range(5)) < 22


def test_the_same_without_the_compiler() -> None:
    name, search = SEARCHES[-1]
    assert printed_either_way(
        "from lapilli.games import load\n"
        "from lapilli.search.budget import Budget\n"
        "from lapilli.search.searcher import new_searcher\n"
        f"game = load({name!r})\n"
        "state = game.new_initial_state(seed=4)\n"
        f"found = new_searcher(game, game.searches[{search!r}], {{}}).search(state, 0, Budget(nodes=4), 1)\n"
        "print(found.turn, found.value, found.lines)"
    )


@each_search
def test_a_search_has_values_however_short_its_time_is(name: str, search: str) -> None:
    """Candidates may be dropped, and the time may be over, before the first sample."""
    for state in positions(load(name), 4):
        searcher = new_searcher(state.game, state.game.searches[search], {"trust": 0, "halving": 1, "candidates": 64})
        for number in range(20):
            found = searcher.search(state.clone(), state.current_player(), Budget(ms=0.02 * 1.3**number), number)
            assert all(0 <= line.value <= 1 for line in found.lines)


@pytest.mark.parametrize("name", sorted({name for name, _ in SEARCHES}))
def test_a_candidate_is_compared_over_all_samples_that_it_has(name: str) -> None:
    """Also if none of its samples has changed its sum: it has lost them all."""
    template = load(name).instantiate_search("lapilli.search.templates.sequential_halving_template")
    values, alive, taken = np.zeros(3), np.array([2, 0, 1]), np.array([4, 2, 4])
    # by candidate: the sum after each of two phases, the total sum, the last sample; candidate 1 was dropped first
    sums = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0], [2.0, 4.0, 4.0, 1.0]])
    template._write_values(values, alive, taken, 3, 2, 0, sums)
    assert values.tolist() == [0.0, 0.0, 1.0]
