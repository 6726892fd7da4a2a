"""Optuna as a tuning method: tries values all over the ranges, more often where earlier values did well (TPE).

Optuna suits a small number of parameters, and parameters for which a small change has no effect. With each proposed set
of values, the bot plays several pairs of matches: against itself with the start values, or against an opponent.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Any

from lapilli.arena.tuning.method import Proposal
from lapilli.arena.tuning.parameters import Parameter, Positions, starts
from lapilli.core.errors import LapilliError
from lapilli.core.installed import how_to_install

_WIDTH = 0.15
"""Width of a neighbourhood in `best_supported`: standard deviation of the normal curve that gives a result's weight.

Distances between positions are measured with each parameter's range as 0 to 1.
"""
_DOUBT = 2.0
"""In each neighbourhood, the mean of all results counts like this number of further results, so luck matters less."""


class OptunaMethod:
    """The tuning method Optuna: proposes sets of parameter values, and learns from their results.

    Args:
        parameters: the parameters; their start values are the first proposal.
        seed: seed of all random choices.

    Raises:
        LapilliError: Optuna is not installed.
    """

    def __init__(self, parameters: Sequence[Parameter], seed: int) -> None:
        optuna = _library()
        self._parameters = parameters
        self._ranges = {one.name: _range(optuna, one) for one in parameters}
        self._study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        self._study.enqueue_trial(dict(starts(parameters)))
        self._waiting: deque[tuple[Any, Positions]] = deque()
        self._results: list[tuple[Positions, float]] = []

    def propose(self) -> Proposal:
        """Returns the values that Optuna proposes next."""
        trial = self._study.ask(self._ranges)
        positions = tuple(one.position(trial.params[one.name]) for one in self._parameters)
        self._waiting.append((trial, positions))
        values = {one.name: one.value(place) for one, place in zip(self._parameters, positions, strict=True)}
        return Proposal((values,))

    def learn(self, result: float) -> None:
        """Reports to Optuna how well the oldest proposed values without a result have played."""
        trial, positions = self._waiting.popleft()
        self._study.tell(trial, result)
        self._results.append((positions, result))

    def positions(self) -> Positions:
        """Returns the tried set of values with the best results in its neighbourhood, as computed by `best_supported`.

        It is returned as positions: the place of each parameter's value in its range, from 0 to 1.
        """
        if not self._results:
            return tuple(one.position(one.start) for one in self._parameters)
        return best_supported(self._results)


def best_supported(results: Sequence[tuple[Positions, float]]) -> Positions:
    """Returns the tried set of values that has the best mean result in its neighbourhood, as positions.

    The best single result is mostly luck. So tried sets are compared by the weighted mean of the results near them.

    Args:
        results: for each trial, its positions (the place of each parameter's value in its range, from 0 to 1) and its
            result.
    """
    mean = sum(result for _, result in results) / len(results)

    def judged(place: Positions) -> float:
        weights = [math.exp(-(math.dist(place, other) ** 2) / (2 * _WIDTH**2)) for other, _ in results]
        total = sum(weight * result for weight, (_, result) in zip(weights, results, strict=True))
        return (total + _DOUBT * mean) / (sum(weights) + _DOUBT)

    return max((place for place, _ in results), key=judged)


def optuna_version() -> str:
    """Returns the version of Optuna. Raises LapilliError if it is not installed."""
    return str(_library().__version__)


def _range(optuna: Any, parameter: Parameter) -> Any:
    kind = optuna.distributions
    if parameter.whole:
        return kind.IntDistribution(int(parameter.low), int(parameter.high), log=parameter.log)
    return kind.FloatDistribution(parameter.low, parameter.high, log=parameter.log)


def _library() -> Any:
    try:
        import optuna
    except ImportError:
        raise LapilliError(f"the method optuna needs Optuna: {how_to_install('tune')}") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
