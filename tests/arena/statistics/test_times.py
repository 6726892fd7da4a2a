"""Histograms of answer times: exact to 2.5 %, small, and they can be added."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lapilli.arena.statistics import Times
from lapilli.core.errors import LapilliError

HOURS = 10 * 3_600_000.0
TIMES = st.lists(st.floats(0.001, HOURS), min_size=1, max_size=60)


def quantile(times: Sequence[float], share: float) -> float:
    """The slow twin: the time at this rank."""
    return sorted(times)[math.ceil(share * len(times)) - 1]


@given(TIMES, st.sampled_from([0.01, 0.5, 0.9, 0.99, 1]))
@example([0.001], 0.5)
@example([HOURS], 0.99)
def test_quantiles_are_off_by_two_and_a_half_percent_at_most(times: list[float], share: float) -> None:
    counted = Times.of(times)
    assert counted.quantile_ms(share) == pytest.approx(quantile(times, share), rel=0.025, abs=0.0005)
    assert counted.max_ms == pytest.approx(max(times), abs=0.0005)
    assert counted.quantile_ms(1) <= counted.max_ms
    assert counted.answers == len(times)


@given(TIMES, TIMES)
def test_adding_is_counting_both(first: list[float], second: list[float]) -> None:
    assert Times.of(first) + Times.of(second) == Times.of(first + second)
    assert Times.of(first) + Times() == Times.of(first)


@given(TIMES)
def test_plain_data_come_back(times: list[float]) -> None:
    counted = Times.of(times)
    assert Times.from_plain(json.loads(json.dumps(counted.to_plain()))) == counted


def test_a_million_times_take_little_room() -> None:
    times = Times.of(0.001 * 1.0001**power for power in range(250_000))
    assert len(json.dumps((times + times + times + times).to_plain())) < 8_000


def test_the_shortest_the_longest_and_none() -> None:
    assert (Times().answers, Times().max_ms, Times().quantile_ms(0.5)) == (0, 0, 0)
    assert Times.of([0, 1e-9]).quantile_ms(0.5) == 0
    assert Times.of([1e30]).quantile_ms(0.5) > 24 * 3_600_000
    with pytest.raises(LapilliError, match="not -1 ms"):
        Times.of([-1])
    with pytest.raises(LapilliError, match="not nan ms"):
        Times.of([math.nan])


@pytest.mark.parametrize(
    "data", [None, [], {"1": -1}, {"1": 0.5}, {"1": True}, {"x": 1}, {"-1": 1}, {"521": 1}, {"max": -1}, {"max": None}]
)
def test_what_is_no_histogram_is_refused(data: object) -> None:
    with pytest.raises(LapilliError, match="times"):
        Times.from_plain(data)
