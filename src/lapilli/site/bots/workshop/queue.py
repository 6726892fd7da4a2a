"""The workshop's lanes. Each lane has one worker process, which does one waiting job at a time.

The jobs of different accounts are done in turn. One lane is for jobs that people wait for, such as test matches; one is
for comparisons, which take minutes and are played in slices; one is for leagues. Waiting jobs are in the store. So a
server continues them after a restart, and several servers share them.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lapilli.core.errors import StoreError
from lapilli.players.bots.build import PATIENCE_S
from lapilli.site.bots.workshop.asks import COMPARE, MATCH_S, PLAY, RERUN, SUBMIT, Result
from lapilli.site.bots.workshop.places import Places
from lapilli.site.bots.workshop.worker import LEAGUE, LEAGUE_S, JobFailed, run_job
from lapilli.store import Store, Trial, TrialState
from lapilli.workers.call_worker import CallTimeout, CallWorker, WorkerCall, WorkerDied

_LOG = logging.getLogger("lapilli.site")
QUICK, LONG = (PLAY, RERUN, SUBMIT), (COMPARE,)
_POLL_S = 2.0
"""Interval at which a lane checks whether the store contains jobs from other servers, in seconds."""
_CHECK_S = 0.25
"""Interval at which a lane checks whether a job's progress must be stored, in seconds."""
_STORE_S = 0.5
"""Interval at which a job's progress is stored, in seconds."""
_IDLE_S = 300.0
"""Time without a job after which a lane's worker process is ended, in seconds."""
_MOST_S = MATCH_S + 2 * PATIENCE_S + 60
"""Time limit of a job, in seconds. A worker process that exceeds the limit is stuck."""
_TRIES = 2
"""Largest number of attempts to do a job, if its worker process dies in each attempt."""


class Workshop:
    """The workshop of a site: three lanes (threads, each with a worker process), which do the waiting jobs.

    Args:
        store: the site's store.
        ray: address of a Ray cluster that plays the matches of comparisons and leagues; None if the worker processes
            play them.

    Attributes:
        league_copies: folder with the leagues' copies of bots.
        builds: folder with the built bots.
    """

    def __init__(self, store: Store, ray: str | None = None) -> None:
        places = Places.of(store, ray)
        self.league_copies, self.builds = places.leagues, places.builds
        self._lanes = [
            _Lane("quick", places, 5, lambda lane: lane.do_trial(store, QUICK)),
            _Lane("long", places, 10, lambda lane: lane.do_trial(store, LONG)),
            _Lane("league", places, 10, _Leagues(store, self.league_copies)),
        ]

    def start(self) -> None:
        """Starts the threads that do the waiting jobs."""
        for lane in self._lanes:
            lane.start()

    @property
    def running(self) -> int:
        """Number of jobs that are running."""
        return sum(lane.worker.is_busy for lane in self._lanes)

    def wake(self) -> None:
        """Makes the workshop check for new jobs now, instead of after up to `_POLL_S` seconds."""
        for lane in self._lanes:
            lane.wake()

    def close(self) -> None:
        """Ends all worker processes. Unfinished jobs stay in the store, and are done after the next start."""
        for lane in self._lanes:
            lane.stop()
        for lane in self._lanes:
            lane.join()


