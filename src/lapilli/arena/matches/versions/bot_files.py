"""Selects the files that belong to a bot, and hashes their contents.

The same files are selected for the hash of a bot (`fingerprint`), for its copy in a league or project (`entering`), and
for its transfer to other machines (`parcels`). The selection leaves out:
- hidden folders such as .git, virtual environments, and Python's caches;
- editors' files, logs, and project files (lapilli.toml);
- files that Lapilli itself writes: records, pages, tables, stores, test results;
- files that a pattern in the file .lapilliignore matches.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

from lapilli.core.errors import LapilliError
from lapilli.players.sandbox.visible_files import unless_private
from lapilli.store.places import APPLICATION_ID
from lapilli.store.results import ascii_json

MAX_FILES = 10_000
"""Largest number of files that a bot may have."""
MAX_COPIED = 64 << 20
"""Largest total size of a bot's files that are copied or sent, in bytes."""
IGNORE_FILE = ".lapilliignore"
"""Name of a file in a bot's folder, with patterns of names that do not belong to the bot."""
_NOT_OF_A_BOT = re.compile(rf".*\.log|.*~|\..*\.sw.|\.#.*|#.*#|\.DS_Store|lapilli\.toml|{re.escape(IGNORE_FILE)}")
"""Pattern of file names that never belong to a bot: logs, files of editors, and Lapilli's settings."""
_MAY_BE_OUTPUT = re.compile(r"\.(json|jsonl|html?|xml|csv|md|txt|db|sqlite3?)(\.gz)?(-wal|-shm|-journal)?")
"""Pattern of the suffixes of files that Lapilli may have written."""
_HEAD = 4096
"""Number of bytes at the start of a file that are searched for signs that Lapilli has written the file."""
_STORE = re.compile(rb"SQLite format 3\0.{52}" + re.escape(APPLICATION_ID.to_bytes(4, "big")), re.DOTALL)
"""Pattern of the header of an SQLite store.

While a store is new, the header is not in the store's file but in the log beside it (-wal).
"""
_OUTPUT = re.compile(
    rb'\s*\{\s*"format":\s*"lapilli-(record|analysis)/'  # also the first line of a file with several records
    rb'|\{"event": \d+, "(game|name)": "'  # output of --json
    rb"|(\| )?rank( \| |,)player( \| |,)elo( \| |,)"  # a cross table as CSV or Markdown
    rb"|<\?xml [^>]*>\s*<testsuites name=.lapilli test."  # the results of `lapilli test`
    rb'|\s*<!doctype html>[^\0]*<meta name="generator" content="Lapilli">'
)
_SETTLED_S = 2.0
"""The hash of a file is cached only if the file's last change is older than this time, in seconds.

File systems store times with limited precision. So two changes shortly after each other can leave the same times.
"""
_Signature = tuple[str, int, int, int, int]
"""Path, size in bytes, modification time and change time in nanoseconds, and inode of a file."""
_hashes: dict[_Signature, str] = {}


def files_below(place: str) -> Iterator[str]:
    """Yields the paths of the files that belong to a bot, sorted within each folder.

    Links are followed, but not to a folder that is shared by all users or contains a whole home folder. Folders that
    cannot be listed are left out.

    Args:
        place: path of the bot's folder; or of a single file, which is then the only result.

    Raises:
        LapilliError: the file .lapilliignore cannot be read.
    """
    if not os.path.isdir(place):
        yield place
        return
    ignored = _ignored(place)
    seen = {os.path.realpath(place)}
    for folder, folders, files in os.walk(place, followlinks=True):
        inside = [(name, os.path.join(folder, name)) for name in sorted(folders)]
        folders[:] = [
            name for name, path in inside if may_hold_bot(path) and not ignored(path) and _may_follow(path, seen)
        ]
        for path in (os.path.join(folder, name) for name in sorted(files)):
            if not (_is_not_of_bot(path) or ignored(path)) and os.path.isfile(path) and not _is_output(path):
                yield path


