"""A pool of worker processes: calls wait in a queue for the next free process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from lapilli.workers.call_worker import CallWorker, WorkerDied

T = TypeVar("T")
_Call = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...]]


class CallPool:
    """Worker processes that run queued calls, each process one at a time; see `CallWorker`.

    Args:
        workers: number of processes.
        niceness: how much lower the priority of the processes is than that of this process, as for `os.nice`.
    """

    def __init__(self, workers: int, niceness: int = 0) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._closed = False
        self._lanes = [_WorkerThread(self._calls, niceness) for _ in range(workers)]

    def submit(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Queues a call. `work` is a function of a module, or a partial of one.

        The future's result is the call's result or exception. It is WorkerDied if the process ended during the call.

        Raises:
            WorkerDied: the pool is closed.
        """
        if self._closed:
            raise WorkerDied("the worker processes have ended")
        future: Future[T] = Future()
        self._calls.put((future, work, arguments))
        return future

    def map(self, work: Callable[[Any], T], items: Iterable[Any]) -> Iterator[T]:
        """Calls `work` with each item; yields the results in the order of the items."""
        futures = [self.submit(work, item) for item in items]
        return (future.result() for future in futures)

    def close(self) -> None:
        """Ends all processes, even during calls. Queued calls are cancelled."""
        if self._closed:
            return
        self._closed = True
        for lane in self._lanes:
            lane.stop()
        with suppress(Empty):
            while call := self._calls.get_nowait():
                call[0].cancel()
        for _ in self._lanes:
            self._calls.put(None)
        for lane in self._lanes:
            lane.join()


class _WorkerThread:
    """A thread that hands calls to one worker process."""

    def __init__(self, calls: SimpleQueue[_Call | None], niceness: int) -> None:
        self._calls, self._worker = calls, CallWorker(niceness)
        self._thread = threading.Thread(target=self._run, name="call-pool", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the process without waiting for that. No other one is started."""
        self._worker.stop()

    def join(self) -> None:
        """Waits until thread and process have ended."""
        self._thread.join()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            self._run_call(*call)
            del call  # frees its arguments; the next call may come much later
        self._worker.end()

    def _run_call(self, future: Future[Any], work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = self._worker.call(work, *arguments).result()
        except Exception as error:  # also an exception that the call raised
            future.set_exception(error)
        else:
            future.set_result(result)
