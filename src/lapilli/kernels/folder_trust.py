"""Checks that a folder is safe to load code from: only this user and root can write to it.

Machine code on disk is loaded with `pickle`, which runs code from the file that it reads. So a folder is used only if
no other user could have put a file into it. ssh applies the same rule to the folders of its keys (StrictModes).
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
    """Makes a new folder for this process alone and returns it. It is removed when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="lapilli-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def why_untrusted(folder: Path) -> str:
    """Returns a message if users other than this one and root can put files into a folder, else "".

    The message names the other user, or the command that corrects the permissions. All parent folders are checked, too:
    a user who can write to one of them could replace the folder by another. A parent folder with the sticky bit, such
    as /tmp, is safe from that. A folder that cannot be read is not trusted.
    """
    try:
        real = folder.resolve(strict=True)
        above = (_why_open(place, os.stat(place), is_above=True) for place in real.parents)
        return why_open(real) or next(filter(None, above), "")
    except OSError as error:
        return f"{folder} cannot be checked: {error.strerror}"


def why_open(folder: Path) -> str:
    """Returns a message like `why_untrusted`, or "" if the folder is safe, but does not check its parent folders.

    Raises:
        OSError: the folder cannot be read.
    """
    return _why_open(folder, os.stat(folder), is_above=False)


def _why_open(place: Path, status: os.stat_result, is_above: bool) -> str:
    """Returns why one folder is unsafe, or "" if it is safe.

    Args:
        place: the folder.
        status: the result of `os.stat` for it.
        is_above: whether it is a parent of the folder to use, not that folder itself.
    """
    if status.st_uid not in (0, os.geteuid()) and not _is_shown(place, status):
        return f"{place} belongs to {_name_of(status.st_uid)}, not to you"
    if is_above and status.st_mode & stat.S_ISVTX:
        return ""
    if status.st_mode & _OTHERS or (status.st_mode & _GROUP and not _is_private(status.st_gid)):
        return f"others can write to {place}: chmod go-w {place}"
    return ""


def _is_shown(place: Path, status: os.stat_result) -> bool:
    """Returns whether a folder belongs to a user outside this namespace and is mounted read-only.

    In a sandbox, the folders that come from outside look like this. They are trusted.
    """
    return status.st_uid == _unmapped() and bool(os.statvfs(place).f_flag & os.ST_RDONLY)


@cache
def _unmapped() -> int:
    """Returns the user number that Linux reports for files of all users outside this namespace."""
    with suppress(OSError, ValueError):
        return int(Path("/proc/sys/kernel/overflowuid").read_bytes())
    return 65_534


@cache
def _is_private(gid: int) -> bool:
    """Returns whether a group has no member but this user (and root). Debian gives every user such a group."""
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
