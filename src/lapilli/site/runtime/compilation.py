"""Compiles the kernels of all games in the background while the site already serves pages, and reports the progress.

Without this module, the first visitor of a new site would have to wait for the compiler without seeing any progress.
While the kernels are being compiled, a worker process without the compiler computes the positions on pages.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from lapilli.core.game import Game
from lapilli.games import load
from lapilli.players.engines.precompile import compile_ahead, is_compiled, uses_search
from lapilli.search.threads import cores
from lapilli.workers.call_worker import CallWorker, WorkerDied, send_report

T = TypeVar("T")
_LOG = logging.getLogger("lapilli.site")
_EVERY_S = 0.3
"""Time between two values that `Compilation.shares` yields, in seconds."""
_NICENESS = 5
"""Niceness of the worker processes, so that the site's own process has priority."""
_MOST = 4
"""Largest number of worker processes, since each takes memory for the compiler."""
_PLAIN = {"NUMBA_DISABLE_JIT": "1"}
"""Environment variables of a process in which kernels are plain Python functions, which need not be compiled."""


class Compilation:
    """Compiles the kernels of games in worker processes: first the kernels of matches and pictures, then of searches.

    If everything is compiled already, as at a site's second start, there are no worker processes. If compiling fails,
    the site works nevertheless: each process compiles kernels when it first needs them.

    Args:
        games: the games.
    """

    def __init__(self, games: Iterable[Game]) -> None:
        missing = [game for game in games if not is_compiled(game, pictures=True, searches=True)]
        self._jobs = {(game.name, searches): _Job(game, searches) for searches in (False, True) for game in missing}
        self._waiting = [job for job in self._jobs.values() if not job.searches]
        self._preferred: list[tuple[str, bool]] = []
        self._lock = threading.Lock()
        self._workers: list[CallWorker] = []
        self._threads: list[threading.Thread] = []
        self._plain = CallWorker(environment=_PLAIN)
        self._plain_thread = ThreadPoolExecutor(1, "plain-python")
        self._closed = False

    @property
    def is_over(self) -> bool:
        """Whether all kernels of all games are compiled, or could not be compiled."""
        return all(job.ended.done() for job in self._jobs.values())

    def start(self) -> None:
        """Starts the worker processes, at most one per core."""
        for _ in range(min(_MOST, cores(), len(self._waiting))):
            worker = CallWorker(_NICENESS)
            thread = threading.Thread(target=self._run, args=(worker,), name="compilation", daemon=True)
            self._workers.append(worker)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Ends all worker processes, even while they compile, without waiting for their end.

        Compiled kernels stay on disk. Calls that wait for kernels raise WorkerDied.
        """
        self._closed = True
        for worker in (*self._workers, self._plain):
            worker.stop()
        with self._lock:
            for job in self._jobs.values():
                job.ended.cancel()  # does nothing to jobs that have ended

    def close(self) -> None:
        """Ends all worker processes, as `stop` does, and waits for their end."""
        self.stop()
        for thread in self._threads:
            thread.join()
        self._plain_thread.submit(self._plain.end)
        self._plain_thread.shutdown()

    async def run(self, game: str, work: Callable[..., T], *arguments: object) -> T:
        """Runs a short function that needs the kernels of a game's matches and pictures, and returns its result.

        While these kernels are being compiled, the function runs in a worker process in which kernels are plain Python
        functions. There, a position takes some hundredths of a second; the compiler takes many seconds. Afterwards, the
        function runs in a thread of this process.

        Args:
            game: name of the game.
            work: a function at the top level of a module.
            arguments: arguments of `work`.

        Raises:
            WorkerDied: the site is being stopped.
        """
        if self.share_now(game) is not None:
            loop = asyncio.get_running_loop()
            try:
                return await loop.run_in_executor(self._plain_thread, self._run_plain, work, *arguments)
            except WorkerDied:  # the kernels are compiled now, or the process was killed
                if self._closed:
                    raise
        return await asyncio.to_thread(work, *arguments)

    async def run_compiled(self, game: str, work: Callable[..., T], *arguments: object) -> T:
        """Runs a function in a thread of this process, once the kernels of the game's matches and pictures are
        compiled.

        Args:
            game: name of the game.
            work: a function at the top level of a module.
            arguments: arguments of `work`.

        Raises:
            WorkerDied: the site is being stopped.
        """
        await self.wait(game)
        return await asyncio.to_thread(work, *arguments)

    def _run_plain(self, work: Callable[..., T], *arguments: object) -> T:
        return self._plain.call(work, *arguments).result()

    def prefer(self, game: str, searches: bool = False) -> None:
        """Makes the worker processes compile this game next, because somebody wants to play it.

        Args:
            game: name of the game.
            searches: whether to compile the game's searches next, after the kernels of matches and pictures. Set it if
                the person plays against a built-in opponent.
        """
        wanted = [(game, False), *([(game, True)] if searches else [])]
        with self._lock:
            self._preferred = [*wanted, *(one for one in self._preferred if one not in wanted)]
            self._waiting.sort(key=self._place)

    def _place(self, job: _Job) -> int:
        """Returns the place of a job in the order in which jobs are done. Jobs that `prefer` did not name are last."""
        key = job.game.name, job.searches
        return self._preferred.index(key) if key in self._preferred else len(self._jobs)

    async def wait(self, game: str) -> None:
        """Waits until the kernels that matches and pictures of this game need are compiled."""
        async for _ in self.shares(game):
            pass

    async def share(self, game: str, within_s: float) -> int | None:
        """Waits for the kernels that matches and pictures of this game need, for a limited time.

        Args:
            game: name of the game.
            within_s: longest time to wait, in seconds.

        Returns:
            None if all these kernels are compiled; otherwise, how much of them is compiled, in percent.
        """
        try:
            await asyncio.wait_for(self.wait(game), within_s)
        except TimeoutError:
            return self._jobs[game, False].share
        return None

    def share_now(self, game: str, searches: bool = False) -> int | None:
        """Returns how much of some kernels of this game is compiled now, in percent; None if all of them are.

        Args:
            game: name of the game.
            searches: True for the kernels of searches; False for those of matches and pictures.
        """
        job = self._jobs.get((game, searches))
        return None if job is None or job.ended.done() else job.share

    async def shares(self, game: str, engine: str = "") -> AsyncIterator[int]:
        """Yields the progress of compiling the kernels that a match of this game needs, in percent, several times a
        second.

        Ends when all these kernels are compiled. Yields nothing if they were compiled already.

        Args:
            game: name of the game.
            engine: name of a built-in opponent whose search must be compiled, too; "" for none.

        Raises:
            WorkerDied: the site is being stopped.
        """
        needs_search = bool(engine) and uses_search(load(game), [engine])
        for searches in (False, True) if needs_search else (False,):
            job = self._jobs.get((game, searches))
            if job is not None and not job.ended.done():
                self.prefer(game, searches)
                ended = asyncio.wrap_future(job.ended)
                while not ended.done():
                    yield job.share
                    await asyncio.wait([ended], timeout=_EVERY_S)
                if self._closed:
                    raise WorkerDied("the site is being stopped")

    def _run(self, worker: CallWorker) -> None:
        """Runs the waiting jobs one after the other in a worker process, until no job is waiting."""
        while not worker.is_stopped and (job := self._next()):
            try:
                call = worker.call(_compile, job.game.name, job.searches)
                for share in call.reports():
                    job.share = share
                call.result()
            except Exception as error:
                if not worker.is_stopped:
                    _LOG.warning("%s could not be compiled in advance: %s", job.game.title, error)
            with self._lock:
                if not job.searches:
                    self._waiting.append(self._jobs[job.game.name, True])
                    self._waiting.sort(key=self._place)
                if not job.ended.cancelled():
                    job.ended.set_result(None)
                if all(one.ended.done() for one in self._jobs.values() if not one.searches):
                    self._plain.stop()
                    self._plain_thread.submit(self._plain.end)
        worker.end()

    def _next(self) -> _Job | None:
        with self._lock:
            return self._waiting.pop(0) if self._waiting else None


class _Job:
    """A job: compile the kernels of one game's searches, if `searches`, otherwise those of its matches and pictures.

    Attributes:
        share: how much of these kernels is compiled, in percent.
        ended: future that is completed when all these kernels are compiled, or compiling has failed.
    """

    def __init__(self, game: Game, searches: bool) -> None:
        self.game, self.searches, self.share = game, searches, 0
        self.ended: Future[None] = Future()


def _compile(name: str, searches: bool) -> None:
    """Compiles kernels of a game in a worker process, and reports how much is compiled, in percent.

    `searches`: whether to compile the kernels of searches; otherwise, the kernels of matches and pictures are compiled.
    """

    def report(done: int, wanted: int) -> None:
        send_report(100 * done // max(1, wanted))

    compile_ahead(load(name), report, pictures=True, searches=searches, helper=False)
