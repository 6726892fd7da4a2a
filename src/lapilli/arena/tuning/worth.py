"""Estimates how many Elo a bot gains if a parameter is changed, from all results of a tuning. Pure, no I/O.

The estimate assumes that the bot's strength is a sum of parabolas. There is one parabola for each parameter, a function
of the parameter's position in its range (0 to 1). The parabolas are fitted to the results by least squares, with the
weak assumption that a parameter changes the strength by less than a thousand Elo. The estimate is only an illustration:
a comparison is needed to measure a gain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapilli.arena.statistics.elo import ELO_OF_LOGIT, Z95
from lapilli.arena.tuning.course import TuningCourse
from lapilli.arena.tuning.parameters import Positions

_RESULT_OF_ELO = 1 / (2 * ELO_OF_LOGIT)
"""Result of a step (`result_of_scores`) for each Elo by which its first set of values is stronger."""
_LARGEST = 1000.0
"""Standard deviation of the prior distribution of each coefficient of the fitted parabolas, in Elo."""
_LEAST_TRIALS = 20
_POINTS = 41


@dataclass(frozen=True)
class Worth:
    """The estimated gain in Elo if one parameter has another value than its tuned value.

    Attributes:
        values: values of the parameter, ascending, from the lowest to the highest value that was played.
        elo, low, high: gain in Elo for each of these values, and the ends of its 95 % interval; negative for a loss.
        of_start: (gain, low, high): gain in Elo of the tuned value over the start value, and the ends of its 95 %
            interval.
    """

    values: tuple[float, ...]
    elo: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    of_start: tuple[float, float, float]


def worth(course: TuningCourse) -> tuple[Worth, ...]:
    """Estimates, for each tuned parameter, how many Elo the bot gains or loses with other values of the parameter.

    `course`: the tuning so far. The result is empty if there are too few results of matches.
    """
    parameters = course.terms.parameters
    if course.learned < _LEAST_TRIALS:
        return ()
    sides = [_sides(course, place) for place in range(len(course.trials))]
    results = np.array([result for _, result in course.trials]) / _RESULT_OF_ELO
    features = np.array([_features(first) - _features(second) for first, second in sides])
    if course.terms.against and len(course.trials[0][0].sides) == 1:  # fits the opponent's strength, too
        features = np.column_stack([features, np.ones(len(results))])
    coefficients, covariance = _fitted(features, results)
    tuned, first = course.path[-1], course.path[0]
    found = []
    for place, parameter in enumerate(parameters):
        own = [place, place + len(parameters)]
        played = [positions[place] for pair in sides for positions in pair]
        at = np.linspace(min(played), max(played), _POINTS)
        part, spread = coefficients[own], covariance[np.ix_(own, own)]
        elo, half = _gain(at, tuned[place], part, spread)
        of_start, half_start = _gain(np.array([tuned[place]]), first[place], part, spread)
        gain, error = float(of_start[0]), float(half_start[0])
        found.append(
            Worth(
                values=tuple(float(parameter.value(float(position))) for position in at),
                elo=tuple(map(float, elo)),
                low=tuple(map(float, elo - half)),
                high=tuple(map(float, elo + half)),
                of_start=(gain, gain - error, gain + error),
            )
        )
    return tuple(found)


def _sides(course: TuningCourse, place: int) -> tuple[Positions, Positions]:
    """Returns the two sets of values that a step compared, each as positions in the parameters' ranges (0 to 1).

    If the step proposed only one set of values, the second set is the start values. `course`: the tuning so far.
    `place`: number of the step, from 0.
    """
    sides = [
        tuple(one.position(side[one.name]) for one in course.terms.parameters) for side in course.trials[place][0].sides
    ]
    return sides[0], sides[1] if len(sides) > 1 else course.path[0]


def _features(positions: Positions) -> NDArray[np.float64]:
    whole = np.array(positions)
    return np.concatenate([whole, whole**2])


def _fitted(features: NDArray[np.float64], results: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Fits the parabolas to the results. Returns the coefficients, and the covariance of the coefficients' errors.

    Args:
        features: for each step, by how much its two sets of values differ in the terms of the parabolas (`_features`:
            all positions and their squares); shape (steps, coefficients).
        results: result of each step, in Elo.
    """
    noise = float(np.mean(results**2)) or 1.0  # luck causes nearly all of the variance of the results
    precision = features.T @ features / noise + np.eye(features.shape[1]) / _LARGEST**2
    covariance = np.linalg.inv(precision)
    return covariance @ (features.T @ results) / noise, np.asarray(covariance, dtype=np.float64)


def _gain(
    at: NDArray[np.float64], base: float, coefficients: NDArray[np.float64], covariance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the gain in Elo if a parameter is at some positions, and half the width of the gain's 95 % interval.

    Args:
        at: positions of one parameter, from 0 to 1 in its range.
        base: position of the parameter to compare with.
        coefficients: the two coefficients of the parameter's parabola.
        covariance: covariance of the coefficients' errors, shape (2, 2).
    """
    steps = np.column_stack([at - base, at**2 - base**2])
    return steps @ coefficients, Z95 * np.sqrt(np.einsum("ij,jk,ik->i", steps, covariance, steps))
