"""The path of the socket at which a resident process waits for calls.

This module imports nothing slow, because every call of `lapilli referee` and `lapilli match` loads it.
"""

from __future__ import annotations

import os
import resource
import signal
import stat
import sys
import tempfile
from hashlib import blake2b

VARIABLE = "LAPILLI_RESIDENT"
"""Name of an environment variable. With the value 0, no resident process is used or started."""
_READ_AT_IMPORT = (
    *("LANG", "LC_", "PYTHON", "LAPILLI_", "NUMBA_", "XDG_", "HOME", "TMPDIR", "OMP_", "OPENBLAS_"),
    *("COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "TERM"),
)
"""Beginnings of the names of those environment variables that are read while the program is loaded."""
_PRIVATE = 0o700
_MOST = 100
"""The path of a socket must be shorter than this, in bytes. macOS allows 103 bytes, Linux 107."""


def socket_path() -> str | None:
    """Returns the path of the socket of the resident process that may run this process's calls.

    The name of the socket is a hash of properties of this process that a resident process cannot change later: user,
    groups, Python, namespaces, control groups, resource limits, priority, ignored signals, and the environment
    variables that are read while the program is loaded. So a call never reaches a resident process that would behave
    differently. Returns None if there is no private folder, or if the path would be too long.
    """
    folder = _folder()
    if folder is None:
        return None
    digest = blake2b(repr(_inherited()).encode("utf-8", "surrogateescape"), digest_size=12)
    path = os.path.join(folder, digest.hexdigest())
    return path if len(os.fsencode(path)) < _MOST else None


def _inherited() -> list[object]:
    mask = os.umask(0o77)
    os.umask(mask)
    limits = [getattr(resource, name) for name in sorted(dir(resource)) if name.startswith("RLIMIT_")]
    return [
        (os.getuid(), os.geteuid(), os.getgid(), os.getegid(), sorted(os.getgroups())),
        (sys.executable, sys.version, __file__, tuple(sys.flags), sys.warnoptions, sys.path[1:]),
        [_link(f"/proc/self/ns/{name}") for name in ("mnt", "net", "pid", "user", "ipc", "cgroup")],
        _text("/proc/self/cgroup"),
        [resource.getrlimit(limit) for limit in limits],
        (mask, os.getpriority(os.PRIO_PROCESS, 0)),
        sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        [number for number in signal.valid_signals() if signal.getsignal(number) == signal.SIG_IGN],
        sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        sorted(item for item in os.environ.items() if item[0].startswith(_READ_AT_IMPORT)),
    ]


def _folder() -> str | None:
    """Returns a folder for sockets that only this user can enter, creating it if needed; None if that fails."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = os.path.join(runtime, "lapilli") if runtime else f"{tempfile.gettempdir()}/lapilli-{os.getuid()}"
    try:
        os.mkdir(folder, _PRIVATE)
    except FileExistsError:
        pass
    except OSError:
        return None
    try:
        found = os.lstat(folder)
    except OSError:
        return None
    is_private = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == _PRIVATE
    return folder if is_private else None


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError):
        return ""
