"""Tables are loaded from the store side by side, each once, and not while they are released for other processes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lapilli.games import names
from lapilli.site.app import build_site
from lapilli.site.live import tables as live_tables
from lapilli.site.live.table.audience import Watcher
from lapilli.site.live.table.chat import WATCHERS
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.plan import Seat, plan_of
from lapilli.site.live.tables import Tables
from lapilli.store import OpenedTable, PlanChange, Store

PLAN = plan_of({"game": names()[0], "opponent1": "person"}, "Ada")
Run = Callable[[Callable[[Tables], Awaitable[None]]], None]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Runs a test with the tables of a site of its own."""
    with Store.open(tmp_path / "site.db") as store:

        def run_test(work: Callable[[Tables], Awaitable[None]]) -> None:
            async def whole() -> None:
                site = build_site(store)
                site.compilation.start()
                try:
                    await work(site.tables)
                finally:
                    site.stop_thinking()
                    site.compilation.close()

            asyncio.run(whole())

        yield run_test


def test_a_table_that_loads_slowly_is_waited_for_by_nobody_else(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(tables: Tables) -> None:
        slow, quick = [await tables.open(PLAN) for _ in range(2)]
        may_load, loaded, load = threading.Event(), list[str](), tables._load

        def waiting_load(opened: OpenedTable) -> LiveTable:
            loaded.append(opened.table.id)
            if opened.table.id == slow:
                may_load.wait()
            return load(opened)

        monkeypatch.setattr(tables, "_load", waiting_load)
        waiting = [asyncio.create_task(tables.find(slow)) for _ in range(2)]
        while not loaded:
            await asyncio.sleep(0.001)
        finding = asyncio.create_task(tables.find(quick))
        await asyncio.wait([finding], timeout=10)
        was_found = finding.done()
        may_load.set()
        first, second = await asyncio.gather(*waiting)
        assert was_found
        assert first is second is not None
        assert sorted(loaded) == sorted([slow, quick])

    run(work)


def test_a_table_is_not_taken_while_it_is_released(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(tables: Tables) -> None:
        table_id = await tables.open(PLAN)
        may_release, done, site = threading.Event(), list[str](), tables.store.site

        def load(table_id: str, **options: bool) -> OpenedTable | None:
            assert options["drives"]
            done.append("takes")
            return site.opening.read(table_id)

        def release(table_ids: list[str]) -> None:
            done.append(f"begins to release {len(table_ids)}")
            may_release.wait(10)
            done.append("has released")

        monkeypatch.setattr(tables, "is_shared", True)
        monkeypatch.setattr(site.opening, "load", load)
        monkeypatch.setattr(site.driving, "release", release)
        await tables.find(table_id)
        dropping = asyncio.create_task(tables.drop_idle())
        while len(done) < 2:
            await asyncio.sleep(0.001)
        finding = asyncio.create_task(tables.find(table_id))
        await asyncio.wait([finding], timeout=0.2)
        may_release.set()
        await asyncio.gather(dropping, finding)
        assert done == ["takes", "begins to release 1", "has released", "takes"]

    run(work)


def test_a_table_in_use_is_not_dropped_to_make_space(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request had found the table, and then changed a copy of it that no page showed."""
    monkeypatch.setattr(live_tables, "_IN_MEMORY", 1)

    async def work(tables: Tables) -> None:
        first, second, third = [await tables.open(PLAN) for _ in range(3)]
        found = await tables.find(first)
        assert found is not None
        await tables.find(second)
        assert await tables.find(first) is found
        found.found_at -= 60
        async with found.lock:
            await tables.find(third)
            assert await tables.find(first) is found, "it is being changed"
        found.found_at -= 60
        await tables.find(await tables.open(PLAN))
        assert first not in tables.in_memory

    run(work)


def test_a_list_that_was_read_during_a_change_is_read_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(tables: Tables) -> None:
        matches = tables.store.site.matches
        listed, is_read, may_return = matches.listed, threading.Event(), threading.Event()

        def slowly_listed(**which: Any) -> Any:
            read = listed(**which)
            is_read.set()
            may_return.wait(10)
            return read

        monkeypatch.setattr(matches, "listed", slowly_listed)
        reading = asyncio.create_task(tables.going())
        await asyncio.to_thread(is_read.wait, 10)
        table_id = await tables.open(PLAN)
        may_return.set()
        assert await reading == []
        assert [table.id for table in await tables.going()] == [table_id]

    run(work)


def test_arrivals_at_many_tables_are_stored_together(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seats = [Seat(holder="@ada", name="Ada"), Seat(holder="@grace", name="Grace")]
    plan = msgspec.structs.replace(PLAN, seats=seats, tournament="t")

    async def work(tables: Tables) -> None:
        writes, reads = list[int](), list[str]()
        opening, writer = tables.store.site.opening, tables.services.plan_writer
        amend_each, load = opening.amend_each, opening.load

        def counted_writes(changes: Sequence[PlanChange]) -> list[dict[str, Any] | None]:
            writes.append(len(changes))
            return amend_each(changes)

        def counted_reads(table_id: str, **options: bool) -> OpenedTable | None:
            reads.append(table_id)
            return load(table_id, **options)

        monkeypatch.setattr(writer, "_store", counted_writes)
        monkeypatch.setattr(opening, "load", counted_reads)
        ids = [await tables.open(plan) for _ in range(20)]
        found = await asyncio.gather(*map(tables.find, ids))
        assert sorted(reads) == sorted(ids)
        await asyncio.gather(*(table.wake(seat.holder) for table in found if table for seat in seats))
        assert all(table is not None and table.plan.come == [0, 1] for table in found)
        assert sum(writes) == 40
        assert len(writes) <= 6, "a transaction for all that arrive during another one"
        for table_id in ids:
            stored = tables.store.site.matches.get(table_id)
            assert stored is not None
            assert stored.plan["come"] == [0, 1]

    run(work)


def test_a_page_shows_what_was_written_before_the_table_was_loaded(run: Run) -> None:
    async def work(tables: Tables) -> None:
        table_id, chat = await tables.open(PLAN), tables.store.site.chat
        chat.add(table_id, WATCHERS, "@eve", "Eve", "before")
        table = await tables.find(table_id)
        assert table is not None
        for further in ("", "after"):
            if further:
                chat.add(table_id, WATCHERS, "@eve", "Eve", further)
            await table.join(Watcher("@kay"))
            shown = table.chat.shown(Watcher("@kay"), table.plan)
            assert [line.text for line in shown.lines] == [text for text in ("before", further) if text]

    run(work)


def test_only_tables_of_a_person_are_renamed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site with 300 tables in memory stored the plan of each when somebody deleted an account."""

    async def work(tables: Tables) -> None:
        own, other = (
            await tables.open(PLAN),
            await tables.open(plan_of({"game": names()[0], "opponent1": "person"}, "Grace")),
        )
        changed, found = list[str](), [await tables.find(table_id) for table_id in (own, other)]
        for table in filter(None, found):

            async def amend(change: Any, table: LiveTable = table) -> None:
                changed.append(table.id)
                await LiveTable.amend(table, change)

            monkeypatch.setattr(table, "amend", amend)
        await tables.rename("Ada", "Somebody")
        assert changed == [own]
        assert [seat.name for seat in tables.in_memory[own].plan.seats if seat.holder == "Ada"] == ["Somebody"]

    run(work)
