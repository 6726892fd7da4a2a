"""A pool of worker processes that play matches on the cores of this machine.

Workers are forked where that is safe, and share the kernels that are already loaded; otherwise workers are spawned.
Each worker is bound to its own cores, if there are enough. A worker that dies is replaced, and its matches are played
again.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait

from lapilli.arena.matches.playing import Recipe, decode_report, next_batch_size, report, take_tasks
from lapilli.core.errors import OutOfResources
from lapilli.games import load
from lapilli.store.results import MatchResult, MatchTask
from lapilli.workers.worker_process import WorkerProcess, can_fork

_BATCH_S = 0.5
"""Desired time between two reports of a worker, in seconds; quick matches are sent and reported in batches."""
_DEATHS = 3
"""If this number of workers die without a finished match in between, the pool gives up with an error."""
_FROM_A_TERMINAL = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
_STOPPING = (*_FROM_A_TERMINAL, signal.SIGTERM)
_TICK_S = 1.0
"""If no result arrives for this time, in seconds, `LocalPool.play` yields an empty list."""


def default_jobs(in_process: bool) -> int:
    """Returns the default number of matches played at once, for the cores that this process may use.

    The default is one match for every two cores, because a bot and the referee need one core each.

    Args:
        in_process: whether all players run inside the worker process. If so, the default is one match for each core.
    """
    cores = len(_cores())
    return max(1, cores if in_process else cores // 2)


class LocalPool:
    """A pool that plays matches in worker processes. A worker is started when there is a task for it.

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
        """Ids of the worker processes."""
        return [worker.pid for worker in self._workers]

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """Plays tasks in the worker processes, and yields lists of results as matches end, in any order.

        A list may be empty. If `tasks` yields None, no task is available at the moment, and the generator ends after
        the tasks taken so far. If the caller closes the generator, unfinished matches are dropped.

        Raises:
            LapilliError: a match cannot be played.
            OutOfResources: several workers died without a finished match in between.
        """
        again, deaths = deque[MatchTask](), 0
        tasks = _first(again, tasks)
        try:
            self._workers = []
            while True:
                for worker in self._workers:
                    if not worker.tasks:
                        worker.send(take_tasks(tasks, worker.batch))
                while len(self._workers) < self._jobs and (first := take_tasks(tasks, 1)):
                    self._workers.append(self._start(len(self._workers)))
                    self._workers[-1].send(first)
                busy = [worker for worker in self._workers if worker.tasks]
                if not busy:
                    return
                ready_connections = wait([worker.connection for worker in busy], _TICK_S)
                if not ready_connections:
                    yield []
                for ready in ready_connections:
                    worker = next(worker for worker in busy if worker.connection is ready)
                    results = worker.receive()
                    if results is None:
                        deaths += 1
                        if deaths >= _DEATHS:
                            raise OutOfResources(
                                f"{deaths} worker processes died one after the other; the last one {worker.why_ended()}"
                            )
                        again += worker.tasks
                        worker.wait()
                        self._workers[worker.number] = self._start(worker.number)
                    elif results:
                        deaths = 0
                        worker.send(take_tasks(tasks, worker.batch))  # before the caller has stored these results
                        yield results
        finally:
            for worker in self._workers:
                worker.terminate()
            for worker in self._workers:
                worker.wait()

    def _start(self, number: int) -> _Worker:
        others = [worker.connection for worker in self._workers if worker.number != number]
        return _Worker(number, self._recipe, _share(number, self._jobs), others)


def _first(again: deque[MatchTask], tasks: Iterator[MatchTask | None]) -> Iterator[MatchTask | None]:
    """Yields tasks endlessly: first the tasks in `again`, then the tasks of `tasks`, then None.

    `again`: tasks of a worker that died. The pool may append to it between two tasks.
    """
    while True:
        yield again.popleft() if again else next(tasks, None)


class _Worker:
    """Controls a worker process.

    Args:
        number: index of the worker in the pool.
        recipe: settings that the matches share.
        cores: cores to which to bind the worker; empty for all.
        others: connections to other workers, which a forked process must close.

    Attributes:
        number: index of the worker in the pool.
        tasks: tasks that were sent to the worker and are not finished.
        batch: number of tasks to send at once.
        connection: connection to the worker.
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
        """Id of the worker process."""
        return self._process.pid

    def send(self, tasks: list[MatchTask]) -> None:
        """Sends tasks to the worker; does nothing for an empty list."""
        if tasks:
            self.tasks = tasks
            with suppress(EOFError):  # the worker is dead: `receive` will return None
                self._process.send(tasks)

    def receive(self) -> list[MatchResult] | None:
        """Receives the results of the worker's tasks; None if the worker is dead.

        Raises LapilliError if the worker reports an error.
        """
        try:
            results = decode_report(self._process.receive())
        except EOFError:
            return None
        self.batch = next_batch_size(_BATCH_S, results)
        self.tasks = []
        return results

    def why_ended(self) -> str:
        """Returns how the worker ended, as the rest of a sentence that begins with "a worker process".

        Call this method after `receive` has returned None.
        """
        return self._process.why_ended()

    def terminate(self) -> None:
        """Sends the worker a signal to end, without waiting for its end."""
        self._process.terminate()

    def wait(self) -> None:
        """Waits until the worker and its bots have ended; kills the worker if this takes too long."""
        self._process.wait()


def _work(connection: Connection, recipe: Recipe, cores: Sequence[int], inherited: Sequence[Connection]) -> None:
    """Runs a worker: receives tasks, plays them and sends reports, until the connection is closed.

    Args:
        connection: connection to the pool.
        recipe: settings that the matches share.
        cores: cores to which to bind this process; empty for all.
        inherited: connections of other workers, inherited by forking, which must be closed.
    """
    for number in _FROM_A_TERMINAL:  # the terminal sends them to all processes, but only the pool's process reacts
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
    for other in inherited:
        other.close()
    if cores and hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            os.sched_setaffinity(0, cores)
    with suppress(EOFError, OSError):
        while True:
            tasks: list[MatchTask] = connection.recv()
            connection.send(report(recipe, tasks))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a SIGTERM must not interrupt the ending of bots


@contextmanager
def _signals_wait() -> Iterator[None]:
    """During the `with` block, blocks the signals that usually end a process.

    A worker process that is started in the block inherits the blocked signals. So no signal reaches the worker before
    it has installed its own handlers.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _leave(*_: object) -> None:
    """Handles a signal in a worker: raises SystemExit. So the worker closes its match and its bots before it ends."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def _cores() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _share(number: int, jobs: int) -> list[int]:
    """Returns the cores to which worker `number` is bound; empty if there are fewer cores than workers (`jobs`)."""
    cores = _cores()
    each = len(cores) // jobs
    return cores[number * each : (number + 1) * each] if each else []
