"""Evaluations of agents: the matches, the statistics, the page and the records of lost matches."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lapilli
from cli.running import refused, run, run_process
from lapilli.arena.statistics import PairCounts, rating_against
from lapilli.core.api import Game
from lapilli.core.errors import IllegalAction, LapilliError, SetupError
from lapilli.envs.learning.evaluation.evaluate import evaluate
from lapilli.games import load, names
from lapilli.match import load_record


def lowest(observations: Any, legal: Any) -> Any:
    """An agent that plays the lowest legal action; where there is none, an action that is ignored."""
    assert len(observations) == len(legal)
    return legal.argmax(axis=1) if legal.dtype == np.bool_ else legal[:, 0]


@pytest.mark.parametrize("name", names())
def test_an_agent_that_plays_many_games_at_once(name: str, tmp_path: Path) -> None:
    game: Game = load(name)
    level = "level1" if game.levels else "random"
    result = evaluate(lowest, game, ["random", level], matches=4, lost=1)
    assert str(result) == str(evaluate(lowest, game, ["random", level], matches=4, lost=0)), "the same matches"
    for pairs in result.results.values():
        assert pairs.pairs * pairs.matches >= 4
    assert str(result).startswith(f"{name}: lowest: ")
    paths = result.save_lost(tmp_path)
    assert len(paths) == len(result.lost[level]) <= 1
    for path in paths:
        record = lapilli.load_record(path)
        assert record.outcome is not None
        own = [player.name for player in record.players].index("agent")
        assert record.outcome.ranks is not None
        assert record.outcome.ranks[own] > 1, "the match is the one that was lost in the batch"
    result.page(tmp_path / "page.html")
    assert "lowest" in (tmp_path / "page.html").read_text()


def test_an_agent_may_search() -> None:
    """An agent with a method `act` receives the batch. A short search that only counts points beats random play."""

    def points_ahead(observations: Any, legal: Any) -> tuple[Any, Any]:
        points = load("kingdomino").observation.split(observations)["points"].astype(np.float32)
        return np.zeros(legal.shape, np.float32), np.tanh((points[:, 0] - points[:, 1]) / 10)

    class Searcher:
        def act(self, games: Any) -> Any:
            return lapilli.TreeSearch(games, 30, seed=1).run(points_ahead).actions

    class Network:
        """A network with an activation called `act`, as in many programs; it is used as a function."""

        act = np.tanh

        def __call__(self, observations: Any, legal: Any) -> Any:
            return legal.argmax(axis=1)

    assert evaluate(Network(), "kingdomino", ["random"], matches=2).results["random"].pairs == 1
    result = evaluate(Searcher(), "kingdomino", ["random"], matches=30)
    assert str(result).startswith("kingdomino: Searcher: ")
    assert result.results["random"].score > 0.55


@pytest.mark.parametrize("name", [name for name in names() if load(name).levels])
def test_a_built_in_opponent_is_rated_on_the_scale_of_the_levels(name: str) -> None:
    result = evaluate("random", name, ["random", "level1"], matches=4, lost=1, jobs=1)
    assert result.agent == "random"
    assert result.rating is not None
    assert result.rating.low < result.rating.elo < result.rating.high
    assert result.rating.matches == 8


@pytest.mark.parametrize("name", [name for name in names() if max(load(name).players) > 2])
def test_matches_of_more_than_two_players_are_counted_once(name: str) -> None:
    players = max(load(name).players)
    assert str(evaluate(lowest, name, ["random"], matches=4, lost=0, players=players)).endswith(f"; {players} matches")


def test_the_command_prints_the_line_and_writes_page_and_records(tmp_path: Path) -> None:
    name = names()[-1]
    words = ("evaluate", name, "random", "--against", "level1", "--against", "level2", "--matches", "4")
    told = run(*words, "--page", tmp_path / "page.html", "--lost", tmp_path / "lost").stdout
    assert told.strip() == str(evaluate("random", name, ["level1", "level2"], matches=4))
    assert "leaderboard" in (tmp_path / "page.html").read_text(encoding="utf-8").lower()
    assert all(load_record(path).game == name for path in (tmp_path / "lost").iterdir())
    assert "nosuch" in refused("evaluate", name, "random", "--against", "nosuch")
    assert "is no folder" in refused("evaluate", name, "random", "--lost", tmp_path / "page.html")


def test_a_missing_bot_is_refused_before_anything_is_compiled(tmp_path: Path) -> None:
    words = ("evaluate", names()[0], "python3 no_such_bot.py")
    done = run_process(*words, code=2, env={"NUMBA_CACHE_DIR": str(tmp_path)})
    assert done.stderr.endswith("there is no file 'no_such_bot.py'\n")
    assert len(done.stderr.splitlines()) == 1


def test_what_cannot_be_evaluated_is_refused() -> None:
    name = names()[0]
    with pytest.raises(IllegalAction, match="agent: 99999 is no legal action"):
        evaluate(lambda observations, legal: np.full(len(legal), 99_999), name, ["random"], matches=2)
    with pytest.raises(SetupError, match="two"):
        evaluate(lowest, name, ["random"], players="two")
    with pytest.raises(LapilliError, match="against: expected a list"):
        evaluate(lowest, name, "random")
    with pytest.raises(LapilliError, match="agent: expected a function"):
        evaluate(5, name, ["random"])  # type: ignore[arg-type]
    with pytest.raises(LapilliError, match="limited by time"):
        evaluate(lowest, name, ["best"])


def test_an_agent_for_one_game_is_refused_in_one_line() -> None:
    def best(state: Any) -> int:
        return int(state.legal_actions()[0])

    with pytest.raises(LapilliError, match=r"^agent: expected a function \(observations, legal\).*; best has .*state"):
        evaluate(best, names()[0], ["random"], matches=2)  # type: ignore[arg-type]


def test_progress_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int]] = []
    evaluate(lowest, names()[0], ["random"], matches=4, show=lambda *numbers: told.append(numbers))
    assert told[-1] == (4, 4)
    assert told == sorted(told)
    evaluate(lowest, names()[0], ["random"], matches=2)
    assert not capsys.readouterr().err, "not a terminal"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    evaluate(lowest, names()[0], ["random"], matches=2)
    assert capsys.readouterr().err.startswith("\r0 of 2 matches\r")


def test_a_rating_against_known_players() -> None:
    even = PairCounts((0, 0, 50, 0, 0)), PairCounts((10, 10, 10, 10, 10))
    sure, spread = (rating_against("A", {"B": counts}, {"B": 300.0}) for counts in even)
    assert sure.elo == pytest.approx(300) == pytest.approx(spread.elo)
    assert spread.high - spread.low > sure.high - sure.low
    three = PairCounts((0, 0, 0, 100, 0))  # three quarters of the points: 191 Elo more
    both = rating_against("A", {"B": three, "C": three}, {"B": 0.0, "C": 0.0})
    assert both.elo == pytest.approx(191, abs=2)
    assert (both.matches, both.score) == (400, 0.75)
    lost = rating_against("A", {"B": PairCounts((5, 0, 0, 0, 0))}, {"B": 0.0})
    assert -800 < lost.elo < -300
