"""lapilli.arena.events: what Python users read from a store."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from datetime import UTC, datetime
from pathlib import Path

import pytest

import lapilli
import lapilli.arena
from arena.filled import NEW, OLD, compare_faulty, compare_good, league
from lapilli.core.errors import LapilliError, StoreTrouble
from lapilli.store import Store, worker_name


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("store") / "arena.db"
    with Store.open(file) as store:
        compare_good(store, 8)
        compare_faulty(store)
        league(store, 6)
        store.note_event(1, "with the new evaluation")
        store.claim_next(3, 2, worker_name(), 3600.0)
    return file


def test_events_are_plain_data(filled: Path) -> None:
    ladder, faulty, good = lapilli.arena.events(filled)
    assert (good.number, good.kind, good.game, good.note) == (1, "comparison", "volcanoes", "with the new evaluation")
    assert good.contestants == (NEW, OLD)
    assert (good.played, good.abandoned, faulty.abandoned) == (8, 0, 1)
    assert good.sentence == f"{NEW} is better."
    assert good.ended is not None
    assert good.begun <= good.ended <= datetime.now(UTC)
    assert (good.running, ladder.running, ladder.ended) == (False, True, None)
    with pytest.raises(FrozenInstanceError):
        good.title = "x"  # type: ignore[misc]
    data = good.to_dict()
    assert data["contestants"] == [NEW, OLD]
    assert data["title"] == good.title
    assert not any(key.startswith("_") for key in data), "the store's address may contain a password"
    assert str(filled) not in repr(good)


def test_events_are_chosen(filled: Path) -> None:
    assert [event.number for event in lapilli.arena.events(str(filled), kind="comparison")] == [2, 1]
    assert [event.number for event in lapilli.arena.events(filled, limit=1)] == [3]
    assert lapilli.arena.events(filled, game="kingdomino") == []
    with pytest.raises(LapilliError, match="no kind of event 'leage'"):
        lapilli.arena.events(filled, kind="leage")
    with pytest.raises(LapilliError, match="at least 1, not 0"):
        lapilli.arena.events(filled, limit=0)
    with pytest.raises(StoreTrouble, match="there is no store"):
        lapilli.arena.events(filled.with_name("none.db"))


def test_the_matches_of_an_event(filled: Path) -> None:
    good = lapilli.arena.events(filled)[-1]
    matches = good.matches()
    assert [match.number for match in matches] == list(range(8))
    assert good.matches(limit=3) == matches[-3:]
    first = matches[0]
    assert {seat.player for seat in first.seats} == {NEW, OLD}
    data = first.to_dict()
    assert (data["player_0"], data["score_1"]) == (first.seats[0].player, first.seats[1].score)
    assert {type(value) for value in data.values()} <= {int, float, str, bool, datetime, type(None)}
    assert first.record().outcome.scores == [seat.score for seat in first.seats]  # type: ignore[union-attr]
    lost = good.matches(lost_by=OLD)
    assert {match.number for match in lost} == {
        match.number for match in matches for seat in match.seats if seat.player == OLD and seat.rank == 2
    }
    with pytest.raises(LapilliError, match="no contestant 'nobody'"):
        good.matches(lost_by="nobody")
    (faulty,) = lapilli.arena.events(filled, kind="comparison", limit=1)
    assert "exited" in {seat.fault for match in faulty.matches() for seat in match.seats}
    with pytest.raises(LapilliError, match=r"the record of match 2/0 was not kept"):
        faulty.matches()[0].record()


def test_an_open_store_stays_open_and_a_deleted_event_is_gone(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        assert lapilli.arena.events(store) == []
        compare_good(store, 2)
        (event,) = lapilli.arena.events(store)
        assert len(event.matches()) == 2
        store.delete_event(1)
        with pytest.raises(LapilliError, match="there is no event 1"):
            event.matches()


def test_pandas_takes_it(filled: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(match.to_dict() for match in lapilli.arena.events(filled)[-1].matches())
    assert list(frame["number"]) == list(range(8))
