"""Optuna as a method, on the simulated bot."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from arena.tuning.simulated import play_all, strength
from lapilli.arena.tuning.course import TuningCourse, TuningTerms
from lapilli.arena.tuning.method import MethodName
from lapilli.arena.tuning.parameters import Parameter
from lapilli.arena.tuning.worth import worth

pytest.importorskip("optuna")
from lapilli.arena.tuning.optuna_method import OptunaMethod, best_supported, optuna_version


def course(seed: int, *, against: bool = False) -> TuningCourse:
    far = tuple(Parameter.parse(text) for text in ("a=0..1:start=0.15", "b=0..1:start=0.9"))
    terms = TuningTerms(
        parameters=far, method=MethodName.OPTUNA, version=optuna_version(), matches=1200, seed=seed, against=against
    )
    return TuningCourse(terms)


def test_optuna_tries_one_side_in_several_pairs() -> None:
    tasks = [course(1).task(number) for number in range(12)]
    assert Counter(task.seats for task in tasks) == {(0, 1): 6, (1, 0): 6}
    assert all(task.parameters == {0: {"a": 0.15, "b": 0.9}} for task in tasks), "the start comes first"
    assert len({task.seed for task in tasks}) == 6


def test_it_finds_better_values() -> None:
    lost = []
    for seed in range(2):
        played = course(seed)
        play_all(played, seed, (-1,))
        assert played.learned == played.terms.steps == 100
        assert len(worth(played)) == 2
        lost.append(-strength(played.values()))
    assert sum(lost) / 2 < 45, "the start loses 112"


def test_the_order_in_which_matches_end_does_not_matter() -> None:
    paths = []
    for order in ((0,), (5, 0, 3)):
        played = course(1, against=True)
        play_all(played, 1, order)
        paths.append(played.path)
    assert paths[0] == paths[1]


def test_whole_and_logarithmic_parameters_stay_in_their_ranges() -> None:
    method = OptunaMethod([Parameter.parse("n=1..9:int:start=2"), Parameter.parse("c=0.001..10:log")], 1)
    luck = Random(1)
    for step in range(30):
        [side] = method.propose().sides
        assert side["n"] in range(1, 10)
        assert isinstance(side["n"], int)
        assert 0.001 <= side["c"] <= 10
        if step == 0:
            assert side["n"] == 2
        method.learn(luck.random())


def test_a_single_lucky_result_is_not_trusted() -> None:
    results = [((place / 20,), 0.1) for place in range(11)]
    results += [
        ((0.9,), 0.3),
        ((0.91,), 0.4),
        ((0.92,), 0.3),
        ((0.89,), 0.4),
        ((0.7,), 0.0),
        ((0.6,), -0.5),
        ((0.3,), 0.6),
    ]
    assert best_supported(results)[0] == pytest.approx(0.9, abs=0.05)
