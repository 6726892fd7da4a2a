"""A run that goes on counts from where the last one was, and comes to the same."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from arena.filled import recipe
from arena.test_scoreboard import result
from lapilli.arena.matches.playing import InProcessPool, Keep
from lapilli.arena.progress import running
from lapilli.arena.progress.checkpoint import read_checkpoint, write_checkpoint
from lapilli.arena.progress.comparison import Comparison, ComparisonSpec
from lapilli.arena.progress.scoreboard import Scoreboard
from lapilli.arena.statistics import Sprt
from lapilli.store import Store
from lapilli.store.results import MatchResult

TESTS = (None, Sprt(), Sprt(elo1=400))


def looks(board: Scoreboard) -> dict[str, Any]:
    """All that a scoreboard says, and what it needs to go on."""
    return msgspec.to_builtins(board.checkpoint(0)) | {"llr": board.llr}  # type: ignore[no-any-return]


def results(random: Random, number: int) -> list[MatchResult]:
    """Matches in an order in which they may end: with faults, and pairs of which one match comes late."""
    found = [result(one, random.choice([1, 1, 0.5, 0])) for one in range(number)]
    for one in random.sample(range(number), number // 10):
        seats = found[one].seats
        faulty = msgspec.structs.replace(seats[0], fault="timeout", times={70: 3}, cpu_ms=1.5)
        found[one] = msgspec.structs.replace(found[one], seats=(faulty, seats[1]))
    return sorted(found, key=lambda one: one.number + random.randrange(12))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("test", TESTS, ids=str)
def test_to_go_on_is_to_count_all(test: Sprt | None, seed: int) -> None:
    random = Random(seed)
    given = results(random, 300)
    most, starts = random.choice([None, 100, 400]), random.choice([0, 0, 3])
    whole = Scoreboard(2, test, most, starts)
    cut = random.randrange(len(given))
    for one in given[:cut]:
        whole.add(one)
    text = write_checkpoint(whole.checkpoint(after=77))
    for one in given[cut:]:
        whole.add(one)
    later = Scoreboard(2, test, most, starts)
    assert later.resume(read_checkpoint(text))
    for one in given[cut:]:
        later.add(one)
    assert looks(later) == looks(whole)


def test_what_would_have_counted_otherwise_is_read_again() -> None:
    board = Scoreboard(2, None, 40)
    for number in range(60):
        board.add(result(number, 1))
    checkpoint = board.checkpoint(60)
    assert Scoreboard(2, None, 40).resume(checkpoint) == 60
    assert Scoreboard(2, None, 500).resume(checkpoint), "more matches than were wanted before"
    assert Scoreboard(2, None).resume(checkpoint) == 60
    assert not Scoreboard(2, None, 29).resume(checkpoint), "fewer than were counted"
    assert not Scoreboard(2, Sprt(), 40).resume(checkpoint), "another test"
    assert not Scoreboard(2, None, 40, starts=5).resume(checkpoint), "other openings"
    for number in range(60, 100):
        board.add(result(number, 1))
    assert not Scoreboard(2, None, 500).resume(board.checkpoint(100)), "some of the matches were not counted"
    assert read_checkpoint('{"format": 1}') is read_checkpoint("{") is read_checkpoint(None) is None
    older = msgspec.structs.replace(checkpoint, format=0)
    assert not Scoreboard(2, None, 40).resume(older)


def test_a_run_that_goes_on_reads_only_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_FEW", 4)
    monkeypatch.setattr(running, "_MANY", 6)
    played = recipe("tictactoe", {"A": "random", "B": "random"}, Keep.NONE)
    with Store.open(tmp_path / "arena.db") as store:
        first = Comparison(ComparisonSpec(recipe=played, matches=20), store, "test")
        first.run(InProcessPool(played))
        read: list[int] = []
        every = Store.results

        def noted(store: Store, event: int, after: int = 0, page: int = 1000) -> Any:
            read.append(after)
            return every(store, event, after, page)

        monkeypatch.setattr(Store, "results", noted)
        second = Comparison(ComparisonSpec(recipe=played, matches=30), store, "test")
        assert read[0] >= 16, "the last few matches of a run do not make a checkpoint"
        assert (second.resumed, second.matches) == (20, 20)
        second.run(InProcessPool(played))
        assert second.matches == 30
        store.keep_checkpoint(second.event.id, "damaged")
        third = Comparison(ComparisonSpec(recipe=played, matches=30), store, "test")
        assert 0 in read
        assert looks(third.board) == looks(second.board)
        assert third.ending == second.ending
