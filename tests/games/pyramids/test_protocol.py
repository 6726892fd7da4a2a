"""Bot text: what is sent, what replies do, and every kind of bad reply."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapilli.core.api import Fault, Termination, TurnReport
from lapilli.core.protocol.protocol import MAX_REPLY
from lapilli.core.reading.text import MESSAGE_LENGTH
from lapilli.games.pyramids import GAME, PyramidsState
from lapilli.games.pyramids.board import TURN_STEPS

PROTOCOL = GAME.protocol


def start(variant: str = "square") -> PyramidsState:
    state = GAME.new_initial_state(variant=variant)
    assert isinstance(state, PyramidsState)
    return state


def reply(state: PyramidsState, text: str) -> TurnReport:
    return PROTOCOL.play_turn(state, {state.current_player(): text})


def test_no_turn_needs_more_than_a_reply_may_have() -> None:
    assert TURN_STEPS * len("A1-A2 ") + len("MSG ") + 4 * MESSAGE_LENGTH < MAX_REPLY


# -------------------------------------------------------------------------- the example in the seed


def test_the_printed_example_is_a_misprint() -> None:
    state = start()
    report = reply(state, "B2-C3 C3-B3 B3-B4")
    assert report.faults == [Fault(0, Termination.INVALID, "'B2-C3': there is a cap on C3 already")]


@pytest.mark.parametrize(
    ("moves", "caps"),
    [("B2-A3 C3-B3 B3-B4", "A1 A3 B4 D4 E5"), ("B2-A3 A3-B3 B3-B4", "A1 B4 C3 D4 E5")],
)
def test_both_corrections_drop_a_large_green_piece_on_b5(moves: str, caps: str) -> None:
    state = start()
    quiet = state.clone()
    for move in moves.split()[:-1]:
        action = quiet.string_to_action(move)
        assert quiet.preview(action) == (0, 0)
        quiet.apply_action(action)
    assert quiet.preview(quiet.string_to_action("B3-B4")) == (1, 1)
    assert reply(state, moves).faults == []
    assert state.captures(0) == ["GL"]
    assert state.stack("B3") == ["GS", "GM"]
    assert state.stack("B5") == ["PS", "PM", "PL"]
    assert state.caps() == caps.split()


# ------------------------------------------------------------------------------------- good replies


@pytest.mark.parametrize("text", ["B2-A3;A3-B3;B3-B4", "  b2-a3 ; A3-b3\tB3-B4  ", "B2-A3 A3-B3 B3-B4;"])
def test_separators_and_case(text: str) -> None:
    state, plain = start(), start()
    report = reply(state, text)
    assert report.faults == []
    assert report.actions == {0: "B2-A3 A3-B3 B3-B4"}
    reply(plain, "B2-A3 A3-B3 B3-B4")
    assert state == plain


@pytest.mark.parametrize("text", ["A1-A2 MSG boom, MSG!", "A1-A2;MSG boom, MSG!", "A1-A2 ; MSG  boom, MSG! "])
def test_messages(text: str) -> None:
    report = reply(start(), text)
    assert report.messages == {0: "boom, MSG!"}
    assert report.actions == {0: "A1-A2"}
    assert report.faults == []


def test_an_empty_message_is_none() -> None:
    assert reply(start(), "A1-A2 MSG").messages == {}


def test_format_reply_is_canonical() -> None:
    state = start()
    text = "B2-A3 A3-B3 B3-B4"
    trial, actions = state.clone(), []
    for move in text.split():
        actions.append(trial.string_to_action(move))
        trial.apply_action(actions[-1])
    assert PROTOCOL.format_reply(state, 0, actions) == text


# -------------------------------------------------------------------------------------- bad replies

BAD = [
    ("", "no move"),
    (" ; ;; ", "no move"),
    ("MSG A1-A2", "no move"),
    ("B2-A3", "unfinished turn: nothing has erupted after 'B2-A3'"),
    ("A1-Z9", "'A1-Z9': 'Z9' is no cell of the square board"),
    ("A0-A1", "'A0-A1': 'A0' is no cell"),
    ("F1-E1", "'F1' is no cell"),
    ("B2", "'B2' is no move: write FROM-TO"),
    ("B2-A3-B3", "'B2-A3-B3' is no move"),
    ("pass", "'pass' is no move"),
    ("B2-C3", "'B2-C3': there is a cap on C3 already"),
    ("B1-B2", "'B1-B2': there is no cap on B1"),
    ("A1-A3", "'A1-A3': A3 is no neighbour of A1"),
    ("A1-A1", "'A1-A1': A1 is no neighbour of A1"),
    ("B2-A3 A3-B3 B3-A3", "'B3-A3': that cap has been on A3 in this turn"),
    ("B2-A2 A2-B1 B1-A2", "'B1-A2': that cap has been on A2 in this turn"),
    ("B2-A3 A1-A2 A2-A1", "'A2-A1': that cap has been on A1 in this turn, and only an eruption may take it back"),
    ("A1-A2 B2-A3", "'B2-A3' comes after an eruption, which ends the turn"),
    ("A1-A2 rubbish", "'rubbish' comes after an eruption"),
    (" ".join(["B2-A3", "A3-B3", "B3-A3", "A3-B3"] * 400), "'B3-A3': that cap has been on A3"),
    (" ".join(["A1-A2"] * 1600), "'A1-A2' comes after an eruption"),
    ("x" * MAX_REPLY, "is no move"),
    ("\x00", "is no move"),
    ("Ａ1-Ａ2", "is no cell"),
]


@pytest.mark.parametrize(("text", "reason"), BAD, ids=[text[:24] or "empty" for text, _ in BAD])
def test_a_bad_reply_loses_at_once(text: str, reason: str) -> None:
    state, before = start(), start()
    report = reply(state, text)
    (fault,) = report.faults
    assert (fault.player, fault.termination) == (0, Termination.INVALID)
    assert reason in fault.reason
    assert len(fault.reason) <= 160
    assert report.actions == {0: text}
    assert state.position() == before.position(), "nothing of a bad turn is played"
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.ranks, outcome.culprit, outcome.termination) == ((2, 1), 0, Termination.INVALID)
    again = start()
    assert reply(again, report.actions[0]).faults == report.faults
    assert again == state


def test_the_loser_by_fault_is_last_whatever_the_points() -> None:
    stacks = start().position().split(" ")[0].replace("RSRMRL*", "RSRM*", 1)
    state = GAME.from_position(f"{stacks} - RL 1 -")
    assert state.scores() == (0, 1)
    PROTOCOL.play_turn(state, {1: "pass"})
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.ranks, outcome.culprit) == ((0, 1), (1, 2), 1)
    assert state.returns() == [1.0, -1.0]


@pytest.mark.parametrize("termination", [Termination.TIMEOUT, Termination.EXITED, Termination.FLOODED])
def test_no_reply_loses(termination: Termination) -> None:
    state = start()
    fault = Fault(0, termination, "why")
    report = PROTOCOL.play_turn(state, {0: fault})
    assert report.faults == [fault]
    assert report.actions == {}
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.termination, outcome.ranks, outcome.culprit) == (termination, (2, 1), 0)


def test_a_missing_reply_is_a_timeout() -> None:
    state = start()
    assert PROTOCOL.play_turn(state, {}).faults[0].termination is Termination.TIMEOUT


def test_after_the_end_nothing_happens() -> None:
    state = start()
    reply(state, "pass")
    before = state.clone()
    assert PROTOCOL.play_turn(state, {}) == TurnReport(1)
    assert state == before


def test_a_turn_into_a_dead_end_loses_by_the_rules() -> None:
    """The cap has been everywhere around A1, where nothing can erupt any more."""
    position = "/".join(["-", "-*", *["-"] * 23]) + " - - 0 B1,B2,A2"
    state = GAME.from_position(position)
    assert isinstance(state, PyramidsState)
    report = reply(state, "A2-A1")
    assert report.faults == []
    assert report.actions == {0: "A2-A1"}
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.termination, outcome.ranks, outcome.culprit) == (Termination.NO_MOVE, (2, 1), None)
    assert outcome.reason == "First had no legal move"
    further = GAME.from_position(position)
    assert isinstance(further, PyramidsState)
    assert reply(further, "A2-A1 A1-A2").faults[0].reason == "'A1-A2': no legal step is left"


# -------------------------------------------------------------------------------------------- input


def test_turn_input_is_told_from_ones_own_side() -> None:
    state = start()
    reply(state, "B2-A3 A3-B3 B3-B4")
    lines = PROTOCOL.turn_input(state, 1).splitlines()
    assert lines[:4] == ["2", "0 1", "0", "1 GL"]
    assert lines[4:6] == ["A1 1 3 RS RM RL", "A2 0 3 GS GM GL"]
    steps = lines[4 + 25 :]
    assert int(steps[0]) == len(steps) - 1 == len(state.legal_actions())
    for step in steps[1:]:
        move, landed, captured = step.split()
        assert (int(landed), int(captured)) == state.preview(state.string_to_action(move))
    assert any(step.endswith(" 1 1") for step in steps)


@pytest.mark.parametrize("variant", GAME.variants)
def test_opening_input(variant: str) -> None:
    state = start(variant=variant)
    lines = PROTOCOL.opening_input(state, 1).splitlines()
    board = state.board
    assert lines[:3] == [variant, "1", f"{len(board.cells)} {len(board.headings)}"]
    assert lines[3].split() == list(board.headings)
    for line, cell in zip(lines[4:-1], board.cells, strict=True):
        name, *around = line.split()
        assert name == cell
        assert len(around) == len(board.headings)
        for heading, other in zip(board.headings, around, strict=True):
            if other != "-":
                back = lines[4 + board.number[other]].split()[1 + board.headings.index(opposite(heading))]
                assert back == cell
    assert lines[-1].split() == [str(len(board.colours)), *board.colours]


def opposite(heading: str) -> str:
    return heading.translate(str.maketrans("NSWE", "SNEW"))


def test_the_rules_page_shows_the_real_exchange() -> None:
    state = start()
    rules = GAME.rules_page
    assert f"```text\n{PROTOCOL.opening_input(state, 0)}```" in rules
    assert f"```text\n{PROTOCOL.turn_input(state, 0)}```" in rules
    shown = "B2-A3 A3-B3 B3-B4 MSG mind your heads"
    assert f"```text\n{shown}\n```" in rules
    assert reply(state, shown).faults == []
    head = "\n".join(PROTOCOL.turn_input(state, 1).splitlines()[:10])
    assert f"```text\n{head}\n" in rules


# ------------------------------------------------------------------------------------- any text at all

STEPS = ["B2-A3", "A3-B3", "B3-B4", "B3-A3", "A1-A2", "A2-A1", "a1-b1", "Z9-A1"]
WORDS = st.sampled_from([*STEPS, ";", "MSG", "\n", "B2", "-"])


@given(st.one_of(st.text(max_size=40), st.lists(WORDS, max_size=8).map(" ".join)))
@settings(max_examples=150, deadline=None)
def test_any_reply_is_played_or_named_and_replays(text: str) -> None:
    state = start()
    report = reply(state, text)
    assert (state.turn == 2) == (not report.faults)
    assert len(report.faults) <= 1
    again = start()
    repeated = reply(again, report.actions[0])
    assert again == state
    assert repeated.faults == report.faults
    assert repeated.actions == report.actions
