"""A worker process, connected by a pipe to the process that started it. It can be ended even while it is busy."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from tempfile import TemporaryFile
from typing import Any

_END_S = 3.0
"""Time for which `WorkerProcess.wait` waits before it kills a worker process that has not ended, in seconds."""

_MOST_READ, _MOST_SHOWN = 4096, 300
"""Length of the last part of a worker's stderr that is searched for its last line, in bytes, and of the shown line."""


def can_fork() -> bool:
    """Returns whether this process can be forked safely: whether it runs on Linux and has a single thread.

    If a process with several threads is forked, locks that other threads hold are never released in the fork.
    """
    return sys.platform == "linux" and threading.active_count() == 1


class WorkerProcess:
    """A worker process. This process starts it, is its parent, and is connected with it by a pipe.

    Args:
        main: function that the worker runs. Its first argument is the worker's end of the pipe.
        arguments: further arguments of `main`.
        forks: True to fork this process (only if `can_fork` returns True), False to start a new Python process.
        daemon: whether multiprocessing ends the worker when this process exits.

    Attributes:
        connection: the parent's end of the pipe.
    """

    def __init__(self, main: Callable[..., None], *arguments: Any, forks: bool = False, daemon: bool = True) -> None:
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        self.connection: Connection
        self.connection, child_end = context.Pipe()
        parent_end = self.connection if forks else None
        self._start_errors = None if forks else _start_errors()
        # Signals wait until the worker can handle them: a fork would handle them as its parent does.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        stderr = None if self._start_errors is None else self._start_errors.stderr
        begin = (parent_end, main, child_end, arguments, blocked, stderr)
        self._process = context.Process(target=_begin, args=begin, daemon=daemon)
        try:
            with nullcontext() if self._start_errors is None else self._start_errors.collected():
                self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        child_end.close()

    @property
    def pid(self) -> int:
        """Process id of the worker."""
        return int(self._process.pid)

    @property
    def is_alive(self) -> bool:
        """Whether the worker is running."""
        return bool(self._process.is_alive())

    def send(self, message: Any) -> None:
        """Sends a message, any picklable object, to the worker. Raises EOFError if the worker has ended."""
        try:
            self.connection.send(message)
        except OSError:
            raise EOFError from None

    def receive(self) -> Any:
        """Waits for the worker's next message and returns it. Raises EOFError if the worker has ended."""
        try:
            return self.connection.recv()
        except OSError:
            raise EOFError from None

    def has_sent(self, seconds: float) -> bool:
        """Waits at most `seconds` for a message from the worker. Returns whether `receive` returns without waiting now.

        The result is also True if the worker has ended; then `receive` raises EOFError. Raises EOFError if the pipe is
        closed.
        """
        try:
            return self.connection.poll(seconds)
        except OSError:
            raise EOFError from None

    def why_ended(self) -> str:
        """Waits a moment for the end of a worker whose pipe is closed. Returns how the worker ended, for people.

        The text follows "a worker process". Call this method before `terminate` and `wait`.
        """
        self._process.join(_END_S)
        code = self._process.exitcode
        if code is None:
            return "closed its connection"
        if code == -signal.SIGKILL:
            return "was killed (SIGKILL), perhaps because this machine had no memory left: try again"
        if code < 0:
            return f"was ended by the signal {_signal_name(-code)}"
        words = "" if self._start_errors is None else self._start_errors.last_line()
        return f"ended with exit code {code}{': ' if words else ''}{words}"

    def terminate(self) -> None:
        """Sends the worker a signal to end, without waiting. A thread that waits in `receive` then gets an EOFError."""
        with suppress(OSError):
            self._process.terminate()

    def wait(self) -> None:
        """Closes the pipe and waits until the worker has ended. After `_END_S` seconds, kills the worker."""
        self.connection.close()
        self._process.join(_END_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        if self._start_errors is not None:
            self._start_errors.close()


class _StartErrors:
    """Collects what a spawned process writes to stderr until its main function runs, such as the error of an import.

    Then the process writes to the stderr of this process.

    Attributes:
        stderr: the stderr of this process, as an object that can be sent to the spawned process.
    """

    _lock = threading.Lock()

    def __init__(self) -> None:
        self.stderr = Connection(os.dup(2))
        try:
            self._file = TemporaryFile()  # noqa: SIM115 - `close` closes it
        except OSError:
            self.stderr.close()
            raise

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Context manager in which a process is spawned, which then writes to the file instead of stderr."""
        resource_tracker.ensure_running()  # a process of multiprocessing, which the first spawned process would start
        with self._lock:
            os.dup2(self._file.fileno(), 2)
            try:
                yield
            finally:
                os.dup2(self.stderr.fileno(), 2)
                with suppress(OSError):  # what other threads have written meanwhile
                    os.write(2, self._text())
                self.stderr.close()

    def last_line(self) -> str:
        """Returns the last line that the process has written before its main function ran; "" if there is none."""
        lines = self._text().decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")[:_MOST_SHOWN]

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _text(self) -> bytes:
        if self._file.closed:
            return b""
        size = os.fstat(self._file.fileno()).st_size
        return os.pread(self._file.fileno(), _MOST_READ, max(0, size - _MOST_READ))


def _start_errors() -> _StartErrors | None:
    """Returns a new `_StartErrors`; None if this process has no stderr or cannot write a temporary file."""
    try:
        return _StartErrors()
    except OSError:
        return None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _begin(
    copied: Connection | None,
    main: Callable[..., None],
    connection: Connection,
    arguments: Any,
    blocked: Iterable[signal.Signals],
    stderr: Connection | None,
) -> None:
    """Runs `main` in the worker process.

    Args:
        copied: the copy of the parent's end of the pipe that a fork has; None in a process that is no fork. This copy
            is closed, so that the pipe is closed when the parent dies.
        main: function to run.
        connection: the worker's end of the pipe, first argument of `main`.
        arguments: further arguments of `main`.
        blocked: signals that `main` shall not receive. All others are received from now on.
        stderr: the parent's stderr, to which this process writes from now on; None if it does so already.
    """
    if stderr is not None:
        os.dup2(stderr.fileno(), 2)
        stderr.close()
    if copied is not None:
        copied.close()
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        main(connection, *arguments)
    except KeyboardInterrupt:  # a signal came before `main` set its own handlers
        sys.exit(1)
