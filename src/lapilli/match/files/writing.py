"""Writes files completely or not at all. When a function of this module returns, the file survives a power failure."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lapilli.core.errors import RecordError
from lapilli.match.files.packed import FileEnd, ending, member

_SYNCS_NO_FOLDERS = (errno.EINVAL, errno.ENOTSUP)
"""Error numbers with which a file system reports that it cannot sync a folder to disk."""


def is_lined(path: Path) -> bool:
    """Returns whether a file of this name contains one record per line (`.jsonl` or `.jsonl.gz`)."""
    return path.name.removesuffix(".gz").endswith(".jsonl")


def is_compressed(path: Path) -> bool:
    """Returns whether a file of this name is a gzip file."""
    return path.suffix == ".gz"


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raises RecordError if no record can be saved at `path`. Does not change or create the file.

    Reasons are that no file can be written there, or that a `.jsonl.gz` file exists to which no record can be added.
    """
    _check_place(path)
    if is_lined(Path(path)) and is_compressed(Path(path)) and os.path.exists(path):
        try:
            with open(path, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH)  # no process is adding to it at this moment
                ending(file, str(path))
        except OSError as error:
            raise _unwritable(path, error) from None


def _check_place(path: str | os.PathLike[str]) -> None:
    try:
        target = os.path.realpath(path)
        with tempfile.TemporaryFile(dir=os.path.dirname(target)):
            pass
        kind = None
        with suppress(FileNotFoundError):
            kind = stat.S_IFMT(os.stat(target).st_mode)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    if kind == stat.S_IFDIR:
        raise RecordError(f"cannot write {str(path)!r}: it is a folder")
    if kind not in (None, stat.S_IFREG):
        raise RecordError(f"cannot write {str(path)!r}: it is not a regular file")
    if kind and not os.access(target, os.W_OK):
        raise RecordError(f"cannot write {str(path)!r}: it is write-protected")


def _unwritable(path: str | os.PathLike[str], error: OSError | ValueError) -> RecordError:
    reason = error.strerror if isinstance(error, OSError) else None
    return RecordError(f"cannot write {str(path)!r}: {reason or error}")


def add_line(path: Path, line: bytes) -> None:
    """Adds a line at the end of a file, completely or not at all. A file lock lets only one process write at a time.

    The time does not depend on the size of the file. There is one exception: a `.jsonl.gz` file is unpacked if another
    program wrote it, or if its last record is incomplete.

    Raises:
        RecordError: the file cannot be written.
    """
    _check_place(path)
    try:
        with open(path, "ab+", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size, in_line_end = ending(file, str(path)) if is_compressed(path) else _plain_ending(file)
            line = line if in_line_end else b"\n" + line
            data = member(line) if is_compressed(path) else line
            try:
                file.truncate(size)  # removes the incomplete record of a process that was killed
                while data:
                    data = data[file.write(data) or 0 :]
                os.fsync(file.fileno())
            except BaseException:
                file.truncate(size)
                raise
            if not size:
                _sync_folder(path)
    except OSError as error:
        raise _unwritable(path, error) from None


def _plain_ending(file: IO[bytes]) -> FileEnd:
    size = os.fstat(file.fileno()).st_size
    file.seek(-1 if size else 0, os.SEEK_END)
    return FileEnd(size, file.read() in (b"", b"\n"))


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces the contents of the file at `path` by `data` in one step. Other processes never see an incomplete file.

    Raises:
        RecordError: the file cannot be written.
    """
    with replaced(path) as file:
        file.write(data)


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """Context manager that opens a temporary file. At the end, this file replaces the file at `path` in one step.

    So nobody ever sees an incomplete file, even after a power failure. After an exception in the context, the old file
    is unchanged. The permissions of an existing file are kept; a new file has the user's default permissions (umask).

    Raises:
        RecordError: the file cannot be written.
    """
    _check_place(path)
    target = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(target), f".lapilli-{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb") as file:
            try:
                with suppress(FileNotFoundError):
                    os.fchmod(file.fileno(), stat.S_IMODE(os.stat(target).st_mode))
                yield file
                file.flush()
                os.fsync(file.fileno())
                os.replace(temporary, target)
            except BaseException:
                with suppress(FileNotFoundError):  # it has been renamed already
                    os.unlink(temporary)
                raise
        _sync_folder(Path(target))
    except OSError as error:
        raise _unwritable(path, error) from None


def _sync_folder(path: Path) -> None:
    """Writes a file's entry in its folder to disk (fsync), so that the file's name survives a power failure, too."""
    folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _SYNCS_NO_FOLDERS:
            raise
    finally:
        os.close(folder)
