"""Limits of a contestant's own: time odds and memory, whatever its seat."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import lapilli
from lapilli.core.errors import LapilliError
from lapilli.store import Store
from players.conftest import need_sandbox

SLOW = """
import sys, time
for line in sys.stdin:
    moves = input().split()
    time.sleep(0.15)
    print(moves[0], flush=True)
"""
GAME = "tictactoe"


@pytest.fixture
def slow(tmp_path: Path) -> str:
    """A bot that takes 150 ms for each reply."""
    (tmp_path / "slow.py").write_text(SLOW)
    return f"{sys.executable} {tmp_path / 'slow.py'}"


def faults(store: Path) -> list[set[str]]:
    """The contestants that had a fault in each match of the newest event."""
    with Store.open(store) as opened:
        event = opened.events()[0]
        names = [contestant.name for contestant in event.contestants]
        return [
            {names[seat.contestant] for seat in stored.result.seats if seat.fault}
            for stored in opened.results(event.id)
        ]


@pytest.mark.timed
def test_time_odds_follow_a_player_to_its_seat(tmp_path: Path, slow: str) -> None:
    store, clock = tmp_path / "arena.db", lapilli.Clock(reply_ms=2000, first_ms=2000)
    players = f"a={slow}", f"b={slow}"
    lapilli.compare(GAME, *players, matches=2, clock=clock, odds={"b": 0.05}, store=store, jobs=1)
    assert faults(store) == [{"b"}, {"b"}]
    lapilli.tournament(GAME, players, matches=2, clock=clock, odds={"b": 2.0}, store=store, jobs=1)
    assert faults(store) == [set(), set()]


def test_other_odds_are_another_comparison(tmp_path: Path) -> None:
    store = tmp_path / "arena.db"
    for odds, earlier in (({"b": 2.0}, 0), ({"b": 2.0}, 2), ({"b": 3.0}, 0), ({"random": 2.0}, 0), ({}, 0)):
        verdict = lapilli.compare(GAME, "random", "b=random", matches=2, odds=odds, store=store, jobs=1)
        assert verdict.earlier.matches == earlier


def test_memory_of_one_bot(tmp_path: Path) -> None:
    need_sandbox()
    file, store = tmp_path / "eats.py", tmp_path / "arena.db"
    file.write_text(f"kept = b'x' * (200 << 20)\n{SLOW.replace('0.15', '0')}")
    bot = f"{sys.executable} {file}"
    lapilli.compare(GAME, f"a={bot}", f"b={bot}", matches=2, memory_mb={"b": 100}, store=store, jobs=1, resume=False)
    assert faults(store) == [{"b"}, {"b"}]


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ({"odds": {"c": 2.0}}, "no contestant 'c'"),
        ({"odds": {"b": 0.0}}, "b=0.0: a time factor must be a number above 0"),
        ({"memory_mb": {"b": 100}}, "b is built in: memory limits are for bots in the sandbox"),
    ],
)
def test_what_cannot_be(limits: dict[str, dict[str, float]], complaint: str) -> None:
    with pytest.raises(LapilliError, match=complaint):
        lapilli.compare(GAME, "random", "b=random", matches=2, **limits)  # type: ignore[arg-type]
