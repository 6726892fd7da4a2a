"""How Ctrl-C and its like stop a command: bots are ended, the record is kept."""

from __future__ import annotations

import signal
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Ctrl-C, a polite kill, a closed terminal, Ctrl-\\."""
INTERRUPTED = 130
"""The exit code of what somebody stopped, as shells have it for Ctrl-C."""
_COMPILER = ("numba", "llvmlite")
_SOON = 0.01


def stop_on_signals() -> None:
    """From now on each of them raises KeyboardInterrupt in the main thread; but what we were started to ignore, as
    nohup does with a closed terminal, stays ignored."""
    for number in (*_ENDING, signal.SIGALRM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)


def ignore_signals() -> None:
    """From now on none of them has an effect: what must be brought to an end is under way."""
    for number in (*_ENDING, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)


def _stop(number: int, frame: FrameType | None) -> None:
    """An exception in the midst of compiling or loading a kernel would be swallowed there, or break the compiler; so
    while that goes on, the signal comes again a little later."""
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
