"""Functions called in worker processes that can be ended at any moment."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from lapilli.core.errors import LapilliError
from lapilli.workers.parent_watch import follow_parent
from lapilli.workers.worker_process import WorkerProcess

T = TypeVar("T")
_Call = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...]]


class WorkerDied(LapilliError):
    """A worker process ended during a call: it was killed, had no memory left, or the pool was closed."""


class CallPool:
    """Worker processes that call functions, each one call at a time. A worker that dies is replaced.

    A process is started at the first call that it takes, and lives as long as this process, however that ends.

    Args:
        workers: number of processes.
        niceness: added to the niceness of this process, so that its own work comes first.
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
        """Ends all processes, whatever they are doing. Calls that are queued are cancelled."""
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
        self._calls, self._niceness = calls, niceness
        self._process: WorkerProcess | None = None
        self._lock = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="call-pool", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the process. No other one is started."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.terminate()

    def join(self) -> None:
        """Waits until thread and process have ended."""
        self._thread.join()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            future, work, arguments = call
            if future.set_running_or_notify_cancel():
                self._call(future, work, arguments)
        if self._process is not None:
            self._process.wait()

    def _call(self, future: Future[Any], work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        try:
            process = self._started()
            process.send((work, arguments))
            succeeded, result = process.receive()
        except EOFError:
            self._discard()
            future.set_exception(WorkerDied("a worker process was killed, or had no memory left: try again"))
        except Exception as error:  # what cannot be pickled
            future.set_exception(error)
        else:
            if succeeded:
                future.set_result(result)
            else:
                future.set_exception(result)

    def _started(self) -> WorkerProcess:
        """Returns the process, a new one if there is none. Raises EOFError after `stop`."""
        with self._lock:
            if self._stopped:
                raise EOFError
            if self._process is not None and not self._process.is_alive:  # it died while it was idle
                self._process.wait()
                self._process = None
            if self._process is None:
                self._process = WorkerProcess(_serve, self._niceness)
            return self._process

    def _discard(self) -> None:
        """Ends the process, so that the next call starts a new one."""
        with self._lock:
            if self._process is not None:
                self._process.terminate()
                self._process.wait()
                self._process = None


def _serve(connection: Connection, niceness: int) -> None:
    """Calls functions in a worker process until the pipe is closed."""
    follow_parent(niceness)
    with suppress(EOFError, OSError):
        while True:
            message = connection.recv_bytes()
            connection.send_bytes(_answer(message))


def _answer(message: bytes) -> bytes:
    """Makes one call. Returns whether it succeeded, and its result or exception, pickled."""
    try:
        work, arguments = pickle.loads(message)  # fails, too, where this process cannot import the function
        return pickle.dumps((True, work(*arguments)))
    except Exception as error:
        return pickle.dumps((False, _sendable(error)))


def _sendable(error: Exception) -> Exception:
    """Returns an exception that the other process can read: not every exception is made anew from its message."""
    with suppress(Exception):
        pickle.loads(pickle.dumps(error))
        return error
    return LapilliError(str(error)) if isinstance(error, LapilliError) else RuntimeError(repr(error))
