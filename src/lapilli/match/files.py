"""Files that are written whole or not at all, and are on the disk when that is said."""

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
from lapilli.match.packed import Ending, ending, member

_SYNCS_NO_FOLDERS = (errno.EINVAL, errno.ENOTSUP)
"""What file systems say that keep their folders safe in another way, or not at all."""


def is_lined(path: Path) -> bool:
    """Whether a file of that name holds one record a line."""
    return path.name.removesuffix(".gz").endswith(".jsonl")


def is_compressed(path: Path) -> bool:
    """Whether a file of that name is a gzip file."""
    return path.suffix == ".gz"


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raises RecordError where a file could not be written there, or a `.jsonl.gz` file could not be added to."""
    _check_place(path)
    if is_lined(Path(path)) and is_compressed(Path(path)) and os.path.exists(path):
        try:
            with open(path, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH)  # nobody is in the middle of adding to it
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
    """Adds a line to a file, one process at a time; what cannot be written whole is taken back.

    It takes the same time whatever is in the file. (But for a `.jsonl.gz` file that another program wrote, or whose
    last record was cut short: that is unpacked once.)

    Raises:
        RecordError: it cannot be written.
    """
    _check_place(path)
    try:
        with open(path, "ab+", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size, in_line_end = ending(file, str(path)) if is_compressed(path) else _plain_ending(file)
            line = line if in_line_end else b"\n" + line
            data = member(line) if is_compressed(path) else line
            try:
                file.truncate(size)  # off goes what a process that was killed left of a record
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


def _plain_ending(file: IO[bytes]) -> Ending:
    size = os.fstat(file.fileno()).st_size
    file.seek(-1 if size else 0, os.SEEK_END)
    return Ending(size, file.read() in (b"", b"\n"))


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces `path` by `data`, see `replaced`. Raises RecordError where it cannot be written."""
    with replaced(path) as file:
        file.write(data)


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that takes the place of `path` in one step at the end, so that nobody ever sees half of it, even
    after the power has failed; after an exception there is what was there before.

    A file that was there keeps its permissions; a new one gets those that the user's umask leaves.

    Raises:
        RecordError: it cannot be written.
    """
    _check_place(path)
    target = os.path.realpath(path)
    beside = os.path.join(os.path.dirname(target), f".lapilli-{secrets.token_hex(8)}")
    try:
        with open(beside, "xb") as file:
            try:
                with suppress(FileNotFoundError):
                    os.fchmod(file.fileno(), stat.S_IMODE(os.stat(target).st_mode))
                yield file
                file.flush()
                os.fsync(file.fileno())
                os.replace(beside, target)
            except BaseException:
                with suppress(FileNotFoundError):  # it has its place
                    os.unlink(beside)
                raise
        _sync_folder(Path(target))
    except OSError as error:
        raise _unwritable(path, error) from None


def _sync_folder(path: Path) -> None:
    """Has the folder of a file on the disk, and so the file's name."""
    folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _SYNCS_NO_FOLDERS:
            raise
    finally:
        os.close(folder)
