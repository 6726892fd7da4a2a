"""The sequential test: its error rates by simulation, its ratio against a slow twin, its bounds and its forecast."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.statistics.simulated import Play, run
from lapilli.arena.statistics import Decision, EloModel, PairCounts, Sprt, expected_score
from lapilli.arena.statistics.elo import NORMALIZED
from lapilli.arena.statistics.likelihood import log_likelihood_ratio
from lapilli.arena.statistics.sprt import FORECAST_PAIRS, LONGEST, SHORTEST
from lapilli.core.errors import LapilliError

TESTS = 2000


def most(rate: float) -> float:
    """The share of all tests that errors of this rate pass in 2.5 % of all cases."""
    return rate + 1.96 * math.sqrt(rate * (1 - rate) / TESTS)


SETTINGS = [
    (Sprt(), Play()),
    (Sprt(), Play(draws=0.5)),
    (Sprt(), Play(seats=200)),
    (Sprt(), Play(draws=0.8, seats=200)),
    (Sprt(0, 100), Play(together=0.5)),
    (Sprt(0, 100), Play(seats=200)),
    (Sprt(0, 100), Play(seats=400)),
    (Sprt(0, 100), Play(draws=0.9)),
    (Sprt(0, 200), Play()),
    (Sprt(0, 200), Play(draws=0.3, together=0.3)),
    (Sprt(-50, 50), Play(draws=0.3, seats=200)),
    (Sprt(100, 200), Play(seats=100)),
    (Sprt(-150, -50, alpha=0.1, beta=0.02), Play(draws=0.2)),
    (Sprt(0, 100, alpha=0.01, beta=0.2), Play()),
    (Sprt(0, 100), Play(seats=100, matches=3)),
    (Sprt(0, 100), Play(draws=0.1, seats=200, together=0.2, matches=4)),
    (Sprt(0, 100), Play(matches=1)),
]


@pytest.mark.parametrize(("test", "play"), SETTINGS, ids=str)
def test_error_rates_stay_within_alpha_and_beta(test: Sprt, play: Play) -> None:
    at_elo0 = run(test, play.pair_scores(test.elo0), TESTS, np.random.default_rng(12))
    at_elo1 = run(test, play.pair_scores(test.elo1), TESTS, np.random.default_rng(13))
    assert at_elo0.h1 <= most(test.alpha)
    assert at_elo1.h0 <= most(test.beta)
    assert at_elo0.h0 + at_elo0.h1 == at_elo1.h0 + at_elo1.h1 == 1, "every test came to an end"


@pytest.mark.parametrize("play", [Play(draws=0.3), Play(seats=200), Play(draws=0.5, seats=100, matches=3)], ids=str)
def test_error_rates_in_normalized_elo(play: Play) -> None:
    test = Sprt(0, 120, model=EloModel.NORMALIZED)

    def logistic(normalized: float) -> float:
        """The Elo at which a pair's score is so many standard deviations above 1/2."""
        low, high = -600.0, 600.0
        for _ in range(60):
            middle = (low + high) / 2
            shares = play.pair_scores(middle)
            scores = np.linspace(0, 1, len(shares))
            mean = shares @ scores
            deviation = math.sqrt(play.matches * (shares @ (scores - mean) ** 2))
            low, high = (middle, high) if NORMALIZED * (mean - 0.5) / deviation < normalized else (low, middle)
        return low

    at_elo0 = run(test, play.pair_scores(logistic(0)), TESTS, np.random.default_rng(14))
    at_elo1 = run(test, play.pair_scores(logistic(120)), TESTS, np.random.default_rng(15))
    assert at_elo0.h1 <= most(test.alpha)
    assert at_elo1.h0 <= most(test.beta)


def test_between_the_hypotheses_either_may_come() -> None:
    """Which also shows that the simulation tells a difference of half of what is tested."""
    half_way = run(Sprt(0, 100), Play().pair_scores(50), TESTS, np.random.default_rng(16))
    assert 0.4 < half_way.h1 < 0.6


@pytest.mark.parametrize("beyond", [-300, 400])
def test_far_beyond_the_hypotheses_it_is_short_and_right(beyond: float) -> None:
    found = run(Sprt(), Play(draws=0.2).pair_scores(beyond), 500, np.random.default_rng(17))
    assert (found.h1 if beyond > 0 else found.h0) == 1
    assert found.lengths.mean() < 45


