"""Tables are loaded from the store side by side, each once, and not while they are released for other processes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from lapilli.games import names
from lapilli.site.app import build_site
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.plan import plan_of
from lapilli.site.live.tables import Tables
from lapilli.store import SiteTable, Store

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

        def waiting_load(stored: SiteTable) -> LiveTable:
            loaded.append(stored.id)
            if stored.id == slow:
                may_load.wait()
            return load(stored)

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
        may_release, done, driving = threading.Event(), list[str](), tables.store.site.driving

        def release(table_ids: list[str]) -> None:
            done.append(f"begins to release {len(table_ids)}")
            may_release.wait(10)
            done.append("has released")

        monkeypatch.setattr(tables, "is_shared", True)
        monkeypatch.setattr(driving, "take", lambda table_id: done.append("takes"))
        monkeypatch.setattr(driving, "release", release)
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
