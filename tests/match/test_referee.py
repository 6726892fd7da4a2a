"""The referee, driven by a loop, by an event loop, and by Match with a player of the user's own class."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

import pytest

import lapilli
from lapilli.core.api import Fault, Setup, State, Termination
from lapilli.core.errors import SetupError
from lapilli.match import Clock, Match, Record, Referee, verify
from lapilli.match.inputs import inputs
from lapilli.match.record import Entry
from lapilli.players import Answer, Identity, Player, Question

NAMES = [Identity("Ada"), Identity("Grace")]


def referee_of(game: str = "volcanoes", **setup: int | str) -> Referee:
    return Referee(lapilli.load(game), NAMES, Setup.from_dict(setup))


def untimed(record: Record) -> list[Entry]:
    for entry in record.turns:
        entry.milliseconds = None
    return record.turns


def first_legal(state: State) -> str:
    return state.action_to_string(state.legal_actions()[0])


@pytest.mark.parametrize("game", lapilli.names())
def test_a_whole_game_by_hand_with_scripted_answers(game: str) -> None:
    played = lapilli.play_match(game, ["random", "random"], seed=4)
    script = {(entry.turn, entry.player): Answer(entry.reply()) for entry in played.turns}
    texts = [iter(inputs(played, player)) for player in range(2)]
    referee = referee_of(game, seed=4)
    first = [True, True]
    while not referee.over:
        turn = referee.state.turn
        questions = referee.pending()
        assert questions is referee.pending()
        for question in questions:
            assert question.turn == turn
            assert question.first == first[question.player]
            assert question.text == next(texts[question.player])
            assert question.lines == referee.game.protocol.reply_lines(referee.state, question.player)
            assert question.limit_ms == Clock().limit_ms(referee.game, question.first)
            assert question.state == referee.state
            first[question.player] = False
        before, report = referee.play_step({question.player: script[turn, question.player] for question in questions})
        assert (before.turn, report.turn) == (turn, turn)
    assert referee.pending() == ()
    assert referee.record.outcome == played.outcome
    assert untimed(played) == untimed(referee.record)
    assert referee.record.players == NAMES
    assert verify(referee.record) == referee.outcome()
    assert referee.turns_played == report.turn


def test_an_event_loop_can_drive_it() -> None:
    async def person(question: Question) -> Answer:
        await asyncio.sleep(0.001 * (1 + question.player))
        return Answer("WAIT", milliseconds=1.0)

    async def sleeper(question: Question) -> Answer:
        await asyncio.sleep(60 if question.turn == 4 else 0)
        return Answer("WAIT")

    async def play() -> Record:
        referee = referee_of("tryangle", seed=2)
        while not referee.over:
            asked = {q.player: asyncio.create_task((person, sleeper)[q.player](q)) for q in referee.pending()}
            done, late = await asyncio.wait(asked.values(), timeout=0.2)
            for task in late:
                task.cancel()
            referee.play_step({player: task.result() for player, task in asked.items() if task in done})
        return referee.record

    record = asyncio.run(play())
    assert record.outcome is not None
    assert (record.outcome.culprit, record.outcome.termination) == (1, Termination.TIMEOUT)
    assert [(entry.turn, entry.player, entry.milliseconds) for entry in record.turns[-2:]] == [
        (4, 0, 1.0),
        (4, 1, None),
    ]
    assert verify(record) is not None


class Scripted(Player):
    """A player of the user's own class. It takes its replies from a list, and records the calls of its methods."""

    def __init__(self, replies: Iterator[str]) -> None:
        self.replies = replies
        self.calls: list[str] = []

    @property
    def identity(self) -> Identity:
        return Identity("Ada in the browser", engine="scripted", settings={"depth": 3, "book": None}, version="7")

    def start(self) -> Fault | None:
        self.calls.append("start")
        return None

    def answer(self, question: Question) -> Answer:
        self.calls.append(question.text.split("\n")[0] if question.first else "again")
        return Answer(next(self.replies), stderr="well\ud800\n")

    def close(self) -> str:
        self.calls.append("close")
        return "" if self.calls.count("close") > 1 else "bye\n"


