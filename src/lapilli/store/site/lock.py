"""The lock by which one site serves a file: two would show different positions of one match."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from lapilli.core.errors import StoreTrouble

_SUFFIX = "-site"
_LONGEST = 20
"""Digits of a process's number, at most."""


@contextmanager
def locked_for_site(path: str) -> Iterator[None]:
    """Holds the lock of a store's file. The system releases it when this process ends, however it ends.

    The lock is on a file beside the store, `NAME-site`, which stays: SQLite's own locks on the store would be lost
    when we close it. Commands that only use the store take no notice of it. It is a POSIX lock, which child processes
    do not inherit.

    Raises:
        StoreTrouble: another process holds it, or the file beside the store cannot be made.
    """
    beside = os.path.realpath(path) + _SUFFIX
    try:
        file = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise StoreTrouble(f"cannot lock the store {path!r}: {beside!r}: {error.strerror}") from None
    try:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreTrouble(
                f"another site{_process_in(file)} serves the store {path!r}: stop that one, or give this one "
                "another --store (several sites can share one on PostgreSQL)"
            ) from None
        with suppress(OSError):  # a full disk: the lock holds without the number
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(file)


def _process_in(file: int) -> str:
    """The number of the process that holds the lock, in words; empty where the file does not say."""
    said = os.pread(file, _LONGEST, 0).strip()
    return f" (process {said.decode()})" if said.isdigit() else ""
