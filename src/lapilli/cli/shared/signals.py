"""Handlers of Ctrl-C and other signals: they stop a command so that it can end its bots and save its record."""

from __future__ import annotations

import signal
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""The signals of Ctrl-C, kill, a closed terminal, and Ctrl-\\."""
_COMPILER = ("numba", "llvmlite")
_SOON = 0.01
"""Seconds after which a signal that arrived during a compilation is handled again."""


def stop_on_signals() -> None:
    """Makes Ctrl-C, and the signals TERM, HUP, QUIT and ALRM, raise KeyboardInterrupt in the main thread.

    Signals that were ignored when the process was started stay ignored, such as SIGHUP under nohup.
    """
    for number in (*_ENDING, signal.SIGALRM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)


def ignore_signals() -> None:
    """Ignores Ctrl-C and other ending signals from now on, while the command ends its bots and saves its results."""
    for number in (*_ENDING, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)


def _stop(number: int, frame: FrameType | None) -> None:
    """Handles a signal: raises KeyboardInterrupt, or tries again 0.01 s later if a kernel is compiled or loaded now.

    The compiler would swallow the exception, or be left in a broken state.
    """
    if _in_compiler(frame):
        signal.setitimer(signal.ITIMER_REAL, _SOON)
    else:
        raise KeyboardInterrupt


def _in_compiler(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] in _COMPILER:
            return True
        frame = frame.f_back
    return False
