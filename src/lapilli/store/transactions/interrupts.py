"""Delays signals such as Ctrl-C until a transaction is over, because database libraries do not expect interruptions."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM)
"""Signals whose handlers may raise an exception."""


class HeldSignals:
    """The signals that a `with held_back()` block delays."""

    def __init__(self) -> None:
        self.handlers = {number: handler for number in _ENDING if callable(handler := signal.getsignal(number))}
        self._delayed: list[int] = []
        self._is_waiting = False

    def delay(self, number: int, frame: FrameType | None) -> None:
        """Handles a signal during the block: delays it. If the same signal arrives again, it takes effect at once.

        `number`, `frame`: the arguments that Python passes to every signal handler.
        """
        if self._is_waiting or number in self._delayed:
            self.handlers[signal.Signals(number)](number, frame)
        else:
            self._delayed.append(number)

    def let_through(self) -> None:
        """Lets the delayed signals take effect now, as if they had just arrived."""
        while self._delayed:
            signal.raise_signal(self._delayed.pop())

    def waiting(self, wait: Callable[[], T]) -> T:
        """Calls `wait` and returns its result. Lets delayed signals take effect first, and delays none during the call.

        This method takes a function instead of being a context manager. In a `with` block, a signal could arrive after
        the wait and before the end of the block, and would interrupt the caller there.
        """
        try:
            self._is_waiting = True
            self.let_through()
            return wait()
        finally:
            self._is_waiting = False


@contextmanager
def held_back() -> Iterator[HeldSignals]:
    """Delays Ctrl-C and similar signals during the `with` block.

    Delayed signals take effect when the block ends, or earlier, during a call of `HeldSignals.waiting`.

    In threads other than the main thread, nothing is delayed: signal handlers run only in the main thread.
    """
    held = HeldSignals()
    try:
        with ExitStack() as restoring:
            if threading.current_thread() is threading.main_thread():
                for number, handler in held.handlers.items():
                    restoring.callback(signal.signal, number, handler)
                    signal.signal(number, held.delay)
            yield held
    finally:
        held.let_through()
