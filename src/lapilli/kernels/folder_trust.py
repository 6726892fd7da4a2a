"""Whether a folder is safe to run code from: nobody but this user and root can write to it.

Machine code on disk is loaded by `pickle`, which runs what it reads. So a folder is used only where no other user could
have put a file into it, as ssh uses keys only from such folders (StrictModes).
"""

from __future__ import annotations

import atexit
import grp
import os
import pwd
import shutil
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

_OTHERS = 0o002
_GROUP = 0o020


def private_folder() -> Path:
    """A new folder for this process alone, which is removed when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="lapilli-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def why_untrusted(folder: Path) -> str:
    """Says which other user can put files into a folder, and what to do about it; "" where only this user and root can.

    Every folder above it counts, too: who can write there can put another folder in its place, unless that folder is
    sticky, as /tmp is.
    """
    try:
        real = folder.resolve(strict=True)
        above = (_why_open(place, os.stat(place), is_above=True) for place in real.parents)
        return why_open(real) or next(filter(None, above), "")
    except OSError as error:
        return f"{folder} cannot be looked at: {error.strerror}"


def why_open(folder: Path) -> str:
    """As `why_untrusted`, without a look at the folders above. Raises OSError where the folder cannot be looked at."""
    return _why_open(folder, os.stat(folder), is_above=False)


def _why_open(place: Path, status: os.stat_result, is_above: bool) -> str:
    """Says what is wrong with one folder; "" where nothing is."""
    if status.st_uid not in (0, os.geteuid()) and not _is_shown(place, status):
        return f"{place} belongs to {_name_of(status.st_uid)}, not to you"
    if is_above and status.st_mode & stat.S_ISVTX:
        return ""
    if status.st_mode & _OTHERS or (status.st_mode & _GROUP and not _is_private(status.st_gid)):
        return f"others can write to {place}: chmod go-w {place}"
    return ""


def _is_shown(place: Path, status: os.stat_result) -> bool:
    """Whether a folder of a user from outside this namespace is shown here read-only, as a sandbox does: then the one
    who made the sandbox vouches for it."""
    return status.st_uid == _unmapped() and bool(os.statvfs(place).f_flag & os.ST_RDONLY)


@cache
def _unmapped() -> int:
    """The user to whom the system says that files of users from outside this namespace belong."""
    with suppress(OSError, ValueError):
        return int(Path("/proc/sys/kernel/overflowuid").read_bytes())
    return 65_534


@cache
def _is_private(gid: int) -> bool:
    """Whether a group has no member but this user, as Debian gives everybody one of their own."""
    me = os.geteuid()
    with suppress(KeyError):
        name = pwd.getpwuid(me).pw_name
        members = set(grp.getgrgid(gid).gr_mem) | {user.pw_name for user in pwd.getpwall() if user.pw_gid == gid}
        return members <= {name, "root"}
    return False


def _name_of(uid: int) -> str:
    with suppress(KeyError):
        return f"user {pwd.getpwuid(uid).pw_name}"
    return f"user number {uid}"
