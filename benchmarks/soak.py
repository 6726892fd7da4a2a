"""A public site with all its features in use for two hours: memory, descriptors and tables in memory must stay flat.

    python benchmarks/soak.py                       # two hours, in a SQLite file
    python benchmarks/soak.py --minutes 10 --rate 3 # more visits in less time
    python benchmarks/soak.py --store postgresql    # in a PostgreSQL server that is started for it

The site runs in a process of its own, and uses about a quarter of a core. `tests/web/soak_activities.py` contains what
people do there: they play, watch, chat, study, write bots, and send broken requests. Each minute, the benchmark prints
what the site uses. At the end, everybody leaves. A straight line is fitted to the second half of the minutes. The exit
status is 1 if memory grows by more than 10 % an hour or the site's own descriptors by more than 5 an hour, or if
anything failed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, linear_regression

import httpx
import psycopg

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[0] = str(TESTS)  # not this folder, whose files have the names of folders there
os.environ.setdefault("LAPILLI_GAMES", str(TESTS / "fifth"))

from process_use import ProcessUse
from store.conftest import running
from web.client import PublicSite
from web.soak_activities import GAMES, Crowd

MOST_GROWTH, MOST_DESCRIPTORS = 0.10, 5.0
"""Limits of the growth in an hour: of memory, as a share of it, and of the number of descriptors."""
PAUSE_S = 90.0
"""Time after everybody has left, in seconds. Then the site is measured once more."""
_ESTABLISHED = "01"
_USUAL = ("Invalid HTTP request received.", "lapilli: compiling kernels")
"""Beginnings of lines that the site may write to stderr: some visits send such requests."""


@dataclass(frozen=True)
class Sample:
    """What the site uses at one time.

    Attributes:
        minute: minutes since the beginning.
        memory: memory of the site's process, in MB.
        descriptors: number of open descriptors, without those of connections that are established.
        connections: number of established connections.
        threads, children: numbers of threads and of child processes; `children_memory`: memory of these, in MB.
        tables, watchers: numbers of tables in memory and of pages and programs that follow them.
        stored: size of the store, in MB.
        cores: number of cores that the site's process used in the last minute.
    """

    minute: float
    memory: float
    descriptors: int
    connections: int
    threads: int
    children: int
    children_memory: float
    tables: int
    watchers: int
    stored: float
    cores: float


class Gauge:
    """Measures a running site.

    Args:
        site: the site.
    """

    def __init__(self, site: PublicSite) -> None:
        assert site.process is not None
        self.site, self.pid, self._begun = site, site.process.pid, time.monotonic()
        self._use = ProcessUse(self.pid)
        self._last = self._begun, self._use.cpu_s()

    def sample(self) -> Sample:
        """Returns what the site uses now."""
        folder = Path(f"/proc/{self.pid}")
        connections = self._connections()
        metrics = httpx.get(f"{self.site.url}/metrics", timeout=60, trust_env=False).text
        children = _descendants(self.pid)
        (before, cpu), self._last = self._last, (time.monotonic(), self._use.cpu_s())
        return Sample(
            minute=(self._last[0] - self._begun) / 60,
            memory=self._use.memory_kb() / 1000,
            descriptors=len(os.listdir(folder / "fd")) - connections,
            connections=connections,
            threads=self._use.memory_kb("Threads"),
            children=len(children),
            children_memory=sum(map(_memory_kb, children)) / 1000,
            tables=_metric(metrics, "lapilli_tables_live"),
            watchers=_metric(metrics, "lapilli_watchers"),
            stored=self._stored(),
            cores=(self._last[1] - cpu) / max(0.001, self._last[0] - before),
        )

    def _connections(self) -> int:
        """Returns the number of established connections to the site's port, as the system counts them."""
        port, lines = f":{self.site.port:04X}", Path(f"/proc/{self.pid}/net/tcp").read_text().splitlines()[1:]
        fields = [line.split() for line in lines]
        return sum(local.endswith(port) and state == _ESTABLISHED for _, local, _, state, *_ in fields)

    def _stored(self) -> float:
        if str(self.site.store).startswith("postgresql"):
            with psycopg.connect(str(self.site.store)) as store:
                row = store.execute("SELECT pg_database_size(current_database())").fetchone()
                return float(row[0]) / 1e6 if row else 0.0
        return sum(path.stat().st_size for path in self.site.file.parent.glob(f"{self.site.file.name}*")) / 1e6


def _metric(text: str, name: str) -> int:
    found = re.search(rf"^{name} (\S+)", text, re.MULTILINE)
    return int(float(found[1])) if found else -1


