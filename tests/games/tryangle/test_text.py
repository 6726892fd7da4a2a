"""What is made of a line, beyond the goldens: drawings, bounds, notes."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapilli.core.api import Fault, State, Step, Termination
from lapilli.core.protocol.protocol import MAX_REPLY
from lapilli.core.reading.numbers import INT32_MAX
from lapilli.core.reading.text import message_of
from lapilli.games.tryangle import GAME, Drawing, drawings, naive
from lapilli.games.tryangle.board import MAX_HOUSES, MAX_TRIANGLES
from lapilli.games.tryangle.naive import DRAWINGS
from lapilli.games.tryangle.protocol import parsing
from lapilli.games.tryangle.state.state import TryAngleState

TWO_TRIANGLES: dict[str, Any] = {
    "nodes": "500,500_500,700_700,600_900,600_1100,500_1100,700",
    "edges": "0,1_0,2_1,2_2,3_3,4_3,5_4,5",
    "units": "1,0_1,0_2,0_0,2_0,1_0,1",
}


def start() -> TryAngleState:
    return cast(TryAngleState, GAME.new_initial_state(**TWO_TRIANGLES))


def step(state: State, lines: dict[int, str | Fault]) -> Step:
    before = state.clone()
    return Step(before, GAME.protocol.play_turn(state, lines))


def test_drawings() -> None:
    line = "line 1 2 3 4;MOVE 0 1 1; RECT -1 -2 3\t-4 ;CIRCLE 5 6 -7;TEXT 8 9   a text of more than twenty signs  "
    assert drawings(line + ";TEXT 1 2") == [
        Drawing("line", (1, 2, 3, 4)),
        Drawing("rect", (-1, -2, 3, -4)),
        Drawing("circle", (5, 6, -7)),
        Drawing("text", (8, 9), "a text of more than "),
    ]
    assert len(drawings(";".join(["LINE 1 2 3 4"] * 60))) == 50
    assert drawings("LINE 1 2 3 2147483648") == []
    assert drawings("LINE 1 2 3 " + "9" * 5000) == []
    assert drawings("LINE 1 2 3 " + "0" * 5000 + "4") == [Drawing("line", (1, 2, 3, 4))]


def test_more_drawings_than_are_shown_do_no_harm() -> None:
    many = ";".join(["CIRCLE 1 2 3"] * 80)
    report = step(start(), {0: many, 1: many + ";CIRCLE 1 2"}).report
    assert report.faults == [Fault(1, Termination.INVALID, "Unknown command: CIRCLE 1 2")]
    assert report.notes == []


def test_pictures_take_no_text_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    state = start()
    played = step(state, {0: "MOVE 0 1 1;LINE 1 2 3 4", 1: "TEXT 5 6 hello;SPAWN 4 3 5"})
    monkeypatch.setattr(parsing, "parse", None)
    *way, last = GAME.pictures(state, played)
    assert way
    debugs = [shape.key for shape in last.scene.shapes if "lapilli-debug" in shape.classes]
    assert len(debugs) == 2


def test_no_turn_needs_more_than_a_reply_may_have() -> None:
    """Once over each path in both directions, once with each triangle, and a message: more has no effect. Paths never
    touch, so that houses and paths are a planar map."""
    moves = 2 * (3 * MAX_HOUSES - 6) * len(f"MOVE {MAX_HOUSES - 1} {MAX_HOUSES - 2} {INT32_MAX};")
    uses = MAX_TRIANGLES * len("REMOVE_PATH 46 47 48 49;")
    message = len("MSG ") + 50 * len("€".encode())
    assert moves + uses + message < MAX_REPLY


def test_a_line_of_hundreds_of_commands() -> None:
    state = start()
    report = step(state, {0: ";".join(["MOVE 0 1 1", "ADD_PATH 2 1 0 2", "ATTACK 0 1 2 3"] * 200), 1: ""}).report
    assert report.notes == []
    assert state.record["units"][0, :6].tolist() == [0, 0, 1, 0, 0, 0]


def test_long_words_are_shortened() -> None:
    report = step(start(), {0: "x" * 1000, 1: "MOVE 3 3 " + "0" * 1000 + "1"}).report
    ((fault,), (note,)) = report.faults, report.notes
    assert fault == Fault(0, Termination.INVALID, "Unknown command: " + "x" * 99 + "…")
    assert len(note[1]) < 150


@pytest.mark.parametrize("line", ["\ud800", "MSG \ud800\udfff", "\x00;MOVE 0 1 1", "MOVE 0 1 1\n", "\U0001f600;;"])
def test_odd_text_is_data(line: str) -> None:
    state, again = start(), start()
    report = step(state, {0: line, 1: ""}).report
    assert report.actions[0] == line.replace("\ud800", "\ufffd").replace("\udfff", "\ufffd")
    step(again, dict(report.actions))
    assert again == state


def test_messages_are_cut_as_java_counts() -> None:
    report = step(start(), {0: "MSG " + "\U0001f600" * 26, 1: "MSG x" + "\U0001f600" * 26}).report
    assert report.messages == {0: "\U0001f600" * 25, 1: "x" + "\U0001f600" * 24}


def test_many_errors_are_counted() -> None:
    report = step(start(), {0: ";".join(["MOVE 0 99 1"] * 800), 1: ""}).report
    assert report.notes == [
        (0, "Invalid node: 99"),
        (0, "Invalid node: 99"),
        (0, "798 more errors of that type"),
    ]


def test_faults_put_out() -> None:
    state = start()
    report = step(state, {0: "MOVE 0 1 1;FOO;MOVE 1 0 1", 1: Fault(1, Termination.EXITED, "gone")}).report
    assert [fault.termination for fault in report.faults] == ["exited", "invalid"] or len(report.faults) == 2
    assert state.is_terminal()
    assert state.scores() == (-1, -1)
    outcome = state.outcome()
    assert outcome
    assert outcome.culprit is None
    assert outcome.reason == "Blue wrote an unknown command; Orange left the game (exited)"


def test_one_fault_has_a_culprit() -> None:
    state = start()
    GAME.protocol.play_turn(state, {0: "WAIT"})
    outcome = state.outcome()
    assert outcome
    assert (outcome.culprit, outcome.termination, outcome.ranks) == (1, Termination.TIMEOUT, (1, 2))
    assert state.returns() == [1.0, -1.0]


SIGNS = st.sampled_from([" ", " ", "\t", "\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "a", "7", "-", "\x01"])
PARTS = st.builds(
    str.__add__,
    st.sampled_from(["TEXT 1 2", "text -3 4 ", "TEXT 1 2 a", " LINE 1 2 3 4", "CIRCLE 1 2 3", "TEXT 1"]),
    st.text(SIGNS, max_size=8),
)


@given(PARTS)
@settings(max_examples=400, deadline=None)
def test_drawings_are_what_the_original_pattern_takes(part: str) -> None:
    """The twin has the pattern itself, which takes cubic time on long lines of blanks."""
    fits = any(pattern.fullmatch(part) for pattern in DRAWINGS)
    found = drawings(part)
    assert len(found) == int(fits)
    match = DRAWINGS[3].fullmatch(part)
    if match:
        assert found[0].text == match[3].strip("".join(map(chr, range(33))))[:20]


ODD_PARTS = st.one_of(
    PARTS,
    st.builds(
        str.__add__,
        st.sampled_from(
            ["wait", " Wa\u0131T", "WA\u0130T", "msg ", "M\u017fg ", "MSG\t", " MSG x", "MSG", "ADD\x7fPATH"]
        ),
        st.text(SIGNS, max_size=4),
    ),
    st.text(st.sampled_from("waitWAIT\u0131\u017fsSmMgG \t\xdf\ufb05\x1f"), max_size=6),
    st.sampled_from(
        ["MOVE 0 1 1", "move 0 1 -0", "SPAWN 0 1 2", "SPAWN 9 1 2", "ATTACK 0 1 2 5", "MOVE 0 9 1", "MOVE 0 0 1"]
    ),
)


@given(st.lists(ODD_PARTS, max_size=12))
@settings(max_examples=400, deadline=None)
def test_a_line_comes_to_what_the_twin_makes_of_it(parts: list[str]) -> None:
    line = ";".join(parts)
    state, twin = start(), naive.NaiveMap(TWO_TRIANGLES["nodes"], TWO_TRIANGLES["edges"], TWO_TRIANGLES["units"], 3)
    reading = parsing.read_line(state.record, 0, line)
    errors = [re.sub("[\n\r\x85\u2028\u2029]", " ", error) for error in twin.parse(0, line)]
    assert reading.notes == [error for error in errors if not error.startswith("Unknown")]
    assert [reading.unknown] * (reading.unknown is not None) == [e for e in errors if e.startswith("Unknown")]
    assert reading.message == message_of(twin.messages[0])
    assert len(reading.commands) == len(twin.queue)
    assert reading.drawings == drawings(line)


def test_a_reason_is_one_line() -> None:
    report = step(start(), {0: "no\ncommand\r", 1: "WAIT"}).report
    assert report.faults[0].reason == "Unknown command: no command "
