"""What one PostgreSQL server carries for many processes of a site: answers stored, and notices of them delivered.

    python benchmarks/notices.py                # answers, then notices for 2 to 64 processes
    python benchmarks/notices.py --seconds 10

A server is started for it; its clients share the machine with it. First one process stores answers as a site does,
in transactions of different sizes. Then a writer plays the part of all processes: it stores rows at a given rate, and
notifies the other processes of them in the same transactions. The listeners are connections of one other process. With
`all`, each listener hears of every row, as the processes of a site do now. With `own`, each table belongs to one
listener, which alone hears of its rows. A delay is the time from the start of a transaction to the notice's arrival.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import psycopg

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[0] = str(TESTS)  # not this folder, whose files have the names of folders there

from lapilli.games import names
from lapilli.site.live.batch_writer import MOST
from lapilli.store import NewAnswer, SiteAnswer, Store
from process_use import ProcessUse
from store.conftest import Server, running

TABLES, PAUSE_S, WRITERS = 400, 0.02, 4
PROCESSES, RATES = (2, 8, 32, 64), (200, 1000, 2000)


class Load(NamedTuple):
    """A load.

    Attributes:
        url: the server's URL.
        processes: number of listeners.
        rate: rows a second.
        is_own: whether a table's rows are told to one listener alone.
        seconds: how long rows are written.
    """

    url: str
    processes: int
    rate: int
    is_own: bool
    seconds: float


def store_answers(server: Server, seconds: float) -> None:
    """Stores answers for `seconds` seconds in transactions of each size, and prints how many a second."""
    with Store.open(server.new_place()) as store:
        for number in range(TABLES):
            store.site.matches.add(f"t{number}", names()[0], {"game": names()[0], "setup": {}, "seats": []})
        turn, use = 1, ProcessUse("self")
        for size in (1, 10, MOST):
            began, used, stored = time.perf_counter(), use.cpu_s(), 0
            while time.perf_counter() - began < seconds:
                for first in range(0, TABLES, size):
                    numbers = range(first, min(TABLES, first + size))
                    answer = SiteAnswer(turn=turn, player=0, reply="N01 N02")
                    given = [NewAnswer(f"t{number}", turn - 1, answer) for number in numbers]
                    assert all(store.site.matches.add_answers(given))
                    stored += len(given)
                turn += 1
            taken, cpu = time.perf_counter() - began, use.cpu_s() - used
            print(
                f"{size:4} answers a transaction: {stored / taken:8,.0f} a second, {1e6 * cpu / stored:6,.0f} µs each"
            )


async def listen(load: Load, ready: asyncio.Event, delays: list[float]) -> None:
    """Listens with all connections, and notes the delays in seconds."""

    async def one(number: int) -> None:
        async with await psycopg.AsyncConnection.connect(load.url, autocommit=True) as connection:
            await connection.execute(f"LISTEN turns_{number if load.is_own else 'all'}".encode())
            connected.append(number)
            if len(connected) == load.processes:
                ready.set()
            async for notice in connection.notifies():
                sent_at = float(notice.payload.partition(" ")[0])
                delays.append(time.time() - sent_at)

    connected: list[int] = []
    await asyncio.gather(*(one(number) for number in range(load.processes)))


async def write(load: Load, connection: psycopg.AsyncConnection, first: int) -> int:
    """Writes rows at this writer's part of the rate. Returns their number."""
    written, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < load.seconds:
        due = int(passed * load.rate / WRITERS) - written
        if due <= 0:
            await asyncio.sleep(PAUSE_S)
            continue
        numbers = range(first + written, first + written + min(due, MOST))
        channels = [f"turns_{number % load.processes if load.is_own else 'all'}" for number in numbers]
        payloads = [f"{time.time():.6f} {number}" for number in numbers]
        async with connection.transaction():
            await connection.execute("INSERT INTO turns SELECT unnest(%s::text[])", [payloads])
            await connection.execute(
                "SELECT pg_notify(c, p) FROM unnest(%s::text[], %s::text[]) x(c, p)", [channels, payloads]
            )
        written += len(numbers)
        await asyncio.sleep(PAUSE_S)
    return written


async def write_all(load: Load) -> int:
    connections = [await psycopg.AsyncConnection.connect(load.url, autocommit=True) for _ in range(WRITERS)]
    tasks = [write(load, one, 1_000_000 * number) for number, one in enumerate(connections)]
    written = sum(await asyncio.gather(*tasks))
    for one in connections:
        await one.close()
    return written


def _write_in_process(load: Load, result: multiprocessing.SimpleQueue[int]) -> None:
    result.put(asyncio.run(write_all(load)))


async def notify(load: Load, server: Server) -> None:
    """Measures one load, and prints a line."""
    delays: list[float] = []
    ready = asyncio.Event()
    listening = asyncio.create_task(listen(load, ready, delays))
    await ready.wait()
    use = ProcessUse("self")
    result: multiprocessing.SimpleQueue[int] = multiprocessing.SimpleQueue()
    used, server_used = use.cpu_s(), server_cpu_s(server)
    writer = multiprocessing.Process(target=_write_in_process, args=(load, result))
    writer.start()
    while writer.is_alive():
        await asyncio.sleep(0.1)
    await asyncio.sleep(1)
    written, cpu = result.get(), use.cpu_s() - used
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    wanted = written * (1 if load.is_own else load.processes)
    delays.sort()
    half, most = (1000 * delays[int(share * (len(delays) - 1))] for share in (0.5, 0.95))
    print(
        f"{load.processes:4} processes, {'own' if load.is_own else 'all'}: {written / load.seconds:6,.0f} rows a second"
        ", "
        f"{len(delays) / load.seconds:9,.0f} notices a second ({len(delays) / wanted:.0%}); delay 50 % {half:7.1f} ms, "
        f"95 % {most:8.1f} ms; server {100 * (server_cpu_s(server) - server_used) / load.seconds:4.0f} % of a core, "
        f"listeners {100 * cpu / load.seconds / load.processes:5.1f} % each",
        flush=True,
    )


def server_cpu_s(server: Server) -> float:
    """Returns the processor time of all processes of a server, ended ones included, in seconds."""
    total = 0.0
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):  # it may have just ended
                if os.readlink(folder / "cwd") == f"{server.folder}/data":
                    fields = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                    total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


@contextmanager
def own_server() -> Iterator[Server]:
    yield from running()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5, help="duration of each measurement")
    given = parser.parse_args()
    multiprocessing.set_start_method("spawn")
    with own_server() as server:
        print(f"load {os.getloadavg()[0]:.1f}")
        store_answers(server, given.seconds)
        url = server.url("postgres")
        server.do("CREATE TABLE turns (payload text)")
        for is_own in (False, True):
            for processes in PROCESSES:
                for rate in RATES:
                    load = Load(url, processes, rate, is_own, given.seconds)
                    asyncio.run(notify(load, server))
        print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
