"""A pool of past selves: earlier versions of an agent, against which the agent plays while it learns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lapilli.arena.statistics import FittedRating, PairCounts, ratings
from lapilli.core.errors import LapilliError
from lapilli.core.reading.text import quoted
from lapilli.envs.batches.validation import amount_of, count_of
from lapilli.kernels.kernel import random_unit

LEARNER = "learner"
"""Name of the learner in `PastSelves.ratings`."""
_MOST = 1 << 16
_FLOOR = 0.05
"""Least value for the share of points that a past self wins, so that even one that always loses is drawn sometimes."""
_MEMORY = 0.98
"""Factor between the weights of two successive matches in the learner's score against a past self: the newest match has
weight 1, the match before it this weight, and so on."""

Policy = Callable[[Any, Any], Any]
"""A past self: a function (observations, legal) that returns an action of the player to act, for each of many games."""


class PastSelves:
    """A pool of past selves of an agent, for the argument `others` of `lapilli.batch`.

    >>> pool = lapilli.PastSelves()
    >>> pool.add("start", policy)
    >>> games = lapilli.batch(game, 128, others=pool)

    In each game, one past self plays for all players but the learner. It is drawn at the start of the game: the more
    often a past self still beats the learner, the more often it is drawn.

    Args:
        most: greatest number of past selves that play. If one more is added, the past self against which the learner
            has the highest score stops playing, but never the one just added.
        power: preference for past selves that still beat the learner. The probability of drawing a past self is
            proportional to the share of points that it wins against the learner, raised to this power.

    Attributes:
        names: names of all past selves, in the order in which they were added.
        results: counts of the matches between two versions of the agent, seen from the first version. The key is (name
            of the first version, name of a past self). The learner's present version has the name LEARNER until `add`
            stores it in the pool under a name; the key of its matches then changes to that name.
    """

    def __init__(self, *, most: int = 32, power: float = 1.0) -> None:
        self._most, self._power = count_of("most", most, _MOST), amount_of("power", power)
        self.names: list[str] = []
        self.results: dict[tuple[str, str], PairCounts] = {}
        self._policies: list[Policy] = []
        self._points, self._matches = list[float](), list[float]()
        self._playing: list[int] = []

    def __repr__(self) -> str:
        return f"<{len(self._playing)} past selves>"

    def add(self, name: str, policy: Policy) -> None:
        """Adds the learner's current version to the pool.

        Args:
            name: name of this version, which must differ from the names of all other past selves.
            policy: function that plays for this version. Its play must not change while the learner goes on learning,
                so pass a function that uses a copy of the network.

        Raises:
            LapilliError: the name is taken, or `policy` is no function.
        """
        if not isinstance(name, str) or name in (*self.names, LEARNER):
            raise LapilliError(f"name: expected a name that no past self has, not {quoted(name, 40)}")
        if not callable(policy):
            raise LapilliError(f"policy: expected a function, not {quoted(policy, 40)}")
        self.results = {
            (name if own == LEARNER else own, other): counts for (own, other), counts in self.results.items()
        }
        self.names.append(name)
        self._policies.append(policy)
        self._points.append(0.5)
        self._matches.append(1.0)
        self._playing.append(len(self.names) - 1)
        if len(self._playing) > self._most:
            self._playing.remove(max(self._playing[:-1], key=self.score))

    def score(self, number: int) -> float:
        """Returns the learner's share of the points in its latest matches against a past self, from 0 to 1.

        `number`: index of the past self in `names`. Before the first match the result is 1/2.
        """
        return self._points[number] / self._matches[number]

    def chances(self) -> Any:
        """Returns the probability with which each past self is drawn; shape (past selves,), in the order of `names`."""
        shares, weights = np.zeros(len(self.names)), np.zeros(len(self.names))
        for number in self._playing:
            shares[number] = max(1 - self.score(number), _FLOOR)
            weights[number] = shares[number] ** self._power
        if not weights.any():  # the power is so large that all weights were rounded to 0
            weights = shares == shares.max()
        return weights / weights.sum()

    def draw(self, rng: Any) -> int:
        """Draws a past self with the probabilities `chances()`, and returns its index in `names`.

        `rng`: state of a random generator, which this call advances.
        """
        return min(int(np.searchsorted(self.chances().cumsum(), random_unit(rng), side="right")), len(self.names) - 1)

    def policy(self, number: int) -> Policy:
        """Returns the function that plays for a past self. `number`: index of the past self in `names`."""
        return self._policies[number]

    def count(self, number: int, utility: float) -> None:
        """Counts a match of the learner against a past self.

        Args:
            number: index of the past self in `names`.
            utility: the learner's utility: above 0 means a win, 0 a draw, below 0 a loss.
        """
        won = 0.5 + 0.5 * float(np.sign(utility))
        self._points[number] = _MEMORY * self._points[number] + won
        self._matches[number] = _MEMORY * self._matches[number] + 1
        key = LEARNER, self.names[number]
        counted = PairCounts.of([[won]], 1)
        self.results[key] = self.results[key] + counted if key in self.results else counted

    def ratings(self) -> tuple[FittedRating, ...]:
        """Returns the ratings of the learner and of all past selves, the strongest first; the oldest one has 0 Elo.

        The ratings are fitted to the results of all matches; `docs/statistics.md` explains the method. The intervals
        treat each version of the learner as one player of constant strength, although the learner changes between two
        calls of `add`.
        """
        return ratings(self.results, anchor=self._anchor()) if self.results else ()

    def _anchor(self) -> str | None:
        played = {name for names in self.results for name in names}
        return next((name for name in self.names if name in played), None)
