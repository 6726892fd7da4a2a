"""What holds for every search of every game: its turns are legal, the same every time, and its settings are known."""

from __future__ import annotations

import subprocess
import sys

import pytest

import lapilli
from conformance.walks import setups
from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.search.search_result import SearchResult
from lapilli.games import load, names
from lapilli.match import verify
from lapilli.match.record import parse_record
from lapilli.players.engines.searches import NamedSearch, find_search, search_names
from lapilli.search.budget import Budget
from lapilli.search.searcher import ERROR_RANGES, new_searcher

SEARCHED = [game for game in map(load, names()) if game.searches]
NODES = 30
FORMS = [
    pytest.param(game, setup, name, id=f"{game.name} {name} {setup.to_dict()}")
    for game in SEARCHED
    for setup in setups(game)
    if setup.seed is not None
    for name in game.searches
]


@pytest.mark.parametrize(("game", "setup", "name"), FORMS)
def test_turns_are_legal_and_the_same_every_time(game: Game, setup: Setup, name: str) -> None:
    """A match of a search with itself, searched twice: every reply is played as it is meant."""
    state = game.new_initial_state(setup)
    twins = [[new_searcher(game, game.searches[name], {}) for _ in range(state.num_players)] for _ in range(2)]
    turns = 0
    while not state.is_terminal() and turns < 30:
        replies = {}
        for player in state.asked():
            one, two = (
                searchers[player].search(state.determinised(turns), player, Budget(nodes=NODES), turns)
                for searchers in twins
            )
            assert told(one) == told(two)
            check(one)
            replies[player] = game.protocol.format_reply(state, player, one.turn)
        report = game.protocol.play_turn(state, replies)
        assert not report.faults
        turns += 1


def told(result: SearchResult) -> object:
    """All but how long it took."""
    return result.turn, result.value, result.lines, result.nodes, result.proven


def check(result: SearchResult) -> None:
    """Values are scores, the best line comes first, and nothing is told twice."""
    assert 0 <= result.value <= 1
    assert result.nodes >= 0
    assert result.ms > 0
    assert result.lines[0].turn == result.turn
    assert all(0 <= line.value <= 1 for line in result.lines)
    assert len({line.turn for line in result.lines}) == len(result.lines)


@pytest.mark.parametrize("game", SEARCHED, ids=lambda game: game.name)
def test_a_search_changes_nothing_it_is_not_given(game: Game) -> None:
    """Two searches in one process do not know of each other."""
    state = game.new_initial_state(seed=4)
    (player, *_) = state.asked()
    (search, *_) = game.searches.values()

    def searched(seed: int) -> SearchResult:
        return new_searcher(game, search, {}).search(state.determinised(7), player, Budget(nodes=NODES), seed)

    alone = told(searched(1))
    searched(2)
    assert told(searched(1)) == alone


@pytest.mark.parametrize("game", SEARCHED, ids=lambda game: game.name)
def test_names_and_settings_that_do_not_exist_are_refused(game: Game) -> None:
    for name in search_names(game):
        assert isinstance(find_search(game, name), NamedSearch)
        assert isinstance(find_search(game, f"{name}:ms=20"), NamedSearch)
        with pytest.raises(UnknownName, match="no setting 'depht'"):
            find_search(game, f"{name}:depht=3")
        for wrong in ("nodes=0", "nodes=1.5", "ms=-1", "ms=nan", "blunder=nan", "blunder", "nodes=many"):
            with pytest.raises(LapilliError):
                find_search(game, f"{name}:{wrong}")
    for name in (f"level{len(game.levels) + 1}", "level0", "besst", "best "):
        assert find_search(game, name) is None


@pytest.mark.parametrize("game", SEARCHED, ids=lambda game: game.name)
def test_values_of_settings_that_are_out_of_range_are_refused_with_the_range(game: Game) -> None:
    for name in search_names(game):
        named = find_search(game, name)
        assert named is not None
        searcher = new_searcher(game, named.search, {})
        ranges = {**ERROR_RANGES, **searcher.ranges()}
        assert ranges.keys() == searcher.settings.keys(), "each setting has a range"
        for setting, allowed in ranges.items():
            for wrong in (allowed.low - 0.5, allowed.high + 1, *([allowed.low + 0.5] if allowed.whole else ())):
                with pytest.raises(LapilliError, match=f"{setting} must be .* from {allowed.low:g} to ") as refused:
                    find_search(game, f"{name}:{setting}={wrong}")
                assert "\n" not in str(refused.value)
            for end in (allowed.low, allowed.high):
                assert find_search(game, f"{name}:{setting}={end}")
        with pytest.raises(LapilliError, match=r"ms must be at most 1000000000, not 1e\+300"):
            find_search(game, f"{name}:ms=1e300")


@pytest.mark.parametrize("game", SEARCHED, ids=lambda game: game.name)
def test_levels_reply_and_are_told_apart(game: Game) -> None:
    state, seen = game.new_initial_state(seed=2), set()
    player = state.asked()[0]
    for number in range(len(game.levels)):
        named = find_search(game, f"level{number + 1}")
        assert named is not None
        assert named.budget is not None
        assert named.budget.ms is None, "a level is the same on every machine"
        one, two = (
            new_searcher(game, named.search, {}).search(state.determinised(1), player, named.budget, 5)
            for _ in range(2)
        )
        assert told(one) == told(two)
        check(one)
        seen.add((named.budget, named.search.method, tuple(named.search.settings.items())))
    assert len(seen) == len(game.levels)


@pytest.mark.parametrize("game", SEARCHED, ids=lambda game: game.name)
def test_matches_of_searches_verify(game: Game) -> None:
    name = next(iter(game.searches))
    players = [f"{name}:nodes=5", *["random"] * (game.players[0] - 1)]
    record = lapilli.play_match(game, players, seed=3)
    assert record.outcome is not None
    assert record.outcome.culprit is None
    assert record.players[0].settings["nodes"] == 5
    outcome = verify(parse_record(record.to_json()))
    assert outcome is not None
    assert list(outcome.scores) == record.outcome.scores


FORMS_OF_KERNELS = """
import sys

from lapilli.games import load
from lapilli.players.engines.searches import find_search, search_names
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher

game = load({name!r})
for name in search_names(game):
    state, found = game.new_initial_state(seed=0), find_search(game, name)
    searcher = new_searcher(game, found.search, {{}})
    for turn in range(3):
        replies = {{}}
        for player in state.asked():
            for budget in (Budget(nodes=8), Budget(ms=10)):
                result = searcher.search(state.determinised(turn), player, budget, turn)
            replies[player] = game.protocol.format_reply(state, player, result.turn)
        game.protocol.play_turn(state, replies)
for name, module in list(sys.modules.items()):
    if ":" in name:
        for kernel in vars(module).values():
            if len(getattr(kernel, "nopython_signatures", ())) > 1:
                print(name, kernel.__name__, kernel.nopython_signatures)
"""


@pytest.mark.parametrize("game", SEARCHED, ids=lambda game: game.name)
def test_its_kernels_are_compiled_for_one_form_of_their_arguments(game: Game) -> None:
    """However a search is called, its arrays have the same types: each other form would be compiled for seconds."""
    program = FORMS_OF_KERNELS.format(name=game.name)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=200)
    assert done.stdout == ""
