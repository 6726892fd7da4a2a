"""The options of bubblewrap that confine a bot."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from lapilli.players.sandbox.syscalls import has_filter, machine, seccomp_filter
from lapilli.players.sandbox.visible_files import SYSTEM, Visible
from lapilli.players.spec import Limits

_SETTINGS = (
    *("alternatives", "dotnet", "fonts", "group", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mono"),
    *("nsswitch.conf", "os-release", "passwd", "perl", "php", "python3", "ssl/certs"),
)
"""Files of /etc that programs may need. Those of Java are searched for, because their names contain its version."""
_ISOLATED = ("--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL")
_IDENTITY = ("--uid", "1000", "--gid", "1000", "--hostname", "bot")
_PRESSURE = "/proc/pressure"
_KEYS = ("/proc/keys", "/proc/key-users")
"""Lists of the host's keys."""
_NO_LOAD = b"0.00 0.00 0.00 1/1 1\n"
"""Contents of /proc/loadavg in the sandbox."""
_LEAST_DESCRIPTOR = 10
"""Lowest descriptor passed to bubblewrap: the shell before it uses 3 and 4 for the bot's pipes."""


class Walls:
    """The options of bubblewrap that confine a bot.

    Args:
        folder: working folder in which the bot starts.
        limits: its resource limits.
        seen: what it sees besides the system's folders.
        sealed: options that forbid namespaces.
        copied: folders that it may write to. Each is visible as /0, /1 and so on, and empty at its own path.
        more: further places, as a mapping from the path in the sandbox to the real path.

    Attributes:
        places: all paths that the bot is shown; `options` needs the paths at which bubblewrap finds them.
    """

    def __init__(
        self,
        folder: str,
        limits: Limits,
        seen: Visible,
        sealed: Sequence[str],
        copied: Sequence[str] = (),
        more: Mapping[str, str] | None = None,
    ) -> None:
        self._folder, self._limits, self._sealed, self._copied = folder, limits, sealed, copied
        self._targets = [*seen.shown, *(f"/{number}" for number in range(len(copied))), *(more or {})]
        self._hiding: list[str] = []
        for place in seen.hidden:  # checked here: when `options` is called, other folders may be mounted
            is_folder = os.path.isdir(place)
            self._hiding += ["--tmpfs", place, "--remount-ro", place] if is_folder else ["--ro-bind", os.devnull, place]
        self.places = [*seen.shown, *copied, *(more or {}).values()]

    def options(self, found: Sequence[str], descriptors: Sequence[int]) -> list[str]:
        """Returns the options.

        Args:
            found: the paths at which bubblewrap finds `places`.
            descriptors: the descriptors that `descriptors_for_bubblewrap` yields.
        """
        load, *filters = map(str, descriptors)
        size = str(self._limits.tmp_mb << 20)
        walls = [*_ISOLATED, *self._sealed, *_IDENTITY]
        for place in SYSTEM:
            if os.path.islink(place):
                walls += ["--symlink", os.readlink(place), place]
            else:
                walls += ["--ro-bind-try", place, place]
        for name in (*_SETTINGS, *_java_settings()):
            walls += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
        walls += ["--proc", "/proc", "--ro-bind-data", load, "/proc/loadavg"]
        if os.path.isdir(_PRESSURE):
            walls += ["--tmpfs", _PRESSURE, "--remount-ro", _PRESSURE]
        for place in filter(os.path.exists, _KEYS):
            walls += ["--ro-bind", os.devnull, place]
        walls += ["--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--size", size]
        walls += ["--tmpfs", "/tmp", "--dir", self._folder]
        for place, target in zip(found, self._targets, strict=True):
            walls += ["--ro-bind", place, target]
        for place in self._copied:
            walls += ["--size", size, "--tmpfs", place]
        walls += self._hiding
        for place in ("/dev", "/proc", "/"):
            walls += ["--remount-ro", place]
        for number in filters:
            walls += ["--seccomp", number]
        return [*walls, "--chdir", self._folder]


@contextmanager
def descriptors_for_bubblewrap() -> Iterator[list[int]]:
    """Yields descriptors that bubblewrap reads: the contents of /proc/loadavg, and the filter, if there is one. Closes
    them at the end.
    """
    descriptors = [_to_be_read(_NO_LOAD)]
    try:
        if has_filter(machine()):
            descriptors.append(_to_be_read(seccomp_filter(machine())))
        yield descriptors
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _to_be_read(data: bytes) -> int:
    """Returns a descriptor from which `data`, shorter than a pipe's 64 KiB, can be read."""
    reading, writing = os.pipe()
    try:
        os.write(writing, data)
        return fcntl.fcntl(reading, fcntl.F_DUPFD_CLOEXEC, _LEAST_DESCRIPTOR)
    finally:
        os.close(reading)
        os.close(writing)


@cache
def _java_settings() -> tuple[str, ...]:
    return tuple(path.name for path in Path("/etc").glob("java*"))
