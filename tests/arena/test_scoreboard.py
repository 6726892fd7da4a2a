"""What a comparison's matches come to, in whatever order they were finished."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from lapilli.arena.progress.checkpoint import read_checkpoint, write_checkpoint
from lapilli.arena.progress.scoreboard import Scoreboard
from lapilli.arena.statistics import Decision, Sprt
from lapilli.core.api import Termination
from lapilli.store.results import MatchResult, SeatResult


def result(number: int, ours: float, moves: str | None = None, seats: int = 2, **more: object) -> MatchResult:
    """A match that contestant 0 won (1), drew (0.5) or lost (0)."""
    ranks = {1: (1, 2), 0.5: (1, 1), 0: (2, 1)}[ours]
    sitting = [SeatResult(contestant=who, rank=ranks[who], score=3 - ranks[who], answers=2) for who in (0, 1)]
    if number % 2:
        sitting.reverse()
    return MatchResult(
        number=number,
        pair=number // 2,
        seed=number // 2,
        seats=tuple(sitting),
        termination=Termination.DECIDED,
        moves=moves or f"game {number}",
        **more,  # type: ignore[arg-type]
    )


def test_pairs_are_counted() -> None:
    board = Scoreboard(2, None)
    for number, ours in enumerate([1, 1, 1, 0.5, 1, 0, 0.5, 0, 0, 0]):
        board.add(result(number, ours))
    assert board.counts.counts == (1, 1, 1, 1, 1)
    assert (board.wins, board.draws, board.losses) == (4, 2, 4)
    assert (board.matches, board.complete) == (10, 5)
    assert board.differences.estimate().mean == 0
    assert board.sides[0].answers == board.sides[1].answers == 20


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_arrival_does_not_matter(seed: int) -> None:
    random = Random(seed)
    results = [result(number, random.choice([1, 1, 1, 0.5, 0])) for number in range(400)]
    in_order, shuffled = Scoreboard(2, Sprt()), Scoreboard(2, Sprt())
    for one in results:
        in_order.add(one)
    random.shuffle(results)
    for one in results:
        shuffled.add(one)
    assert in_order.decision == shuffled.decision == Decision.H1
    assert in_order.counts == shuffled.counts
    assert in_order.counts.pairs < 200, "what comes after the decision does not count"


def test_a_gap_holds_up_what_comes_after_it() -> None:
    board = Scoreboard(2, None)
    for number in (0, 1, 2, 4, 5):
        board.add(result(number, 1))
    assert (board.complete, board.counts.pairs, board.matches) == (1, 1, 5)
    board.add(result(3, 1))
    assert (board.complete, board.counts.pairs) == (3, 3)


def test_an_abandoned_match_counts_for_nobody() -> None:
    board = Scoreboard(2, None)
    lost = result(0, 0)
    board.add(
        MatchResult(number=0, pair=0, seed=0, seats=lost.seats, termination=Termination.ABANDONED, reason="too busy")
    )
    assert (board.matches, board.complete) == (0, 0)


def test_a_second_pair_that_is_a_copy_of_the_first_counts_once() -> None:
    board = Scoreboard(2, None)
    for number in range(4):
        board.add(result(number, 1, moves=f"game {number % 2}"))
    assert board.repeats
    assert board.usual == 2
    assert (board.complete, board.counts.pairs) == (2, 1)
    other = Scoreboard(2, None)
    for number in range(4):
        other.add(result(number, 1, moves=f"game {number // 2}"))
    assert not other.repeats
    assert other.counts.pairs == 2


def test_starts_vary_as_soon_as_a_quarter_of_the_first_matches_repeats_others() -> None:
    """Two that play one of a few games: eight matches, six different ones."""
    for games, usual in ((6, 4), (7, None)):
        board = Scoreboard(2, None)
        for number in range(8):
            board.add(result(number, 1, moves=f"game {number if number < games else number - games}"))
        assert board.usual == usual
        assert not board.repeats
        assert board.counts.pairs == 4
        assert resumed(board).usual == usual


def resumed(board: Scoreboard) -> Scoreboard:
    """The same again, from what was stored."""
    other = Scoreboard(2, None)
    other.resume(read_checkpoint(write_checkpoint(board.checkpoint(9))))
    return other


def test_short_pairs_may_be_alike_by_chance() -> None:
    board = Scoreboard(2, None)
    for number in range(4):
        one = result(number, 1, moves=f"game {number % 2}")
        board.add(msgspec.structs.replace(one, seats=tuple(msgspec.structs.replace(s, answers=1) for s in one.seats)))
    assert not board.repeats
    assert board.counts.pairs == 2


def test_of_a_users_openings_each_counts_once() -> None:
    """Three openings: the fourth pair repeats the first one, and nothing counts from there on."""
    board = Scoreboard(2, None, starts=3)
    for number in range(10):
        board.add(result(number, 1, moves=f"game {number % 6}"))
    assert board.repeats
    assert (board.complete, board.counts.pairs) == (5, 3)
    other = Scoreboard(2, None, starts=3)
    for number in range(10):
        other.add(result(number, 1, moves=f"game {number % 4}"))
    assert not other.repeats, "pairs of different openings may be alike"
    assert other.counts.pairs == 5
