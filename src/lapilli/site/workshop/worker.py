"""A worker process: it does one job after the other, and can be ended in the middle of one."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from lapilli.core.errors import LapilliError
from lapilli.kernels.folder_trust import private_folder, why_untrusted
from lapilli.players.processes.trouble import in_one_line
from lapilli.site.http import errors
from lapilli.site.workshop.asks import (
    COMPARE,
    PLAY,
    RERUN,
    SIT,
    SUBMIT,
    CompareAsk,
    PlayAsk,
    RerunAsk,
    Result,
    SubmitAsk,
    Tell,
)
from lapilli.store import Store
from lapilli.store.places import beside
from lapilli.workers.parent_watch import follow_parent
from lapilli.workers.worker_process import WorkerProcess

if TYPE_CHECKING:
    from lapilli.site.workshop.jobs import Bench

LEAGUE = "league"
"""The kind of job that plays a game's league for `LEAGUE_S` seconds; its request is {"game": ...}."""
LEAGUE_S = 8.0
JOIN = "join"
"""The kind of job that joins the cluster, if there is one; its request is empty."""
_JOIN_S = 60.0
_TELL_S = 0.2
_SPARE = 10
"""Least pause between two progress messages, as a multiple of the time that the last one took."""
_LAST_S = 2.0


class Places(NamedTuple):
    """Arguments of a worker's `Bench`, see there.

    Attributes:
        where: the store's location.
        builds: folder of the built bots.
        leagues: folder with the leagues' copies of bots.
        ray: address of a Ray cluster, if there is one.
    """

    where: str
    builds: Path
    leagues: Path
    ray: str | None = None

    @classmethod
    def of(cls, store: Store, ray: str | None = None) -> Places:
        """Returns the usual places for a store."""
        where = str(store.where)
        return cls(where, _builds_of(where), beside(where, "leagues"), ray)


@cache
def _builds_of(where: str) -> Path:
    """Returns the folder for a store's built bots. If others could put programs into it, returns a private folder of
    this process instead, and prints a warning.
    """
    folder = beside(where, "builds")
    with suppress(OSError):  # the check below finds the reason
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not (why := why_untrusted(folder)):
        return folder
    private = private_folder()
    print(f"lapilli: {why}; until then bots are built in {private} and again after a restart", file=sys.stderr)
    return private


class WorkerReport(NamedTuple):
    """A worker's message.

    Attributes:
        told: progress of the job.
        result: the result; None while the job goes on, or if it failed.
        problem: why the job failed; "" if it did not.
        record: record of the match so far, packed; None if there is nothing new.
    """

    told: dict[str, Any]
    result: Result | None = None
    problem: str = ""
    record: bytes | None = None


class Worker:
    """A worker process. It is started when it is first needed.

    Args:
        places: what its jobs work with.
        niceness: niceness of the process.
    """

    def __init__(self, places: Places, niceness: int) -> None:
        self._places, self._niceness = places, niceness
        self._process: WorkerProcess | None = None

    def give(self, kind: str, ask: dict[str, Any]) -> None:
        """Sends a job to the process, and starts the process if necessary. Raises EOFError if it dies at once."""
        if self._process is None or not self._process.is_alive:
            self.end()
            self._process = WorkerProcess(_work, self._places, self._niceness)
        self._process.send((kind, ask))

    def hear(self, seconds: float) -> WorkerReport | None:
        """Returns the process's next message; None if there is none within this time. Raises EOFError if the process
        has died.
        """
        assert self._process is not None
        return self._process.receive() if self._process.has_sent(seconds) else None

    def end(self) -> None:
        """Ends the process and its bots, even in the middle of a job."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(_LAST_S)
            self._process = None


def check_cluster(places: Places) -> None:
    """Raises LapilliError if workers cannot join their cluster. A worker tries it, because a process that has joined
    Ray stays connected to it.
    """
    worker = Worker(places, 0)
    try:
        worker.give(JOIN, {})
        said = worker.hear(_JOIN_S)
    except EOFError:
        said = None
    finally:
        worker.end()
    if said is None or said.problem:
        raise LapilliError(said.problem if said else f"the Ray cluster {places.ray!r} does not answer")


def _work(connection: Connection, places: Places, niceness: int) -> None:
    """Main function of a worker process: does jobs until the connection is closed."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))  # the watchdog ends its bots
    follow_parent(niceness)
    from lapilli.site.workshop.jobs import Bench  # the server does not need it, and would start later with it

    bench = Bench(*places)
    with suppress(EOFError, OSError):
        while True:
            kind, ask = connection.recv()
            connection.send(_done(bench, kind, ask, connection))


def _done(bench: Bench, kind: str, ask: dict[str, Any], connection: Connection) -> WorkerReport:
    free, step = 0.0, ""

    def tell(told: dict[str, Any], record: Callable[[], bytes] | None = None) -> None:
        nonlocal free, step
        began = time.monotonic()
        if began > free or told["step"] != step:
            connection.send(WorkerReport(told, record=record() if record else None))
            took, step = time.monotonic() - began, told["step"]
            free = time.monotonic() + max(_TELL_S, _SPARE * took)

    try:
        return WorkerReport({}, _do(bench, kind, ask, tell))
    except LapilliError as error:
        return WorkerReport({}, None, errors.told(error))
    except OSError:
        raise
    except Exception as error:
        return WorkerReport({}, None, in_one_line(error))


def _do(bench: Bench, kind: str, ask: dict[str, Any], tell: Tell) -> Result:
    from lapilli.site.workshop import comparisons, jobs, leagues

    if kind == PLAY:
        return jobs.play(bench, msgspec.convert(ask, PlayAsk), tell)
    if kind == RERUN:
        return jobs.rerun(bench, msgspec.convert(ask, RerunAsk), tell)
    if kind == COMPARE:
        return comparisons.compare(bench, msgspec.convert(ask, CompareAsk), tell)
    if kind == SIT:
        return bench.bot_seat.answer(ask["asked"])
    if kind == SUBMIT:
        return jobs.submit(bench, msgspec.convert(ask, SubmitAsk), tell)
    if kind == JOIN:
        bench.join()
        return Result()
    return Result(goes_on=leagues.play(bench.store, ask["game"], bench.league_copies, LEAGUE_S, bench.pool))
