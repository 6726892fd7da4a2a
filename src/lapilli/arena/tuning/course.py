"""The course of a tuning, computed from its terms and results: the matches to play, and the values learned. No I/O.

A *step* tries one proposal of the method: one or two sets of parameter values. All matches of the step are played, and
the method learns their result. Results are learned in the order of the steps. A proposal depends only on the results of
steps that are at least a fixed number of steps earlier, not on which matches happen to be finished. So the same results
lead to the same course, in whatever order and by whichever processes the matches were played.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from lapilli.arena.progress.schedule import pair_seed, seating
from lapilli.arena.statistics import match_score
from lapilli.arena.tuning.method import Method, MethodName, Proposal
from lapilli.arena.tuning.parameters import Parameter, Positions, Values
from lapilli.arena.tuning.spsa import Spsa
from lapilli.core.errors import LapilliError
from lapilli.store.results import MatchResult, MatchTask

LEAST_MATCHES, MAX_MATCHES = 20, 10_000_000
"""Smallest and largest number of matches of a tuning."""
_AHEAD = 1 / 50
"""Share of all steps that are proposed at once, before the result of the first of these steps is learned."""
_LEAST_AHEAD = 4
_TRIES = 100
"""Approximate number of steps of Optuna, which plays several pairs of matches in each step."""


class TuningTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms of a tuning: the settings that determine its course. They are stored with the tuning's event.

    Attributes:
        parameters: the tuned parameters.
        method: the method that proposes values.
        version: version of the method's library, because another version may propose other values; empty for SPSA.
        matches: number of matches, rounded up to whole steps.
        seed: seed of the method's random choices and of the first pair of matches; it determines the seeds of all
            later pairs.
        against: whether the bot plays against an opponent, instead of against itself with other values; see
            `TuningCourse`.

    Raises:
        LapilliError: the number of matches is too small or too large.
    """

    parameters: tuple[Parameter, ...]
    method: MethodName = MethodName.SPSA
    version: str = ""
    matches: int = msgspec.field(default=2000, name="games")  # "games" in stored tunings
    seed: int = 0
    against: bool = False

    def __post_init__(self) -> None:
        """Checks the number of matches. Raises LapilliError if it is too small or too large."""
        if not LEAST_MATCHES <= self.matches <= MAX_MATCHES:
            raise LapilliError(f"the number of matches must be {LEAST_MATCHES} to {MAX_MATCHES:,}, not {self.matches}")

    @property
    def meetings(self) -> tuple[tuple[int, int], ...]:
        """Which contestants play each other in a step: pairs of their indices, which `TuningCourse` explains."""
        if self.method == MethodName.SPSA and self.against:
            return ((0, 2), (1, 2))
        return ((0, 1),)

    @property
    def pairs(self) -> int:
        """Number of pairs of matches in a step, for every two contestants that play each other.

        A step tries one proposal of parameter values.
        """
        return 1 if self.method == MethodName.SPSA else max(2, self.matches // (2 * _TRIES))

    @property
    def step_matches(self) -> int:
        """Number of matches in a step. A step tries one proposal of parameter values."""
        return 2 * self.pairs * len(self.meetings)

    @property
    def steps(self) -> int:
        """Number of steps of the whole tuning. Each step tries one proposal of parameter values."""
        return -(-self.matches // self.step_matches)


class TuningCourse:
    """The course of a tuning so far: the steps proposed, and the values learned from their results.

    With SPSA, a step proposes two sets of values. Contestant 0 is the bot with the first set, and contestant 1 is the
    bot with the second set. Without an opponent, these two play each other. With an opponent (contestant 2), both play
    against the opponent, from the same start positions. With Optuna, a step proposes one set of values. Contestant 0 is
    the bot with this set. Contestant 1 is the opponent or, without an opponent, the bot with the start values.

    Args:
        terms: terms of the tuning.
        openings: start positions of matches, used in turn; empty for the game's usual start position, which depends on
            the seed.

    Attributes:
        terms: terms of the tuning.
        learned: number of steps with learned results.
        path: estimates of the best parameter positions (0 to 1 in their ranges): first the start values' positions,
            then one estimate after each learned step.
        trials: proposal and result of each learned step.
    """

    def __init__(self, terms: TuningTerms, openings: Sequence[str] = ()) -> None:
        self.terms = terms
        self.learned = 0
        self.trials: list[tuple[Proposal, float]] = []
        self._openings = openings
        self._method = _method_of(terms)
        self.path: list[Positions] = [self._method.positions()]
        self._ahead = max(_LEAST_AHEAD, int(terms.steps * _AHEAD))
        self._proposals = [self._method.propose() for _ in range(min(self._ahead, terms.steps))]
        self._open: dict[int, dict[int, MatchResult]] = {}

    @property
    def over(self) -> bool:
        """Whether the results of all steps are learned."""
        return self.learned == self.terms.steps

    @property
    def below(self) -> int:
        """Match number below which all matches can be played now, because their parameter values are known."""
        return len(self._proposals) * self.terms.step_matches

    def task(self, number: int) -> MatchTask:
        """Returns the task of match `number`, counted from 0; `number` must be lower than `below`."""
        terms = self.terms
        step, place = divmod(number, terms.step_matches)
        pair_in_step, turn = divmod(place, 2)
        round_in_step, meeting = divmod(pair_in_step, len(terms.meetings))
        start = step * terms.pairs + round_in_step  # meetings with the same `start` have the same seed and position
        pair = start * len(terms.meetings) + meeting
        players = terms.meetings[meeting]
        sides = self._proposals[step].sides
        return MatchTask(
            number=number,
            pair=pair,
            seed=pair_seed(terms.seed, start),
            seats=seating(players, pair, turn),
            position=self._openings[start % len(self._openings)] if self._openings else None,
            parameters={one: sides[one] for one in players if one < len(sides)},
        )

    def add(self, result: MatchResult) -> None:
        """Adds the result of a match, and learns the results of the steps that are complete now."""
        self._open.setdefault(result.number // self.terms.step_matches, {})[result.number] = result
        while len(self._open.get(self.learned, ())) == self.terms.step_matches:
            self._learn(list(self._open.pop(self.learned).values()))

    def _learn(self, matches: Sequence[MatchResult]) -> None:
        result = result_of_scores([self._score(matches, *met) for met in self.terms.meetings])
        self._method.learn(result)
        self.trials.append((self._proposals[self.learned], result))
        self.learned += 1
        self.path.append(self._method.positions())
        if len(self._proposals) < self.terms.steps:
            self._proposals.append(self._method.propose())

    def _score(self, matches: Sequence[MatchResult], first: int, second: int) -> float:
        """Returns the mean score, from 0 to 1, of contestant `first` against contestant `second` in their matches."""
        ranks = [{seat.contestant: seat.rank or 0 for seat in match.seats} for match in matches]
        scores = [match_score(one[first], one[second]) for one in ranks if first in one and second in one]
        return sum(scores) / len(scores)

    def values(self, positions: Positions | None = None) -> Values:
        """Returns the parameters' values, by name, at these positions in their ranges.

        `positions`: one number from 0 to 1 for each parameter; by default those of the current estimate.
        """
        chosen = self.path[-1] if positions is None else positions
        return {one.name: one.value(place) for one, place in zip(self.terms.parameters, chosen, strict=True)}

    def to_json(self) -> dict[str, Any]:
        """Returns the terms, the estimated values, and the estimated values after each step, as data for JSON."""
        return {
            "terms": msgspec.to_builtins(self.terms),
            "values": self.values(),
            "path": [self.values(positions) for positions in self.path],
        }


def result_of_scores(scores: Sequence[float]) -> float:
    """Returns the result of a step: about 0.0029 for each Elo by which contestant 0 is stronger than contestant 1.

    Args:
        scores: one number, the score (0 to 1) of contestant 0 against contestant 1; or two numbers, the scores of
            contestants 0 and 1 against an opponent of about the same strength.
    """
    return 2 * scores[0] - 1 if len(scores) == 1 else 2 * (scores[0] - scores[1])


def _method_of(terms: TuningTerms) -> Method:
    if terms.method == MethodName.SPSA:
        return Spsa(terms.parameters, terms.steps, terms.seed)
    from lapilli.arena.tuning.optuna_method import OptunaMethod

    return OptunaMethod(terms.parameters, terms.seed)


def course_of(settings: dict[str, Any], openings: Sequence[str] = ()) -> TuningCourse:
    """Returns the course of a stored tuning, without results, from the settings of its event.

    Args:
        settings: settings of the event.
        openings: start positions of matches, needed only to play further matches.

    Raises:
        LapilliError: the tuning's method needs a library that is not installed.
    """
    return TuningCourse(msgspec.convert(settings["tuning"], TuningTerms), openings)
