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
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from lapilli.arena.playing import Recipe, heard, report, some, worth
from lapilli.games import load
from lapilli.players.processes.trouble import OutOfResources
from lapilli.store.results import MatchResult, MatchTask
from lapilli.workers.worker_process import WorkerProcess

_BATCH_S = 0.5
"""How long a worker is to be at it until it reports: many quick matches are sent, reported and stored together."""
_DEATHS = 3
"""How many workers may die one after the other, without a match in between, until something must be wrong."""
_FROM_A_TERMINAL = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
_STOPPING = (*_FROM_A_TERMINAL, signal.SIGTERM)
_TICK_S = 1.0


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
    def jobs(self) -> int:
        """How many matches are played at once."""
        return self._jobs

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
        tasks = _first(again, tasks)
        try:
            self._workers = []
            for number in range(self._jobs):
                self._workers.append(self._start(number))
            while True:
                for worker in self._workers:
                    if not worker.tasks:
                        worker.give(some(tasks, worker.batch))
                busy = [worker for worker in self._workers if worker.tasks]
                if not busy:
                    return
                spoken = wait([worker.connection for worker in busy], _TICK_S)
                if not spoken:
                    yield []
                for ready in spoken:
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
                        worker.give(some(tasks, worker.batch))  # it need not wait till these are stored
                        yield results
        finally:
            for worker in self._workers:
                worker.terminate()
            for worker in self._workers:
                worker.stop()

    def _start(self, number: int) -> _Worker:
        others = [worker.connection for worker in self._workers if worker.number != number]
        return _Worker(number, self._recipe, _share(number, self._jobs), others)


def _first(again: deque[MatchTask], tasks: Iterator[MatchTask | None]) -> Iterator[MatchTask | None]:
    """What must be played again, then the others."""
    while True:
        yield again.popleft() if again else next(tasks, None)


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
        copied = [*others] if context.get_start_method() == "fork" else []
        with _signals_wait():
            self._process = WorkerProcess(_work, recipe, cores, copied, context=context, daemon=False)
        self.connection = self._process.connection

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def give(self, tasks: list[MatchTask]) -> None:
        """Gives it something to do, if there is something."""
        if tasks:
            self.tasks = tasks
            with suppress(EOFError):  # it is dead, as `take` will tell
                self._process.send(tasks)

    def take(self) -> list[MatchResult] | None:
        """What it has to report; None if it is dead. Raises LapilliError where it could not play."""
        try:
            results = heard(self._process.receive())
        except EOFError:
            return None
        self.batch = worth(_BATCH_S, results)
        self.tasks = []
        return results

    def terminate(self) -> None:
        """Tells it to end now."""
        self._process.terminate()

    def stop(self) -> None:
        """Waits until it has ended, with its bots."""
        self._process.wait()


def _work(connection: Connection, recipe: Recipe, cores: Sequence[int], not_ours: Sequence[Connection]) -> None:
    """A worker's life."""
    for number in _FROM_A_TERMINAL:  # which sends them to us all; who started us decides
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
    for other in not_ours:
        other.close()
    if cores and hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            os.sched_setaffinity(0, cores)
    with suppress(EOFError, OSError):
        while True:
            tasks: list[MatchTask] = connection.recv()
            connection.send(report(recipe, tasks))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # being told to end must not interrupt how it ends its bots


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Inside, what would stop this process waits, and in a process that is started here until it is ready for that."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
