"""What a tournament's matches come to: points of each against each, ratings with intervals, faults, times. Pure.

Only whole pairs count for points and ratings: the first match of a pair alone favours whoever sits in the better seat.
Faults and times are counted as matches come.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from lapilli.arena.scoreboard import Side
from lapilli.arena.statistics import PairCounts, Rating, match_score, ratings
from lapilli.arena.verdict import PlayerFigures
from lapilli.store.results import MatchResult


@dataclass(frozen=True, slots=True)
class Against:
    """What one player has scored against another.

    Attributes:
        points: 1 for each match in which it came before the other, 1/2 where both came in together.
        matches: in which they met.
    """

    points: float = 0.0
    matches: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A player in the table.

    Attributes:
        place: its number among the contestants. rank: 1 is best.
        rating: its Elo, where the mean of all is 0, with a 95 % interval.
        points, possible: what it scored against everybody in its matches, and what it could have.
        wins, draws, losses: matches in which it came first alone, with others, or behind somebody.
        figures: its name, faults and answer times.
    """

    place: int
    rank: int
    rating: Rating
    points: float
    possible: int
    wins: int
    draws: int
    losses: int
    figures: PlayerFigures


class CrossTable:
    """Counts the results of a tournament.

    Args:
        names: of those who take part, each another. seats: matches in a pair.

    Attributes:
        pairs: how many are complete.
    """

    def __init__(self, names: Sequence[str], seats: int) -> None:
        self._names = list(names)
        self._seats = seats
        self._open: defaultdict[int, list[MatchResult]] = defaultdict(list)
        self._sides = [Side() for _ in names]
        self._went: list[Counter[str]] = [Counter() for _ in names]
        self._none = PairCounts((0,) * (2 * seats + 1))
        self._counts: dict[tuple[int, int], PairCounts] = {}
        self.pairs = 0

    def add(self, result: MatchResult) -> None:
        """Counts a match. An abandoned one counts for nobody."""
        if result.abandoned:
            return
        for seat in result.seats:
            self._sides[seat.contestant].note(seat)
        self._open[result.pair].append(result)
        if len(self._open[result.pair]) == self._seats:
            self._count(self._open.pop(result.pair))

    def against(self, one: int, other: int) -> Against:
        """What one contestant has scored against another."""
        counts = self._counts.get((one, other))
        if counts is None:
            return Against()
        return Against(
            sum(half * number for half, number in enumerate(counts.counts)) / 2, counts.pairs * counts.matches
        )

    def points(self, one: int) -> float:
        """What a contestant has scored against everybody."""
        return sum(self.against(one, other).points for other in range(len(self._names)))

    def rows(self, anchor: str | None = None) -> list[Row]:
        """The table, the strongest first; those who have not played stand in the middle.

        Args:
            anchor: whose Elo is 0; by default the mean of all is.
        """
        names = self._names
        results = {(names[0], name): self._none for name in names[1:]}
        results |= {(names[one], names[other]): counts for (one, other), counts in self._counts.items() if one < other}
        rated = {rating.name: rating for rating in ratings(results, anchor)}
        order = sorted(range(len(names)), key=lambda who: (-rated[names[who]].elo, who))
        return [self._row(who, rank, rated[names[who]]) for rank, who in enumerate(order, 1)]

    def _row(self, who: int, rank: int, rating: Rating) -> Row:
        went = self._went[who]
        against = [self.against(who, other) for other in range(len(self._names))]
        return Row(
            place=who,
            rank=rank,
            rating=rating,
            points=sum(cell.points for cell in against),
            possible=sum(cell.matches for cell in against),
            wins=went["won"],
            draws=went["drawn"],
            losses=went["lost"],
            figures=PlayerFigures.of(rating.name, self._sides[who]),
        )

    def _count(self, pair: Sequence[MatchResult]) -> None:
        self.pairs += 1
        scores: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
        for result in pair:
            ranks = {seat.contestant: seat.rank or 0 for seat in result.seats}
            shared = list(ranks.values()).count(1) > 1
            for who, rank in ranks.items():
                self._went[who]["lost" if rank > 1 else "drawn" if shared else "won"] += 1
            for one, other in permutations(ranks, 2):
                scores[one, other].append(match_score(ranks[one], ranks[other]))
        for two, halves in scores.items():
            self._counts[two] = self._counts.get(two, self._none) + PairCounts.of([halves], self._seats)
