"""Who meets whom on which seed, from a match's number alone."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as some

from lapilli.arena.progress.schedule import SEEDS, Schedule


@given(seed=some.integers(0, SEEDS - 1), seats=some.integers(2, 4), pair=some.integers(0, 10**6))
def test_a_pair_shares_its_seed_and_everybody_sits_everywhere(seed: int, seats: int, pair: int) -> None:
    tasks = [Schedule(seed, seats).task(pair * seats + turn) for turn in range(seats)]
    assert {task.seed for task in tasks} == {Schedule(seed, seats).seed_of(pair)}
    assert {task.pair for task in tasks} == {pair}
    for contestant in range(seats):
        assert sorted(task.seats.index(contestant) for task in tasks) == list(range(seats))


def test_no_two_pairs_share_a_seed() -> None:
    schedule = Schedule(seed=12345)
    seeds = [schedule.seed_of(pair) for pair in range(100_000)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < SEEDS for seed in seeds)


@pytest.mark.parametrize("seats", [3, 4])
def test_each_follows_the_other_as_often_as_not(seats: int) -> None:
    after: Counter[bool] = Counter()
    for number in range(2 * seats):
        order = Schedule(0, seats).task(number).seats
        after[(order.index(1) - order.index(0)) % seats == 1] += 1
    assert after[True] == after[False] == seats


def test_openings_come_after_the_usual_start_each_in_its_turn_and_again() -> None:
    schedule = Schedule(7, 2, ["a", "b", "c"], usual=2)
    starts = [schedule.task(number).position for number in range(2 * 6)]
    assert starts == [None] * 4 + ["a", "a", "b", "b", "c", "c", "a", "a"]
