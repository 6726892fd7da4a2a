"""A worker process, connected to this process by a pipe. It can be stopped at any time, even while it is busy."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

_END_S = 3.0
"""Time that a process has to end before it is killed, in seconds."""


def can_fork() -> bool:
    """Returns whether a process can be forked: on Linux with a single thread. A fork copies locks that other threads
    hold.
    """
    return sys.platform == "linux" and threading.active_count() == 1


class WorkerProcess:
    """A running worker, as its parent sees it: the process that started it.

    Args:
        main: function that the worker runs; its first argument is the worker's end of the pipe.
        arguments: further arguments of `main`.
        forks: whether the worker is a fork of the parent, see `can_fork`; otherwise it is started afresh.
        daemon: whether multiprocessing ends the worker when the parent exits.

    Attributes:
        connection: the parent's end of the pipe.
    """

    def __init__(self, main: Callable[..., None], *arguments: Any, forks: bool = False, daemon: bool = True) -> None:
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        self.connection: Connection
        self.connection, child_end = context.Pipe()
        parent_end = self.connection if forks else None
        self._process = context.Process(target=_begin, args=(parent_end, main, child_end, arguments), daemon=daemon)
        self._process.start()
        child_end.close()

    @property
    def pid(self) -> int:
        """Id of the process."""
        return int(self._process.pid)

    @property
    def is_alive(self) -> bool:
        """Whether the process is running."""
        return bool(self._process.is_alive())

    def send(self, message: Any) -> None:
        """Sends the process a message. Raises EOFError if it has ended."""
        try:
            self.connection.send(message)
        except OSError:
            raise EOFError from None

    def receive(self) -> Any:
        """Waits for a message of the process. Raises EOFError if it has ended."""
        try:
            return self.connection.recv()
        except OSError:
            raise EOFError from None

    def has_sent(self, seconds: float) -> bool:
        """Waits at most `seconds` for a message, and returns whether there is one. Raises EOFError if it has ended."""
        try:
            return self.connection.poll(seconds)
        except OSError:
            raise EOFError from None

    def terminate(self) -> None:
        """Sends the process a signal to end. Then `receive` raises EOFError, also in another thread."""
        with suppress(OSError):
            self._process.terminate()

    def wait(self) -> None:
        """Closes the pipe and waits until the process has ended. Kills it after `_END_S` seconds."""
        self.connection.close()
        self._process.join(_END_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _begin(copied: Connection | None, main: Callable[..., None], connection: Connection, arguments: Any) -> None:
    """Runs `main` in the process. First closes the copy of the parent's end that a fork has, so that the pipe closes
    when the parent dies.
    """
    if copied is not None:
        copied.close()
    main(connection, *arguments)
