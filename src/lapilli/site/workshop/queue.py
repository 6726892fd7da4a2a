"""The workshop's lanes. Each lane has one worker process, which does one waiting job at a time; accounts take turns.

One lane is for jobs that people wait for (such as matches on a bot's page), one for jobs that take minutes
(comparisons, in slices), and one for leagues. Waiting jobs are in the store: a server that restarts continues them, and
several servers share them.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
import time
from collections.abc import Callable
from pathlib import Path

from lapilli.core.errors import StoreError
from lapilli.players.bots.build import PATIENCE_S
from lapilli.site.workshop.asks import COMPARE, MATCH_S, PLAY, RERUN, SUBMIT
from lapilli.site.workshop.worker import LEAGUE, LEAGUE_S, Places, Worker
from lapilli.store import Store, Trial, TrialState

_LOG = logging.getLogger("lapilli.site")
QUICK, LONG = (PLAY, RERUN, SUBMIT), (COMPARE,)
_LOOK_S = 2.0
"""Interval at which a lane checks the store for jobs from other servers, in seconds."""
_HEAR_S = 0.25
_KEEP_S = 0.5
"""Interval at which a job's progress is stored, in seconds."""
_IDLE_S = 300.0
"""Seconds without a job after which a lane's worker process is ended."""
_MOST_S = MATCH_S + 2 * PATIENCE_S + 60
"""Seconds after which a worker is considered stuck, and ended."""
_TRIES = 2
"""Most times that a job is started, if its worker dies each time."""


class Workshop:
    """All lanes of a site.

    Args:
        store: the site's store.
        ray: address of a Ray cluster that plays the matches of comparisons and leagues; None: the workers play them.

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
        """Starts the lanes' threads."""
        for lane in self._lanes:
            lane.start()

    def wake(self) -> None:
        """Makes all lanes check for new jobs at once."""
        for lane in self._lanes:
            lane.wake()

    def close(self) -> None:
        """Ends all workers. Their jobs are continued later."""
        for lane in self._lanes:
            lane.stop()
        for lane in self._lanes:
            lane.join()


class _Lane:
    """A thread that passes one job after the other to a worker process.

    Args:
        name: name of the lane, for its thread and its id.
        places: what the worker is started with.
        niceness: niceness of the worker process.
        do: does one waiting job, if there is any. Returns whether there was one.
    """

    def __init__(self, name: str, places: Places, niceness: int, do: Callable[[_Lane], bool]) -> None:
        self.id = f"{name}-{os.getpid()}-{secrets.token_hex(4)}"
        self.worker = Worker(places, niceness)
        self._do = do
        self._woken, self.stopping = threading.Event(), threading.Event()
        self._deaths: dict[str, int] = {}
        self._thread = threading.Thread(target=self._run, name=f"workshop-{name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        self._woken.set()

    def stop(self) -> None:
        self.stopping.set()
        self._woken.set()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        worked = time.monotonic()
        while True:
            self._woken.wait(_LOOK_S)  # at the start, too, so as not to delay the site's first page
            self._woken.clear()
            if self.stopping.is_set():
                break
            try:
                while not self.stopping.is_set() and self._do(self):
                    worked = time.monotonic()
            except StoreError as error:
                _LOG.warning("the workshop waits: %s", error)
            except Exception:  # whatever the error is, other jobs need the lane
                _LOG.exception("the workshop had trouble")
                self.worker.end()
            if time.monotonic() - worked > _IDLE_S:
                self.worker.end()
        self.worker.end()

    def do_trial(self, store: Store, kinds: tuple[str, ...]) -> bool:
        """Does the next trial of these kinds. Returns whether there was one."""
        trial = store.site.trials.take(kinds, self.id)
        if trial is None:
            return False
        try:
            self._see_through(store, trial)
        except EOFError:
            self.worker.end()
            deaths = self._deaths[trial.id] = self._deaths.get(trial.id, 0) + 1
            state = TrialState.WAITING if deaths < _TRIES else TrialState.FAILED
            store.site.trials.end(trial.id, self.id, state, {"problem": "The worker that was at it has died."})
        return True

    def _see_through(self, store: Store, trial: Trial) -> None:
        self.worker.give(trial.kind, trial.ask)
        end, kept, told = time.monotonic() + _MOST_S, 0.0, trial.told
        record: bytes | None = None
        while True:
            said = self.worker.hear(_HEAR_S)
            if said is not None and (said.result or said.problem):
                break
            if said is not None:
                told, record = {**told, **said.told}, said.record or record
            if self.stopping.is_set() or time.monotonic() > end:
                self.worker.end()
                state = TrialState.WAITING if self.stopping.is_set() else TrialState.FAILED
                store.site.trials.end(trial.id, self.id, state, {"problem": "It took too long."})
                return
            if time.monotonic() - kept > _KEEP_S:
                kept = time.monotonic()
                if not store.site.trials.keep(trial.id, self.id, told, record):
                    self.worker.end()
                    return
                record = None
        result = said.result
        if result is None:
            step = told.get("step", "")
            store.site.trials.end(trial.id, self.id, TrialState.FAILED, {"step": step, "problem": said.problem})
            return
        state = TrialState.WAITING if result.goes_on else TrialState.DONE
        store.site.trials.end(trial.id, self.id, state, result.told, result.record)


class _Leagues:
    """Function that plays the games' leagues in turn, where bots are to be placed."""

    def __init__(self, store: Store, copies: Path) -> None:
        self._store, self._copies = store, copies
        self._games: list[str] = []

    def __call__(self, lane: _Lane) -> bool:
        if not self._games:
            self._games = self._due()
        if not self._games:
            return False
        game = self._games.pop(0)
        end = time.monotonic() + LEAGUE_S + _MOST_S
        try:
            lane.worker.give(LEAGUE, {"game": game})
            while (said := lane.worker.hear(_HEAR_S)) is None:
                if lane.stopping.is_set() or time.monotonic() > end:
                    lane.worker.end()
                    return True
        except EOFError:
            lane.worker.end()
            return False
        if said.problem:
            _LOG.warning("the league of %s: %s", game, said.problem)
            return False
        return True

    def _due(self) -> list[str]:
        from lapilli.site.workshop import leagues  # takes a fifth of a second to load

        found = []
        for game in leagues.played_games(self._store):
            league = leagues.find(self._store, game, self._copies)
            if league is not None and leagues.being_placed(self._store, league):
                found.append(game)
        return found