class _Lane:
    """A thread that passes one job after the other to a worker process.

    Args:
        name: name of the lane; part of the lane's id and of its thread's name.
        places: locations of the store and of the bots' folders.
        niceness: niceness of the worker process.
        do: function that does one waiting job, and returns True; it returns False if no job is waiting.
    """

    def __init__(self, name: str, places: Places, niceness: int, do: Callable[[_Lane], bool]) -> None:
        self.id = f"{name}-{os.getpid()}-{secrets.token_hex(4)}"
        self.worker = CallWorker(niceness)
        self._places, self._do = places, do
        self._woken = threading.Event()
        self._deaths: dict[str, int] = {}
        self._thread = threading.Thread(target=self._run, name=f"workshop-{name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        self._woken.set()

    def stop(self) -> None:
        self.worker.stop()
        self._woken.set()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        worked = time.monotonic()
        while True:
            self._woken.wait(_POLL_S)  # also at the start, so that the site's first page is not delayed
            self._woken.clear()
            if self.worker.is_stopped:
                break
            try:
                while not self.worker.is_stopped and self._do(self):
                    worked = time.monotonic()
            except StoreError as error:
                _LOG.warning("the workshop waits: %s", error)
            except Exception:  # after any error, the lane must go on with other jobs
                _LOG.exception("the workshop had an error")
                self.worker.end()
            if time.monotonic() - worked > _IDLE_S:
                self.worker.end()
        self.worker.end()

    def begin(self, kind: str, request: dict[str, Any], limit_s: float) -> WorkerCall[Result]:
        """Starts a job in the worker process.

        Args:
            kind: the kind of job.
            request: the fields of the request, which depend on the kind.
            limit_s: time limit of the job, in seconds.

        Raises:
            WorkerDied: the process dies at once, or the workshop is being closed.
        """
        return self.worker.call(run_job, self._places, kind, request, limit_s=limit_s)

    def do_trial(self, store: Store, kinds: tuple[str, ...]) -> bool:
        """Does the next waiting trial (job for a bot) of these kinds. Returns whether there was such a trial."""
        trials = store.site.trials
        trial = trials.take(kinds, self.id)
        if trial is None:
            return False
        try:
            self._run_trial(store, trial)
        except WorkerDied:
            if self.worker.is_stopped:
                trials.end(trial.id, self.id, TrialState.WAITING)
                return True
            deaths = self._deaths[trial.id] = self._deaths.get(trial.id, 0) + 1
            state = TrialState.WAITING if deaths < _TRIES else TrialState.FAILED
            trials.end(trial.id, self.id, state, {"problem": "The worker that was at it has died."})
        return True

    def _run_trial(self, store: Store, trial: Trial) -> None:
        """Does a trial (job for a bot), and stores its progress and its result.

        Raises WorkerDied if the worker process dies.
        """
        trials, call = store.site.trials, self.begin(trial.kind, trial.request, _MOST_S)
        stored_at, progress = 0.0, trial.progress
        record: bytes | None = None
        for report in call.reports(_CHECK_S):
            if report is not None:
                progress, record = {**progress, **report.data}, report.record or record
            if time.monotonic() - stored_at > _STORE_S:
                stored_at = time.monotonic()
                if not trials.keep(trial.id, self.id, progress, record):
                    self.worker.end()
                    return
                record = None
        try:
            result = call.result()
        except CallTimeout:
            trials.end(trial.id, self.id, TrialState.FAILED, {"problem": "It took too long."})
        except JobFailed as error:
            failed = {"step": progress.get("step", ""), "problem": str(error)}
            trials.end(trial.id, self.id, TrialState.FAILED, failed)
        else:
            state = TrialState.WAITING if result.goes_on else TrialState.DONE
            trials.end(trial.id, self.id, state, result.data, result.record)


class _Leagues:
    """Callable that plays one league for some seconds, and returns whether there was a league to play.

    The leagues with bots that have played too few matches are played one after the other.
    """

    def __init__(self, store: Store, copies: Path) -> None:
        self._store, self._copies = store, copies
        self._games: list[str] = []

    def __call__(self, lane: _Lane) -> bool:
        if not self._games:
            self._games = self._due()
        if not self._games:
            return False
        game = self._games.pop(0)
        try:
            lane.begin(LEAGUE, {"game": game}, LEAGUE_S + _MOST_S).result()
        except CallTimeout:
            return True
        except WorkerDied:
            return lane.worker.is_stopped
        except JobFailed as error:
            _LOG.warning("the league of %s: %s", game, error)
            return False
        return True

    def _due(self) -> list[str]:
        from lapilli.site.bots.workshop import leagues  # takes a fifth of a second to load

        found = []
        for game in leagues.played_games(self._store):
            league = leagues.find(self._store, game, self._copies)
            if league is not None and leagues.being_placed(self._store, league):
                found.append(game)
        return found