def _descendants(pid: int) -> list[int]:
    """Returns the processes that a process and its children have started."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, task.read_text().split())
        except OSError:  # the thread has ended
            continue
    return found + [further for child in found if Path(f"/proc/{child}").exists() for further in _descendants(child)]


def _memory_kb(pid: int) -> int:
    try:
        return ProcessUse(pid).memory_kb()
    except (OSError, StopIteration):  # the process has ended
        return 0


def growth(samples: Sequence[Sample], values: Sequence[float]) -> float:
    """Returns by how much values grow in an hour, from a straight line through them."""
    return 60 * linear_regression([sample.minute for sample in samples], values).slope


def is_flat(samples: Sequence[Sample]) -> bool:
    """Prints the growth in the second half of the samples. Returns whether memory and descriptors are flat."""
    half = samples[len(samples) // 2 :]
    if len(half) < 3:
        print("too few minutes for a straight line")
        return True
    memory = [sample.memory for sample in half]
    share = growth(half, memory) / fmean(memory)
    descriptors = growth(half, [sample.descriptors for sample in half])
    print(f"the second half: memory {fmean(memory):.0f} MB, {100 * share:+.1f} % an hour")
    print(f"descriptors {descriptors:+.1f} an hour; tables {growth(half, [one.tables for one in half]):+.1f} an hour")
    children = [sample.children_memory for sample in half]
    print(f"child processes together {fmean(children):.0f} MB, {growth(half, children):+.0f} MB an hour", flush=True)
    return share <= MOST_GROWTH and descriptors <= MOST_DESCRIPTORS


def show(sample: Sample, crowd: Crowd) -> None:
    tally = crowd.tally
    print(
        f"{sample.minute:6.1f} min  {tally.requests:7,} requests  {sum(tally.failed.values()):3} failed  "
        f"{sample.memory:6.1f} MB  {sample.descriptors:3} descriptors + {sample.connections:3} connections  "
        f"{sample.threads:3} threads  {sample.children:2} children {sample.children_memory:5.0f} MB  "
        f"{sample.tables:3} tables  {sample.watchers:3} watchers  store {sample.stored:5.1f} MB  "
        f"{sample.cores:.2f} cores",
        flush=True,
    )


async def compiled(url: str) -> None:
    """Waits until the site has compiled all kernels."""
    async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False, verify=False) as http:
        for game in GAMES:
            while (await http.get(f"/play/ready/{game}")).json()["words"]:
                await asyncio.sleep(1)


async def soak(site: PublicSite, minutes: float, rate: float) -> bool:
    """Lets people visit a site for some minutes, and prints what it uses. Returns whether all is as it should be."""
    await compiled(site.url)
    crowd, gauge = Crowd(site, rate), Gauge(site)
    await crowd.arrive()
    samples = [await asyncio.to_thread(gauge.sample)]
    show(samples[0], crowd)
    crowd.start()
    known: set[str] = set()
    while samples[-1].minute < minutes:
        await asyncio.sleep(min(60.0, 60 * (minutes - samples[-1].minute) + 0.1))
        samples.append(await asyncio.to_thread(gauge.sample))
        show(samples[-1], crowd)
        for text in crowd.tally.failed.keys() - known:
            print(f"    failed: {text}", flush=True)
            known.add(text)
    await crowd.leave()
    await asyncio.sleep(PAUSE_S)
    print("everybody has left:")
    show(await asyncio.to_thread(gauge.sample), crowd)
    print(f"messages of sockets: {crowd.tally.messages:,}, of which {crowd.tally.slow} say that the store is slow")
    print("visits: " + ", ".join(f"{name} {count:,}" for name, count in sorted(crowd.tally.done.items())))
    return is_flat(samples) and not crowd.tally.failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--rate", type=float, default=1.0, help="factor for the number of visits")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "site"
        folder.mkdir()
        place: Path | str = folder / "site.db"
        if given.store == "postgresql":
            place = stack.enter_context(contextmanager(running)()).new_place()
        options = ("--registration", "open", "--analysis-threads", "1")
        site = PublicSite(place, *options, folder=folder, from_nothing=True)
        site.start()
        try:
            good = asyncio.run(soak(site, given.minutes, given.rate))
        finally:
            code, errors = site.stop()
    errors = "".join(line for line in errors.splitlines(keepends=True) if not line.startswith(_USUAL))
    print(f"the site ended with code {code}" + f", after\n{errors[-8000:]}" * bool(errors), flush=True)
    return 0 if good and not code and not errors else 1


if __name__ == "__main__":
    sys.exit(main())
