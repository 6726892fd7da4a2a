"""Measures the resources that all processes of a bot use together: memory, CPU time and files in memory.

The numbers come from /proc, or from the bot's control groups (`cgroups`). The watchdog imports this file (see
`watchdog_main`), so this file imports only Python's standard library and `procfs`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from lapilli.players.processes.procfs import contents, stat_of, tree_of, unescaped

_TICKS = os.sysconf("SC_CLK_TCK")
_OWN_MEMORY = frozenset([b"RssAnon:", b"RssShmem:", b"VmSwap:"])
_SHARES = frozenset([b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"])


class BotUsage(NamedTuple):
    """Resources that all processes of a bot use together.

    Attributes:
        memory: memory in bytes.
        cpu_s: CPU time in seconds.
    """

    memory: int
    cpu_s: float


def usage_of(pid: int) -> BotUsage:
    """Returns the resources that a process and its descendants use.

    The memory includes swapped-out memory, but not memory that belongs to a file on disk. Memory that several processes
    share is counted once for each of them. The CPU time includes that of ended processes whose parents have reaped
    them.
    """
    memory, ticks = 0, 0
    for process in tree_of(pid):
        memory += _kilobytes(f"/proc/{process}/status", _OWN_MEMORY) or 0
        ticks += sum(map(int, stat_of(process)[11:15]))
    return BotUsage(memory << 10, ticks / _TICKS)


def shared_memory_of(pid: int) -> int:
    """Returns the memory of a process and its descendants, in bytes.

    Unlike in `usage_of`, memory that several processes share is divided equally among them. The system needs
    milliseconds to compute this. Where this process may not inspect another one, shared memory is counted fully, as in
    `usage_of`.
    """
    memory = 0
    for process in tree_of(pid):
        shares = _kilobytes(f"/proc/{process}/smaps_rollup", _SHARES)
        memory += (shares if shares is not None else _kilobytes(f"/proc/{process}/status", _OWN_MEMORY)) or 0
    return memory << 10


def _kilobytes(path: str, names: frozenset[bytes]) -> int | None:
    """Adds up lines such as "RssAnon: 12 kB" in a file of /proc, and returns the sum in kB; None if there is no such
    line.

    Args:
        path: the file.
        names: first words of the lines to add up, with the colon.
    """
    lines = [line.split() for line in (contents(path) or b"").splitlines()]
    found = [int(words[1]) for words in lines if words and words[0] in names]
    return sum(found) if found else None


def files_in(pid: int) -> int:
    """Returns the number of files and folders that a sandbox stores in memory: those in its writable file systems.

    Args:
        pid: id of the first process in the sandbox. Do not pass another process of the bot, which could have other
            mounts.
    """
    count = 0
    for line in os.fsdecode(contents(f"/proc/{pid}/mountinfo") or b"").splitlines():
        words = line.split()
        if words[words.index("-") + 1] == "tmpfs" and "rw" in words[5].split(","):
            with suppress(OSError):
                file_system = os.statvfs(f"/proc/{pid}/root{unescaped(words[4])}")
                count += file_system.f_files - file_system.f_ffree
    return count


def killed_for_memory(folders: Sequence[str]) -> int | None:
    """Returns how many processes of a bot the system has killed because the bot's control groups reached their memory
    limit.

    Returns None if none of the groups reports this. `folders`: folders of the bot's groups, one for each hierarchy.
    """
    for folder in folders:
        for name in ("memory.events", "memory.oom_control"):  # in version 2 and in version 1
            killed = _count(f"{folder}/{name}", b"oom_kill")
            if killed is not None:
                return killed
    return None


def cpu_s_of_groups(folders: Sequence[str]) -> float | None:
    """Returns the CPU time of all present and former processes of a bot's control groups, in seconds.

    Returns None if none of the groups reports this. `folders`: folders of the bot's groups, one for each hierarchy.
    """
    for folder in folders:
        microseconds = _count(f"{folder}/cpu.stat", b"usage_usec")
        if microseconds is not None:
            return microseconds / 1e6
    return None


def _count(path: str, what: bytes) -> int | None:
    """Returns the number after the word `what` in a file of a control group; None if there is no such word or file."""
    words = (contents(path) or b"").split()
    return int(words[words.index(what) + 1]) if what in words else None
