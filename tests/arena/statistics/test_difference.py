"""Differences of scores: coverage by simulation, quantiles against printed tables."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapilli.arena.statistics import Differences
from lapilli.arena.statistics.student import t_quantile
from lapilli.core.errors import LapilliError

VALUES = st.lists(st.floats(-200, 200), max_size=30)


@pytest.mark.parametrize("pairs", [5, 30, 200])
@pytest.mark.parametrize("mean", [0, 3.3, -40])
def test_intervals_hold_the_truth_in_95_percent(pairs: int, mean: float) -> None:
    """Means of two whole differences, of which one in eight is far out: a collapse on one side."""
    rng = np.random.default_rng(31)
    shape = (4000, pairs, 2)
    points = (
        np.rint(rng.normal(mean, 20, shape)) + 60 * (rng.random(shape) < 1 / 16) - 60 * (rng.random(shape) < 1 / 16)
    )
    found = [Differences.of(row).estimate() for row in points.mean(-1)]
    held = sum(each.low is not None and each.high is not None and each.low <= mean <= each.high for each in found)
    assert 0.93 <= held / len(found) <= 0.97


@given(VALUES, VALUES)
def test_adding_is_summing_both(first: list[float], second: list[float]) -> None:
    both, at_once = Differences.of(first) + Differences.of(second), Differences.of(first + second)
    assert both.pairs == at_once.pairs
    assert both.total == pytest.approx(at_once.total, abs=1e-9)
    assert both.squares == pytest.approx(at_once.squares)
    assert Differences.from_plain(json.loads(json.dumps(both.to_plain()))) == both


def test_an_interval_by_hand() -> None:
    """Of 1 … 5: standard deviation sqrt(2.5), and 2.776 of Student's for four degrees of freedom."""
    found = Differences.of([1, 2, 3, 4, 5]).estimate()
    assert found.mean == 3
    assert found.low == pytest.approx(3 - 2.7764 * (2.5 / 5) ** 0.5, abs=1e-3)
    assert found.high == pytest.approx(3 + 2.7764 * (2.5 / 5) ** 0.5, abs=1e-3)


def test_few_pairs_and_pairs_that_are_all_alike() -> None:
    assert Differences().estimate().mean == 0
    assert Differences.of([3]).estimate().low is None
    found = Differences.of([2] * 10).estimate()
    assert found.mean == 2
    assert found.low is not None
    assert found.high is not None
    one_apart = Differences.of([2] * 9 + [3]).estimate()
    assert one_apart.low is not None
    assert found.low == pytest.approx(2 - (one_apart.mean - one_apart.low))
    assert found.high == pytest.approx(4 - found.low)


@pytest.mark.parametrize(
    "data", [None, [], [1, 2], [1, 2, -1], [-1, 0, 0], [1.5, 0, 0], [1, math.nan, 0], [1, 0, math.inf], ["1", 0, 0]]
)
def test_what_are_no_sums_is_refused(data: object) -> None:
    with pytest.raises(LapilliError, match="three numbers"):
        Differences.from_plain(data)


@pytest.mark.parametrize(
    ("freedom", "printed"),
    [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (4, 2.776),
        (9, 2.262),
        (29, 2.045),
        (60, 2.000),
        (120, 1.980),
        (1000, 1.962),
    ],
)
def test_quantiles_as_in_every_printed_table(freedom: int, printed: float) -> None:
    assert t_quantile(0.975, freedom) == pytest.approx(printed, abs=5e-4)


def test_both_ways_to_quantiles_meet() -> None:
    assert t_quantile(0.975, 59) == pytest.approx(2.000995, abs=1e-6)
    assert t_quantile(0.975, 60) == pytest.approx(2.000298, abs=1e-6)
