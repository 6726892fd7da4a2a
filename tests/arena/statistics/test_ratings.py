"""Ratings from tables of results, and skills of leagues."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from arena.statistics.simulated import Play
from lapilli.arena.statistics import (
    PairCounts,
    Skill,
    chances,
    expected_score,
    ratings,
    results_of_match,
    table_ratings,
    updated,
)
from lapilli.core.errors import LapilliError, UnknownName

ELOS = {"ash": -150.0, "basalt": 120.0, "cinder": 60.0, "dune": 0.0, "ember": 250.0, "flint": -280.0}
TOURNAMENTS = 400


@pytest.mark.parametrize(
    "play", [Play(), Play(draws=0.4), Play(draws=0.3, seats=200), Play(matches=1), Play(together=0.3)], ids=str
)
@pytest.mark.parametrize("anchor", [None, "dune"])
def test_intervals_hold_the_truth_in_95_percent(play: Play, anchor: str | None) -> None:
    rng = np.random.default_rng(41)
    zero = float(np.mean([*ELOS.values()])) if anchor is None else ELOS[anchor]
    tables = {
        (first, second): rng.multinomial(15, play.pair_scores(ELOS[first] - ELOS[second]), size=TOURNAMENTS)
        for first, second in combinations(ELOS, 2)
    }
    held = 0
    for number in range(TOURNAMENTS):
        results = {two: PairCounts(tuple(map(int, table[number]))) for two, table in tables.items()}
        found = [rating for rating in ratings(results, anchor) if rating.name != anchor]
        held += sum(rating.low <= ELOS[rating.name] - zero <= rating.high for rating in found)
    assert 0.93 <= held / len(found) / TOURNAMENTS <= 0.97


def test_how_much_results_vary_is_told_from_what_was_not_fitted() -> None:
    """Three pairs that were lost, drawn and won, once between each two of three: 9 pairs less the 2 that are fitted."""
    even = PairCounts((1, 0, 1, 0, 1))
    [first, *_] = ratings({("a", "b"): even, ("b", "c"): even, ("a", "c"): even})
    dispersion = (9 / 7 * 6 + 0.25) / (18 / 4 + 0.25)
    information = (
        12 / 4 + 6 / 4 + 1 / 4
    )  # of one against the mean of all: its own matches, half of them again, one more
    assert first.high / 1.959964 * np.log(10) / 400 == pytest.approx((dispersion / information * 2 / 3) ** 0.5)


def climbed(points: np.ndarray, matches: np.ndarray) -> np.ndarray:
    """The slow twin: Zermelo's iteration, on strengths whose ratios are odds; a match against their mean is drawn."""
    strengths = np.ones(len(points))
    for _ in range(3000):
        met = matches / (strengths[:, None] + strengths[None, :])
        strengths = (points.sum(1) + 0.5) / (met.sum(1) + 1 / (strengths + 1))
    return 400 * np.log10(strengths)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(*[st.integers(0, 30)] * 3), min_size=6, max_size=6))
def test_ratings_are_those_of_a_slow_twin(tables: list[tuple[int, int, int]]) -> None:
    names = "abcd"
    results = {two: PairCounts(table) for two, table in zip(combinations(names, 2), tables, strict=True)}
    points, matches = np.zeros((2, 4, 4))
    for (first, second), pairs in results.items():
        lost, drawn, won = pairs.counts
        row, column = names.index(first), names.index(second)
        points[row, column], points[column, row] = won + drawn / 2, lost + drawn / 2
        matches[row, column] = matches[column, row] = lost + drawn + won
    slow = climbed(points, matches)
    found = {rating.name: rating.elo for rating in ratings(results)}
    assert [found[name] for name in names] == pytest.approx(list(slow - slow.mean()), abs=0.01)


def test_two_that_met_differ_by_what_their_score_says() -> None:
    [first, second] = ratings({("a", "b"): PairCounts((1000, 0, 0, 0, 3000))}, anchor="b")
    assert (first.name, first.matches, first.score) == ("a", 8000, 0.75)
    assert expected_score(first.elo) == pytest.approx(0.75, abs=1e-3)
    assert (second.elo, second.low, second.high) == (0, 0, 0)
    assert first.low < first.elo < first.high


def test_of_two_the_weaker_is_zero_and_the_other_as_much_stronger_as_it_is() -> None:
    results = {("a", "b"): PairCounts((100, 0, 0, 0, 3300))}
    [first, second] = table_ratings(results)
    assert (first.name, second.elo) == ("a", 0)
    assert first.elo == pytest.approx(614, abs=10)
    assert (second.low, second.high) == (0, 0)
    assert first.elo == pytest.approx(ratings(results)[0].elo - ratings(results)[1].elo)


