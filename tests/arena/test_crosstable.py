"""What a tournament's results come to, from results as matches would have them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from lapilli.arena.reports.crosstable import CrossTable
from lapilli.core.api import Termination
from lapilli.store.results import MatchResult, SeatResult


def played(number: int, pair: int, ranks: dict[int, int], **more: object) -> MatchResult:
    """A match with those ranks, by contestant, in the order of the seats."""
    seats = tuple(SeatResult(contestant=who, score=-rank, rank=rank, answers=1) for who, rank in ranks.items())
    return MatchResult(number=number, pair=pair, seed=pair, seats=seats, termination=Termination.DECIDED, **more)  # type: ignore[arg-type]


def table_of(results: Sequence[MatchResult], players: int = 3, seats: int = 2) -> CrossTable:
    table = CrossTable([f"bot {who}" for who in range(players)], seats)
    for result in results:
        table.add(result)
    return table


RESULTS = [
    played(0, 0, {0: 1, 1: 2}),
    played(1, 0, {1: 1, 0: 1}),
    played(2, 1, {0: 1, 2: 2}),
    played(3, 1, {2: 2, 0: 1}),
    played(4, 2, {1: 1, 2: 2}),
]


def test_who_scored_what_against_whom() -> None:
    table = table_of(RESULTS)
    assert table.pairs == 2, "the third is not complete"
    assert (table.against(0, 1).points, table.against(0, 1).matches) == (1.5, 2)
    assert (table.against(1, 0).points, table.against(1, 0).matches) == (0.5, 2)
    assert table.against(1, 2).matches == 0
    first, second, third = table.rows()
    assert [row.figures.name for row in (first, second, third)] == ["bot 0", "bot 1", "bot 2"]
    assert (first.points, first.possible, first.wins, first.draws, first.losses) == (3.5, 4, 3, 1, 0)
    assert (third.points, third.possible, third.wins, third.draws, third.losses) == (0, 2, 0, 0, 2)
    assert third.figures.answers == 3, "answers are counted as matches come"
    assert all(row.rating.low < row.rating.elo < row.rating.high for row in (first, second, third))
    assert table.points(0) == 3.5


def test_the_order_in_which_results_come_does_not_matter() -> None:
    mixed = list(RESULTS)
    Random(1).shuffle(mixed)
    assert table_of(mixed).rows() == table_of(RESULTS).rows()


def test_in_matches_of_three_each_two_have_a_result() -> None:
    table = table_of([played(k, 0, {0: 1, 1: 2, 2: 2}) for k in range(3)], seats=3)
    assert table.against(0, 2).points == 3
    assert table.against(1, 2).points == 1.5
    row = table.rows()[0]
    assert (row.points, row.possible, row.wins) == (6, 6, 3)


def test_whoever_has_not_played_is_in_the_table() -> None:
    rows = table_of([], players=4).rows()
    assert [row.place for row in rows] == [0, 1, 2, 3]
    assert [(row.rating.elo, row.possible) for row in rows] == [(0, 0)] * 4


def test_what_was_abandoned_counts_for_nobody() -> None:
    seats = (SeatResult(contestant=0), SeatResult(contestant=1))
    table = table_of([MatchResult(number=0, pair=0, seed=0, seats=seats, termination=Termination.ABANDONED)])
    assert table.pairs == 0
    assert all(row.figures.answers == 0 for row in table.rows())
