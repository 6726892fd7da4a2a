"""A worker process that runs one call at a time, and can be ended at any moment, also during a call."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, Generic, TypeVar

from lapilli.core.errors import LapilliError
from lapilli.workers.parent_watch import follow_parent
from lapilli.workers.worker_process import WorkerProcess

T = TypeVar("T")
_REPORT, _RESULT, _ERROR = "report", "result", "error"
"""Kinds of messages from the worker process. Each message is a tuple of its kind and a value."""


class WorkerDied(LapilliError):
    """The error for a worker process that ended during a call or could not start. The message says why, if known."""


class CallTimeout(LapilliError):
    """The error for a call that exceeded its time limit. Its worker process was ended."""


class CallWorker:
    """A worker process that runs one call at a time.

    The first call starts the worker process. If the worker process has died, the next call starts a new one. The worker
    process ignores Ctrl-C. It ends when this process ends, even if this process is killed. Only one thread at a time
    may use `call` and `end`; any thread may use `stop`.

    Args:
        niceness: number by which the worker process lowers its priority, as for `os.nice`. 0: the same priority as this
            process.
        environment: environment variables that the worker process sets before it imports the modules of its calls.
    """

    def __init__(self, niceness: int = 0, environment: Mapping[str, str] | None = None) -> None:
        self._niceness, self._environment = niceness, dict(environment or {})
        self._lock = threading.Lock()
        self._process: WorkerProcess | None = None
        self._stopped = False
        self._is_busy = False

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopped

    @property
    def is_busy(self) -> bool:
        """Whether a call is running."""
        return self._is_busy

    def call(self, work: Callable[..., T], *arguments: Any, limit_s: float | None = None) -> WorkerCall[T]:
        """Starts a call of `work` in the worker process, and returns an object for it without waiting for the result.

        If the previous call is still running, its process is ended, and a new process runs this call.

        Args:
            work: a function at the top level of a module, or a `functools.partial` of one. It may send reports with
                `send_report`.
            arguments: arguments of `work`.
            limit_s: time limit of the call, in seconds; None for no limit. A call that takes longer is ended, together
                with the process.

        Raises:
            WorkerDied: the process ended at once, or `stop` was called.
            Exception: the error of pickle, if the function or an argument cannot be pickled.
        """
        if self._is_busy:
            self.end()
        process = self._started()
        try:
            process.send((work, arguments))
        except EOFError:
            raise self.death_of(process) from None
        self._is_busy = True
        return WorkerCall(self, process, limit_s)

    def end(self) -> None:
        """Ends the process, even during a call, and waits for its end. The next call starts a new process."""
        with self._lock:
            process, self._process = self._process, None
        self._is_busy = False
        if process is not None:
            process.terminate()
            process.wait()

    def stop(self) -> None:
        """Ends the process, even during a call, without waiting for its end. Calls raise WorkerDied from then on."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.terminate()

    def death_of(self, process: WorkerProcess) -> WorkerDied:
        """Waits for the end of a process that has closed its connection. Returns an error that says how it ended."""
        why = process.why_ended()
        self.end()
        return WorkerDied("the worker process was stopped" if self._stopped else f"a worker process {why}")

    def call_ended(self) -> None:
        """Marks the worker process as free. WorkerCall calls this when its call has ended."""
        self._is_busy = False

    def _started(self) -> WorkerProcess:
        """Returns the worker process. Starts one if there is none, or if it died while it was idle.

        Raises WorkerDied if `stop` was called.
        """
        with self._lock:
            if self._stopped:
                raise WorkerDied("the worker process was stopped")
            if self._process is not None and not self._process.is_alive:
                self._process.wait()
                self._process = None
            if self._process is None:
                self._process = WorkerProcess(_serve, self._niceness, self._environment)
            return self._process


class WorkerCall(Generic[T]):
    """A call that runs in a worker process, with its reports and its result.

    Args:
        worker: the CallWorker that started the call.
        process: the process that runs the call.
        limit_s: time limit of the call, in seconds; None for no limit.
    """

    def __init__(self, worker: CallWorker, process: WorkerProcess, limit_s: float | None) -> None:
        self._worker, self._limit_s = worker, limit_s
        self._process: WorkerProcess | None = process
        self._began = monotonic()
        self._outcome: tuple[str, Any] | None = None

    def reports(self, every_s: float | None = None) -> Iterator[Any]:
        """Yields the reports that the called function sends (`send_report`), until the call has ended.

        Args:
            every_s: time in seconds. Whenever no report has arrived for this time, None is yielded. If `every_s` is
                None, only reports are yielded.
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
        """Waits for the result of the call, and returns the result. Reports that nobody has read are dropped.

        Raises:
            WorkerDied: the process ended during the call.
            CallTimeout: the call exceeded its time limit.
            Exception: the exception that the called function raised.
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
        """Waits for the next message from the worker process, and returns the message.

        Returns None if no message arrives within `every_s` seconds or before the call's time limit. If the time limit
        has passed or the process has died, ends the process and returns a message with the error.
        """
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
            return _ERROR, self._worker.death_of(self._process)
        return message


# -- in the worker process

_caller: Connection | None = None
"""The worker process's end of the pipe to the process that started it; None outside a worker process."""


def send_report(report: Any) -> None:
    """Sends a report from a running call to the process that started the call. There, `WorkerCall.reports` yields it.

    Use this function only in a worker process. `report` may be any picklable object.
    """
    assert _caller is not None, "only calls of a CallWorker send reports"
    _caller.send((_REPORT, report))


def _serve(connection: Connection, niceness: int, environment: Mapping[str, str]) -> None:
    """Main function of the worker process: runs the calls that arrive through `connection`, until it is closed.

    Args:
        connection: the worker process's end of the pipe.
        niceness: number by which the process lowers its priority, as for `os.nice`.
        environment: environment variables to set first.
    """
    global _caller
    follow_parent(niceness)
    os.environ.update(environment)
    _caller = connection
    with suppress(EOFError, OSError):
        while True:
            message = connection.recv_bytes()
            connection.send_bytes(_answer(message))


def _answer(message: bytes) -> bytes:
    """Runs one call. Returns the message for the caller, pickled: the result or the exception.

    Args:
        message: the pickled tuple of the function and its arguments.
    """
    try:
        work, arguments = pickle.loads(message)  # also fails if this process cannot import the function
        return pickle.dumps((_RESULT, work(*arguments)))
    except Exception as error:
        return pickle.dumps((_ERROR, _sendable(error)))


def _sendable(error: Exception) -> Exception:
    """Returns an exception that can be sent to another process: `error` itself if it can be pickled and unpickled.

    Otherwise returns a LapilliError or RuntimeError with the text of `error`.
    """
    with suppress(Exception):
        pickle.loads(pickle.dumps(error))
        return error
    return LapilliError(str(error)) if isinstance(error, LapilliError) else RuntimeError(repr(error))
