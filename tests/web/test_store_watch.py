"""A store that does not answer: no clock decides a match because of it, and changes are read afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from time import monotonic

import pytest

from lapilli.core.api import Termination
from lapilli.core.errors import LapilliError, StoreError, StoreTrouble
from lapilli.site.http.errors import headers_of, message_for_visitors, status_of
from lapilli.site.live import tables
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.upkeep import other_processes, store_watch
from lapilli.site.live.upkeep.store_watch import StoreWatch
from lapilli.store import NewAnswer, SiteAnswer, Store
from web.test_correspondence import day_plan, in_process, loaded, play


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.01)


def at_a_table(path: Path, work: Callable[[LiveTable], Awaitable[None]]) -> None:
    """Does that with a match of two people in progress, in which the first one has little time left."""

    async def prepared(found: tables.Tables) -> None:
        table = await loaded(found, await found.open(day_plan(time="3+2")))
        table.clocks.set(0, 0.3)
        await table.wake()
        await work(table)

    in_process(path, prepared)


def test_a_clock_runs_out(tmp_path: Path) -> None:
    async def work(table: LiveTable) -> None:
        await until(lambda: table.match.over)
        assert table.answers[-1].fault == Termination.TIMEOUT

    at_a_table(tmp_path, work)


def test_a_clock_that_runs_out_while_the_store_fails_starts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_watch, "SLOW_S", 0.05)

    async def work(table: LiveTable) -> None:
        with table.services.store_watch.waiting():
            await until(lambda: (table.clocks.left(0, monotonic()) or 0) > 1)
            assert table.clocks.running == (0,)
            assert not table.match.over
        assert table.driver.is_busy, "the clock runs"

    at_a_table(tmp_path, work)


def test_a_clock_that_runs_out_when_pages_are_not_back_yet_starts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_watch, "SLOW_S", 0.05)

    async def work(table: LiveTable) -> None:
        with table.services.store_watch.waiting():
            await asyncio.sleep(0.1)
        await until(lambda: (table.clocks.left(0, monotonic()) or 0) > 1)
        assert not table.match.over

    at_a_table(tmp_path, work)


def test_a_change_that_cannot_be_read_now_is_read_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_processes, "BEAT_S", 0.01)

    async def work(found: tables.Tables) -> None:
        table = await loaded(found, await found.open(day_plan(time="none")))
        outcomes: list[bool | StoreTrouble] = [StoreTrouble("away", may_pass=True)] * 2 + [True]

        async def catch_up() -> bool:
            outcome = outcomes.pop(0)
            if isinstance(outcome, StoreTrouble):
                raise outcome
            return outcome

        monkeypatch.setattr(table, "catch_up", catch_up)
        found.reread([table.id])
        await until(lambda: not outcomes)

    in_process(tmp_path, work)


def test_a_match_whose_process_ends_after_the_last_answer_is_finished_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_processes, "BEAT_S", 0.01)

    async def work(found: tables.Tables) -> None:
        monkeypatch.setattr(found, "is_shared", True)
        table_id, matches = await found.open(day_plan(time="none")), found.store.site.matches
        with Store.open(tmp_path / "a.db") as ending:
            ending.site.driving.report_alive(other_processes.LEASE_S)
            assert ending.site.driving.take(table_id) is None
            table = await loaded(found, table_id)
            assert not table.drives
            last = SiteAnswer(turn=1, player=0, fault=Termination.TIMEOUT, reason="ran out of time")
            ending.site.matches.add_answers([NewAnswer(table_id, 0, last)])
            await table.catch_up()
            assert table.match.over
            beating = asyncio.create_task(found._others.beat())
            await asyncio.sleep(0.1)
            assert not table.drives
            ending.site.driving.report_alive(-1.0)
            await until(lambda: table.result.is_stored)
            beating.cancel()
        stored = matches.get(table_id)
        assert stored is not None
        assert stored.record is not None

    in_process(tmp_path, work)


def test_a_turn_that_cannot_be_stored_costs_time_and_brings_no_increment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(table: LiveTable) -> None:
        table.clocks.set(0, 30.0)
        matches = table.services.store.site.matches
        add_answers, writer = matches.add_answers, table.services.answer_writer

        def fail(answers: Sequence[NewAnswer]) -> list[bool]:
            raise StoreTrouble("the disk is full")

        monkeypatch.setattr(writer, "_store", fail)
        for _ in range(2):
            with pytest.raises(StoreTrouble):
                await play(table, 0)
            assert table.clocks.running == (0,)
            assert table.clocks.left(0, monotonic()) == pytest.approx(30, abs=1)
            assert table.driver.is_busy, "the clock runs"
        monkeypatch.setattr(writer, "_store", add_answers)
        await play(table, 0)
        assert table.clocks.left(0, monotonic()) == pytest.approx(32, abs=1)

    at_a_table(tmp_path, work)


def test_a_clock_that_has_run_out_while_nothing_can_be_stored_starts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(table: LiveTable) -> None:
        def fail(answers: Sequence[NewAnswer]) -> list[bool]:
            raise StoreTrouble("the disk is full")

        monkeypatch.setattr(table.services.answer_writer, "_store", fail)
        await until(lambda: table.clocks.running and (table.clocks.left(0, monotonic()) or 0) > 1)
        assert not table.match.over
        assert table.driver.is_busy, "the clock runs"

    at_a_table(tmp_path, work)


def test_a_call_that_takes_a_moment_is_no_failure() -> None:
    async def work() -> None:
        watch = StoreWatch()
        with watch.waiting():
            await asyncio.sleep(0.1)
            assert not watch.is_failing
        assert not watch.has_failed

    asyncio.run(work())


@pytest.mark.parametrize("error", [LapilliError("no"), StoreError("there is no event 7")])
def test_a_request_that_the_store_refuses_is_no_failure_of_the_site(error: LapilliError) -> None:
    assert (status_of(error), message_for_visitors(error), headers_of(error)) == (400, str(error), {})


def test_a_failure_of_the_store_is_one_of_the_site_that_may_pass() -> None:
    error = StoreTrouble("/srv/a.db: the disk is full")
    assert (status_of(error), "Retry-After" in headers_of(error)) == (503, True)
    assert "/srv" not in message_for_visitors(error)
