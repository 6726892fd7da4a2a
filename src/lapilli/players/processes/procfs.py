"""Reads files of /proc and of control groups, and writes to them.

On systems without /proc, such as macOS, no process has contents, fields or children. The watchdog imports this file
(see `watchdog_main`), so this file imports only Python's standard library.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress


def contents(path: str) -> bytes | None:
    """Returns the contents of a file of /proc or of a control group; None if the file cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        data = chunk = os.read(fd, 65536)
        while chunk:
            chunk = os.read(fd, 65536)
            data += chunk
    except OSError:
        return None
    else:
        return data
    finally:
        os.close(fd)


def write_to(path: str, text: str) -> None:
    """Writes a text to a file of /proc or of a control group, in one system call. Raises OSError if that fails."""
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def unescaped(path: str) -> str:
    r"""Decodes a path from the file mountinfo, in which a space is written as \040."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), path)


def stat_of(pid: int | str) -> list[bytes]:
    """Returns the fields of /proc/PID/stat, without the first two; empty if the process has ended.

    So the first field in the result is the state of the process. For a thread, pass "PID/task/TID" as `pid`.
    """
    stat = contents(f"/proc/{pid}/stat")
    return stat[stat.rindex(b")") + 2 :].split() if stat else []


def children_of(pid: int) -> list[int]:
    """Returns the ids of all child processes of a process, whichever of its threads started them."""
    children: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            children += map(int, (contents(f"/proc/{pid}/task/{task}/children") or b"").split())
    return children


def tree_of(pid: int) -> Iterator[int]:
    """Yields the ids of a process and all its descendants, parents first."""
    queue = [pid]
    for process in queue:
        yield process
        queue += children_of(process)
