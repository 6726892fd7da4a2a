"""The bosses of divisions, and by which rules divisions play."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from lapilli.arena.progress.promotion import DIVISIONS, boss_of, ladder_of, rules_of
from lapilli.games import load, names
from lapilli.players import builtin_names


@given(some.lists(some.sampled_from(["wood2", "wood1", "bronze", "silver"]), min_size=1, max_size=4, unique=True))
def test_divisions_play_by_more_and_more_rules(leagues: list[str]) -> None:
    rules = [rules_of(division, leagues) for division in range(len(DIVISIONS))]
    assert rules[: len(leagues)] == leagues
    assert set(rules[len(leagues) :]) <= {leagues[-1]}


def test_games_without_leagues_have_one_set_of_rules() -> None:
    assert {rules_of(division, ()) for division in range(len(DIVISIONS))} == {None}


def test_bosses_get_stronger() -> None:
    assert [boss_of(division, ["greedy"]) for division in range(4)] == ["greedy"] * 4
    assert [boss_of(division, list("abcdefghij")) for division in range(4)] == ["a", "d", "g", "j"]
    for game in map(load, names()):
        ladder = ladder_of(game)
        assert ("random" in ladder) == (len(builtin_names(game)) == 1)
        assert (boss_of(0, ladder), boss_of(3, ladder)) == (ladder[0], ladder[-1])
