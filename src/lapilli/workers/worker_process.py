"""A worker process, connected by a pipe to the process that started it. It can be ended even while it is busy."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

_END_S = 3.0
"""Time for which `WorkerProcess.wait` waits before it kills a worker process that has not ended, in seconds."""


def can_fork() -> bool:
    """Returns whether this process can be forked safely: whether it runs on Linux and has a single thread.

    If a process with several threads is forked, locks that other threads hold are never released in the fork.
    """
    return sys.platform == "linux" and threading.active_count() == 1


class WorkerProcess:
    """A worker process that this process starts. A pipe connects both processes.

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
        # Signals wait until the worker can handle them: a fork would handle them as its parent does.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        begin = (parent_end, main, child_end, arguments, blocked)
        self._process = context.Process(target=_begin, args=begin, daemon=daemon)
        try:
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
        """Returns whether the worker has sent a message that is not read yet. Waits for a message at most `seconds`.

        The result is also True if the worker has ended; then `receive` raises EOFError. Raises EOFError if the pipe is
        closed.
        """
        try:
            return self.connection.poll(seconds)
        except OSError:
            raise EOFError from None

    def why_ended(self) -> str:
        """Returns how the worker ended, as the rest of a sentence that begins with "a worker process".

        An example is "ended with exit code 3". The worker has closed its pipe, and this method waits a moment for its
        end. Call this method before `terminate` and `wait`.
        """
        self._process.join(_END_S)
        code = self._process.exitcode
        if code is None:
            return "closed its connection"
        if code == -signal.SIGKILL:
            return "was killed (SIGKILL), perhaps because this machine had no memory left: try again"
        if code < 0:
            return f"was ended by the signal {_signal_name(-code)}"
        return f"ended with exit code {code}"

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
) -> None:
    """Runs `main` in the worker process.

    Args:
        copied: the parent's end of the pipe, if this process is a fork and so has a copy of it; otherwise None. This
            function closes the copy, so that the pipe is closed when the parent dies.
        main: function to run.
        connection: the worker's end of the pipe, first argument of `main`.
        arguments: further arguments of `main`.
        blocked: signals that stay blocked while `main` runs. All other signals are unblocked.
    """
    if copied is not None:
        copied.close()
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        main(connection, *arguments)
    except KeyboardInterrupt:  # a signal came before `main` set its own handlers
        sys.exit(1)
