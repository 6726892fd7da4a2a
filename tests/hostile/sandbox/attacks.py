"""The attacks that a bot in the sandbox is tried with, and what is to come of each.

`referee.py` tries them all in a mode: a user who is root or not, with control groups or without. `report.py` prints
what came of them as a table.
"""

from __future__ import annotations

from typing import NamedTuple

from lapilli.players import Limits
from lapilli.players.sandbox.syscalls import has_filter, machine, numbers

REFUSED = "could not"
"""The bot answers that it could not."""


class Attack(NamedTuple):
    """One attack.

    Attributes:
        promise: what the sandbox promises, "a bot cannot …".
        words: what `attacker.py` is told; a word in braces stands for something of the host's, see `referee.py`.
            A path behind "its@" is none that the command names.
        outcome: how the bot's answer, or the reason of its end, begins.
        limits: what the bot may use.
    """

    promise: str
    words: tuple[str, ...]
    outcome: str = REFUSED
    limits: Limits = Limits()


_CALLS = map(str, numbers(machine()) if has_filter(machine()) else ())
_MEMORY = Limits(memory_mb=150, tmp_mb=64)
_TOO_MUCH = "used more than 150 MB"
ATTACKS = {
    "settings of the kernel": Attack("write to /proc/sys, /sys or other files of the kernel", ("settings",)),
    "forbidden system calls": Attack("make a system call that no bot needs", ("calls", *_CALLS)),
    "sockets to the kernel": Attack("open a socket but of IP and Unix", ("sockets",)),
    "keys": Attack("see the host's keys", ("keys", "{key}")),
    "files elsewhere": Attack(
        "read your files", ("read", "its@{secret}", "its@/etc/shadow", "its@/proc/1/root/etc/shadow")
    ),
    "writing": Attack("write but to its own places", ("write", "{own}/new", "/usr/new", "/new", "its@{secret}")),
    "secrets of processes": Attack("read the referee's command line or environment", ("spy", "{word}")),
    "signals": Attack("send a signal to what it did not start", ("signal",)),
    "network": Attack("reach the network, or a socket of the host's", ("connect", "{port}", "{socket}")),
    "terminal": Attack("change your terminal", ("echo", "{terminal}")),
    "namespaces": Attack("get rights in a namespace of its own", ("namespaces",)),
    "other users": Attack("become another user", ("become",)),
    "its own limits": Attack("raise its limits or its priority", ("limits",)),
    "the machine": Attack("set the clock or the machine's name", ("machine",)),
    "devices": Attack("open or make a device", ("devices",)),
    "load of the host": Attack("read the host's load and pressure", ("load",)),
    "memory": Attack("use more memory than it may", ("eat", "plain", "400"), _TOO_MUCH, _MEMORY),
    "memory, hidden": Attack("hide its memory", ("eat", "hidden", "400"), _TOO_MUCH, _MEMORY),
    "memory, shared": Attack("use more memory than it may by sharing it", ("eat", "shared", "400"), _TOO_MUCH, _MEMORY),
    "memory, in children": Attack("use more memory in children", ("eat", "children", "400"), _TOO_MUCH, _MEMORY),
    "memory, in no process": Attack("use memory that belongs to no process", ("eat", "memfd", "400"), REFUSED, _MEMORY),
    "space": Attack("fill its /tmp or /dev/shm beyond bounds", ("fill", "100", "/tmp", "/dev/shm", "{own}", "/")),
    "files": Attack("make more files than it may", ("files", "300000"), "made more than 16384 files"),
    "processes": Attack("have more processes than it may", ("breed", "400"), REFUSED, Limits(processes=50)),
    "processor time": Attack(
        "use more processor time than it may", ("compute",), "used more than 1 s of processor time", Limits(cpu_s=1)
    ),
    "daemon": Attack("leave a process behind", ("flee", "{word}-left")),
}
ALLOWED = {
    "memory shared by many": Attack("count shared memory once", ("share", "100", "4"), REFUSED, _MEMORY),
}
"""What looks like an attack and is none."""
