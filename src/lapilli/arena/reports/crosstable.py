"""The cross table of a tournament: points between every two contestants, ratings, faults, times. Pure, no I/O.

Only complete pairs count for points and ratings, because a single match of a pair favours the player in the better
seat. Faults and times are counted in all matches.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from lapilli.arena.progress.scoreboard import Side
from lapilli.arena.reports.verdict import PlayerFigures
from lapilli.arena.statistics import FittedRating, PairCounts, match_score, table_ratings
from lapilli.store import standings_of
from lapilli.store.results import MatchResult


@dataclass(frozen=True, slots=True)
class Against:
    """The score of one contestant against another.

    Attributes:
        points: 1 for each match in which the contestant was ranked before the other, 1/2 for each match with equal
            ranks.
        matches: number of matches, in complete pairs, in which both contestants played.
    """

    points: float = 0.0
    matches: int = 0


@dataclass(frozen=True, slots=True)
class CrosstableRow:
    """The row of one contestant in the cross table.

    Attributes:
        place: index in the event's list of contestants.
        rank: position in the table; 1 is best.
        rating: Elo with its 95 % interval. The mean of all contestants is 0; if there are only two, the weaker has 0.
        points: sum of the points against all opponents.
        possible: largest possible value of `points`.
        wins, draws, losses: number of matches in which the contestant alone had rank 1, shared rank 1, or had a lower
            rank.
        figures: name, faults and reply times of the contestant.
    """

    place: int
    rank: int
    rating: FittedRating
    points: float
    possible: int
    wins: int
    draws: int
    losses: int
    figures: PlayerFigures


class CrossTable:
    """Counts the results of a tournament.

    Args:
        names: names of the contestants, all different.
        seats: number of players in a match, which is also the number of matches in a pair.

    Attributes:
        pairs: number of complete pairs.
    """

    def __init__(self, names: Sequence[str], seats: int) -> None:
        self._names = list(names)
        self._seats = seats
        self._open: defaultdict[int, list[MatchResult]] = defaultdict(list)
        self._sides = [Side() for _ in names]
        self._outcomes: list[Counter[str]] = [Counter() for _ in names]
        self._no_pairs = PairCounts((0,) * (2 * seats + 1))
        self._counts: dict[tuple[int, int], PairCounts] = {}
        self.pairs = 0

    def add(self, result: MatchResult) -> None:
        """Adds the result of a match to the table; the result of an abandoned match is ignored."""
        if result.abandoned:
            return
        for seat, standing in zip(result.seats, standings_of(result), strict=True):
            self._sides[seat.contestant].note(result.number, seat, standing)
        self._open[result.pair].append(result)
        if len(self._open[result.pair]) == self._seats:
            self._count(self._open.pop(result.pair))

    def against(self, one: int, other: int) -> Against:
        """Returns the score of one contestant against another; `one` and `other` are their indices."""
        counts = self._counts.get((one, other))
        if counts is None:
            return Against()
        return Against(
            sum(half * number for half, number in enumerate(counts.counts)) / 2, counts.pairs * counts.matches
        )

    def counts(self, one: int, other: int) -> PairCounts:
        """Returns the counts of the pairs between two contestants, seen from the first one.

        `one` and `other` are the indices of the contestants.
        """
        return self._counts.get((one, other), self._no_pairs)

    def points(self, one: int) -> float:
        """Returns the points of a contestant against all others; `one` is its index."""
        return sum(self.against(one, other).points for other in range(len(self._names)))

    def rows(self) -> list[CrosstableRow]:
        """Returns the rows of the table, the highest Elo first.

        The Elo of a contestant without results is near the mean.
        """
        names = self._names
        results = {(names[0], name): self._no_pairs for name in names[1:]}
        results |= {(names[one], names[other]): counts for (one, other), counts in self._counts.items() if one < other}
        rated = {rating.name: rating for rating in table_ratings(results)}
        order = sorted(range(len(names)), key=lambda player: (-rated[names[player]].elo, player))
        return [self._row(player, rank, rated[names[player]]) for rank, player in enumerate(order, 1)]

    def _row(self, player: int, rank: int, rating: FittedRating) -> CrosstableRow:
        outcomes = self._outcomes[player]
        against = [self.against(player, other) for other in range(len(self._names))]
        return CrosstableRow(
            place=player,
            rank=rank,
            rating=rating,
            points=sum(cell.points for cell in against),
            possible=sum(cell.matches for cell in against),
            wins=outcomes["won"],
            draws=outcomes["drawn"],
            losses=outcomes["lost"],
            figures=PlayerFigures.of(rating.name, self._sides[player]),
        )

    def _count(self, pair: Sequence[MatchResult]) -> None:
        self.pairs += 1
        scores: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
        for result in pair:
            ranks = {seat.contestant: seat.rank or 0 for seat in result.seats}
            shared = list(ranks.values()).count(1) > 1
            for player, rank in ranks.items():
                self._outcomes[player]["lost" if rank > 1 else "drawn" if shared else "won"] += 1
            for one, other in permutations(ranks, 2):
                scores[one, other].append(match_score(ranks[one], ranks[other]))
        for two, halves in scores.items():
            self._counts[two] = self._counts.get(two, self._no_pairs) + PairCounts.of([halves], self._seats)