def test_a_player_of_ones_own_in_a_match() -> None:
    player = Scripted(iter([f"N{number:02}" for number in range(1, 41)]))
    with Match(lapilli.load("volcanoes"), [player, "random"], Setup(seed=3)) as match:
        before = [step.before for step in match.steps()]
    assert len(before) == match.turns_played
    assert player.calls[:2] == ["start", "80"]
    assert set(player.calls[2:-2]) == {"again"}
    assert set(player.calls[-2:]) == {"close"}
    own = [entry for entry in match.record.turns if entry.player == 0]
    assert [entry.stderr for entry in own] == ["well\ufffd\n"] * (len(own) - 1) + ["well\ufffd\nbye\n"]
    assert match.record.players[0] == player.identity
    again = lapilli.match.record.parse_record(match.record.to_json())
    assert again == match.record
    assert verify(again) is not None


def test_wrong_use_is_a_clear_error() -> None:
    referee = referee_of(seed=1)
    referee.play_step({0: Answer("N07")})
    for answers, message in (
        ({0: Answer("N08")}, "turn 2: an answer of player 0, but the turn asks 1"),
        ({1: Answer(Fault(0, Termination.EXITED, "gone"))}, "no fault of its own"),
        ({1: Answer(Fault(1, Termination.ABANDONED, "no memory"))}, "no fault of its own"),
    ):
        with pytest.raises(ValueError, match=message):
            referee.play_step(answers)
        assert (referee.state.turn, len(referee.record.turns)) == (2, 1), "nothing has changed"
    referee.play_step({1: Answer("N08")})
    assert referee.pending() == ()
    with pytest.raises(ValueError, match="the turn asks nobody"):
        referee.play_step({0: Answer("N07")})
    assert referee.play_step({}).report.event == "growth"
    (question,) = referee.pending()
    referee.stop()
    for closed in (lambda: question.text, lambda: question.state, lambda: question.lines):
        with pytest.raises(RuntimeError, match="turn 4 is over"):
            closed()
    with pytest.raises(RuntimeError, match="the match is over"):
        referee.play_step({})
    with pytest.raises(SetupError, match="2 players"):
        Referee(lapilli.load("volcanoes"), NAMES[:1])


def test_a_text_that_was_read_in_time_stays() -> None:
    referee = referee_of(seed=1)
    (question,) = referee.pending()
    text = question.text
    referee.play_step({0: Answer("N07")})
    assert question.text == text


def test_who_says_nothing_has_run_out_of_time() -> None:
    referee = referee_of(seed=1)
    answers: Mapping[int, Answer] = {}
    referee.play_step(answers)
    assert referee.over
    outcome = referee.outcome()
    assert (outcome.culprit, outcome.termination) == (0, Termination.TIMEOUT)
    assert verify(referee.record) == outcome


@pytest.mark.parametrize("termination", [Termination.INTERRUPTED, Termination.ABANDONED])
def test_a_match_that_is_cut_short_keeps_what_was_asked(termination: Termination) -> None:
    referee = referee_of("tryangle", seed=1)
    referee.play_step({0: Answer("WAIT"), 1: Answer("WAIT")})
    asked = [question.text for question in referee.pending()]
    for _ in range(2):  # the second call does nothing
        if termination == Termination.INTERRUPTED:
            referee.stop()
        else:
            referee.abandon("no\nmemory \ud800")
    record = referee.record
    assert record.outcome is not None
    assert (record.outcome.termination, record.outcome.scores, record.outcome.culprit) == (termination, None, None)
    assert record.outcome.reason == (
        "the match was stopped" if termination == Termination.INTERRUPTED else "no memory \ufffd"
    )
    assert [(entry.turn, entry.player, entry.pending) for entry in record.turns] == [
        (1, 0, False),
        (1, 1, False),
        (2, 0, True),
        (2, 1, True),
    ]
    assert verify(record) is None
    assert [inputs(record, player)[-1] for player in range(2)] == asked
    assert referee.pending() == ()


def test_who_was_not_asked_yet_has_no_entry() -> None:
    referee = referee_of(seed=1)
    referee.stop()
    assert referee.record.turns == []


def test_a_game_that_is_over_is_not_cut_short() -> None:
    referee = referee_of(position="1" + "." * 39 + "1" + "." * 39 + " 9")
    while not referee.over:
        referee.play_step({question.player: Answer(first_legal(question.state)) for question in referee.pending()})
    decided = referee.record.outcome
    referee.stop()
    referee.abandon("too late")
    assert referee.record.outcome is decided


def test_odds_are_given_for_each_player() -> None:
    with pytest.raises(SetupError, match="odds: 2 numbers expected"):
        Referee(lapilli.load("volcanoes"), NAMES, odds=[1.0])
