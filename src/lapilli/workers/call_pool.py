"""A pool of worker processes. Calls of functions wait in a queue, and the next free process runs the next call."""

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
    """A pool of worker processes. Calls wait in a queue, and each process runs one call at a time (`CallWorker`).

    Args:
        workers: number of processes.
        niceness: number by which the processes lower their priority, as for `os.nice`. 0: the same priority as this
            process.
    """

    def __init__(self, workers: int, niceness: int = 0) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._closed, self._lock = False, threading.Lock()
        self._lanes = [_WorkerThread(self._calls, niceness) for _ in range(workers)]

    def submit(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Queues a call of `work`, and returns a future for its result.

        The future receives the result or the exception of the call. If the process ends during the call, the exception
        is WorkerDied.

        Args:
            work: a function at the top level of a module, or a `functools.partial` of one.
            arguments: arguments of `work`.

        Raises:
            WorkerDied: the pool is closed.
        """
        future: Future[T] = Future()
        with self._lock:  # a call that is queued after `close` would never end
            if self._closed:
                raise WorkerDied("the worker processes have ended")
            self._calls.put((future, work, arguments))
        return future

    def map(self, work: Callable[[Any], T], items: Iterable[Any]) -> Iterator[T]:
        """Queues a call of `work` for each item. Returns an iterator of the results, in the order of the items.

        All calls are queued before this method returns.
        """
        futures = [self.submit(work, item) for item in items]
        return (future.result() for future in futures)

    def close(self) -> None:
        """Ends all processes, even during calls, and waits for their end. Queued calls are cancelled."""
        with self._lock:
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
    """A thread that takes calls from the queue and runs them in one worker process."""

    def __init__(self, calls: SimpleQueue[_Call | None], niceness: int) -> None:
        self._calls, self._worker = calls, CallWorker(niceness)
        self._thread = threading.Thread(target=self._run, name="call-pool", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the worker process, without waiting for its end. The thread starts no other worker process."""
        self._worker.stop()

    def join(self) -> None:
        """Waits until the thread and its worker process have ended."""
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
        except Exception as error:  # raised by the call itself, or WorkerDied
            future.set_exception(error)
        else:
            future.set_result(result)
