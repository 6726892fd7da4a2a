"""Takes samples of a result that grows match by match, for curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class CurveSamples(Generic[T]):
    """Samples taken at regular intervals. When there are too many, every second sample is dropped.

    Args:
        points: smallest number of samples of a long event. The number of samples is at most twice as large.
        step: interval at the start, as a number of matches (or pairs). It doubles each time that samples are dropped.

    Attributes:
        taken: the samples, by the number of matches (or pairs) after which they were taken.
    """

    def __init__(self, points: int, step: int = 1) -> None:
        self.taken: dict[int, T] = {}
        self._points, self._step = points, step

    def offer(self, number: int, sample: Callable[[], T]) -> None:
        """Takes a sample if one is due now.

        Args:
            number: number of matches (or pairs) so far.
            sample: function that returns the sample.
        """
        if number % self._step:
            return
        self.taken[number] = sample()
        if len(self.taken) > 2 * self._points:
            self._step *= 2
            self.taken = {place: one for place, one in self.taken.items() if place % self._step == 0}
