"""Checks that a folder is safe to load code from: only this user and root can write to it.

Machine code on disk is loaded with `pickle`, which can run code from the file. So a folder is used only if no other
user can have written a file there. ssh applies the same rule to the folders that contain keys (StrictModes).
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
    """Creates a temporary folder for this process alone and returns its path. The folder is removed at exit."""
    folder = Path(tempfile.mkdtemp(prefix="lapilli-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def why_untrusted(folder: Path) -> str:
    """Returns a message if users other than this one and root can write files into a folder, else "".

    The message names the other user, or the command that corrects the permissions. All parent folders are checked, too:
    a user who can write to a parent folder could replace the folder by another one. This is not possible in a parent
    folder with the sticky bit, such as /tmp. If a folder cannot be read, a message is returned, too.
    """
    try:
        real = folder.resolve(strict=True)
        above = (_why_open(place, os.stat(place), is_above=True) for place in real.parents)
        return why_open(real) or next(filter(None, above), "")
    except OSError as error:
        return f"{folder} cannot be checked: {error.strerror}"


def why_open(folder: Path) -> str:
    """Checks a folder like `why_untrusted`, but not its parents. Returns a message, or "" if the folder is safe.

    Raises:
        OSError: the folder cannot be read.
    """
    return _why_open(folder, os.stat(folder), is_above=False)


def _why_open(place: Path, status: os.stat_result, is_above: bool) -> str:
    """Returns a message if other users can write to one folder, else "". Its parent folders are not checked.

    Args:
        place: the folder.
        status: the result of `os.stat` for this folder.
        is_above: whether this is only a parent of the folder from which code is to be loaded.
    """
    if status.st_uid not in (0, os.geteuid()) and not _is_shown(place, status):
        return f"{place} belongs to {_name_of(status.st_uid)}, not to you"
    if is_above and status.st_mode & stat.S_ISVTX:
        return ""
    if status.st_mode & _OTHERS or (status.st_mode & _GROUP and not _is_private(status.st_gid)):
        return f"others can write to {place}: chmod go-w {place}"
    return ""


def _is_shown(place: Path, status: os.stat_result) -> bool:
    """Returns whether a folder belongs to a user outside this user namespace and is mounted read-only.

    In a sandbox, the folders of the host system are like this. They are trusted: nobody in the sandbox can write there.
    `place` is the folder, and `status` the result of `os.stat` for it.
    """
    return status.st_uid == _unmapped() and bool(os.statvfs(place).f_flag & os.ST_RDONLY)


@cache
def _unmapped() -> int:
    """Returns the user number that Linux shows as the owner of files of all users outside this user namespace."""
    with suppress(OSError, ValueError):
        return int(Path("/proc/sys/kernel/overflowuid").read_bytes())
    return 65_534


@cache
def _is_private(gid: int) -> bool:
    """Returns whether the group with the number `gid` has no members besides this user and root.

    On Debian, every user has such a group.
    """
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
