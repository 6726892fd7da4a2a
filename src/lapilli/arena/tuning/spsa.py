"""SPSA (simultaneous perturbation stochastic approximation), Spall 1992: moves towards better values by noisy steps.

A step tries two sets of values. In the first set, every parameter is moved a little up or down, at random. In the
second set, every parameter is moved by the same distance the other way. The bot plays with both sets. Then all
parameters move a little towards the set that scored more. So a step costs the same for one parameter as for fifty. Step
k, counted from 0, uses Spall's sequences

    change  c_k = c (K / (k + 1))^0.101         distance of both sets from the current position
    gain    a_k = a / (k + 1 + K / 10)^0.602    factor of the movement of the current position

where K is the number of steps. Positions are numbers from 0 to 1 in a parameter's range. Pure: no I/O, and random
numbers only from a seed.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from random import Random

from lapilli.arena.tuning.method import Proposal
from lapilli.arena.tuning.parameters import Parameter, Positions

CHANGE = 0.1
"""Distance of both sets of values from the current position in the last step, as a share of a parameter's range."""
_CHANGE_FADES = 0.101
_GAIN_FADES = 0.602
_LATE = 1 / 10
"""Spall's constant A as a share of the number of steps. This constant makes the first steps smaller."""
_GAIN = 0.1
"""Sum of the gains of all steps, divided by the cube root of the number of steps.

The expected error has two parts. The remaining distance from the optimum falls with the sum of the gains. The noise
grows with this sum, and falls with the number of steps. This constant balances both parts for parameters whose worst
value costs 100 to 400 Elo (docs/tuning-methods.md has a table).
"""
_AVERAGED = 1 / 2
"""Share of the steps, at the end of a tuning, whose positions are averaged. This removes half of the noise."""


class Spsa:
    """The tuning method SPSA, with its state.

    Args:
        parameters: the parameters to tune. The tuning begins with their start values.
        steps: number of steps of the whole tuning. With more steps, each step moves the parameters less.
        seed: seed of all random choices.

    Attributes:
        current: current position of each parameter in its range, from 0 to 1.
    """

    def __init__(self, parameters: Sequence[Parameter], steps: int, seed: int) -> None:
        self.current: Positions = tuple(one.position(one.start) for one in parameters)
        self._parameters = parameters
        self._steps = steps
        self._random = Random(f"spsa {seed}")
        self._proposed = 0
        self._waiting: deque[tuple[float, Positions]] = deque()
        self._gain = _GAIN * math.cbrt(steps) / sum(self._fading(step) for step in range(steps))
        self._learned = 0
        self._sums = [0.0] * len(parameters)
        self._summed = 0

    def change(self, step: int) -> float:
        """Returns how far a step's two sets of values are from the current estimate, as a share of the ranges."""
        return CHANGE * math.pow(self._steps / (step + 1), _CHANGE_FADES)

    def gain(self, step: int) -> float:
        """Returns the gain of a step, which says how far the tuning moves the parameters after it.

        Each parameter moves by gain × result / change, as a share of its range: `result` is the argument of `learn`,
        and `change` the distance of the step's two sets of values from the estimate before the step.
        """
        return self._gain * self._fading(step)

    def _fading(self, step: int) -> float:
        return math.pow(step + 1 + _LATE * self._steps, -_GAIN_FADES)

    def propose(self) -> Proposal:
        """Returns the two sets of values of the next step, around the current estimate.

        If a parameter allows only whole numbers, its value is rounded with the same random number in both sets, so that
        the mean of the rounded values is the exact value. It is changed by at least 1/2 in each set, so that the two
        rounded values differ.
        """
        step, self._proposed = self._proposed, self._proposed + 1
        signed, raised, lowered = [], {}, {}
        for parameter, place in zip(self._parameters, self.current, strict=True):
            change = max(self.change(step), parameter.half_step(place)) * self._random.choice((-1, 1))
            rounding = self._random.random() if parameter.whole else 0.5
            raised[parameter.name] = parameter.value(place + change, rounding)
            lowered[parameter.name] = parameter.value(place - change, rounding)
            signed.append(change)
        self._waiting.append((self.gain(step), tuple(signed)))
        return Proposal((raised, lowered))

    def learn(self, result: float) -> None:
        """Learns the result of the oldest step without a result.

        All parameters move towards the step's better set of values.

        Args:
            result: about 0.0029 for each Elo by which the first set of values was stronger than the second set; below 0
                if it was weaker.
        """
        gain, changes = self._waiting.popleft()
        self.current = tuple(
            min(max(place + gain * result / change, 0.0), 1.0)
            for place, change in zip(self.current, changes, strict=True)
        )
        self._learned += 1
        if self._learned > (1 - _AVERAGED) * self._steps:
            self._sums = [total + place for total, place in zip(self._sums, self.current, strict=True)]
            self._summed += 1

    def positions(self) -> Positions:
        """Returns the estimate, as positions of the parameters' values in their ranges.

        This is the mean of the positions since the middle of the tuning; before the middle, the current positions.
        """
        return tuple(total / self._summed for total in self._sums) if self._summed else self.current
