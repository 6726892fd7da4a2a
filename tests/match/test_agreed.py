"""Draws by agreement, and players who give up: how matches with them are recorded, checked and shown."""

from __future__ import annotations

from copy import deepcopy

import pytest

from lapilli.core.api import Fault, Setup, Termination
from lapilli.core.errors import RecordError
from lapilli.games import load, names
from lapilli.match import Record, Referee, play_match, verify
from lapilli.match.record import RecordedOutcome, parse_record
from lapilli.players import Answer, Identity
from lapilli.players.engines.catalogue import make_builtin
from lapilli.viewer.films.film import film


def begun(game: str, turns: int = 3) -> Referee:
    """Returns the referee of a match after some turns."""
    loaded = load(game)
    number = min(loaded.players)
    referee = Referee(loaded, [Identity(f"P{player}") for player in range(number)], Setup(seed=5))
    players = [make_builtin(loaded, "random", player, 5) for player in range(number)]
    while referee.turns_played < turns:
        referee.play_step(
            {question.player: players[question.player].answer(question) for question in referee.pending()}
        )
    return referee


@pytest.mark.parametrize("game", names())
def test_a_draw_ends_the_match_where_it_stands(game: str) -> None:
    referee = begun(game)
    entries = len(referee.record.turns)
    referee.agree()
    assert referee.over
    assert referee.pending() == ()
    record = parse_record(referee.record.to_json())
    assert len(record.turns) == entries
    outcome = verify(record)
    assert outcome is not None
    assert (outcome.termination, outcome.ranks, outcome.scores) == (Termination.AGREED, (1, 1), ())
    assert (outcome.culprit, outcome.termination.is_fault, outcome.termination.has_result) == (None, False, True)
    shown = film(record)
    assert (shown["outcome"]["termination"], shown["cut"]) == ("agreed", "")


@pytest.mark.parametrize("game", names())
def test_a_match_ends_where_it_stands_once_only_one_player_is_left(game: str) -> None:
    referee = begun(game)
    entries = len(referee.record.turns)
    referee.concede(1, Fault(0, Termination.RESIGNED, "resigned"))
    assert referee.over
    record = parse_record(referee.record.to_json())
    assert len(record.turns) == entries
    outcome = verify(record)
    assert outcome is not None
    assert (outcome.termination, outcome.ranks, outcome.culprit) == (Termination.RESIGNED, (2, 1), 0)
    assert record.outcome is not None
    assert not record.outcome.by_rules
    shown = film(record)
    assert (shown["outcome"]["words"], shown["cut"], shown["waiting"]) == ("P1 wins: P0 resigned", "", None)


def test_what_is_no_walkover_is_refused() -> None:
    referee = begun(names()[0])
    referee.concede(1, Fault(0, Termination.TIMEOUT, "ran out of time"))
    for wrong in (
        RecordedOutcome(None, [2, 1], Termination.TIMEOUT, culprit=1, early=True),
        RecordedOutcome(None, [1, 1], Termination.TIMEOUT, culprit=0, early=True),
        RecordedOutcome(None, [2, 2], Termination.TIMEOUT, culprit=0, early=True),
        RecordedOutcome([0, 1], [2, 1], Termination.TIMEOUT, culprit=0, early=True),
        RecordedOutcome(None, [2, 1], Termination.TIMEOUT, early=True),
        RecordedOutcome(None, [2, 1], Termination.TIMEOUT, culprit=-1, early=True),
        RecordedOutcome(None, [2, 1], Termination.DECIDED, culprit=0, early=True),
        RecordedOutcome(None, [2, 1], Termination.INTERRUPTED, culprit=0, early=True),
    ):
        record = deepcopy(referee.record)
        record.outcome = wrong
        with pytest.raises(RecordError, match="ended early"):
            verify(record)
    finished: Record = play_match(names()[0], ["random", "random"], seed=3)
    finished.outcome = referee.record.outcome
    with pytest.raises(RecordError, match="over by the rules"):
        verify(finished)


def test_what_is_no_agreement_is_refused() -> None:
    referee = begun(names()[0])
    referee.agree()
    for wrong in (
        RecordedOutcome([1, 0], [1, 1], Termination.AGREED),
        RecordedOutcome(None, [1, 2], Termination.AGREED),
        RecordedOutcome(None, [1, 1], Termination.AGREED, culprit=0),
    ):
        record = deepcopy(referee.record)
        record.outcome = wrong
        with pytest.raises(RecordError, match="agreed"):
            verify(record)
    finished: Record = play_match(names()[0], ["random", "random"], seed=3)
    finished.outcome = referee.record.outcome
    with pytest.raises(RecordError, match="over by the rules"):
        verify(finished)


@pytest.mark.parametrize("game", names())
def test_who_gives_up_is_out_by_the_rules(game: str) -> None:
    referee = begun(game)
    while not referee.pending():
        referee.play_step({})
    player = referee.pending()[0].player
    gives_up = Fault(player, Termination.RESIGNED, "resigned")
    answers = {asked.player: Answer(gives_up) for asked in referee.pending() if asked.player == player}
    referee.play_step(answers)
    record = parse_record(referee.record.to_json())
    fault = next(entry.fault for entry in reversed(record.turns) if entry.player == player)
    assert fault is not None
    assert fault.termination == Termination.RESIGNED
    verify(record)
    assert film(record)["turns"]
