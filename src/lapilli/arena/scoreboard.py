"""What a comparison's matches come to so far: pairs, the verdict on them, faults, times. Pure: results in, figures out.

Pairs count in the order of their numbers, each once all before it are complete, so that the verdict depends on the
results alone, not on who played them how fast, nor on how often the run was stopped and taken up again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from lapilli.arena.statistics import Decision, Differences, PairCounts, Sprt, match_score
from lapilli.store.results import MatchResult, SeatResult

_TELLING = 8
"""So many answers of a pair are the same twice by design; fewer may be by chance, as where a bot ends at its first."""


@dataclass
class Side:
    """What one of the two compared did.

    Attributes:
        faults: how many of each kind. answers: how many. times: how long they took, by bucket (see `Times`).
        cpu_ms, waited_ms: sums, see `SeatResult`.
    """

    faults: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    times: Counter[int] = field(default_factory=Counter)
    cpu_ms: float = 0.0
    waited_ms: float = 0.0

    def note(self, seat: SeatResult) -> None:
        """Counts its part in a match."""
        if seat.fault:
            self.faults[seat.fault] += 1
        self.answers += seat.answers
        for bucket, number in seat.times.items():
            self.times[bucket] += number
        self.cpu_ms += seat.cpu_ms
        self.waited_ms += seat.waited_ms


class Scoreboard:
    """Counts the results of a comparison of contestant 0 with contestant 1.

    Args:
        seats: matches in a pair.
        sprt: decides; None where a fixed number of matches is played.

    Attributes:
        counts: pairs by their score, as far as they count. differences: of the scores, the same pairs.
        wins, draws, losses: of contestant 0 against 1, in the matches of these pairs.
        matches: that are finished, also of pairs that are not counted yet.
        complete: how many pairs are complete, without a gap, from the first on.
        repeats: whether the second pair was the same as the first, move by move, and long enough to tell: neither the
            players nor the start leave anything to chance. It does not count then.
        decision: of the test; the first one stands.
        sides: what the two did, in all finished matches.
    """

    def __init__(self, seats: int, sprt: Sprt | None) -> None:
        self._seats = seats
        self._sprt = sprt
        self._open: dict[int, dict[int, MatchResult]] = {}
        self._first: list[str] = []
        self.counts = PairCounts((0,) * (2 * seats + 1))
        self.differences = Differences()
        self.wins = self.draws = self.losses = self.matches = self.complete = 0
        self.repeats = False
        self.decision = Decision.CONTINUE
        self.sides = (Side(), Side())

    @property
    def llr(self) -> float | None:
        """The test's log-likelihood ratio; None without a test."""
        return self._sprt.llr(self.counts) if self._sprt else None

    def add(self, result: MatchResult) -> None:
        """Counts a match. An abandoned one counts for nobody."""
        if result.abandoned:
            return
        self.matches += 1
        for seat in result.seats:
            if seat.contestant < 2:
                self.sides[seat.contestant].note(seat)
        self._open.setdefault(result.pair, {})[result.number] = result
        while len(self._open.get(self.complete, ())) == self._seats:
            pair = self._open.pop(self.complete)
            self._count([pair[number] for number in sorted(pair)])
            self.complete += 1

    def _count(self, pair: list[MatchResult]) -> None:
        if self.complete < 2:
            moves = [result.moves for result in pair]
            answers = sum(seat.answers for result in pair for seat in result.seats)
            if self.complete == 1 and moves == self._first and answers >= _TELLING:
                self.repeats = True
                return
            self._first = moves
        if self.decision != Decision.CONTINUE:
            return
        scores, margins = [], []
        for result in pair:
            ours, theirs = (next(seat for seat in result.seats if seat.contestant == who) for who in (0, 1))
            scores.append(match_score(ours.rank or 0, theirs.rank or 0))
            margins.append((ours.score or 0) - (theirs.score or 0))
        self.wins += scores.count(1.0)
        self.draws += scores.count(0.5)
        self.losses += scores.count(0.0)
        self.counts += PairCounts.of([scores], self._seats)
        self.differences += Differences.of([sum(margins) / len(margins)])
        if self._sprt:
            self.decision = self._sprt.decide(self.counts)