def content_hash(path: str) -> str:
    """Returns the SHA-256 of a file's content: 64 hexadecimal digits.

    A hash is cached, and computed again only if the file's path, size, times or inode have changed.

    Raises:
        OSError: the file cannot be read.
    """
    status = os.stat(path)
    signature = (path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    if signature in _hashes:
        return _hashes[signature]
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if time.time() - max(status.st_mtime, status.st_ctime) > _SETTLED_S:
        _hashes[signature] = found
    return found


def folder_hash(folder: Path) -> str:
    """Returns a hash of the names and contents of all files in a folder: "sha256:" and 64 hexadecimal digits.

    Raises:
        OSError: a file cannot be read.
    """
    whole = hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        whole.update(ascii_json([str(file.relative_to(folder)), content_hash(str(file))]).encode())
    return f"sha256:{whole.hexdigest()}"


def _is_output(path: str) -> bool:
    """Returns whether Lapilli itself has written a file: a record, a page, a table or a store."""
    if not _MAY_BE_OUTPUT.search(os.path.basename(path)):
        return False
    head = _start(path, _HEAD)
    if head.startswith(b"\x1f\x8b"):
        with suppress(OSError, EOFError, zlib.error), gzip.open(path) as file:
            head = file.read(_HEAD)
    if _OUTPUT.match(head):
        return True
    store = re.sub(r"-(wal|shm|journal)$", "", path)
    if store == path and not head.startswith(b"SQLite format 3\0"):
        return False
    return any(_STORE.search(_start(file, 2 * _HEAD)) for file in (store, f"{store}-wal"))


def _start(path: str, most: int) -> bytes:
    """Returns the first `most` bytes of a file, which show what it contains; empty if the file cannot be read."""
    with suppress(OSError), open(path, "rb") as file:
        return file.read(most)
    return b""


def is_left_out(path: str, place: str) -> bool:
    """Returns whether a file in the bot's folder `place` does not belong to the bot.

    Such a file has a name that no file of a bot has (such as *.log), or a pattern in .lapilliignore matches it.
    """
    ignored = _ignored(place)
    folders = Path(path).relative_to(place).parents
    return _is_not_of_bot(path) or ignored(path) or any(ignored(os.path.join(place, folder)) for folder in folders)


def _is_not_of_bot(path: str) -> bool:
    return bool(_NOT_OF_A_BOT.fullmatch(os.path.basename(path)))


def may_hold_bot(path: str) -> bool:
    """Returns whether a folder may contain files of a bot: it is not hidden, not a cache, not a virtual environment."""
    name = os.path.basename(path)
    return not name.startswith(".") and name != "__pycache__" and not os.path.exists(os.path.join(path, "pyvenv.cfg"))


def _may_follow(path: str, seen: set[str]) -> bool:
    """Returns whether to search a folder. If it is a link, adds the link's target to `seen`.

    A link is not searched if its target is in `seen`, is shared by all users, or contains a whole home folder.
    """
    if not os.path.islink(path):
        return True
    real = os.path.realpath(path)
    is_new = real not in seen and any(unless_private(real, ()))
    seen.add(real)
    return is_new


def _ignored(folder: str) -> Callable[[str], bool]:
    """Returns a predicate for paths in a folder: whether a pattern in the folder's .lapilliignore matches the path.

    A pattern with a slash is compared with the path relative to the folder. Any other pattern is compared with the last
    part of the path.

    Raises:
        LapilliError: the file .lapilliignore cannot be read.
    """
    file = Path(folder, IGNORE_FILE)
    try:
        lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    except (OSError, UnicodeError) as error:
        raise LapilliError(f"{file} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}") from None
    patterns = [line.strip().rstrip("/") for line in lines if line.strip() and not line.startswith("#")]

    def ignored(path: str) -> bool:
        return any(
            fnmatch(os.path.relpath(path, folder), pattern.lstrip("/"))
            if "/" in pattern
            else fnmatch(os.path.basename(path), pattern)
            for pattern in patterns
        )

    return ignored
