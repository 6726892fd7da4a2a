"""Results in one sentence: with the players' names, from the side of whoever reads them."""

from __future__ import annotations

import re

import pytest

from lapilli.core.api import Outcome, Termination
from lapilli.core.rules.outcome import ranks_of
from lapilli.games import load, names
from lapilli.match import play_match
from lapilli.match.replay import verify
from lapilli.match.results.endings import agreed_outcome
from lapilli.match.results.result_words import points_in, result_in_words, told_apart, winner_in, with_names

GAME = load(next(name for name in names() if load(name).counts_points))
ADA_AND_GRACE = ["Ada", "Grace"]


def decided(*points: int) -> Outcome:
    return Outcome(points, ranks_of(points), Termination.DECIDED, f"{GAME.sides[0]} did it")


@pytest.mark.parametrize(
    ("outcome", "reader", "words"),
    [
        (decided(10, 3), 0, "You win 10–3: you did it"),
        (decided(10, 3), 1, "You lose 3–10: Ada did it"),
        (decided(10, 3), None, "Ada wins 10–3: Ada did it"),
        (decided(4, 4), 1, "Draw 4–4: Ada did it"),
        (decided(-1, 7), 1, "You win 7–−1: Ada did it"),
        (agreed_outcome(2), 0, "Draw by agreement"),
        (Outcome((), (2, 1), Termination.RESIGNED, "resigned", 0), 0, "You lose: you resigned"),
        (Outcome((), (2, 1), Termination.RESIGNED, "resigned", 0), 1, "You win: Ada resigned"),
        (Outcome((9, 1), (2, 1), Termination.TIMEOUT, "too late", 0), None, "Grace wins: Ada ran out of time"),
        (Outcome((9, 1), (2, 1), Termination.INVALID, "no", 0), None, "Grace wins: Ada made a mistake (no)"),
    ],
)
def test_two_players(outcome: Outcome, reader: int | None, words: str) -> None:
    assert result_in_words(GAME, outcome, ADA_AND_GRACE, reader) == words


@pytest.mark.parametrize(
    ("points", "reader", "words"),
    [
        ((5, 9, 7), 1, "You win 9–7–5"),
        ((5, 9, 7), 0, "Grace wins 9–7–5, you are third"),
        ((9, 9, 7), 0, "You and Grace share first place 9–9–7"),
        ((9, 9, 7), 2, "Ada and Grace share first place 9–9–7, you are third"),
        ((9, 9, 7), None, "Ada and Grace share first place 9–9–7"),
        ((9, 9, 9), None, "Draw 9–9–9"),
    ],
)
def test_three_players(points: tuple[int, ...], reader: int | None, words: str) -> None:
    told = result_in_words(GAME, decided(*points), [*ADA_AND_GRACE, "Alan"], reader)
    assert told == f"{words}: {'you' if reader == 0 else 'Ada'} did it"


@pytest.mark.parametrize(
    ("outcome", "winner", "points"),
    [
        (decided(3, 10), 1, ["10", "3"]),
        (decided(7, -1), 0, ["7", "−1"]),
        (decided(4, 4), None, ["4", "4"]),
        (agreed_outcome(2), None, []),
        (Outcome((9, 1), (2, 1), Termination.TIMEOUT, "too late after 3–4 turns", 0), 1, []),
        (decided(5, 9, 7), 1, ["9", "7", "5"]),
        (decided(9, 9, 7), None, ["9", "9", "7"]),
    ],
)
def test_facts_are_read_from_the_sentence(outcome: Outcome, winner: int | None, points: list[str]) -> None:
    sides = GAME.sides[: len(outcome.ranks)]
    told = result_in_words(GAME, outcome, sides)
    assert (winner_in(told, sides), points_in(told)) == (winner, points)


@pytest.mark.parametrize("name", names())
def test_results_of_matches_call_nobody_by_a_side(name: str) -> None:
    outcome = verify(play_match(name, ["random", "random"], seed=3))
    assert outcome is not None
    words = result_in_words(load(name), outcome, ADA_AND_GRACE, 0)
    assert re.match(r"(You win|You lose|Draw)", words)
    assert not re.search(rf"{'|'.join(load(name).sides)}|[Pp]layer \d", words)


def test_namesakes_are_told_apart() -> None:
    assert told_apart(["Ada", "Guest", "Guest"], ("One", "Two", "Three")) == ["Ada", "Guest (Two)", "Guest (Three)"]


def test_only_whole_words_are_names() -> None:
    text = "Blue takes a Blueberry; Orange's tiles are orange"
    assert with_names(text, ("Blue", "Orange"), ("A.", "B|C")) == "A. takes a Blueberry; B|C's tiles are orange"
