"""Speed and memory of the arena: matches a minute on two cores, each of them stored, and memory in the long run.

    python benchmarks/arena.py random [MATCHES]     two built-in players that move at random
    python benchmarks/arena.py bots [MATCHES]       two sandboxed C++ bots (g++ and bubblewrap needed), frozen or not
    python benchmarks/arena.py soak [MATCHES]       memory over 250,000 matches of the first kind
    python benchmarks/arena.py ray [MATCHES]        the first kind by Ray, on a cluster of this machine alone
    python benchmarks/arena.py profile [MATCHES]    where the time goes, in the process that stores and in a worker

All but the last two run on the first two cores that this process may use, as with `taskset -c 0,1`. The output has the
wall time, and also the processor time of a match: in the process that stores, and in the workers with their bots. Other
load on the machine hardly changes the processor time. The store is a temporary file.
"""

from __future__ import annotations

import cProfile
import os
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import msgspec
import numpy as np

from lapilli.arena.matches.cluster_pool import ClusterPool
from lapilli.arena.matches.playing import Pool, Recipe, play
from lapilli.arena.matches.pool import LocalPool, default_jobs
from lapilli.arena.progress.comparison import Comparison, ComparisonSpec
from lapilli.arena.progress.schedule import Schedule
from lapilli.games import load
from lapilli.players import PlayerSpec, Sandbox
from lapilli.players.bots.starters import write_starter
from lapilli.store import Store
from lapilli.store.results import Contestant

GAME = "volcanoes"
CORES = 2
WARM = 0.1
"""Share of the matches that are played before the measurement begins. Meanwhile, kernels are loaded, and workers begin
to receive several matches at once."""
TASKS = 400
SETTLED = 0.6
"""Share of a soak test's matches after which memory should be constant. The store's page cache of 64 MiB is full
then."""


def of(first: str | PlayerSpec, second: str | PlayerSpec) -> Recipe:
    return Recipe(game=GAME, contestants=(Contestant(name="A", player=first), Contestant(name="B", player=second)))


def compare(recipe: Recipe, matches: int, pool: Pool, show: Callable[[Comparison], None] = lambda _: None) -> None:
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder, "arena.db")) as store:
        Comparison(ComparisonSpec(recipe=recipe, matches=matches), store, "benchmark").run(pool, show)


def seconds_used(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def rate(what: str, recipe: Recipe, matches: int, pool: Pool) -> None:
    marks: list[tuple[float, int, float]] = []

    def look(comparison: Comparison) -> None:
        if comparison.matches >= WARM * matches:
            marks.append((perf_counter(), comparison.matches, seconds_used(resource.RUSAGE_SELF)))

    theirs = seconds_used(resource.RUSAGE_CHILDREN)
    compare(recipe, matches, pool, look)
    theirs = (
        1e6 * (seconds_used(resource.RUSAGE_CHILDREN) - theirs) / matches
    )  # processor time of processes that have ended
    (began, first, ours_before), (ended, last, ours_after) = marks[0], marks[-1]
    ours = 1e6 * (ours_after - ours_before) / (last - first)
    others = f", {theirs:,.0f} µs of the others" if theirs else ""  # Ray's workers are no child processes of this one
    print(
        f"{what}: {60 * (last - first) / (ended - began):,.0f} matches a minute; processor time a match: "
        f"{ours:.0f} µs of the process that stores{others}; load {os.getloadavg()[0]:.1f}"
    )


def bots(matches: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        starter = write_starter(load(GAME), "cpp", Path(folder))
        subprocess.run(starter.build, shell=True, check=True)
        bot = PlayerSpec(command=starter.run, sandbox=Sandbox.REQUIRE)
        for freeze_idle in (True, False):
            for jobs in (default_jobs(in_process=False), CORES):
                recipe = msgspec.structs.replace(of(bot, bot), freeze_idle=freeze_idle)
                what = f"C++ bots, {'frozen' if freeze_idle else 'not frozen'} when idle, {jobs} at once"
                rate(what, recipe, matches, LocalPool(recipe, jobs))


def memory_kib(process: int | str) -> float:
    """Returns the memory that only this process uses, in KiB. `process`: its id, or "self"."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    return float(sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_")))


def soak(matches: int) -> None:
    recipe = of("random", "random")
    pool = LocalPool(recipe, default_jobs(in_process=True))
    seen: list[list[float]] = []

    def look(comparison: Comparison) -> None:
        if len(pool.pids) == CORES and comparison.matches >= len(seen) * matches / 100 and comparison.ending is None:
            seen.append([comparison.matches, memory_kib("self"), *map(memory_kib, pool.pids)])

    compare(recipe, matches, pool, look)
    table = np.array(seen)
    late = table[table[:, 0] >= SETTLED * matches]
    for name, column in zip(("the process that stores", "worker 1", "worker 2"), late.T[1:], strict=True):
        slope = np.polyfit(late[:, 0], column, 1)[0]
        print(
            f"{name}: {column[0] / 1024:.1f} MiB after {late[0, 0]:,.0f} matches, {column[-1] / 1024:.1f} MiB after "
            f"{late[-1, 0]:,.0f}; slope {1024 * slope:+.2f} bytes a match"
        )


def by_ray(matches: int) -> None:
    import ray

    recipe = of("random", "random")
    ray.init(num_cpus=CORES, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20)
    with ClusterPool(recipe, "auto") as pool:
        rate(f"random, by Ray on {CORES} cores", recipe, matches, pool)
    said = ray.remote(num_cpus=1)(lambda tasks, size: b"x" * size)
    for size in (1_000, 100_000, 500_000):
        for _ in ("warm", "measured"):
            used = seconds_used(resource.RUSAGE_SELF)
            for _ in range(TASKS // CORES):
                ray.get([said.remote(list(range(100)), size) for _ in range(CORES)])
        used = 1000 * (seconds_used(resource.RUSAGE_SELF) - used) / TASKS
        print(f"a task of Ray's that reports {size // 1000} kB: {used:.1f} ms of our processor time")
    never = ray.remote(num_cpus=CORES)(lambda seconds: time.sleep(seconds))
    waiting = [never.remote(3600) for _ in range(1_000)]
    began = perf_counter()
    for _ in range(100):
        ray.wait([ray.put(0), *waiting], num_returns=1)
        ray.wait(waiting, num_returns=len(waiting), timeout=0)
    print(f"to see which of {len(waiting):,} are done: {10 * (perf_counter() - began):.1f} ms")
    ray.shutdown()


def profile(matches: int) -> None:
    recipe = of("random", "random")
    schedule = Schedule(0)
    works: dict[str, Callable[[], object]] = {
        "the process that stores": lambda: compare(recipe, matches, LocalPool(recipe, CORES)),
        "a worker": lambda: [play(recipe, schedule.task(number)) for number in range(matches // 10)],
    }
    for name, work in works.items():
        with cProfile.Profile() as profiler:
            work()
        print(f"== {name}")
        pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


def main() -> None:
    kind = sys.argv[1] if len(sys.argv) > 1 else "random"
    given = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if kind not in ("ray", "profile"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    if kind == "random":
        recipe = of("random", "random")
        rate("random", recipe, given or 50_000, LocalPool(recipe, default_jobs(in_process=True)))
    else:
        {"bots": bots, "soak": soak, "ray": by_ray, "profile": profile}[kind](
            given or {"bots": 1_500, "soak": 250_000}.get(kind, 30_000)
        )


if __name__ == "__main__":
    main()
