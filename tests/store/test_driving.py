"""Drivers of tables: the process that runs a table's engines and clocks, and who takes over when it has ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from sqlalchemy import insert

from lapilli.store import Store
from lapilli.store.site.shared.driving import site_drivers
from store.rated import GAME

LEASE_S = 60.0
ENDED_S = -1.0
"""Lease of a process that has ended."""


@pytest.fixture
def two(where: str) -> Iterator[tuple[Store, Store]]:
    """The stores of two living processes, with the tables a, b and c."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(Store.open(where)) for _ in range(2))
        for store in (one, other):
            store.site.driving.report_alive(LEASE_S)
        for name in "abc":
            one.site.matches.add(name, GAME, {"seats": []})
        yield one, other


def free(store: Store, *given: str) -> set[str]:
    return {*store.site.driving.report_alive(LEASE_S, given).free}


def test_a_table_has_one_driver_until_its_process_ends(two: tuple[Store, Store]) -> None:
    one, other = two
    assert one.site.driving.take("a") is None
    assert one.site.driving.take("a") is None
    assert other.site.driving.take("a") is not None
    assert free(other) == set()
    assert one.site.driving.report_alive(ENDED_S).mine == {"a"}
    assert free(other) == {"a"}
    assert other.site.driving.take("a") is None
    assert free(other) == set()
    assert one.site.driving.take("a") is not None, "it was only slow, and its table is gone"


def test_of_the_given_tables_those_without_a_living_driver_are_free(two: tuple[Store, Store]) -> None:
    one, other = two
    for name in "ab":
        assert one.site.driving.take(name) is None
    assert free(other, "a", "b", "c", "no such table") == {"c"}
    one.site.driving.release(["b"])
    assert free(other, "a", "b", "c") == {"b", "c"}
    assert free(other) == set()


def test_a_finished_match_needs_no_driver(two: tuple[Store, Store]) -> None:
    """Survivors once loaded all matches that an ended process had ever driven, each second."""
    one, other = two
    for name in "ab":
        assert one.site.driving.take(name) is None
    one.site.matches.finish("a", b"record", "somebody won")
    assert one.site.driving.report_alive(ENDED_S).mine == {"b"}
    assert free(other, "a") == {"b"}
    assert other.site.driving.take("a") is None, "nobody else drives it"
    assert other.site.driving.report_alive(LEASE_S).mine == set()


def test_drivers_of_finished_matches_in_older_stores_are_removed(two: tuple[Store, Store]) -> None:
    one, other = two
    one.site.matches.finish("a", b"record", "somebody won")
    one.site.driving.take("b")
    add = insert(site_drivers).values(table_id="a", worker="ended", taken=0.0)
    one._database.write(lambda connection: connection.execute(add))
    assert free(other) == set()
    other.site.driving.drop_finished()
    rows = other._database.read(lambda connection: connection.execute(site_drivers.select()).all())
    assert [row.table_id for row in rows] == ["b"]


def test_a_deleted_table_has_no_driver(two: tuple[Store, Store]) -> None:
    """The table may be in the memory of a process that has not heard of its deletion. This once ended heartbeats."""
    one, other = two
    assert one.site.driving.take("a") is None
    one.site.matches.remove("a", lambda plan: None)
    assert other.site.driving.take("a") is None
    assert free(other, "a") == set()
