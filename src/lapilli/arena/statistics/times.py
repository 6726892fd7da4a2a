"""Histograms of bots' reply times. Two histograms can be added.

Each bucket is 5 % wider than the one before, so that quantiles have an error of at most 2.5 %, from a microsecond to
about a day. The longest time is stored exactly to a microsecond. A million replies need no more memory than a thousand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lapilli.core.errors import LapilliError

_LOG_GROWTH = math.log(1.05)
_LAST = 520
"""Index of the last bucket, which contains all times from about 29 hours on."""
_LONGEST = "max"


@dataclass(frozen=True, slots=True)
class Times:
    """A histogram of reply times.

    Attributes:
        buckets: number of replies by bucket; bucket i contains times from 1.05^i to 1.05^(i+1) microseconds. Empty
            buckets may be missing.
        longest: longest time, in whole microseconds.
    """

    buckets: Mapping[int, int] = field(default_factory=dict)
    longest: int = 0

    @classmethod
    def of(cls, milliseconds: Iterable[float]) -> Times:
        """Returns the histogram of times in milliseconds. Raises LapilliError for a time below 0, infinity or nan."""
        longest = 0.0
        counts: Counter[int] = Counter()
        for time in milliseconds:
            if not 0 <= time < math.inf:
                raise LapilliError(f"an answer takes a time from 0 upwards, not {time} ms")
            longest = max(longest, 1000 * time)
            counts[_bucket(1000 * time)] += 1
        return cls(dict(counts), round(longest))

    @classmethod
    def of_buckets(cls, buckets: Mapping[int, int]) -> Times:
        """Returns a histogram with these buckets. Its longest time is the upper end of the last non-empty bucket."""
        last = max((bucket for bucket, number in buckets.items() if number), default=None)
        return cls(dict(buckets), 0 if last is None else round(math.exp(_LOG_GROWTH * (last + 1))))

    @classmethod
    def from_plain(cls, data: object) -> Times:
        """Returns the histogram from data that `to_plain` returned. Raises LapilliError for other data."""
        if not isinstance(data, dict) or not all(type(value) is int and value >= 0 for value in data.values()):
            raise LapilliError("times of answers are an object of whole numbers")
        try:
            buckets = {int(key): value for key, value in data.items() if key != _LONGEST}
        except ValueError:
            raise LapilliError("times of answers are counted in numbered buckets") from None
        if not all(0 <= bucket <= _LAST for bucket in buckets):
            raise LapilliError(f"buckets of times have numbers from 0 to {_LAST}")
        return cls(buckets, data.get(_LONGEST, 0))

    def to_plain(self) -> dict[str, int]:
        """Returns the histogram as data for JSON: counts by bucket number, and the longest time in µs as "max"."""
        return {_LONGEST: self.longest} | {str(bucket): self.buckets[bucket] for bucket in sorted(self.buckets)}

    def __add__(self, other: Times) -> Times:
        """Returns the histogram of both sets of times."""
        return Times(dict(Counter(self.buckets) + Counter(other.buckets)), max(self.longest, other.longest))

    @property
    def answers(self) -> int:
        """Number of replies in the histogram."""
        return sum(self.buckets.values())

    @property
    def max_ms(self) -> float:
        """Longest time, in milliseconds; 0 without replies."""
        return self.longest / 1000

    def quantile_ms(self, share: float) -> float:
        """Returns a quantile of the reply times, in milliseconds; 0 without replies.

        Args:
            share: share of the replies that took at most the returned time, from 0 to 1; 0.5 for the median.
        """
        rank = math.ceil(share * self.answers)
        counted = 0
        for bucket in sorted(self.buckets):
            counted += self.buckets[bucket]
            if counted >= rank:
                return min(math.exp((bucket + 0.5) * _LOG_GROWTH), self.longest) / 1000
        return 0.0


def rounded_ms(milliseconds: float) -> float:
    """Rounds a time to two significant digits, because times from a histogram are not more precise."""
    return float(f"{milliseconds:.2g}")


def _bucket(microseconds: float) -> int:
    return min(int(math.log(microseconds) / _LOG_GROWTH), _LAST) if microseconds > 1 else 0