def best_logarithm(counts: list[float], mean: float) -> float:
    """The slow twin: the greatest log-likelihood among probabilities of this mean.

    Each inner cell's probability is searched in thirds, with the best of those right of it for each; the first and
    the last cell's follow from the sum and the mean.
    """
    cells = len(counts)
    scores = [cell / (cells - 1) for cell in range(cells)]

    def best(cell: int, above: float, below: float) -> float:
        """Over this cell and those right of it, with so much of `mean` and of `1 - mean` left."""
        if cell == cells - 1:
            return counts[0] * math.log(below) + counts[-1] * math.log(above)
        score = scores[cell]
        low, high = 1e-12, min(above / score, below / (1 - score)) * (1 - 1e-12)

        def at(share: float) -> float:
            rest = best(cell + 1, above - share * score, below - share * (1 - score))
            return counts[cell] * math.log(share) + rest

        for _ in range(34):
            third = (high - low) / 3
            left, right = low + third, high - third
            low, high = (left, high) if at(left) < at(right) else (low, right)
        return at((low + high) / 2)

    return best(1, mean, 1 - mean)


def slow_ratio(counts: list[float], elo0: float, elo1: float) -> float:
    return best_logarithm(counts, expected_score(elo1)) - best_logarithm(counts, expected_score(elo0))


COUNTS = st.integers(1, 200)
ELOS = st.floats(-300, 300)


