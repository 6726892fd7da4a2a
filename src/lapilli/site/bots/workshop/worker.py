"""Runs jobs in a worker process: calls the function for the kind of job, and formats errors for visitors."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from lapilli.core.errors import LapilliError, in_one_line
from lapilli.site.bots.workshop.asks import (
    COMPARE,
    PLAY,
    RERUN,
    SIT,
    SUBMIT,
    CompareAsk,
    PageData,
    PlayAsk,
    RerunAsk,
    Result,
    SendProgress,
    SubmitAsk,
)
from lapilli.site.bots.workshop.places import Places
from lapilli.site.http import errors
from lapilli.workers.call_worker import CallTimeout, CallWorker, WorkerDied, send_report

if TYPE_CHECKING:
    from lapilli.site.bots.workshop.jobs import Bench

_LOG = logging.getLogger("lapilli.site")
LEAGUE = "league"
"""Kind of the job that plays a game's league for `LEAGUE_S` seconds; its request is {"game": ...}."""
LEAGUE_S = 8.0
JOIN = "join"
"""Kind of the job that joins the Ray cluster, if there is one; its request is empty."""
_JOIN_S = 60.0
_REPORT_S = 0.2
_SPARE = 10
"""Shortest pause between two progress reports, as a multiple of the time that sending the last report took."""


class JobFailed(LapilliError):
    """Error: a job cannot be done. Visitors see the message."""


class JobReport(NamedTuple):
    """Progress of a job.

    Attributes:
        data: data for the page.
        record: the record of the match so far, packed by `pack_record`; None if the record has not changed.
    """

    data: PageData
    record: bytes | None


def check_cluster(places: Places) -> None:
    """Raises LapilliError if the Ray cluster cannot be joined.

    The attempt is made in a worker process, because a process that has joined a cluster stays connected to it.
    """
    worker = CallWorker()
    try:
        worker.call(run_job, places, JOIN, {}, limit_s=_JOIN_S).result()
    except (CallTimeout, WorkerDied):
        raise LapilliError(f"the Ray cluster {places.ray!r} does not answer") from None
    finally:
        worker.end()


def run_job(places: Places, kind: str, request: dict[str, Any]) -> Result:
    """Does a job; called in a worker process. Sends the progress of the job as instances of `JobReport`.

    Args:
        places: locations of the workshop's data, the same for all jobs of a process.
        kind: the kind of job.
        request: the fields of the request, which depend on the kind.

    Raises:
        JobFailed: the job cannot be done.
        SystemExit: the store or the machine failed. This process ends, and another process can try the job again.
    """
    try:
        bench = _bench(places)
    except LapilliError as error:
        _LOG.warning("a worker process of the workshop cannot start: %s", error)
        raise SystemExit(1) from None
    try:
        return _do(bench, kind, request, _throttled())
    except LapilliError as error:
        raise JobFailed(errors.message_for_visitors(error)) from None
    except OSError:
        raise SystemExit(1) from None
    except Exception as error:
        raise JobFailed(in_one_line(error)) from None


@cache
def _bench(places: Places) -> Bench:
    from lapilli.site.bots.workshop.jobs import Bench  # the server process does not need it, and would start later

    return Bench(*places)


def _throttled() -> SendProgress:
    """Returns a function that sends progress reports.

    A report is dropped if too little time has passed since the last report, and both are about the same step of the
    job, such as "compiling" (the key `step` of their data).
    """
    free, step = 0.0, ""

    def send_progress(data: PageData, record: Callable[[], bytes] | None = None) -> None:
        nonlocal free, step
        began = time.monotonic()
        if began > free or data["step"] != step:
            send_report(JobReport(data, record() if record else None))
            took, step = time.monotonic() - began, data["step"]
            free = time.monotonic() + max(_REPORT_S, _SPARE * took)

    return send_progress


def _do(bench: Bench, kind: str, request: dict[str, Any], send_progress: SendProgress) -> Result:
    from lapilli.site.bots.workshop import comparisons, jobs, leagues

    if kind == PLAY:
        return jobs.play(bench, msgspec.convert(request, PlayAsk), send_progress)
    if kind == RERUN:
        return jobs.rerun(bench, msgspec.convert(request, RerunAsk), send_progress)
    if kind == COMPARE:
        return comparisons.compare(bench, msgspec.convert(request, CompareAsk), send_progress)
    if kind == SIT:
        return bench.bot_seat.answer(request["asked"])
    if kind == SUBMIT:
        return jobs.submit(bench, msgspec.convert(request, SubmitAsk), send_progress)
    if kind == JOIN:
        bench.join()
        return Result()
    return Result(goes_on=leagues.play(bench.store, request["game"], bench.league_copies, LEAGUE_S, bench.pool))
