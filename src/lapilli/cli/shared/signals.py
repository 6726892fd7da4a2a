"""Handlers of Ctrl-C and other signals. They stop a command, but let it end its bots and save its record."""

from __future__ import annotations

import signal
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""The signals that are sent by Ctrl-C, by the command kill, by a terminal that closes, and by Ctrl-\\."""
_COMPILER = ("numba", "llvmlite")
_SOON = 0.01
"""Time after which a signal that arrived during a compilation is handled again, in seconds."""


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
    """Handles a signal: raises KeyboardInterrupt.

    If a kernel is being compiled or loaded now, handles the signal 0.01 s later instead. During a compilation, the
    exception could be lost, or leave the compiler in a broken state.
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
