"""Work of the site that goes on after an unexpected error, which concerns one table or one moment alone."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from lapilli.site.live import tables
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.upkeep import other_processes
from lapilli.site.runtime import tasks
from lapilli.store import DAY_S, Drive
from web.test_correspondence import day_plan, in_process, loaded, passed
from web.test_store_watch import until


def test_one_faulty_match_over_days_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(found: tables.Tables) -> None:
        faulty, sound = [await found.open(day_plan()) for _ in range(2)]
        await found.day_matches.sweep()
        expire = LiveTable.expire

        async def expire_or_fail(table: LiveTable) -> None:
            if table.id == faulty:
                raise RuntimeError("a bug")
            await expire(table)

        monkeypatch.setattr(LiveTable, "expire", expire_or_fail)
        passed(found.store, 3 * DAY_S + 60)
        await found.day_matches.sweep()
        assert (await loaded(found, sound)).match.over
        assert not (await loaded(found, faulty)).match.over

    in_process(tmp_path, work)


def test_heartbeats_go_on_if_a_table_is_dropped_or_faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_processes, "BEAT_S", 0.01)

    async def work(found: tables.Tables) -> None:
        ids = {await found.open(day_plan()) for _ in range(4)}
        for table_id in ids:
            await loaded(found, table_id)
        beats, driven = list[int](), set[str]()

        def report_alive(lasts: float, table_ids: list[str]) -> Drive:
            beats.append(len(table_ids))
            return Drive(frozenset(ids), frozenset())

        async def drive(table: LiveTable, drives: bool) -> None:
            driven.add(table.id)
            for other in ids - driven if len(driven) == 2 else ():
                found.forget(other)
            if len(driven) == 1:
                raise RuntimeError("a bug")

        monkeypatch.setattr(found.store.site.driving, "report_alive", report_alive)
        monkeypatch.setattr(LiveTable, "drive", drive)
        beating = asyncio.create_task(other_processes.OtherProcesses(found).beat())
        await until(lambda: len(beats) > 2 or beating.done())
        assert not beating.done()
        beating.cancel()
        assert len(driven) == 2

    in_process(tmp_path, work)


def test_a_loop_that_fails_starts_again(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(tasks, "_AGAIN_S", 0.0)
    log = logging.Logger("not the site's, which a site in this process may have configured")
    log.addHandler(caplog.handler)
    monkeypatch.setattr(tasks, "_LOG", log)

    async def work() -> None:
        runs, ended = list[int](), list[BaseException]()

        async def loop() -> None:
            runs.append(len(runs))
            if len(runs) < 3:
                raise KeyError("a bug")

        await tasks.Tasks(ended.append).keep_going("looking at matches", loop)
        assert (len(runs), ended) == (3, [])

    asyncio.run(work())
    assert [record.message for record in caplog.records] == ["looking at matches failed, and starts again: 'a bug'"] * 2
