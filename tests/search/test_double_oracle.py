"""The search over plans, on every game that has a search of this method."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from lapilli.core.api import Game, State
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.search.search_result import SearchResult
from lapilli.games import load, names
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher
from plain import printed_either_way

SEARCHES = [
    (name, search) for name in names() for search, kept in load(name).searches.items() if kept.method == "double_oracle"
]
STRONGEST = list({name: (name, search) for name, search in SEARCHES}.values())
each_search = pytest.mark.parametrize(("name", "search"), SEARCHES)
each_game = pytest.mark.parametrize(("name", "search"), STRONGEST)


def search_result(
    state: State, search: str, budget: Budget, player: int = 0, seed: int = 5, **settings: float
) -> SearchResult:
    """What a new search comes to."""
    searcher = new_searcher(state.game, state.game.searches[search], settings)
    return searcher.search(state.clone(), player, budget, seed)


def positions(game: Game, number: int) -> list[State]:
    """Positions of matches between quick searches in which both players are asked, in all leagues."""
    random = Random(3)
    found: list[State] = []
    search = next(search for name, search in STRONGEST if name == game.name)
    while len(found) < number:
        state = game.new_initial_state(seed=len(found), league=random.choice(game.leagues or (None,)))
        for _ in range(random.randrange(25)):
            if len(state.asked()) == 2:
                seed = random.randrange(1 << 30)
                play(state, [search_result(state, search, Budget(nodes=30), player, seed).turn for player in (0, 1)])
        if len(state.asked()) == 2:
            found.append(state)
    return found


def play(state: State, turns: list[tuple[int, ...]]) -> None:
    """Both players' turns, one joint action after the other."""
    for k in range(max(map(len, turns))):
        state.apply_actions([turn[k] if k < len(turn) else 0 for turn in turns])


@each_search
@pytest.mark.parametrize("player", [0, 1])
def test_turns_are_legal_and_lines_go_on_legally(name: str, search: str, player: int) -> None:
    for state in positions(load(name), 5):
        found = search_result(state, search, Budget(nodes=20_000 if search == STRONGEST[-1][1] else 500), player)
        assert (found.turn, found.value) == (found.lines[0].turn, found.lines[0].value)
        assert all(0 <= line.value <= 1 for line in found.lines)
        assert all(one.value >= other.value for one, other in pairwise(found.lines))
        for line in found.lines:
            after, turns = state.clone(), [(player, line.turn), *line.follow]
            assert len(turns) % 2 == 0
            for one, other in zip(turns[::2], turns[1::2], strict=True):
                turn = after.turn
                assert {one[0], other[0]} == {0, 1}
                play(after, [actions for _, actions in sorted((one, other))])
                assert after.is_terminal() or after.turn == turn + 1


@each_search
def test_the_same_nodes_and_seed_give_the_same_thought(name: str, search: str) -> None:
    for state in positions(load(name), 3):
        one, other = (replace(search_result(state, search, Budget(nodes=600)), ms=0) for _ in range(2))
        assert one == other


@each_game
def test_nothing_is_kept_from_turn_to_turn(name: str, search: str) -> None:
    """So that a turn can be looked at again by itself."""
    game = load(name)
    used = new_searcher(game, game.searches[search], {})
    for state in positions(game, 4):
        again = used.search(state.clone(), 1, Budget(nodes=700), 2)
        assert replace(again, ms=0) == replace(search_result(state, search, Budget(nodes=700), 1, 2), ms=0)


@each_game
@pytest.mark.parametrize("nodes", [1, 2, 30, 1000])
def test_it_keeps_to_its_nodes(name: str, search: str, nodes: int) -> None:
    """What is compared at the end of a round comes on top: at most every plan against every other."""
    for state in positions(load(name), 3):
        assert search_result(state, search, Budget(nodes=nodes)).nodes <= nodes + 64


@each_game
def test_it_stops_in_time(name: str, search: str) -> None:
    state = positions(load(name), 1)[0]
    search_result(state, search, Budget(nodes=20_000))  # compiles
    assert min(search_result(state, search, Budget(ms=20)).ms for _ in range(5)) < 22


@each_game
def test_longer_plans(name: str, search: str) -> None:
    for state in positions(load(name), 3):
        found = search_result(state, search, Budget(nodes=2000), turns=3)
        play(state, [found.turn, (0,)])


@each_game
def test_blunders_are_quick_and_legal(name: str, search: str) -> None:
    for state in positions(load(name), 5):
        found = search_result(state, search, Budget(nodes=10_000), blunder=1)
        assert found.nodes < 100
        play(state, [found.turn, (0,)])


@each_game
@pytest.mark.parametrize("settings", [{"turns": 0}, {"turns": 1.5}, {"rounds": 99}, {"share": 2}, {"early": -1}])
def test_settings_out_of_range(name: str, search: str, settings: dict[str, float]) -> None:
    game = load(name)
    with pytest.raises(LapilliError, match=next(iter(settings))):
        new_searcher(game, game.searches[search], settings)


def test_settings_that_are_none() -> None:
    game = load(STRONGEST[-1][0])
    with pytest.raises(UnknownName, match="depth"):
        new_searcher(game, game.searches[STRONGEST[-1][1]], {"depth": 3})


def test_the_same_without_the_compiler() -> None:
    name, search = STRONGEST[-1]
    assert printed_either_way(
        "from lapilli.games import load\n"
        "from lapilli.search.budget import Budget\n"
        "from lapilli.search.searcher import new_searcher\n"
        f"game = load({name!r})\n"
        "state = game.new_initial_state(seed=4)\n"
        f"found = new_searcher(game, game.searches[{search!r}], {{}}).search(state, 0, Budget(nodes=150), 1)\n"
        "print(found.turn, found.value, found.lines)"
    )


@each_game
@pytest.mark.parametrize("share", [0, 1])
def test_one_player_can_get_all_the_time(name: str, search: str, share: float) -> None:
    """The other player keeps the plan that it began with: no plan without a climb is added."""
    game = load(name)
    searcher = new_searcher(game, game.searches[search], {"share": share, "rounds": 4})
    state = positions(game, 1)[0]
    result = searcher.search(state.clone(), 0, Budget(nodes=400), 5)
    assert result.turn
    improved, kept = (1, 0) if share else (0, 1)
    counts = searcher._arrays.counts.tolist()  # type: ignore[attr-defined]
    assert counts[improved] > counts[kept] >= 1
