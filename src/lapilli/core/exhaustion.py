"""Errors that are the fault of Lapilli or of the machine. Such an error ends a match, and no player loses."""

from __future__ import annotations

import errno
import os

from lapilli.core.errors import LapilliError

_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
"""Error numbers for a lack of descriptors (in this process or in the system), of memory, or of processes."""


class OutOfResources(LapilliError):
    """The error for a machine that has run out of descriptors, memory or processes."""


def is_exhaustion(error: BaseException) -> bool:
    """Returns whether an exception means that the machine has run out of descriptors, memory or processes."""
    if isinstance(error, OSError):
        return error.errno in _EXHAUSTED
    return isinstance(error, MemoryError | OutOfResources)


def in_one_line(error: BaseException) -> str:
    """Formats an exception as one line for people."""
    if isinstance(error, OutOfResources):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        return os.strerror(error.errno).lower()
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
