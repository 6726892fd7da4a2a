"""Worker processes: matches played on all the cores that one machine lends.

Workers are forked where that is safe (kernels that are loaded once are there in all of them), else started afresh. Each
keeps to cores of its own. One that dies, whoever killed it, is replaced, and what it was playing is played again.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from time import perf_counter
from typing import Any

from lapilli.arena.playing import Recipe, play
from lapilli.arena.results import MatchResult, MatchTask
from lapilli.games import load
from lapilli.games.errors import LapilliError
from lapilli.players.trouble import OutOfResources, in_one_line

_BATCH_S = 0.2
"""How long a worker is to be at it until it reports: many quick matches are sent and reported together."""
_MOST = 256
_DEATHS = 3
"""How many workers may die one after the other, without a match in between, until something must be wrong."""
_TICK_S = 1.0
_LAST_S = 3.0


def default_jobs(in_process: bool) -> int:
    """How many matches to play at once: one for every two cores, since a bot is to have a core to itself and the
    referee another; with players that live in the worker, one for each."""
    cores = len(_cores())
    return max(1, cores if in_process else cores // 2)


class Pool:
    """Plays matches in worker processes.

    Args:
        recipe: what they have in common.
        jobs: how many workers.
    """

    def __init__(self, recipe: Recipe, jobs: int) -> None:
        self._recipe = recipe
        self._jobs = jobs
        self._workers: list[_Worker] = []
        load(recipe.game).verbs  # noqa: B018 - in this process, of which workers are copies

    @property
    def pids(self) -> list[int]:
        """The numbers of the worker processes."""
        return [worker.pid for worker in self._workers]

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """As `lapilli.arena.playing.Pool` says.

        Raises:
            LapilliError: a match cannot be played at all. OutOfResources: workers die one after the other.
        """
        again, deaths = deque[MatchTask](), 0
        try:
            self._workers = [self._start(number) for number in range(self._jobs)]
            while True:
                for worker in self._workers:
                    if not worker.tasks:
                        worker.give(_some(again, tasks, worker.batch))
                busy = [worker for worker in self._workers if worker.tasks]
                if not busy:
                    return
                heard = wait([worker.connection for worker in busy], _TICK_S)
                if not heard:
                    yield []
                for ready in heard:
                    worker = next(one for one in busy if one.connection is ready)
                    results = worker.take()
                    if results is None:
                        deaths += 1
                        if deaths >= _DEATHS:
                            raise OutOfResources(f"{deaths} worker processes died one after the other")
                        again += worker.tasks
                        worker.stop()
                        self._workers[worker.number] = self._start(worker.number)
                    elif results:
                        deaths = 0
                        yield results
        finally:
            for worker in self._workers:
                worker.terminate()
            for worker in self._workers:
                worker.stop()

    def _start(self, number: int) -> _Worker:
        others = [worker.connection for worker in self._workers if worker.number != number]
        return _Worker(number, self._recipe, _share(number, self._jobs), others)


def _some(again: deque[MatchTask], source: Iterator[MatchTask | None], most: int) -> list[MatchTask]:
    taken: list[MatchTask] = []
    while len(taken) < most:
        task = again.popleft() if again else next(source, None)
        if task is None:
            break
        taken.append(task)
    return taken


class _Worker:
    """A worker process, seen from ours.

    Attributes:
        number: its place. tasks: what it was given and has not reported.
        batch: how many tasks it is given at once.
    """

    def __init__(self, number: int, recipe: Recipe, cores: Sequence[int], others: Sequence[Connection]) -> None:
        context = _context()
        self.number = number
        self.tasks: list[MatchTask] = []
        self.batch = 1
        self.connection, its = context.Pipe()
        forked = context.get_start_method() == "fork"
        not_its = [self.connection, *others] if forked else []
        self._process = context.Process(target=_work, args=(its, recipe, cores, not_its), daemon=False)
        self._process.start()
        its.close()
        self._given = 0.0

    @property
    def pid(self) -> int:
        """The number of its process."""
        return int(self._process.pid)

    def give(self, tasks: list[MatchTask]) -> None:
        """Gives it something to do, if there is something."""
        if tasks:
            self.tasks, self._given = tasks, perf_counter()
            with suppress(OSError):  # it is dead, as `take` will tell
                self.connection.send(tasks)

    def take(self) -> list[MatchResult] | None:
        """What it has to report; None if it is dead. Raises LapilliError where it could not play."""
        try:
            report: list[MatchResult] | str = self.connection.recv()
        except (EOFError, OSError):
            return None
        if isinstance(report, str):
            raise LapilliError(report)
        took = max(perf_counter() - self._given, 1e-6)
        self.batch = max(1, min(_MOST, 2 * self.batch, int(self.batch * _BATCH_S / took)))
        self.tasks = []
        return report

    def terminate(self) -> None:
        """Tells it to end now."""
        self.connection.close()
        with suppress(OSError):
            self._process.terminate()

    def stop(self) -> None:
        """Waits until it has ended, with its bots."""
        self.connection.close()
        self._process.join(_LAST_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _work(connection: Connection, recipe: Recipe, cores: Sequence[int], not_ours: Sequence[Connection]) -> None:
    """A worker's life."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to us all; who started us decides
    signal.signal(signal.SIGTERM, _leave)
    for other in not_ours:
        other.close()
    if cores and hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            os.sched_setaffinity(0, cores)
    with suppress(EOFError, OSError):
        while True:
            tasks: list[MatchTask] = connection.recv()
            try:
                report: Any = [play(recipe, task) for task in tasks]
            except LapilliError as error:
                report = str(error)
            except Exception as error:
                report = in_one_line(error)
            connection.send(report)


def _leave(*_: object) -> None:
    """Ends this process, and on the way out its match and its bots."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def _context() -> Any:
    """A copy of this process where it has a single thread and the system is known to allow it; else a fresh one."""
    can_fork = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if can_fork else "spawn")


def _cores() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _share(number: int, jobs: int) -> list[int]:
    """The cores of one worker; none in particular where there are not enough."""
    cores = _cores()
    each = len(cores) // jobs
    return cores[number * each : (number + 1) * each] if each else []