@settings(deadline=None, max_examples=40)
@given(st.tuples(COUNTS, COUNTS, COUNTS), ELOS, st.floats(1, 200))
def test_the_ratio_is_that_of_a_slow_twin(counts: tuple[int, int, int], elo0: float, step: float) -> None:
    ours = log_likelihood_ratio(np.array(counts), elo0, elo0 + step)
    assert ours == pytest.approx(slow_ratio([*counts], elo0, elo0 + step), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(("counts", "elos"), [((3, 11, 40, 17, 9), (0, 40)), ((1, 1, 2, 30, 60), (-20, 250))])
def test_the_ratio_of_five_scores_is_that_of_a_slow_twin(counts: tuple[int, ...], elos: tuple[float, float]) -> None:
    assert log_likelihood_ratio(np.array(counts), *elos) == pytest.approx(slow_ratio([*counts], *elos), rel=1e-4)


def best_normalized(counts: tuple[int, int, int], elo: float) -> float:
    """The slow twin for single matches: with the mean given, the normalized Elo settles all three probabilities."""
    wanted = elo / NORMALIZED
    means = np.linspace(0.5, 1, 2_000_001)[1:-1] if elo > 0 else np.linspace(0, 0.5, 2_000_001)[1:-1]
    square = ((means - 0.5) / wanted) ** 2 + means**2  # of the scores, on average
    drawn = 4 * (means - square)
    won = means - drawn / 2
    lost = 1 - won - drawn
    possible = (drawn > 0) & (won > 0) & (lost > 0)
    chances = np.stack([lost, drawn, won])[:, possible]
    return float((np.array(counts) @ np.log(chances)).max())


@pytest.mark.parametrize("counts", [(10, 20, 30), (40, 3, 12), (5, 90, 6)])
@pytest.mark.parametrize(("elo0", "elo1"), [(-20, 60), (30, 150)])
def test_the_normalized_ratio_is_that_of_a_slow_twin(counts: tuple[int, int, int], elo0: float, elo1: float) -> None:
    ours = log_likelihood_ratio(np.array(counts), elo0, elo1, EloModel.NORMALIZED)
    slow = best_normalized(counts, elo1) - best_normalized(counts, elo0)
    assert ours == pytest.approx(slow, rel=1e-4, abs=1e-4)


TABLES = st.sampled_from([3, 5, 7, 9]).flatmap(lambda cells: st.tuples(*[st.integers(0, 10_000)] * cells))


@settings(deadline=None)
@given(TABLES, ELOS, st.floats(0.1, 300), st.sampled_from(EloModel))
def test_seen_from_the_other_side_the_ratio_turns_its_sign(
    counts: tuple[int, ...], elo0: float, step: float, model: EloModel
) -> None:
    elo1 = min(elo0 + step, 300.0)
    if elo1 - elo0 < 0.01:
        return
    pairs = PairCounts(counts)
    here = Sprt(elo0, elo1, model=model).llr(pairs)
    there = Sprt(-elo1, -elo0, model=model).llr(pairs.swapped())
    assert math.isfinite(here)
    assert here == pytest.approx(-there, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("model", EloModel)
def test_no_pairs_and_pairs_that_are_all_alike(model: EloModel) -> None:
    test = Sprt(model=model)
    assert test.llr(PairCounts()) == pytest.approx(0, abs=1e-3)
    assert test.decide(PairCounts()) is Decision.CONTINUE
    assert test.decide(PairCounts((0, 0, 0, 0, 100))) is Decision.H1
    assert test.decide(PairCounts((100, 0, 0, 0, 0))) is Decision.H0
    assert test.decide(PairCounts((0, 0, 200, 0, 0))) is Decision.H0
    assert Sprt(-40, 0, model=model).decide(PairCounts((0, 0, 200, 0, 0))) is Decision.H1


def test_bounds() -> None:
    """As OpenBench and fastchess print them."""
    assert (round(Sprt().lower, 2), round(Sprt().upper, 2)) == (-2.94, 2.94)
    assert (round(Sprt(beta=0.1).lower, 2), round(Sprt(beta=0.1).upper, 2)) == (-2.25, 2.89)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"elo0": 5, "elo1": 5}, "elo1 must be greater than elo0: 5 is not greater than 5"),
        ({"elo0": 60}, "elo1 must be greater than elo0: 40 is not greater than 60"),
        ({"elo1": math.nan}, "elo1 must lie between -800 and 800, not nan"),
        ({"elo0": -900}, "elo0 must lie between -800 and 800, not -900"),
        ({"elo1": 301, "model": EloModel.NORMALIZED}, "elo1 must lie between -300 and 300, not 301"),
        ({"alpha": 0}, "alpha is how often the test may err: from 0.000001 to below 0.5, not 0"),
        ({"beta": 0.5}, "beta is how often the test may err: from 0.000001 to below 0.5, not 0.5"),
        ({"beta": math.nan}, "beta is how often the test may err: from 0.000001 to below 0.5, not nan"),
    ],
)
def test_contradictory_bounds_are_refused_in_one_line(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(LapilliError) as refused:
        Sprt(**arguments)  # type: ignore[arg-type]
    assert str(refused.value) == message


@pytest.mark.parametrize("play", [Play(draws=0.3), Play(seats=300), Play(together=0.3, matches=3)], ids=str)
@pytest.mark.parametrize("played", [10, 30])
def test_pairs_left_are_as_many_as_come(play: Play, played: int) -> None:
    """On average over strengths as they occur, in tests that go on after so many pairs; rather more, at first."""
    test, rng = Sprt(0, 60), np.random.default_rng(18)
    shares = np.array([play.pair_scores(elo) for elo in rng.normal(30, 90, size=500)])
    counts = rng.multinomial(played, shares)
    forecasts = np.array([test.pairs_left(PairCounts(tuple(map(int, table)))) for table in counts])
    going = forecasts > 0
    came = run(test, shares[going], int(going.sum()), rng, counts[going]).lengths
    assert len(came) > 100
    assert 0.75 < forecasts[going].mean() / came.mean() < (1.3 if played == 30 else 2)


def test_most_tests_end_within_the_range_that_is_shown() -> None:
    test, rng = Sprt(0, 60), np.random.default_rng(18)
    shares = np.array([Play(draws=0.3).pair_scores(elo) for elo in rng.normal(30, 90, size=500)])
    counts = rng.multinomial(FORECAST_PAIRS, shares)
    forecasts = np.array([test.pairs_left(PairCounts(tuple(map(int, table)))) for table in counts])
    going = forecasts > 0
    ratios = run(test, shares[going], int(going.sum()), rng, counts[going]).lengths / forecasts[going]
    assert ((ratios >= SHORTEST) & (ratios <= LONGEST)).mean() > 0.7


def test_no_pairs_are_left_once_it_is_decided() -> None:
    assert Sprt().pairs_left(PairCounts((0, 0, 0, 0, 100))) == 0
    assert (
        0 < Sprt().pairs_left(PairCounts((20, 0, 30, 0, 20))) < Sprt(0, 10).pairs_left(PairCounts((20, 0, 30, 0, 20)))
    )
