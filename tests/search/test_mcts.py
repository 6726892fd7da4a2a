"""Monte Carlo tree search: what it finds and proves, that it is the same every time, and keeps its time."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest

from lapilli.core.api import Game, State
from lapilli.core.content.levels import Level, Search
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.search.budget import Budget
from lapilli.search.families import children_of
from lapilli.search.mcts import Mcts
from lapilli.search.searcher import Searcher, new_searcher
from plain import printed_either_way
from search.positions import after

GAMES = [load("volcanoes"), load("tictactoe")]
VOLCANOES = GAMES[0]


def searcher(game: Game, **settings: float) -> Mcts:
    (search, *_) = game.searches.values()
    found = new_searcher(game, search, settings)
    assert isinstance(found, Mcts)
    return found


@cache
def worth(state: State) -> float:
    """What a position is worth to player 0, by looking at everything."""
    if state.is_terminal():
        return state.returns()[0]
    player = state.current_player()
    values = [worth(after(state, action)) for action in state.legal_actions()]
    return max(values) if player == 0 else min(values)


def small(seed: int) -> State:
    """A position so near its end that everything can be looked at: volcanoes on most tiles, few turns left; or some
    turns of tic-tac-toe."""
    random = Random(seed)
    if seed % 2:
        state = load("tictactoe").new_initial_state()
        for _ in range(random.randrange(1, 6)):
            if not state.is_terminal():
                state.apply_action(random.choice(state.legal_actions()))
        return state
    while True:
        board = "".join(random.choices("4d123abc.", (40, 40, 1, 2, 2, 1, 2, 2, 3), k=80))
        state = VOLCANOES.from_position(f"{board} {random.choice((196, 197, 198, 199))}")
        if state.current_player() >= 0 and len(state.legal_actions()) < 10:
            return state


@pytest.mark.parametrize("seed", range(40))
def test_what_is_proven_is_so(seed: int) -> None:
    state = small(seed)
    if state.is_terminal():
        return
    player = state.current_player()
    sign = 1 if player == 0 else -1
    search = searcher(state.game, keep=0)
    for nodes in (1, 5, 20, 100, 20_000):
        result = search.search(state.clone(), player, Budget(nodes=nodes), seed)
        if result.proven:
            assert result.value == 0.5 + 0.5 * sign * worth(state)
            assert worth(after(state, result.turn[0])) == worth(state)
        for node in below_the_root(search):
            assert node["lower"] <= sign * worth(after(state, int(node["action"]))) <= node["upper"]
    assert result.proven
    assert result.nodes < 20_000


@pytest.mark.parametrize("seed", range(10))
def test_what_is_proven_has_that_value_however_promising_it_looked(seed: int) -> None:
    """The start of tic-tac-toe: random play favours who begins, and it is drawn."""
    state = load("tictactoe").new_initial_state()
    result = searcher(state.game).search(state.clone(), 0, Budget(nodes=50_000), seed)
    assert (result.proven, result.value) == (True, 0.5)
    assert worth(after(state, result.turn[0])) == 0


def below_the_root(search: Mcts) -> Any:
    """The nodes of the actions there."""
    return children_of(search._workspaces[0].tree, 0)


def test_small_positions_have_all_results() -> None:
    """Else the test above would say little."""
    states = [state for state in map(small, range(40)) if not state.is_terminal()]
    results = [worth(state) for state in states]
    assert {-1.0, 0.0, 1.0} == set(results)
    assert min(map(results.count, (-1.0, 0.0, 1.0))) > 5


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_it_is_legal_and_the_same_every_time(game: Game) -> None:
    state, searchers = game.new_initial_state(), [searcher(game) for _ in range(2)]
    while not state.is_terminal():
        player = state.current_player()
        one, two = (search.search(state.clone(), player, Budget(nodes=200), state.turn) for search in searchers)
        assert (one.turn, one.value, one.nodes) == (two.turn, two.value, two.nodes)
        assert one.lines == two.lines
        assert one.nodes == 200 or one.proven
        assert one.lines[0].turn == one.turn
        check_lines(state, player, one.lines)
        state = after(state, one.turn[0])


def check_lines(state: State, player: int, lines: Any) -> None:
    """Every turn of every line is that of the player named, and legal."""
    assert len({line.turn for line in lines}) == len(lines)
    for line in lines:
        assert 0 <= line.value <= 1
        now = state
        for who, turn in [(player, line.turn), *line.follow]:
            assert now.current_player() == who
            (action,) = turn
            assert action in now.legal_actions()
            now = after(now, action)


def test_another_seed_is_another_search() -> None:
    state = VOLCANOES.from_position(VOLCANOES.openings()[0])
    values = {
        searcher(VOLCANOES).search(state.clone(), state.current_player(), Budget(nodes=300), seed).value
        for seed in range(6)
    }
    assert len(values) > 3


def test_it_wins_where_a_turn_wins() -> None:
    wins = 0
    for seed in range(60):
        state = before_the_end(seed)
        winning = {action for action in state.legal_actions() if decides(state, action) == 1}
        if winning:
            player = state.current_player()
            result = searcher(VOLCANOES).search(state.clone(), player, Budget(nodes=1), seed)
            assert result.turn[0] in winning
            assert result.proven
            assert result.value == 1
            wins += 1
    assert wins > 20


def test_it_stops_what_would_win_next() -> None:
    stops = 0
    for seed in range(60):
        state = before_the_end(seed, turns=2)
        player = state.current_player()
        safe, lost = set[int](), set[int]()
        for action in state.legal_actions():
            now = after(state, action)
            loses = now.current_player() == 1 - player and any(
                decides(now, reply) == 1 for reply in now.legal_actions()
            )
            (lost if loses or decides(state, action) == -1 else safe).add(action)
        if len(lost) > 5 and safe:
            result = searcher(VOLCANOES).search(state.clone(), player, Budget(nodes=3_000), seed)
            assert result.turn[0] in safe
            stops += 1
    assert stops > 5


def decides(state: State, action: int) -> float:
    """What an action that ends the game brings to who plays it; 0 where it goes on."""
    now = after(state, action)
    return now.returns()[state.current_player()] if now.is_terminal() else 0.0


def before_the_end(seed: int, turns: int = 1) -> State:
    """The position of a random game in which so many turns of players were still to come."""
    states, random = [VOLCANOES.new_initial_state()], Random(seed)
    while not states[-1].is_terminal():
        states.append(after(states[-1], random.choice(states[-1].legal_actions())))
    return states[-1 - turns]


def test_a_tree_is_used_again() -> None:
    visits = {}
    for keep in (0, 1):
        state, search = VOLCANOES.from_position(VOLCANOES.openings()[3]), searcher(VOLCANOES, keep=keep)
        for _ in range(3):
            result = search.search(state.clone(), state.current_player(), Budget(nodes=5_000), 1)
            state = after(state, result.turn[0])
        visits[keep] = int(search._workspaces[0].tree[0]["visits"])
        assert visits[keep] == sum(node["visits"] for node in below_the_root(search)) + keep
    assert visits[0] == 5_000
    assert visits[1] > 5_100


def test_a_full_tree_is_searched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lapilli.search.mcts.NODES", 1_000)
    monkeypatch.setattr("lapilli.search.mcts._KEPT", 300)
    state, search, used = VOLCANOES.from_position(VOLCANOES.openings()[5]), searcher(VOLCANOES), 0
    while not state.is_terminal():
        result = search.search(state.clone(), state.current_player(), Budget(nodes=2_000), 1)
        assert result.nodes == 2_000 or result.proven
        used = max(used, int(search._workspaces[0].counts[0]))
        state = after(state, result.turn[0])
    assert 900 < used <= 1_000


def test_it_stops_on_time() -> None:
    """The best of many, as the machine may have other things to do; `benchmarks/search.py` measures the rest."""
    state, search = VOLCANOES.new_initial_state(), searcher(VOLCANOES)
    search.search(state.clone(), 0, Budget(nodes=1), 1)
    results = [search.search(state.clone(), 0, Budget(ms=3), seed) for seed in range(40)]
    assert min(result.ms for result in results) < 4
    assert max(result.nodes for result in results) > 50


def test_what_is_dropped_of_a_tree_is_looked_for_again() -> None:
    """A position of which the node alone is left, though it is proven, is searched as if it were new."""
    for opening in VOLCANOES.openings()[:20]:
        state, search = VOLCANOES.from_position(opening), searcher(VOLCANOES)
        result = search.search(state.clone(), state.current_player(), Budget(nodes=500), 1)
        for node in below_the_root(search):
            node["family"], node["lower"], node["upper"] = 0, 1, 1
        state = after(state, result.turn[0])
        player = state.current_player()
        result = search.search(state.clone(), player, Budget(nodes=50), 1)
        assert result.nodes > 0
        check_lines(state, player, result.lines)


@pytest.mark.parametrize(("weak", "strong"), [(1, 4), (4, 7), (7, 10)])
def test_levels_three_apart_are_told_apart_in_few_games(weak: int, strong: int) -> None:
    """Levels count nodes, so these are the same games every time."""
    levels, points = VOLCANOES.levels, 0.0
    for number, opening in enumerate(VOLCANOES.openings()[:12]):
        players = [searcher_of(levels[level - 1]) for level in (weak, strong)]
        strong_is = number % 2
        state = VOLCANOES.from_position(opening)
        while not state.is_terminal():
            player = state.current_player()
            level, search = (strong, players[1]) if player == strong_is else (weak, players[0])
            budget = Budget(nodes=levels[level - 1].nodes)
            state = after(state, search.search(state.clone(), player, budget, 100 * number + state.turn).turn[0])
        points += 0.5 + 0.5 * state.returns()[strong_is]
    assert points > 7


def searcher_of(level: Level) -> Searcher:
    known = VOLCANOES.searches[level.search]
    return new_searcher(VOLCANOES, known, {**level.settings, "blunder": level.blunder})


PLAIN = """
from lapilli.games import load
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher
for name in ("volcanoes", "tictactoe"):
    game = load(name)
    state = game.new_initial_state()
    for search in game.searches.values():
        searcher = new_searcher(game, search, {})
        for seed in range(2):
            result = searcher.search(state.clone(), 0, Budget(nodes=12), seed)
            print(name, result.turn, round(result.value, 9), result.nodes, len(result.lines))
