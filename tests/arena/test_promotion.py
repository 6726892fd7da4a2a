"""Who is promoted, and by which rules divisions play."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from lapilli.arena.events.promotion import DIVISIONS, boss_of, challengers, ladder_of, rules_of
from lapilli.games import load, names
from lapilli.players import builtin_names
from lapilli.store import LeagueEntry, Rating
from lapilli.store.results import Contestant


def entry(
    number: int, mu: float, sigma: float = 2.0, matches: int = 30, division: int = 0, boss: bool = False
) -> LeagueEntry:
    who = Contestant(name=f"bot {number}", player="./bot")
    return LeagueEntry(
        number=number, contestant=who, rating=Rating(mu, sigma), division=division, boss=boss, matches=matches
    )


def promoted(*entries: LeagueEntry, enough: int = 20) -> list[int]:
    return [challenger.number for challenger, _ in challengers(entries, enough)]


BOSS = entry(0, 25.0, boss=True)


def test_whoever_stands_above_its_boss_is_promoted() -> None:
    assert promoted(BOSS, entry(1, 25.1), entry(2, 24.9), entry(3, 25.0)) == [1]


def test_what_is_not_known_yet_does_not_count() -> None:
    assert promoted(BOSS, entry(1, 30.0, sigma=4.0)) == [], "it may have been luck"
    assert promoted(BOSS, entry(1, 40.0, matches=19)) == []
    assert promoted(BOSS, entry(1, 40.0, matches=20)) == [1]
    assert promoted(entry(0, 25.0, boss=True, matches=19), entry(1, 40.0)) == [], "the boss has hardly played"


def test_only_its_own_boss_counts() -> None:
    gates = [entry(0, 20.0, boss=True), entry(1, 30.0, division=1, boss=True)]
    assert promoted(*gates, entry(2, 25.0), entry(3, 25.0, division=1), entry(4, 35.0, division=1)) == [2, 4]
    assert promoted(*gates, entry(2, 99.0, division=len(DIVISIONS) - 1)) == [], "nothing is above legend"


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
