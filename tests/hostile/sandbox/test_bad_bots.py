"""Every way to misbehave that the design lists, by a real process in a whole match: who, why, the last words.

That nothing is left behind is asserted by the fixture in conftest.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import lapilli
from lapilli.core.api import Setup, Termination
from lapilli.match import Match
from lapilli.players.bots import pipes
from players.conftest import marked

BOTS = Path(__file__).resolve().parents[2] / "bots"

CASES = {
    "no such file": (["/no/such/bot"], Termination.NOT_STARTED, "no file '/no/such/bot'", ""),
    "exits at once": (["exits.py"], Termination.EXITED, "exited with code 3", "out of ideas"),
    "exits mid-game": (["exits.py", "2", "5"], Termination.EXITED, "exited with code 5", "out of ideas"),
    "prints garbage": (["garbage.py"], Termination.INVALID, "neither a tile's name nor RANDOM", ""),
    "floods stdout": (["floods_lines.py"], Termination.FLOODED, "wrote more than 1024 KiB", ""),
    "never reads": (["never_reads.py"], Termination.TIMEOUT, "no reply within", ""),
    "never answers": (["never_answers.py"], Termination.TIMEOUT, "no reply within", ""),
    "forks": (["forks.py", "2"], Termination.EXITED, "exited", ""),
    "prints non-UTF-8": (["not_utf8.py"], Termination.INVALID, "neither a tile's name nor RANDOM", ""),
    "closes stdin": (["closes_stdin.py", "1"], Termination.CLOSED_INPUT, "closed its standard input", ""),
}


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("kind", CASES)
def test_it_loses_the_match_with_its_reason_and_last_words(kind: str, seat: int) -> None:
    words, termination, reason, last_words = CASES[kind]
    command = words if words[0].startswith("/") else [sys.executable, str(BOTS / words[0]), *words[1:]]
    players: list[str | list[str]] = ["random", "random"]
    players[seat] = command
    record = lapilli.play_match("volcanoes", players, seed=2, time_factor=0.5)
    outcome = record.outcome
    assert outcome is not None
    assert (outcome.culprit, outcome.termination) == (seat, termination)
    assert reason in outcome.reason
    assert outcome.scores == ([0, 100] if seat == 0 else [100, 0])
    last = next(entry for entry in reversed(record.turns) if entry.player == seat)
    assert last.fault is not None
    assert last.fault.termination == termination
    assert last_words in record.last_words(seat)
    assert lapilli.verify(record) is not None


def test_a_bot_cannot_stall_a_match_by_writing_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is out at its second turn, with all of the time on its own clock."""
    monkeypatch.setattr(pipes, "_QUIET_SHARE", 1.0)  # on a busy machine a bot that goes on writing can look silent
    monkeypatch.setattr(pipes, "_QUIET_MS", 100.0)
    bot = [sys.executable, str(BOTS / "dribbles.py"), "2000"]
    record = lapilli.play_match("volcanoes", [bot, "random"], seed=2)
    assert record.outcome is not None
    assert (record.outcome.culprit, record.outcome.termination) == (0, Termination.FLOODED)
    assert record.outcome.reason == "went on writing for 100 ms what no reply needs"
    first, last = (entry for entry in record.turns if entry.player == 0)
    assert first.fault is None
    assert last.milliseconds is not None
    assert last.milliseconds >= 100
    assert lapilli.verify(record) is not None


def test_a_flood_of_stderr_alone_costs_nothing_and_keeps_little() -> None:
    bot = [sys.executable, str(BOTS / "floods_stderr.py")]
    record = lapilli.play_match("volcanoes", [bot, "random"], seed=2, time_factor=5)
    assert record.outcome is not None
    assert record.outcome.culprit is None
    assert any("complaint" in entry.stderr for entry in record.turns)
    assert all(len(entry.stderr.encode()) <= 4096 for entry in record.turns)


def test_a_bot_that_is_out_of_the_game_is_ended_at_once(mark: str) -> None:
    bot = [sys.executable, str(BOTS / "burns.py")]
    with Match(lapilli.load("kingdomino"), [bot, "random", "random"], Setup(3)) as match:
        turns = match.turns()
        while not any(entry.fault for entry in match.record.turns):
            next(turns)
        assert not marked(mark), "the others play on without it"
        assert len(list(turns)) > 10
    assert lapilli.verify(match.record) is not None