def test_who_won_everything_and_who_met_nobody_have_finite_ratings() -> None:
    results = {
        ("a", "b"): PairCounts((0, 0, 0, 0, 500)),
        ("c", "d"): PairCounts(),
        ("e", "f"): PairCounts((0, 0, 1, 0, 0)),
    }
    found = {rating.name: rating for rating in ratings(results)}
    assert 300 < found["a"].elo < 1500
    assert found["a"].elo == pytest.approx(-found["b"].elo)
    assert found["c"].elo == pytest.approx(found["d"].elo) == pytest.approx(0, abs=1e-6)
    assert found["c"].high - found["c"].low > found["a"].high - found["a"].elo > 0
    assert (found["c"].matches, found["c"].score) == (0, 0.5)
    assert ratings({}) == ()


def test_both_orders_of_two_are_the_same_table() -> None:
    here, there = PairCounts((3, 1, 5, 2, 9)), PairCounts((4, 0, 1, 7, 2))
    split = ratings({("a", "b"): here, ("b", "a"): there})
    whole = ratings({("a", "b"): here + there.swapped()})
    assert [rating.elo for rating in split] == pytest.approx([rating.elo for rating in whole])


def test_bad_tables_are_refused() -> None:
    with pytest.raises(UnknownName, match="no contestant 'x'"):
        ratings({("a", "b"): PairCounts()}, anchor="x")
    with pytest.raises(LapilliError, match="a cannot be rated by matches against itself"):
        ratings({("a", "a"): PairCounts()})


def test_a_match_of_four_has_six_results() -> None:
    assert [*results_of_match([2, 1, 2, 4])] == [
        (0, 1, 0.0),
        (0, 2, 0.5),
        (0, 3, 1.0),
        (1, 2, 1.0),
        (1, 3, 1.0),
        (2, 3, 1.0),
    ]


def test_a_new_skill_stands_at_zero() -> None:
    assert Skill() == Skill(25, 25 / 3)
    assert Skill().ordinal == pytest.approx(0)


@given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.integers(0, 1000))
def test_skills_move_by_ranks_and_not_by_seats(ranks: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = [Skill(float(rng.normal(25, 5)), float(rng.uniform(1, 8))) for _ in ranks]
    after = updated(before, ranks)
    turned = updated(before[::-1], ranks[::-1])
    for mine, theirs in zip(after, turned[::-1], strict=True):
        assert (mine.mu, mine.sigma) == pytest.approx((theirs.mu, theirs.sigma))
    assert before == [Skill(skill.mu, skill.sigma) for skill in before], "what came in is unchanged"
    if len(set(ranks)) == len(ranks):
        best, worst = ranks.index(min(ranks)), ranks.index(max(ranks))
        assert after[best].mu > before[best].mu
        assert after[worst].mu < before[worst].mu


def test_skills_are_openskills() -> None:
    model = PlackettLuce()
    [[first], [second], [third]] = model.rate(
        [[model.rating()], [model.rating(30, 2)], [model.rating()]], ranks=[2, 1, 2]
    )
    ours = updated([Skill(), Skill(30, 2), Skill()], [2, 1, 2])
    assert [(skill.mu, skill.sigma) for skill in ours] == [(each.mu, each.sigma) for each in (first, second, third)]


def test_the_better_one_comes_to_stand_above() -> None:
    rng = np.random.default_rng(42)
    elos = [0, 100, 200, 300]
    skills = [Skill() for _ in elos]
    for _ in range(400):
        one, other = map(int, rng.choice(4, size=2, replace=False))
        won = rng.random() < expected_score(elos[one] - elos[other])
        skills[one], skills[other] = updated([skills[one], skills[other]], [1, 2] if won else [2, 1])
    assert [skill.ordinal for skill in skills] == sorted(skill.ordinal for skill in skills)
    assert chances([skills[3], skills[0]])[0] > 0.75
    assert sum(chances(skills)) == pytest.approx(1)


def test_a_match_of_one_is_refused() -> None:
    with pytest.raises(LapilliError, match="two players or more"):
        updated([Skill()], [1])
    with pytest.raises(LapilliError, match="a rank for each"):
        updated([Skill(), Skill()], [1])
    with pytest.raises(LapilliError, match="two players or more"):
        chances([Skill()])
