"""Detects that a user has saved a file of a project: the project file, or a file of its bots."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from lapilli.arena.matches.versions.bot_files import content_hash, files_below
from lapilli.core.errors import LapilliError

POLL_S = 0.5
"""Time between two checks of the files, in seconds."""
_Stamp = tuple[int, int, int]
"""Modification time in nanoseconds, size and inode of a file."""
_HEAD = 4096


class FilesSaved(Exception):
    """Raised to end a run of the tests because the user has saved a file."""


class FileWatch:
    """Watches the files of a project for changes since the last call of `remember`.

    Args:
        file: the project file.

    Attributes:
        folders: folders of bots, whose files are watched besides the project file.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.folders: list[Path] = []
        self._stamps: dict[str, _Stamp] = {}
        self._hashes: dict[str, str] = {}
        self._rewritten: set[str] = set()
        self._looked = 0.0

    @property
    def number(self) -> int:
        """Number of watched files."""
        return len(self._stamps)

    def remember(self) -> None:
        """Stores the state of all watched files. Later calls report the changes since then."""
        self._stamps = self._now()
        self._hashes = {path: _hash(path) for path in self._stamps}

    def changed(self) -> list[str]:
        """Returns the sorted paths of the files that were changed, added or deleted since the last `remember`."""
        now = self._now()
        touched = [path for path in now.keys() | self._stamps.keys() if now.get(path) != self._stamps.get(path)]
        changed = [path for path in touched if _hash(path) != self._hashes.get(path, "")]
        if not changed:
            self._stamps = now
        return sorted(changed)

    def check(self) -> None:
        """Raises FilesSaved if a file has changed. Reads the files at most every `POLL_S` seconds."""
        if time.monotonic() - self._looked >= POLL_S:
            self._looked = time.monotonic()
            if self.changed():
                raise FilesSaved

    def wait(self) -> list[str]:
        """Waits until files have changed, and then have stayed the same for `POLL_S` seconds. Returns their paths."""
        before: list[str] = []
        hashes: list[str] = []
        while True:
            time.sleep(POLL_S)
            now = self.changed()
            now_hashes = list(map(_hash, now))
            if now and (now, now_hashes) == (before, hashes):
                return now
            before, hashes = now, now_hashes

    def during(self, build: Callable[[], None]) -> None:
        """Calls a function that builds bots. Files that the build writes do not count as changed afterwards.

        If an existing text file changes during the build, the user may have saved the file, so it counts as changed.
        But if the same file also changed during the previous build, the build itself writes the file, and it does not
        count as changed.
        """
        self.remember()
        before = self._hashes
        build()
        self.remember()
        rewritten = {path for path, digest in before.items() if self._hashes.get(path, digest) != digest}
        for path in rewritten - self._rewritten:
            if _is_text(path):
                self._hashes[path] = before[path]
                del self._stamps[path]
        self._rewritten = rewritten

    def _now(self) -> dict[str, _Stamp]:
        found: dict[str, _Stamp] = {}
        for path in self._paths():
            with suppress(OSError):
                status = os.stat(path)
                found[path] = (status.st_mtime_ns, status.st_size, status.st_ino)
        return found

    def _paths(self) -> Iterable[str]:
        yield str(self._file)
        for folder in self.folders:
            with suppress(OSError, LapilliError):
                yield from files_below(str(folder))


def _hash(path: str) -> str:
    """Returns the hash of a file's content; empty if the file cannot be read."""
    with suppress(OSError):
        return content_hash(path)
    return ""


def _is_text(path: str) -> bool:
    with suppress(OSError), open(path, "rb") as file:
        return b"\0" not in file.read(_HEAD)
    return False
