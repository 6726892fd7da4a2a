"""A pool of worker processes that plays matches on the available cores of one machine.

Workers are forked where that is safe, so that they share the kernels already loaded, and spawned otherwise. Each worker
is bound to its own cores, if there are enough. A worker that dies is replaced, and its matches are played again.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait

from lapilli.arena.matches.playing import Recipe, heard, report, some, worth
from lapilli.games import load
from lapilli.players.processes.trouble import OutOfResources
from lapilli.store.results import MatchResult, MatchTask
from lapilli.workers.worker_process import WorkerProcess, can_fork

_BATCH_S = 0.5
"""Desired seconds between two reports of a worker: many quick matches are sent, reported and stored together."""
_DEATHS = 3
"""After this many deaths of workers without a finished match in between, the pool gives up."""
_FROM_A_TERMINAL = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
_STOPPING = (*_FROM_A_TERMINAL, signal.SIGTERM)
_TICK_S = 1.0


def default_jobs(in_process: bool) -> int:
    """Returns the default number of matches at once.

    It is one for every two cores: one core for the bot and one for the referee. If all players run inside the worker
    process (`in_process`), it is one for each core.
    """
    cores = len(_cores())
    return max(1, cores if in_process else cores // 2)


class LocalPool:
    """A pool that plays matches in worker processes.

    Args:
        recipe: settings that the matches share.
        jobs: number of workers.
    """

    def __init__(self, recipe: Recipe, jobs: int) -> None:
        self._recipe = recipe
        self._jobs = jobs
        self._workers: list[_Worker] = []
        load(recipe.game).verbs  # noqa: B018 - loaded before the fork, so that workers inherit it

    @property
    def jobs(self) -> int:
        """Number of matches played at once."""
        return self._jobs

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers."""
        return [worker.pid for worker in self._workers]

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """Plays tasks as described in `lapilli.arena.matches.playing.Pool.play`.

        Raises:
            LapilliError: a match cannot be played at all.
            OutOfResources: several workers died without a finished match in between.
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
                        worker.give(some(tasks, worker.batch))  # at once: it need not wait until these are stored
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
    """Yields the tasks that must be played again, then new ones."""
    while True:
        yield again.popleft() if again else next(tasks, None)


class _Worker:
    """The parent's handle of a worker process.

    Attributes:
        number: index of the worker in the pool.
        tasks: tasks sent to it and not reported yet.
        batch: number of tasks to send at once.
    """

    def __init__(self, number: int, recipe: Recipe, cores: Sequence[int], others: Sequence[Connection]) -> None:
        forks = can_fork()
        self.number = number
        self.tasks: list[MatchTask] = []
        self.batch = 1
        copied = [*others] if forks else []
        with _signals_wait():
            self._process = WorkerProcess(_work, recipe, cores, copied, forks=forks, daemon=False)
        self.connection = self._process.connection

    @property
    def pid(self) -> int:
        """Process id of the worker."""
        return self._process.pid

    def give(self, tasks: list[MatchTask]) -> None:
        """Sends tasks to the worker, if there are any."""
        if tasks:
            self.tasks = tasks
            with suppress(EOFError):  # it is dead: `take` will return None
                self._process.send(tasks)

    def take(self) -> list[MatchResult] | None:
        """Receives the worker's results; None if it is dead. Raises LapilliError if it reported an error."""
        try:
            results = heard(self._process.receive())
        except EOFError:
            return None
        self.batch = worth(_BATCH_S, results)
        self.tasks = []
        return results

    def terminate(self) -> None:
        """Signals the worker to end, without waiting for it."""
        self._process.terminate()

    def stop(self) -> None:
        """Waits until the worker and its bots have ended; kills it if that takes long."""
        self._process.wait()


def _work(connection: Connection, recipe: Recipe, cores: Sequence[int], not_ours: Sequence[Connection]) -> None:
    """Runs a worker: receives tasks, plays them and sends reports, until the connection is closed."""
    for number in _FROM_A_TERMINAL:  # the terminal sends them to all processes; the parent alone reacts
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
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a SIGTERM now must not interrupt the end of its bots


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Blocks the signals that end a process, while the context is open.

    A process started inside begins with these signals blocked, until it has installed its handlers.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _leave(*_: object) -> None:
    """Ends this process by SystemExit, so that the match and its bots are ended, too."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def _cores() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _share(number: int, jobs: int) -> list[int]:
    """Returns the cores of one worker; empty if there are fewer cores than workers."""
    cores = _cores()
    each = len(cores) // jobs
    return cores[number * each : (number + 1) * each] if each else []
