"""Lines of bots' stderr that tools keep."""

from __future__ import annotations

import pytest

from lapilli.arena.interop.attributes import MAX_LINE, Attribute, attributes
from lapilli.match import Entry, Record
from lapilli.match.record import FORMAT


def told(*lines: tuple[int, int, str]) -> list[Attribute]:
    """What comes of stderr that players wrote: turn, player, text."""
    turns = [Entry(turn=turn, player=player, action="x", stderr=text) for turn, player, text in lines]
    return attributes(Record(format=FORMAT, game="volcanoes", turns=turns))


def test_every_form_of_a_line() -> None:
    lines = "[TDATA] opening = N01 S05\nnoise\n[PDATA] depth = 7\n[TDATA][3] tiles = 12\n[PDATA][4] nodes = 81\n"
    assert told((1, 1, lines)) == [
        Attribute("opening", None, None, "N01 S05"),
        Attribute("depth", 1, None, "7"),
        Attribute("tiles", None, 3, "12"),
        Attribute("nodes", 1, 4, "81"),
    ]


def test_the_last_of_a_key_stands_and_players_have_their_own() -> None:
    assert told((1, 0, "[PDATA] a = 1\n"), (2, 1, "[PDATA] a = 2\n[TDATA] a = 3\n"), (3, 0, "[PDATA] a = 4\n")) == [
        Attribute("a", 0, None, "4"),
        Attribute("a", 1, None, "2"),
        Attribute("a", None, None, "3"),
    ]


def test_sums_are_added_up_over_the_match() -> None:
    summed = told((1, 0, "[PDATA+] n = 2\n[PDATA+] t = 0.1\n"), (2, 0, "[PDATA+] n = 40\n[PDATA+] t = 0.2\n"))
    assert summed == [Attribute("n", 0, None, "42"), Attribute("t", 0, None, "0.3")]
    assert told((1, 0, "[PDATA] n = 5\n[PDATA+] n = 1\n")) == [Attribute("n", 0, None, "6")]


@pytest.mark.parametrize("number", ["many", "nan", "inf", "-inf", "1e999", ""])
def test_a_sum_is_of_numbers(number: str) -> None:
    assert told((1, 0, f"[PDATA+] n = 1\n[PDATA+] n = {number}\n")) == [Attribute("n", 0, None, "1")]


@pytest.mark.parametrize(
    "line",
    [
        "[PDATA] key",
        "[PDATA] = 3",
        "[PDATA] key =",
        "[PDATA] two words = 3",
        "PDATA key = 3",
        "see [PDATA] key = 3",
        "[PDATA][-1] key = 3",
        "[PDATA][x] key = 3",
        "[PDATA][65536] key = 3",
        "[PDATA][123456] key = 3",
        "[TDATA+] key = 3",
    ],
)
def test_what_is_no_such_line(line: str) -> None:
    assert told((1, 0, line)) == []


def test_what_tools_take_for_one_too() -> None:
    assert told((1, 0, "  [pdata][65535]key=  3 \r\n")) == [Attribute("key", 0, 65_535, "3")]


def test_a_line_may_come_in_pieces() -> None:
    """As a C++ bot's does that goes on writing after its reply."""
    pieces = told((1, 0, "[PDATA] de"), (2, 1, "[PDATA] a = 1\n"), (3, 0, "pth = 1"), (5, 0, "7\n[PDATA] end = 1"))
    assert pieces == [Attribute("a", 1, None, "1"), Attribute("depth", 0, None, "17"), Attribute("end", 0, None, "1")]


def test_a_line_without_end_is_kept_short() -> None:
    endless = [(turn, 0, "[PDATA] a = 1" + "x" * 4000) for turn in range(1, 3000)]
    (kept,) = told(*endless)
    assert len(kept.value) < MAX_LINE


def test_a_match_without_stderr() -> None:
    assert told((1, 0, ""), (2, 1, "")) == []
