"""Counts the results of a comparison: pairs, decision of the test, faults, times. Pure, no I/O.

Pairs are counted in the order of their numbers: a pair is counted only when all earlier pairs are complete. So the
decision depends only on the results, not on the order in which matches finish, or on interruptions of the run.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from lapilli.arena.progress.checkpoint import FORMAT, Checkpoint
from lapilli.arena.statistics import Decision, Differences, PairCounts, Sprt, match_score
from lapilli.store import Standing, Tally, standings_of
from lapilli.store.results import MatchResult, SeatResult

_LEAST_REPLIES = 8
"""If the second pair repeats the first one, and has at least this number of replies, both players always play the same.

Shorter pairs may be equal by chance, for example if a bot crashes at its first reply.
"""
WATCHED = 4
"""Number of pairs, at the beginning of a comparison, whose matches are compared with each other."""
_REPEATED = 0.25
"""If at least this share of the matches in the first WATCHED pairs repeats earlier ones, later pairs use openings."""


@dataclass
class Side:
    """The results, faults and times of one contestant, added up over some matches.

    Attributes:
        standings: number of matches by standing (won, drawn or lost).
        score: sum of the contestant's scores, in the game's points.
        faults: number of matches with a fault of the contestant, by kind of fault.
        last_fault: number of the last match with a fault of the contestant; None if there is none.
        answers: number of times that the contestant was asked for a reply.
        times: number of replies by reply time: bucket i counts times from 1.05^i to 1.05^(i+1) microseconds.
        cpu_ms: processor time of the contestant, in milliseconds.
        waited_ms: time that the contestant waited for a processor, in milliseconds.
    """

    standings: Counter[Standing] = field(default_factory=Counter)
    score: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    last_fault: int | None = None
    answers: int = 0
    times: Counter[int] = field(default_factory=Counter)
    cpu_ms: float = 0.0
    waited_ms: float = 0.0

    def note(self, number: int, seat: SeatResult, standing: Standing) -> None:
        """Adds a match of the contestant to the sums.

        Args:
            number: number of the match.
            seat: the contestant's result and times in the match.
            standing: whether the contestant won, drew or lost.
        """
        self.standings[standing] += 1
        self.score += seat.score or 0
        if seat.fault:
            self.faults[seat.fault] += 1
            self.last_fault = number
        self.answers += seat.answers
        for bucket, replies in seat.times.items():
            self.times[bucket] += replies
        self.cpu_ms += seat.cpu_ms
        self.waited_ms += seat.waited_ms

    @classmethod
    def of_tally(cls, tally: Tally, last_fault: int | None) -> Self:
        """Converts sums from the store's data type `Tally`. Reverses the method `tally`.

        `last_fault`: value of the attribute with this name, which a Tally does not contain.
        """
        return cls(
            standings=Counter({Standing.WON: tally.won, Standing.DRAWN: tally.drawn, Standing.LOST: tally.lost}),
            score=tally.score,
            faults=Counter(tally.faults),
            last_fault=last_fault,
            answers=tally.answers,
            times=Counter(tally.times),
            cpu_ms=tally.cpu_ms,
            waited_ms=tally.waited_ms,
        )

    def tally(self, contestant: int) -> Tally:
        """Returns these sums as the store's data type `Tally`; `contestant` is the contestant's index."""
        return Tally(
            contestant=contestant,
            matches=self.standings.total(),
            won=self.standings[Standing.WON],
            drawn=self.standings[Standing.DRAWN],
            lost=self.standings[Standing.LOST],
            score=self.score,
            answers=self.answers,
            cpu_ms=self.cpu_ms,
            waited_ms=self.waited_ms,
            faults=dict(self.faults),
            times=dict(self.times),
        )


class Scoreboard:
    """Counts the results of a comparison of contestant 0 with contestant 1.

    Args:
        seats: number of matches in a pair.
        sprt: sequential test that decides; None without a test.
        most: largest number of pairs to count; None for no limit.
        starts: number of openings that the user has set, which pairs use in turn; 0 if the user has set none. Then the
            first two pairs begin at the game's usual start position.

    Attributes:
        most: largest number of pairs to count. A caller may change it, but not to less than the number of pairs counted
            so far.
        counts: number of counted pairs by score.
        differences: score differences of the same pairs.
        wins, draws, losses: number of matches of these pairs that contestant 0 won, drew and lost against contestant 1.
        matches: number of finished matches, also in pairs that are not counted.
        complete: number of pairs before the first incomplete pair.
        repeats: whether both players always play the same moves. This is so if the second pair from the first start
            position repeated the first pair with at least _LEAST_REPLIES replies. Then the second pair is not counted.
            If the user has set openings, later pairs are not counted, either.
        usual: number of pairs after which it turned out that too many matches repeat earlier ones; later pairs need
            other start positions. At most WATCHED; None while few matches repeat earlier ones.
        decision: decision of the test. Once H0 or H1 is decided, later pairs are not counted.
        sides: results, faults and times of each contestant in the matches of the counted pairs.
        fault: number of the first finished match in which contestant 0 or 1 had a fault; None if there is none.
    """

    def __init__(self, seats: int, sprt: Sprt | None, most: int | None = None, starts: int = 0) -> None:
        self._seats = seats
        self._sprt = sprt
        self.most = most
        self._starts = starts
        self._open: dict[int, dict[int, MatchResult]] = {}
        self._first: list[str] = []
        self._watched: list[str] = []
        self.counts = PairCounts((0,) * (2 * seats + 1))
        self.differences = Differences()
        self.wins = self.draws = self.losses = self.matches = self.complete = 0
        self.repeats = False
        self.usual: int | None = None
        self.decision = Decision.CONTINUE
        self.sides = tuple(Side() for _ in range(seats))
        self.fault: int | None = None

    @property
    def llr(self) -> float | None:
        """Log-likelihood ratio of the test after the counted pairs; None without a test."""
        return self._sprt.llr(self.counts) if self._sprt else None

    def add(self, result: MatchResult) -> None:
        """Adds the result of a match to the counts; the result of an abandoned match is ignored."""
        if result.abandoned:
            return
        self.matches += 1
        if self.fault is None and any(seat.fault and seat.contestant < 2 for seat in result.seats):
            self.fault = result.number
        self._open.setdefault(result.pair, {})[result.number] = result
        while len(self._open.get(self.complete, ())) == self._seats:
            pair = self._open.pop(self.complete)
            self._count([pair[number] for number in sorted(pair)])
            self.complete += 1

    def checkpoint(self, after: int) -> Checkpoint:
        """Returns the state of this scoreboard, for `resume`. `after` is the id of the last match that was counted."""
        return Checkpoint(
            format=FORMAT,
            after=after,
            test=self._test,
            most=self.most,
            starts=self._starts,
            matches=self.matches,
            complete=self.complete,
            counts=list(self.counts.counts),
            differences=self.differences.to_plain(),
            wins=self.wins,
            draws=self.draws,
            losses=self.losses,
            repeats=self.repeats,
            usual=self.usual,
            decision=self.decision,
            fault=self.fault,
            sides=[(side.tally(number), side.last_fault) for number, side in enumerate(self.sides)],
            open=[result for pair in self._open.values() for result in pair.values()],
            first=self._first,
            watched=self._watched,
        )

    def resume(self, checkpoint: Checkpoint | None) -> int:
        """Restores the state of an earlier scoreboard, if the checkpoint fits this one. Call this before any `add`.

        Returns:
            The id of the last match that is counted now; 0 if there is no checkpoint, or it does not fit.
        """
        if checkpoint is None or not checkpoint.fits(self._test, self.most, self._starts):
            return 0
        self.matches, self.complete = checkpoint.matches, checkpoint.complete
        self.counts = PairCounts.from_plain(checkpoint.counts)
        self.differences = Differences.from_plain(checkpoint.differences)
        self.wins, self.draws, self.losses = checkpoint.wins, checkpoint.draws, checkpoint.losses
        self.repeats, self.decision, self.fault = checkpoint.repeats, checkpoint.decision, checkpoint.fault
        self.usual, self._watched = checkpoint.usual, checkpoint.watched
        self.sides = tuple(Side.of_tally(tally, last_fault) for tally, last_fault in checkpoint.sides)
        self._first = checkpoint.first
        for result in checkpoint.open:
            self._open.setdefault(result.pair, {})[result.number] = result
        return checkpoint.after

    @property
    def _test(self) -> dict[str, Any] | None:
        return None if self._sprt is None else asdict(self._sprt)

    def _watch(self, moves: list[str]) -> None:
        """Sets `usual` if too many of the first WATCHED pairs repeat the moves of earlier pairs.

        Call this for each pair in turn. Pairs after the first WATCHED are ignored. So are pairs from the user's own
        openings, because these pairs start differently. `moves`: hash of the moves of each match of the pair.
        """
        if self._starts or self.usual is not None or self.complete >= WATCHED:
            return
        self._watched += moves
        repeated = 1 - len({*self._watched}) / len(self._watched)
        if self.repeats or (self.complete == WATCHED - 1 and repeated >= _REPEATED):
            self.usual = self.complete + 1

    def _count(self, pair: list[MatchResult]) -> None:
        moves = [result.moves for result in pair]
        is_long = sum(seat.answers for result in pair for seat in result.seats) >= _LEAST_REPLIES
        is_second = self.complete == (self._starts or 1)
        if self.complete == 0:
            self._first = moves
        if is_second:
            self.repeats = is_long and moves == self._first
        if is_long:
            self._watch(moves)
        if self.repeats and (is_second or self._starts):
            return
        if self.decision != Decision.CONTINUE or self.counts.pairs == self.most:
            return
        scores, margins = [], []
        for result in pair:
            for seat, standing in zip(result.seats, standings_of(result), strict=True):
                self.sides[seat.contestant].note(result.number, seat, standing)
            a, b = (next(seat for seat in result.seats if seat.contestant == contestant) for contestant in (0, 1))
            scores.append(match_score(a.rank or 0, b.rank or 0))
            margins.append((a.score or 0) - (b.score or 0))
        self.wins += scores.count(1.0)
        self.draws += scores.count(0.5)
        self.losses += scores.count(0.0)
        self.counts += PairCounts.of([scores], self._seats)
        self.differences += Differences.of([sum(margins) / len(margins)])
        if self._sprt:
            self.decision = self._sprt.decide(self.counts)
