"""Our own trouble: what ends a match and is nobody's fault."""

from __future__ import annotations

import errno
import os

from lapilli.core.errors import LapilliError

_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
"""No descriptor left in this process or in the system, no memory, no process."""


class OutOfResources(LapilliError):
    """The machine has nothing left to go on with: descriptors, memory, processes."""


def is_exhaustion(error: BaseException) -> bool:
    """Whether an exception says that the machine has nothing left, whoever it befell."""
    if isinstance(error, OSError):
        return error.errno in _EXHAUSTED
    return isinstance(error, MemoryError | OutOfResources)


def in_one_line(error: BaseException) -> str:
    """What an exception says, for people."""
    if isinstance(error, OutOfResources):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        return os.strerror(error.errno).lower()
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
