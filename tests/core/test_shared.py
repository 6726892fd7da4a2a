"""The small modules that the games share: wording, numbers, codes of faults, the stop-watch."""

from __future__ import annotations

import pickle

import pytest

from lapilli.core.api import Fault, Termination
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.protocol.protocol import reply_of
from lapilli.core.reading.numbers import bounded, int32
from lapilli.core.reading.text import MESSAGE_LENGTH, message_of, quoted, shortened, sound
from lapilli.core.rules import speed
from lapilli.core.rules.fault_codes import CODES, code_of, termination_of
from lapilli.players.bots.own_build import CommandFailed


def test_texts_are_shortened_and_quoted() -> None:
    assert shortened("abcd", 4) == "abcd"
    assert shortened("abcde", 4) == "abc…"
    assert quoted("a\n\ud800", 20) == "'a\\n\\ud800'"
    assert quoted("x" * 100) == repr("x" * 79 + "…")
    assert quoted(["x"] * 100, 10) == "['x', 'x'…"


def test_half_characters_are_replaced() -> None:
    whole = "plain, ü, \U0001f600"
    assert sound(whole) is whole or sound(whole) == whole
    assert sound("a\ud800b\udfff\udc00") == "a\ufffdb\ufffd\ufffd"
    assert reply_of({0: "\ud83d\ude00"}, 0) == "\ufffd\ufffd"


def test_a_missing_reply_is_a_timeout() -> None:
    given = Fault(1, Termination.EXITED, "gone")
    assert reply_of({1: given}, 1) is given
    assert reply_of({1: ""}, 1) == ""
    raised = Fault(1, Termination.RAISED, "ValueError: \ud800")
    assert reply_of({1: raised}, 1) == Fault(1, Termination.RAISED, "ValueError: \ufffd")
    assert reply_of({1: given}, 0) == Fault(0, Termination.TIMEOUT, "no reply in time")


def test_messages_keep_one_line_of_what_can_be_seen() -> None:
    assert message_of(" a\r\n\t b\x00\x1b\x7f\x9fc ") == "a  bc"
    assert message_of("é\U0001f600\u200d") == "é\U0001f600\u200d"
    assert message_of("x" * (MESSAGE_LENGTH + 1)) == "x" * (MESSAGE_LENGTH - 1) + "…"
    assert message_of(" \x07 ") == ""


BAD_SMALL = ("100", "-1", "+1", "", " 1", "٣", "1.0", "9" * 5000, "²")
BAD_LARGE = ("2147483648", "-2147483649", "9" * 5000, "", "+", "--1", "+-1", "1-", " 1", "٣", "1_0")


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("007", 7), ("99", 99), *((text, None) for text in BAD_SMALL)])
def test_bounded_numbers(text: str, value: int | None) -> None:
    assert bounded(text, 0, 99) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("+7", 7),
        ("0" * 5000 + "7", 7),
        ("2147483647", 2**31 - 1),
        ("-2147483648", -(2**31)),
        *((text, None) for text in BAD_LARGE),
    ],
)
def test_numbers_of_32_bits(text: str, value: int | None) -> None:
    assert int32(text) == value


@pytest.mark.parametrize("base", [1, 4])
def test_codes_of_terminations(base: int) -> None:
    codes = [code_of(termination, base) for termination in Termination]
    assert codes == list(range(base, base + CODES))
    assert [termination_of(code, base) for code in codes] == list(Termination)


def test_the_codes_that_records_hold_never_change() -> None:
    """Position notations write them as numbers."""
    known = "decided turn-limit no-move invalid timeout exited not-started closed-input flooded raised interrupted"
    assert [termination_of(code).value for code in range(1, 13)] == [*known.split(), "abandoned"]


@pytest.mark.parametrize(("amount", "expected"), [(0, 7.0), (700, 700.0)])
def test_the_stop_watch_counts_what_is_done(monkeypatch: pytest.MonkeyPatch, amount: int, expected: float) -> None:
    calls = []

    def work() -> int:
        calls.append(1)
        return 7

    hours = iter((0.0, 0.0, 1.0, 2.0))
    monkeypatch.setattr(speed, "perf_counter", lambda: next(hours))
    assert speed.rate(work, 1.5, amount) == expected
    assert len(calls) == 3, "one to warm up, and two that count"


def test_names_with_numbers_are_listed_as_people_count_them() -> None:
    assert str(UnknownName("level", "7", ["level10", "best", "level2"])).endswith("available: best, level2, level10")


@pytest.mark.parametrize("error", [UnknownName("game", "ches", ["chess", "x"]), CommandFailed("make", "no rule")])
def test_errors_keep_what_they_know_on_the_way_to_another_process(error: LapilliError) -> None:
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is type(error)
    assert str(copied) == str(error)
    assert vars(copied) == vars(error)
