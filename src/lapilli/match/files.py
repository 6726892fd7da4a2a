"""Files that are written whole or not at all."""

from __future__ import annotations

import fcntl
import gzip
import os
import stat
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO

from lapilli.games.errors import RecordError


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
                _ends_line(file, path)
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
    """Adds a line to a file, one process at a time; what cannot be written whole is taken back. Raises RecordError."""
    _check_place(path)
    try:
        with open(path, "ab+", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = os.fstat(file.fileno()).st_size
            if not _ends_line(file, path):
                line = b"\n" + line
            data = gzip.compress(line, mtime=0) if is_compressed(path) else line
            try:
                while data:
                    data = data[file.write(data) or 0 :]
            except BaseException:
                file.truncate(size)
                raise
    except OSError as error:
        raise _unwritable(path, error) from None


def _ends_line(file: IO[bytes], path: str | os.PathLike[str]) -> bool:
    """Whether a file's text is empty or ends in a line end. Raises RecordError for a damaged gzip file."""
    if not is_compressed(Path(path)):
        file.seek(-1 if os.fstat(file.fileno()).st_size else 0, os.SEEK_END)
        return file.read() in (b"", b"\n")
    last = b"\n"
    file.seek(0)
    try:
        with gzip.open(file) as text:
            while chunk := text.read(1 << 20):
                last = chunk[-1:]
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RecordError(f"cannot add to {str(path)!r}: damaged gzip file ({error})") from None
    return last == b"\n"


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces `path` by `data` in one step, so that nobody ever sees half a file. Raises RecordError."""
    _check_place(path)
    target = os.path.realpath(path)
    try:
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(target), prefix=".lapilli-", delete=False) as file:
            try:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), 0o666 & ~_umask())
                os.replace(file.name, target)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise _unwritable(path, error) from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
