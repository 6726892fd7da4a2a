"""A worker process that runs one call at a time, and can be ended at any moment, also during a call."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, Generic, TypeVar

from lapilli.core.errors import LapilliError
from lapilli.workers.parent_watch import follow_parent
from lapilli.workers.worker_process import WorkerProcess

T = TypeVar("T")
_REPORT, _RESULT, _ERROR = "report", "result", "error"
"""Kinds of messages from the process; each message is a tuple of kind and value."""


class WorkerDied(LapilliError):
    """A worker process ended during a call: it was killed, had no memory left, or was stopped."""


class CallTimeout(LapilliError):
    """A call exceeded its time limit. Its worker process was ended."""


class CallWorker:
    """A worker process that runs one call at a time.

    The process is started by the first call, and replaced after it has died. It ignores Ctrl-C, and ends when this
    process ends, even if that is killed. Only one thread at a time may use `call` and `end`; any thread may use `stop`.

    Args:
        niceness: how much lower the priority of the process is than that of this process, as for `os.nice`.
    """

    def __init__(self, niceness: int = 0) -> None:
        self._niceness = niceness
        self._lock = threading.Lock()
        self._process: WorkerProcess | None = None
        self._stopped = False
        self._is_busy = False

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopped

    def call(self, work: Callable[..., T], *arguments: Any, limit_s: float | None = None) -> WorkerCall[T]:
        """Starts a call. If the previous call is still running, it is dropped, and its process is ended first.

        Args:
            work: a function of a module, or a partial of one. It may send reports, see `send_report`.
            arguments: arguments of `work`.
            limit_s: time for the call, in seconds. A call that takes longer is ended with its process.

        Raises:
            WorkerDied: the process ended at once, or the worker is stopped.
            Exception: whatever pickle raises for a function or an argument that it cannot send.
        """
        if self._is_busy:
            self.end()
        process = self._started()
        try:
            process.send((work, arguments))
        except EOFError:
            self.end()
            raise _died() from None
        self._is_busy = True
        return WorkerCall(self, process, limit_s)

    def end(self) -> None:
        """Ends the process, even during a call, and waits for that. The next call starts a new one."""
        with self._lock:
            process, self._process = self._process, None
        self._is_busy = False
        if process is not None:
            process.terminate()
            process.wait()

    def stop(self) -> None:
        """Ends the process, even during a call, without waiting for that. Running and later calls raise WorkerDied."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.terminate()

    def call_ended(self) -> None:
        """Marks the process as free, after its call has ended."""
        self._is_busy = False

    def _started(self) -> WorkerProcess:
        """Returns the process; starts one if there is none, or if it died while it was idle."""
        with self._lock:
            if self._stopped:
                raise WorkerDied("the worker process was stopped")
            if self._process is not None and not self._process.is_alive:
                self._process.wait()
                self._process = None
            if self._process is None:
                self._process = WorkerProcess(_serve, self._niceness)
            return self._process


class WorkerCall(Generic[T]):
    """A call that runs in a worker process.

    Args:
        worker: the worker.
        process: its process.
        limit_s: time for the call, in seconds; None for no limit.
    """

    def __init__(self, worker: CallWorker, process: WorkerProcess, limit_s: float | None) -> None:
        self._worker, self._limit_s = worker, limit_s
        self._process: WorkerProcess | None = process
        self._began = monotonic()
        self._outcome: tuple[str, Any] | None = None

    def reports(self, every_s: float | None = None) -> Iterator[Any]:
        """Yields the reports of the call until it is over, whether with a result or an error.

        Args:
            every_s: time without a report after which None is yielded, in seconds. Default: never.
        """
        while self._outcome is None:
            message = self._receive(every_s)
            if message is None:
                yield None
            elif message[0] == _REPORT:
                yield message[1]
            else:
                self._outcome, self._process = message, None
                self._worker.call_ended()

    def result(self) -> T:
        """Waits for the result and returns it. Reports are dropped.

        Raises:
            WorkerDied: the process ended during the call.
            CallTimeout: the call exceeded its time limit.
            Exception: whatever the called function raised.
        """
        for _ in self.reports():
            pass
        assert self._outcome is not None
        kind, value = self._outcome
        if kind == _ERROR:
            raise value
        result: T = value
        return result

    def _receive(self, every_s: float | None) -> tuple[str, Any] | None:
        """Waits for the next message. Returns None if none arrives in `every_s` seconds or by the time limit."""
        left = None if self._limit_s is None else self._began + self._limit_s - monotonic()
        if left is not None and left <= 0:
            self._worker.end()
            return _ERROR, CallTimeout(f"a worker process took longer than {self._limit_s:g} seconds")
        assert self._process is not None
        waits = [seconds for seconds in (every_s, left) if seconds is not None]
        try:
            if waits and not self._process.has_sent(min(waits)):
                return None
            message: tuple[str, Any] = self._process.receive()
        except EOFError:
            self._worker.end()
            return _ERROR, _died()
        return message


def _died() -> WorkerDied:
    return WorkerDied("a worker process was killed, or had no memory left: try again")


# -- in the worker process

_caller: Connection | None = None
"""The worker process's end of the pipe."""


def send_report(report: Any) -> None:
    """Sends a report from a running call to the process that waits for the call; see `WorkerCall.reports`."""
    assert _caller is not None, "only calls of a CallWorker send reports"
    _caller.send((_REPORT, report))


def _serve(connection: Connection, niceness: int) -> None:
    """Runs in the worker process: serves calls until the pipe is closed."""
    global _caller
    follow_parent(niceness)
    _caller = connection
    with suppress(EOFError, OSError):
        while True:
            message = connection.recv_bytes()
            connection.send_bytes(_answer(message))


def _answer(message: bytes) -> bytes:
    """Runs one call. Returns the pickled message with its result or exception."""
    try:
        work, arguments = pickle.loads(message)  # also fails if this process cannot import the function
        return pickle.dumps((_RESULT, work(*arguments)))
    except Exception as error:
        return pickle.dumps((_ERROR, _sendable(error)))


def _sendable(error: Exception) -> Exception:
    """Returns the exception itself if it can be pickled and unpickled, else a LapilliError or RuntimeError like it."""
    with suppress(Exception):
        pickle.loads(pickle.dumps(error))
        return error
    return LapilliError(str(error)) if isinstance(error, LapilliError) else RuntimeError(repr(error))
