"""Names of workers, the processes that claim matches. From a worker's name, other processes on the same machine can
find out whether the worker has died.

A name is HOST/MACHINE/PID/START/TOKEN. MACHINE identifies one start of the operating system and one set of process
numbers: each container has its own set. START is the start time of the process, because process numbers are used again.
MACHINE and START are empty on systems without /proc, such as macOS. On these systems, dead workers are not recognized,
and their claims end when they expire.
"""

from __future__ import annotations

import os
import re
import socket
from functools import cache
from pathlib import Path
from secrets import token_hex

_NAME = re.compile(r"(?P<host>[^/]*)/(?P<machine>[0-9a-f:-]+)/(?P<pid>\d+)/(?P<start>\d+)/[0-9a-f]+")
_ENDED = ("Z", "X")
"""States in the file /proc/PID/stat of a process that has ended."""


def worker_name() -> str:
    """Returns a new name for a worker of this process."""
    host = socket.gethostname().replace("/", "_")
    pid = os.getpid()
    _, start = _state(pid) or ("", "")
    return f"{host}/{_machine()}/{pid}/{start}/{token_hex(4)}"


def is_dead(worker: str) -> bool:
    """Returns whether the process of a worker has certainly ended. Always False for a worker on another machine."""
    found = _NAME.fullmatch(worker)
    if found is None or found["machine"] != _machine():
        return False
    pid = int(found["pid"])
    state = _state(pid)
    if state is None:  # the process has ended, or /proc is mounted so that it hides other users' processes
        return not _exists(pid)
    return state[0] in _ENDED or state[1] != found["start"]


def in_words(worker: str) -> str:
    """Returns a display text for a worker, such as "process 4711 on this machine".

    Returns the worker's name if the name does not have the form that this module describes.
    """
    found = _NAME.fullmatch(worker)
    if found is None:
        return worker
    place = "on this machine" if found["machine"] == _machine() else f"on {found['host']}"
    return f"process {found['pid']} {place}"


@cache
def _machine() -> str:
    try:
        if os.readlink("/proc/self") != str(os.getpid()):  # /proc shows the processes outside of this container
            return ""
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        numbers = re.sub(r"\D", "", os.readlink("/proc/self/ns/pid"))
    except OSError:
        return ""
    return f"{boot}:{numbers}"


def _state(pid: int) -> tuple[str, str] | None:
    """Returns the state of the process with the id `pid` (a letter, as in /proc) and its start time.

    The start time is a text: the time since the start of the system. Returns None if the two cannot be read.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the name in brackets may contain anything
    return fields[0], fields[19]


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
