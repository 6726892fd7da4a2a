"""The names of the processes that claim matches. A name tells other processes of the same machine whether it has died.

A name is HOST/MACHINE/PID/START/TOKEN. MACHINE identifies one start of the operating system and, within it, one set of
process numbers: each container has its own. START is the start time of the process, because numbers are used again.
Both are empty where there is no /proc, such as on macOS. There nobody can tell, and claims end with their lease.
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
"""States of a process in /proc/PID/stat that mean that it has ended."""


def worker_name() -> str:
    """Returns a new name for a worker of this process."""
    host = socket.gethostname().replace("/", "_")
    pid = os.getpid()
    _, start = _state(pid) or ("", "")
    return f"{host}/{_machine()}/{pid}/{start}/{token_hex(4)}"


def is_dead(worker: str) -> bool:
    """Returns whether the process of a worker has certainly ended. False if it runs on another machine."""
    found = _NAME.fullmatch(worker)
    if found is None or found["machine"] != _machine():
        return False
    pid = int(found["pid"])
    state = _state(pid)
    if state is None:  # ended, or hidden from us by the way /proc is mounted
        return not _exists(pid)
    return state[0] in _ENDED or state[1] != found["start"]


def in_words(worker: str) -> str:
    """Returns a worker's process and machine in words for people; the name itself if it is in no known form."""
    found = _NAME.fullmatch(worker)
    if found is None:
        return worker
    place = "on this machine" if found["machine"] == _machine() else f"on {found['host']}"
    return f"process {found['pid']} {place}"


@cache
def _machine() -> str:
    try:
        if os.readlink("/proc/self") != str(os.getpid()):  # /proc shows the processes outside of our container
            return ""
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        numbers = re.sub(r"\D", "", os.readlink("/proc/self/ns/pid"))
    except OSError:
        return ""
    return f"{boot}:{numbers}"


def _state(pid: int) -> tuple[str, str] | None:
    """Returns the state of a process and its start time since the system's start; None if they cannot be read."""
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
