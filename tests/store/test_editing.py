"""Events get other names and notes, and are deleted with all that belongs to them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import select

from lapilli.core.errors import StoreError
from lapilli.store import EventKind, Rating, Store, tables, worker_name
from lapilli.store.results import MatchResult
from store.made import abandoned, contestants, event, result

START = Rating(25.0, 8.0)


def rows(store: Store) -> dict[str, int]:
    """The number of rows of each of the arena's tables that has any."""
    names = {table.name for table in (tables.records, tables.seats, tables.events)}
    names |= {name for name, table in tables.metadata.tables.items() if "event_id" in table.c}
    with store._database._engine.begin() as connection:
        found = {name: len(connection.execute(select(tables.metadata.tables[name])).all()) for name in names}
    return {name: number for name, number in found.items() if number}


def test_an_event_gets_another_name_and_a_note(store: Store) -> None:
    made = event(store)
    store.rename_event(made.id, "after the rewrite \0")
    store.note_event(made.id, "with the new\nevaluation")
    store.plan_event(made.id, {"games": 40, "sprt": {"elo0": 0.0}})
    found = store.event(made.id)
    assert (found.name, found.note) == ("after the rewrite \ufffd", "with the new\nevaluation")
    assert found.plan == {"games": 40, "sprt": {"elo0": 0.0}}
    assert event(store) == found, "its key is the same, so it is still continued"
    store.note_event(made.id, "")
    assert store.events()[0].note == ""
    for change in (store.rename_event, store.note_event):
        with pytest.raises(StoreError, match=r"^there is no event 99 in the store$"):
            change(99, "x")


def test_a_league_is_found_by_its_new_name(store: Store) -> None:
    spring, autumn = (store.open_league(name, "tictactoe", {}) for name in ("spring", "autumn"))
    with pytest.raises(StoreError, match=r"^there is a league 'autumn' already$"):
        store.rename_event(spring.id, "autumn")
    store.rename_event(spring.id, "summer")
    store.rename_event(autumn.id, "autumn")
    assert store.open_league("summer", "tictactoe", {}).id == spring.id
    assert store.open_league("spring", "tictactoe", {}).id not in (spring.id, autumn.id)


def rate(result: MatchResult, before: object) -> list[Rating]:
    return [START] * len(result.seats)


def test_nothing_of_a_deleted_event_is_left_and_all_of_the_others(store: Store) -> None:
    kept = event(store)
    store.add_results(kept.id, [result(number, record=b"x") for number in range(6)])
    league = store.open_league("spring", "tictactoe", {})
    before = rows(store)
    for contestant in contestants(3):
        store.enter(league.id, contestant, START)
    store.add_results(league.id, [result(number, (0, 2), record=b"x") for number in range(20)], rate)
    store.add_results(league.id, [abandoned(33)])
    store.promote(league.id, 1, 0, 1, "won")
    store.claim(league.id, [40, 41], "someone long gone", 0.0)
    assert set(rows(store)) >= {"records", "seats", "claims", "abandoned", "tallies", "meetings", "promotions"}
    store.delete_event(league.id)
    assert rows(store) == before | {"events": 1}
    assert [match.result.number for match in store.results(kept.id)] == list(range(6))
    with pytest.raises(StoreError, match=rf"^there is no event {league.id} in the store$"):
        store.add_results(league.id, [result(1)])
    assert store.open_league("spring", "tictactoe", {}).id > league.id, "numbers are not used again"


def test_a_running_event_is_not_deleted(store: Store) -> None:
    made = event(store)
    worker = worker_name()
    assert store.running([made.id, 99]) == {}
    store.claim_next(made.id, 3, worker, 60.0)
    (claimant,) = store.running([made.id])[made.id]
    assert (claimant.worker, claimant.matches) == (worker, 3)
    with pytest.raises(
        StoreError, match=r"is running: process \d+ on this machine plays its matches; stop that first$"
    ):
        store.delete_event(made.id)
    store.release(made.id, None, worker)
    store.claim_next(made.id, 3, worker.replace(f"/{worker.split('/')[2]}/", "/999999999/"), 60.0)
    assert store.running([made.id]) == {}, "that process has ended"
    store.delete_event(made.id)
    assert store.events() == []


def test_ratings_are_sampled(store: Store) -> None:
    league = store.open_league("spring", "tictactoe", {})
    for contestant in contestants(3):
        store.enter(league.id, contestant, START)
    played = iter(range(100))
    for number in range(23):
        store.add_results(
            league.id,
            [result(number, (0, 1 + number % 2))],
            lambda result, before: [Rating(float(next(played)), 1.0), START],
        )
    assert [place for place, _ in store.rating_samples(league.id, 0, 5)] == [5, 10, 15, 20, 23]
    assert [rating.mu for _, rating in store.rating_samples(league.id, 0, 5)] == [4.0, 9.0, 14.0, 19.0, 22.0]
    every = [point.rating for point in store.ratings(league.id, 1)]
    assert [rating for _, rating in store.rating_samples(league.id, 1, 1)] == every
    assert store.rating_samples(league.id, 2, 1000)[0][0] == 11


def test_events_are_listed_in_pages(store: Store) -> None:
    ids = [event(store, games=number).id for number in range(5)]
    assert [each.id for each in store.events(most=2, before=ids[3])] == [ids[2], ids[1]]
    assert store.events(kind=EventKind.LEAGUE, before=ids[4]) == []


OLD = {"events": ("note", "plan"), "lapilli_store": ("last_event",)}


def test_a_store_of_version_5_is_upgraded(tmp_path: Path) -> None:
    file = tmp_path / "old.db"
    with Store.open(file) as store:
        made = event(store)
        store.add_results(made.id, [result(0)])
    with sqlite3.connect(file) as old:
        for table, columns in OLD.items():
            for column in columns:
                old.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        old.execute("UPDATE lapilli_store SET version = 5")
    old.close()
    with Store.open(file, create=False) as store:
        assert store.event(made.id).note == ""
        store.note_event(made.id, "kept")
        store.delete_event(made.id)
        assert event(store).id == made.id + 1
