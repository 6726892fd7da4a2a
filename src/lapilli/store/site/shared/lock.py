"""A lock that lets only one site serve a store's file. Two sites would show different positions of the same match."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from lapilli.core.errors import StoreTrouble

_SUFFIX = "-site"
_LONGEST = 20
"""Largest number of bytes that are read from the lock file. It contains a process id, which has fewer digits."""


@contextmanager
def locked_for_site(path: str) -> Iterator[None]:
    """Holds the lock of a store's file during the `with` block. The lock is also released when this process ends.

    The lock is a POSIX lock, which child processes do not inherit. The locked file is `NAME-site` beside the store; it
    is never deleted. The store's own file cannot be locked: closing it would release SQLite's locks. Commands that
    only use the store ignore the lock.

    Raises:
        StoreTrouble: another process holds the lock, or the lock file cannot be created.
    """
    lock_path = os.path.realpath(path) + _SUFFIX
    try:
        file = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise StoreTrouble(f"cannot lock the store {path!r}: {lock_path!r}: {error.strerror}") from None
    try:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreTrouble(
                f"another site{_process_in(file)} serves the store {path!r}: stop that one, or give this one "
                "another --store (several sites can share one on PostgreSQL)"
            ) from None
        with suppress(OSError):  # the disk may be full; the lock holds even without the process id in the file
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(file)


def _process_in(file: int) -> str:
    """Reads the process id in a lock file, and returns it as words for an error message: " (process 123)".

    Returns "" if the file contains no process id. `file`: descriptor of the open lock file.
    """
    process_id = os.pread(file, _LONGEST, 0).strip()
    return f" (process {process_id.decode()})" if process_id.isdigit() else ""