"""


def test_it_is_the_same_in_plain_python() -> None:
    assert len(printed_either_way(PLAIN).splitlines()) >= 4


def test_turns_of_many_actions_are_thought_to_their_end() -> None:
    game = load("pyramids")
    for nodes in (1, 30, 1_000):
        state, search = game.new_initial_state(), new_searcher(game, Search(method="mcts"), {})
        for turn in range(4):
            assert isinstance(search, Mcts)
            player, number = state.current_player(), state.turn
            result = search.search(state.clone(), player, Budget(nodes=nodes), turn)
            for action in result.turn:
                assert (state.current_player(), state.turn) == (player, number)
                state.apply_action(action)
            assert state.turn == number + 1


def test_a_beginner_errs_but_not_in_front_of_its_eyes() -> None:
    state = VOLCANOES.from_position(VOLCANOES.openings()[2])
    turns = {
        blunder: {
            searcher(VOLCANOES, blunder=blunder)
            .search(state.clone(), state.current_player(), Budget(nodes=20_000), seed)
            .turn
            for seed in range(12)
        }
        for blunder in (0, 1)
    }
    assert len(turns[1]) > len(turns[0])
    wins = 0
    for seed in range(20):
        state = before_the_end(seed)
        winning = {action for action in state.legal_actions() if decides(state, action) == 1}
        if winning:
            player = state.current_player()
            result = searcher(VOLCANOES, blunder=1).search(state.clone(), player, Budget(nodes=50), seed)
            assert result.turn[0] in winning
            wins += 1
    assert wins > 5


def test_what_it_cannot_play_is_refused() -> None:
    for name, reason in (("kingdomino", "two players"), ("tryangle", "act at once")):
        with pytest.raises(LapilliError, match=reason):
            new_searcher(load(name), Search(method="mcts"), {})
    state = VOLCANOES.new_initial_state()
    with pytest.raises(LapilliError, match="player 1's turn"):
        searcher(VOLCANOES).search(state, 1, Budget(nodes=1), 1)
