"""The options with which bubblewrap confines a bot."""

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
"""Files and folders of /etc that programs may need. Those of Java are missing here: their names contain a version, so
`_java_settings` finds them.
"""
_ISOLATED = ("--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL")
_IDENTITY = ("--uid", "1000", "--gid", "1000", "--hostname", "bot")
_PRESSURE = "/proc/pressure"
"""Folder with measurements of the host's load. In the sandbox this folder is empty."""
_KEYS = ("/proc/keys", "/proc/key-users")
"""Files that list the host's keys. In the sandbox these files are empty."""
_NO_LOAD = b"0.00 0.00 0.00 1/1 1\n"
"""Contents of the file /proc/loadavg in the sandbox, so that a bot cannot see the host's load."""
_LEAST_DESCRIPTOR = 10
"""Lowest descriptor that is passed to bubblewrap. Lower ones are taken: 3 and 4 are the bot's pipes."""


class Walls:
    """Composes the options with which bubblewrap confines one bot.

    Args:
        folder: folder in which the bot starts.
        limits: the bot's resource limits.
        seen: the paths that the bot sees besides the system's folders, and the paths inside them that are hidden.
        sealed: options with which this bubblewrap forbids new namespaces; may be empty.
        copied: folders that the bot may write to, as copies. In the sandbox, the originals are read-only, under the
            paths /0, /1 and so on. At the path of each original is an empty writable folder. The contents of the
            original must be copied into it before the bot starts.
        more: further files and folders that the bot sees, as a mapping from the path in the sandbox to the real path.

    Attributes:
        places: real paths of all files and folders that the bot sees besides the system's.
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
        for place in seen.hidden:  # checked here, because other folders may be mounted when `options` is called
            is_folder = os.path.isdir(place)
            self._hiding += ["--tmpfs", place, "--remount-ro", place] if is_folder else ["--ro-bind", os.devnull, place]
        self.places = [*seen.shown, *copied, *(more or {}).values()]

    def options(self, found: Sequence[str], descriptors: Sequence[int]) -> list[str]:
        """Returns the options, as words of bubblewrap's command line.

        Args:
            found: paths at which bubblewrap finds `places`, in the same order. They differ from `places` where root has
                mounted them elsewhere.
            descriptors: the list that `descriptors_for_bubblewrap` yields.
        """
        load, *filters = map(str, descriptors)
        size = str(self._limits.tmp_mb << 20)
        words = [*_ISOLATED, *self._sealed, *_IDENTITY]
        for place in SYSTEM:
            if os.path.islink(place):
                words += ["--symlink", os.readlink(place), place]
            else:
                words += ["--ro-bind-try", place, place]
        for name in (*_SETTINGS, *_java_settings()):
            words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
        words += ["--proc", "/proc", "--ro-bind-data", load, "/proc/loadavg"]
        if os.path.isdir(_PRESSURE):
            words += ["--tmpfs", _PRESSURE, "--remount-ro", _PRESSURE]
        for place in filter(os.path.exists, _KEYS):
            words += ["--ro-bind", os.devnull, place]
        words += ["--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--size", size]
        words += ["--tmpfs", "/tmp", "--dir", self._folder]
        for place, target in zip(found, self._targets, strict=True):
            words += ["--ro-bind", place, target]
        for place in self._copied:
            words += ["--size", size, "--tmpfs", place]
        words += self._hiding
        for place in ("/dev", "/proc", "/"):
            words += ["--remount-ro", place]
        for number in filters:
            words += ["--seccomp", number]
        return [*words, "--chdir", self._folder]


@contextmanager
def descriptors_for_bubblewrap() -> Iterator[list[int]]:
    """Opens the descriptors that bubblewrap reads from, yields them, and closes them at the end of the `with` block.

    From the first descriptor, bubblewrap reads the contents of /proc/loadavg for the sandbox. From the second
    descriptor, it reads the filter of system calls. There is no second one if system calls cannot be filtered on this
    machine.
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
    """Returns the descriptor of a pipe from which `data` can be read. The data must fit into the pipe (64 KiB)."""
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
