"""What a film says of a match in words: what is long is cut where it matters least, and a match cut short says why."""

from __future__ import annotations

import pytest

from lapilli.core.rules.outcome import Termination
from lapilli.match import Record
from lapilli.match.record import Entry, FaultNote, RecordedOutcome
from lapilli.viewer.films.film import MAX_TEXT, film
from viewer.pages import played

LONG = "".join(f"line {number}\n" for number in range(4000))


@pytest.fixture
def record() -> Record:
    return played("volcanoes")


def test_of_long_texts_what_a_bot_wrote_last_is_shown_and_what_it_said_first(record: Record) -> None:
    first = record.turns[0]
    first.stderr, first.message, first.notes = LONG, LONG, ["short", LONG]
    (entry,) = film(record)["turns"][first.turn]["entries"]
    told = f"({len(LONG):,} characters; the record has all)"
    assert entry["stderr"] == f"{told} …\n{LONG[-MAX_TEXT:]}"
    cut = f"{LONG[:MAX_TEXT]}\n… {told}"
    assert (entry["message"], entry["notes"]) == (cut, ["short", cut])


def test_a_text_that_just_fits_is_shown_whole(record: Record) -> None:
    first = record.turns[0]
    first.stderr = first.message = "x" * MAX_TEXT
    (entry,) = film(record)["turns"][first.turn]["entries"]
    assert entry["stderr"] == entry["message"] == "x" * MAX_TEXT


def test_what_took_a_late_answer_its_time_is_told_of_no_other(record: Record) -> None:
    for entry in record.turns:
        entry.cpu_ms, entry.waited_ms = 3.0, 0.5
    shown = [entry for turn in film(record)["turns"] for entry in turn["entries"]]
    assert len(shown) == len(record.turns)
    assert not any("usage" in entry for entry in shown)


def test_a_match_cut_short_says_why_and_what_was_waited_for(record: Record) -> None:
    kept, unheard = record.turns[:4], record.turns[4]
    kept[0].cpu_ms = 1.0
    late = FaultNote(Termination.ABANDONED, "the machine kept the bot waiting")
    pending = Entry(turn=unheard.turn, player=unheard.player, milliseconds=1234.5, cpu_ms=10.0, fault=late)
    pending.waited_ms, pending.stderr = 990.25, LONG
    record.turns = [*kept, pending]
    record.outcome = RecordedOutcome(termination=Termination.ABANDONED, reason="this machine is too busy")
    made = film(record)
    used = "10.0 ms of processor time, 990.2 ms waiting for a processor"
    why = f"(this machine is too busy; 1234.5 ms, {used})"
    assert made["cut"] == f"The record stops before the end: abandoned {why}."
    assert made["outcome"] is None
    waiting = made["waiting"]
    assert (waiting["turn"], list(waiting["inputs"])) == (unheard.turn, [str(unheard.player)])
    (entry,) = waiting["entries"]
    assert (entry["player"], entry["ms"], entry["usage"]) == (unheard.player, 1234.5, used)
    assert entry["stderr"].endswith(LONG[-MAX_TEXT:])


def test_a_match_that_was_played_to_its_end_waits_for_nobody(record: Record) -> None:
    made = film(record)
    assert (made["cut"], made["waiting"]) == ("", None)
    assert record.outcome is not None
    counted = record.outcome.scores if record.load_game().counts_points else []
    assert (made["outcome"]["scores"], made["outcome"]["ranks"]) == (counted, record.outcome.ranks)
