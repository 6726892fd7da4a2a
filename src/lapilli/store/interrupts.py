"""Delays signals such as Ctrl-C until a transaction is over, because database libraries do not expect interruptions."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM)
"""Signals whose handlers may raise an exception."""


@contextmanager
def held_back() -> Iterator[None]:
    """Delays Ctrl-C and similar signals until the `with` block ends. A signal that arrives twice takes effect at once.

    In threads other than the main thread, the function does nothing: signal handlers run only in the main thread.
    """
    if threading.current_thread() is not threading.main_thread():  # signal handlers run in the main thread only
        yield
        return
    handlers = {number: handler for number in _ENDING if callable(handler := signal.getsignal(number))}
    delayed: list[signal.Signals] = []

    def delay(number: int, frame: FrameType | None) -> None:
        if number in delayed:
            handlers[signal.Signals(number)](number, frame)
        delayed.append(signal.Signals(number))

    try:
        with ExitStack() as restoring:
            for number, handler in handlers.items():
                restoring.callback(signal.signal, number, handler)
                signal.signal(number, delay)
            yield
    finally:
        for number in dict.fromkeys(delayed):
            signal.raise_signal(number)
