"""Counts of pairs: what they say, and that nothing else is taken for them."""

from __future__ import annotations

import json
from itertools import product
from statistics import fmean, pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapilli.arena.statistics import PairCounts, match_score
from lapilli.core.errors import LapilliError

PAIRS = st.lists(st.tuples(st.sampled_from([0, 0.5, 1]), st.sampled_from([0, 0.5, 1])), max_size=30)


@given(PAIRS)
def test_counts_say_what_the_list_says(pairs: list[tuple[float, float]]) -> None:
    counted = PairCounts.of(pairs)
    scores = [fmean(pair) for pair in pairs]
    assert counted.pairs == len(pairs)
    assert (counted.wins, counted.draws, counted.losses) == (
        sum(score > 0.5 for score in scores),
        sum(score == 0.5 for score in scores),
        sum(score < 0.5 for score in scores),
    )
    if pairs:
        assert counted.score == pytest.approx(fmean(scores))
        assert counted.variance == pytest.approx(pvariance(scores))


@given(PAIRS, PAIRS)
def test_adding_is_counting_both(first: list[tuple[float, float]], second: list[tuple[float, float]]) -> None:
    assert PairCounts.of(first) + PairCounts.of(second) == PairCounts.of(first + second)
    assert PairCounts.of(first) + PairCounts() == PairCounts.of(first)


@given(PAIRS)
def test_the_other_side_sees_the_reverse(pairs: list[tuple[float, float]]) -> None:
    assert PairCounts.of(pairs).swapped() == PairCounts.of((1 - first, 1 - second) for first, second in pairs)


@pytest.mark.parametrize("matches", [1, 2, 3, 4])
def test_pairs_of_more_or_fewer_matches(matches: int) -> None:
    """All that can happen once: as many cells as there are sums of halves, and the same from both sides."""
    counted = PairCounts.of(product([0, 0.5, 1], repeat=matches), matches)
    assert counted.matches == matches
    assert len(counted.counts) == 2 * matches + 1
    assert counted.pairs == 3**matches
    assert counted.counts[0] == counted.counts[-1] == 1
    assert counted == counted.swapped()
    assert counted.score == 0.5


@given(PAIRS)
def test_plain_data_come_back(pairs: list[tuple[float, float]]) -> None:
    counted = PairCounts.of(pairs)
    assert PairCounts.from_plain(json.loads(json.dumps(counted.to_plain()))) == counted


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        "00000",
        [],
        [1],
        [1, 2],
        [1, 2, 3, 4],
        [1, -1, 1],
        [1, 0.5, 1],
        [True, 0, 0],
        [0] * 131,
        [10**16, 0, 0],
    ],
)
def test_what_is_no_count_is_refused(data: object) -> None:
    with pytest.raises(LapilliError, match=r"^results of pairs are .*$"):
        PairCounts.from_plain(data)


def test_pairs_that_are_no_pairs_are_refused() -> None:
    with pytest.raises(LapilliError, match="a pair of 2 matches has 2 scores"):
        PairCounts.of([(1, 0, 1)])
    with pytest.raises(LapilliError, match=r"each 0, 0\.5 or 1"):
        PairCounts.of([(1, 0.25)])
    with pytest.raises(LapilliError, match="pairs of 2 and of 3 matches"):
        PairCounts() + PairCounts((0,) * 7)


def test_no_pair_is_even_and_varies_not() -> None:
    assert (PairCounts().pairs, PairCounts().score, PairCounts().variance) == (0, 0.5, 0.0)
    assert PairCounts((0, 0, 0, 0, 7)).variance == 0


def test_ranks_make_scores() -> None:
    assert (match_score(1, 2), match_score(2, 2), match_score(3, 1)) == (1, 0.5, 0)
