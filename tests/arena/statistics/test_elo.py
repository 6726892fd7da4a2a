"""Elo and its intervals: coverage by simulation, and what must hold for every result."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.statistics.simulated import Play
from lapilli.arena.statistics import MAX_ELO, PairCounts, elo_of, estimate, expected_score, normalized_elo

PLAYS = [
    Play(),
    Play(draws=0.5),
    Play(seats=200),
    Play(seats=400),
    Play(together=0.5),
    Play(draws=0.8, seats=300),
    Play(draws=0.3, seats=100, together=0.3),
    Play(seats=100, matches=3),
    Play(draws=0.2, seats=200, together=0.1, matches=4),
]
SAMPLES = 2000


def covered(play: Play, elo: float, pairs: int) -> float:
    """The share of simulated results whose interval holds the true Elo."""
    rng = np.random.default_rng(21)
    tables, times = np.unique(rng.multinomial(pairs, play.pair_scores(elo), size=SAMPLES), axis=0, return_counts=True)
    found = [estimate(PairCounts(tuple(map(int, table)))) for table in tables]
    held = [each.low <= elo <= each.high for each in found]
    return float(np.average(held, weights=times))


@pytest.mark.parametrize("play", PLAYS, ids=str)
@pytest.mark.parametrize("elo", [0, 50, -150, 300])
@pytest.mark.parametrize("pairs", [30, 200])
def test_intervals_hold_the_truth_in_95_percent(play: Play, elo: float, pairs: int) -> None:
    assert 0.93 <= covered(play, elo, pairs) <= 0.97


@pytest.mark.parametrize("play", PLAYS, ids=str)
@pytest.mark.parametrize("elo", [400, -600])
def test_intervals_of_lopsided_results_are_rather_too_wide(play: Play, elo: float) -> None:
    assert 0.93 <= covered(play, elo, 30) <= 0.985


@pytest.mark.parametrize("play", PLAYS, ids=str)
def test_likelihood_of_superiority_is_right_between_equals(play: Play) -> None:
    """Of two that are equally strong, one is said to be the stronger with 95 % in one of twenty cases."""
    tables = np.random.default_rng(22).multinomial(50, play.pair_scores(0), size=SAMPLES)
    sure = [estimate(PairCounts(tuple(map(int, table)))).los > 0.95 for table in tables]
    assert 0.03 <= np.mean(sure) <= 0.065


TABLES = st.sampled_from([3, 5, 7, 9]).flatmap(lambda cells: st.tuples(*[st.integers(0, 10**6)] * cells))


@given(TABLES)
@example((0, 0, 146))  # rounded, the interval's upper end lay below the score
def test_every_result_has_an_estimate(counts: tuple[int, ...]) -> None:
    pairs = PairCounts(counts)
    found, other = estimate(pairs), estimate(pairs.swapped())
    assert 0 <= found.score_low <= found.score <= found.score_high <= 1
    assert -MAX_ELO <= found.low <= found.elo <= found.high <= MAX_ELO
    assert 0 <= found.los <= 1
    assert found.low == pytest.approx(-other.high, abs=1e-6)
    assert found.los == pytest.approx(1 - other.los, abs=1e-9)
    assert math.isfinite(normalized_elo(pairs))
    assert normalized_elo(pairs) == pytest.approx(-normalized_elo(pairs.swapped()), abs=1e-6)


@given(TABLES)
def test_more_of_the_same_narrows_the_interval(counts: tuple[int, ...]) -> None:
    once, twice = PairCounts(counts), PairCounts(counts) + PairCounts(counts)
    if once.pairs:
        assert estimate(twice).score_low >= estimate(once).score_low - 1e-12
        assert estimate(twice).score_high <= estimate(once).score_high + 1e-12


def test_everything_won_has_finite_bounds() -> None:
    """The lower one is that of a proportion, 30 of 30 (Wilson: 1 / (1 + 1.96² / 30))."""
    found = estimate(PairCounts((0, 0, 0, 0, 30)))
    assert (found.elo, found.high) == (MAX_ELO, MAX_ELO)
    assert found.score_low == pytest.approx(1 / (1 + 1.959964**2 / 30), abs=0.01)
    assert 330 < found.low < 370


def test_nothing_played_says_nothing() -> None:
    found = estimate(PairCounts())
    assert (found.score, found.elo, found.low, found.high, found.los) == (0.5, 0, -MAX_ELO, MAX_ELO, 0.5)


@given(st.floats(-MAX_ELO, MAX_ELO))
def test_elo_and_score_are_inverse(elo: float) -> None:
    assert elo_of(expected_score(elo)) == pytest.approx(elo, abs=1e-6)


def test_elo_of_scores_that_everybody_knows() -> None:
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)
    assert expected_score(400) == pytest.approx(10 / 11)
    assert (elo_of(0), elo_of(1)) == (-MAX_ELO, MAX_ELO)
    assert (expected_score(-1e9), expected_score(1e9)) == (0, 1)
