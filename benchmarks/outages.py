"""What players notice when a process of a site is killed, and when the database or the network to it fails.

    python benchmarks/outages.py                          # kills one of three processes each minute for ten minutes
    python benchmarks/outages.py --minutes 2 --every 20 --tables 12
    python benchmarks/outages.py --restart                # a stopped database, a split network, refused connections

Three processes serve one PostgreSQL server, which is started for the benchmark. Each process reaches the server through
a relay of its own. Two people play at each table by WebSocket, usually at two processes. They think for one to three
seconds about every turn, and begin a new match when theirs is over. When a page loses its connection, it connects again
after the same delays as the page's script, to the living process with the fewest pages, as behind a proxy that checks
which processes are alive. At the end, every turn that a page has shown must be in the store.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[0] = str(TESTS)  # not this folder, whose files have the names of folders there

from lapilli.core.errors import LapilliError
from lapilli.match import verify
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.live.table.played_match import PlayedMatch
from lapilli.store import Store
from lapilli.store.results import unpack_record
from process_use import ProcessUse
from store.conftest import Server, running
from store.relay import Relay
from web.outage_players import Cluster, Play, Process, Seated

PROCESSES = 3
BACK_S = 5.0
"""Time after which a killed process is started again, in seconds."""
STEADY_S, SETTLE_S = 12.0, 25.0
"""Times before and after an outage during which the people play, in seconds."""
SILENT_S = 6.0
"""Time in seconds after which a page whose turn is not played must have shown a message."""
STILL_S = 12.0
"""Time in seconds without a turn after which a match stands still."""


class Outage(NamedTuple):
    """An outage of the database.

    Attributes:
        name: what happens.
        seconds: duration.
        begin, end: functions that begin and end it.
    """

    name: str
    seconds: float
    begin: Callable[[], Awaitable[object]]
    end: Callable[[], Awaitable[object]]


def outages(server: Server, relays: Sequence[Relay]) -> list[Outage]:
    async def refuse() -> None:
        for relay in relays:
            await relay.refuse()

    async def accept() -> None:
        for relay in relays:
            await relay.start()

    def cut(which: Sequence[Relay], is_cut: bool) -> Callable[[], Awaitable[object]]:
        async def act() -> None:
            for relay in which:
                relay.cut(is_cut)

        return act

    def threaded(act: Callable[[], object]) -> Callable[[], Awaitable[object]]:
        return lambda: asyncio.to_thread(act)

    return [
        Outage("PostgreSQL stopped", 5, threaded(server.stop), threaded(server.start)),
        Outage("packets lost", 10, cut(relays, True), cut(relays, False)),
        Outage("packets of one process lost", 10, cut(relays[:1], True), cut(relays[:1], False)),
        Outage("connections refused", 10, refuse, accept),
    ]


@asynccontextmanager
async def cluster(server: Server) -> AsyncIterator[tuple[Cluster, list[Relay], str]]:
    """Three processes, with a relay each, and the URL of their store."""
    where = server.new_place()
    relays = [Relay(f"{server.folder}/.s.PGSQL.5432") for _ in range(PROCESSES)]
    for relay in relays:
        await relay.start()
    options = where.partition("&")[2]
    sites = [
        Process(f"postgresql://lapilli@127.0.0.1:{relay.port}/postgres?{options}", from_nothing=True)
        for relay in relays
    ]
    await asyncio.to_thread(sites[0].run)  # creates the tables
    await asyncio.gather(*(asyncio.to_thread(site.run) for site in sites[1:]))
    try:
        yield Cluster(sites), relays, where
    finally:
        for site in sites:
            await asyncio.to_thread(site.kill, signal.SIGINT)
        for relay in relays:
            await relay.refuse()


@asynccontextmanager
async def playing(cluster: Cluster, tables: int, thinks: tuple[float, float]) -> AsyncIterator[Play]:
    """Lets people play while the block runs, and raises what went wrong with them."""
    play = Play(cluster, thinks)
    tasks = [asyncio.create_task(play.matches(number)) for number in range(tables)]
    try:
        yield play
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in [*results, *play.errors]:
        if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
            raise result


def percentiles(values: Sequence[float]) -> str:
    """Formats the distribution of times, in seconds."""
    if not values:
        return "none"
    ordered = sorted(values)
    found = [ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.5, 0.95)]
    return f"{len(ordered)}: p50 {found[0]:.2f} s, p95 {found[1]:.2f} s, most {ordered[-1]:.2f} s"


def check(where: str, seated: Sequence[Seated]) -> bool:
    """Compares what the pages have shown with the store, and prints the result. Returns whether all is well."""
    logs: dict[str, set[tuple[int, int, str]]] = {}
    missing, faults, bad, finished = [], 0, [], 0
    with Store.open(where) as store:
        for table_id in {page.table.removeprefix("/t/") for page in seated}:
            stored, answers = store.site.matches.get(table_id), store.site.matches.answers(table_id)
            if stored is None:
                bad.append(f"{table_id}: no such table")
                continue
            faults += sum(bool(answer.fault) for answer in answers)
            match = PlayedMatch(msgspec.convert(stored.plan, TablePlan), answers)
            logs[f"/t/{table_id}"] = set(match.log)
            if stored.record is None:
                bad += [f"{table_id}: no record, but all turns"] * match.over
                continue
            finished += 1
            try:
                record = unpack_record(stored.record, table_id)
                if verify(record) is None or len(record.turns) != len(answers):
                    bad.append(f"{table_id}: its record stops")
            except LapilliError as error:
                bad.append(f"{table_id}: {error}")
    for page in seated:
        missing += [f"{page.table} {line}" for line in page.lines - logs.get(page.table, set())]
    own = sum(sum(line[1] == page.player for line in page.lines) for page in seated)
    print(f"own turns shown to players: {own:,}; shown turns that are missing in the store: {len(missing)}")
    print(f"matches: {len(logs)}, of which {finished} finished; turns decided by a clock or fault: {faults}")
    print(f"records with errors: {len(bad)}" + "".join(f"\n    {text}" for text in [*bad, *missing][:8]), flush=True)
    return not (missing or faults or bad) and bool(own)


async def kill(server: Server, given: argparse.Namespace) -> bool:
    """Kills one process after the other, and prints what the players noticed."""
    async with cluster(server) as (sites, _, where):
        loads, own, begun = [os.getloadavg()[0]], ProcessUse("self"), time.monotonic()
        async with playing(sites, given.tables, given.think) as play:
            kills, end = 0, begun + 60 * given.minutes
            while (next_at := begun + (kills + 0.5) * given.every) < end:
                await asyncio.sleep(next_at - time.monotonic())
                site = sites.processes[kills % PROCESSES]
                kills += 1
                await asyncio.to_thread(site.kill, signal.SIGKILL)
                await asyncio.sleep(BACK_S)
                await asyncio.to_thread(site.run)
            await asyncio.sleep(max(0.0, end - time.monotonic()))
        seconds = time.monotonic() - begun
        loads.append(os.getloadavg()[0])
        own_s = own.cpu_s()
    uses = [[getattr(site, name) / seconds for site in sites.processes] for name in ("cpu_s", "waited_s")]
    lost, again = sum(page.unanswered for page in play.pages), sum(page.again for page in play.pages)
    print(f"{given.tables} tables of two for {seconds:.0f} s; kills: {kills}")
    print(f"disconnected pages, until they show the table again: {percentiles(play.reconnects)}")
    print(f"choices whose answer was lost with the connection: {lost}; turns that were chosen again: {again}")
    print(f"messages: {dict(play.texts)}; codes of closed connections: {dict(play.codes)}")
    waited = 100 * sum(uses[1]) / PROCESSES
    print(f"processes: {sum(uses[0]):.2f} cores together, each waited {waited:.0f} % of the time for a processor")
    print(f"players: {own_s / seconds:.2f} cores; load {loads[0]:.1f}, {loads[1]:.1f}")
    still = play.standing_still(STILL_S)
    print(f"matches that stand still at the end: {len(still)}")
    good = check(where, play.pages) and not still
    return good and max(play.reconnects, default=9.0) <= 2.0


def show_outage(play: Play, outage: Outage, begun: float, ended: float) -> bool:
    """Prints what the pages have shown of an outage. Returns whether they have said so and gone on."""
    during = [sent for page in play.pages for sent in page.sent if begun <= sent.at < ended]
    slow = [sent for sent in during if sent.shown_at is None or sent.shown_at > ended]
    counted = [sent for sent in slow if sent.shown_at is not None and not sent.again]
    silent = [sent for sent in slow if (sent.shown_at or 1e18) - sent.at > SILENT_S and not sent.was_told]
    after = [sent.shown_at - ended for sent in slow if sent.shown_at is not None]
    unplayed, still = sum(sent.shown_at is None for sent in slow), play.standing_still(STILL_S)
    again = sum(sent.again for sent in slow)
    print(f"{outage.name}, {outage.seconds:g} s: {len(during)} choices meanwhile, {len(slow)} not played at once")
    print(f"    of these, played without the person: {len(counted)}, after choosing again: {again}, never: {unplayed}")
    print(f"    without a message for {SILENT_S:g} s: {len(silent)}; matches that stand still afterwards: {len(still)}")
    print(f"    after the end of the outage, until they were played: {percentiles(after)}")
    print(f"    messages: {dict(play.texts)}; closed with: {dict(play.codes)}", flush=True)
    return not (unplayed or silent or still)


async def restart(server: Server, given: argparse.Namespace) -> bool:
    """Lets the database fail in several ways, and prints what the players noticed."""
    good = True
    async with cluster(server) as (sites, relays, where):
        seated: list[Seated] = []
        for outage in outages(server, relays):
            if given.only and given.only not in outage.name:
                continue
            async with playing(sites, given.tables, given.think) as play:
                await asyncio.sleep(STEADY_S)
                play.texts, play.codes = Counter(), Counter()
                begun = time.monotonic()
                await outage.begin()
                await asyncio.sleep(begun + outage.seconds - time.monotonic())
                await outage.end()
                ended = time.monotonic()
                await asyncio.sleep(SETTLE_S)
            good &= show_outage(play, outage, begun, ended)
            seated += play.pages
    return check(where, seated) and good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=float, default=60, help="seconds from one kill to the next")
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--think", type=float, nargs=2, default=(1.0, 3.0), help="limits of the time for a turn, in s")
    parser.add_argument("--restart", action="store_true", help="outages of the database instead of kills")
    parser.add_argument("--only", default="", help="with --restart: only outages whose name contains this")
    given = parser.parse_args()
    gc.disable()  # the pauses of this process, through which the database is reached, are not the site's
    with contextmanager(running)() as server:
        good = asyncio.run((restart if given.restart else kill)(server, given))
    print("all is well" if good else "something is wrong")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
