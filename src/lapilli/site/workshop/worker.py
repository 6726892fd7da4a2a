"""Jobs as calls of a worker process: finds the function for each kind of job, and formats its errors for visitors."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from lapilli.core.errors import LapilliError
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
    Told,
)
from lapilli.site.workshop.places import Places
from lapilli.workers.call_worker import CallTimeout, CallWorker, WorkerDied, send_report

if TYPE_CHECKING:
    from lapilli.site.workshop.jobs import Bench

_LOG = logging.getLogger("lapilli.site")
LEAGUE = "league"
"""The kind of job that plays a game's league for `LEAGUE_S` seconds; its request is {"game": ...}."""
LEAGUE_S = 8.0
JOIN = "join"
"""The kind of job that joins the cluster, if there is one; its request is empty."""
_JOIN_S = 60.0
_TELL_S = 0.2
_SPARE = 10
"""Least pause between two progress reports, as a multiple of the time that the last one took."""


class JobFailed(LapilliError):
    """A job failed. The message is for visitors."""


class JobReport(NamedTuple):
    """Progress of a job.

    Attributes:
        told: data for the page.
        record: record of the match so far, packed; None if there is nothing new.
    """

    told: Told
    record: bytes | None


def check_cluster(places: Places) -> None:
    """Raises LapilliError if workers cannot join their cluster. A worker tries it, because a process that has joined
    Ray stays connected to it.
    """
    worker = CallWorker()
    try:
        worker.call(run_job, places, JOIN, {}, limit_s=_JOIN_S).result()
    except (CallTimeout, WorkerDied):
        raise LapilliError(f"the Ray cluster {places.ray!r} does not answer") from None
    finally:
        worker.end()


def run_job(places: Places, kind: str, ask: dict[str, Any]) -> Result:
    """Does a job in a worker process. Its progress is sent as instances of `JobReport`.

    Args:
        places: the same for all jobs of a process.
        kind: the kind of job.
        ask: the request.

    Raises:
        JobFailed: the job cannot be done.
        SystemExit: the machine had trouble; this process ends, and the job can be tried again in another one.
    """
    try:
        bench = _bench(places)
    except LapilliError as error:
        _LOG.warning("a worker process of the workshop cannot start: %s", error)
        raise SystemExit(1) from None
    try:
        return _do(bench, kind, ask, _throttled())
    except LapilliError as error:
        raise JobFailed(errors.told(error)) from None
    except OSError:
        raise SystemExit(1) from None
    except Exception as error:
        raise JobFailed(in_one_line(error)) from None


@cache
def _bench(places: Places) -> Bench:
    from lapilli.site.workshop.jobs import Bench  # the server does not need it, and would start later with it

    return Bench(*places)


def _throttled() -> Tell:
    """Returns a function that sends reports, and drops those that come too soon after another."""
    free, step = 0.0, ""

    def tell(told: Told, record: Callable[[], bytes] | None = None) -> None:
        nonlocal free, step
        began = time.monotonic()
        if began > free or told["step"] != step:
            send_report(JobReport(told, record() if record else None))
            took, step = time.monotonic() - began, told["step"]
            free = time.monotonic() + max(_TELL_S, _SPARE * took)

    return tell


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
