"""Ctrl-C in the midst of a transaction waits until that is over: databases' libraries are not made to be cut short."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM)
"""What a handler may make an exception of."""


@contextmanager
def held_back() -> Iterator[None]:
    """Signals that come meanwhile have their effect afterwards; one that comes twice, at once."""
    if threading.current_thread() is not threading.main_thread():  # no handler runs in it
        yield
        return
    handlers = {number: handler for number in _ENDING if callable(handler := signal.getsignal(number))}
    came: list[signal.Signals] = []

    def hold(number: int, frame: FrameType | None) -> None:
        if number in came:
            handlers[signal.Signals(number)](number, frame)
        came.append(signal.Signals(number))

    try:
        with ExitStack() as after:
            for number, handler in handlers.items():
                after.callback(signal.signal, number, handler)
                signal.signal(number, hold)
            yield
    finally:
        for number in dict.fromkeys(came):
            signal.raise_signal(number)
