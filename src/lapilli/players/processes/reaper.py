"""Finds all processes of a bot, and kills them when the bot ends.

A bot is killed together with its process group. But descendants of the bot may have left the group (setsid, a double
fork). So the environment of every bot contains a tag that its descendants inherit. On Linux, the processes with this
tag are found in /proc. Two kinds of descendants are missed: those that started a session of their own and also emptied
their environment, and those that run as another user. Without /proc, as on macOS, every descendant that left the group
is missed. Where the bot has a control group (`cgroups`), no descendant is missed, because no process can leave a
control group.

The watchdog imports this file (see `watchdog_main`), so this file imports only Python's standard library and `procfs`.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from lapilli.players.processes.procfs import contents, stat_of, write_to

_HAS_PROC = os.path.exists("/proc/self/environ")

_CHECKS_IF_UNSURE = 3
"""Number of times that a process without a readable environment is checked. Such a process may be in the middle of an
exec, or about to end.
"""


def kill_group(group: int) -> None:
    """Kills all processes of a process group. Does nothing if they have ended, or if this process may not kill them."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def sweep(tag: str, session: int | None, patience: float) -> None:
    """Kills all processes of a bot, in repeated passes until none is left.

    These are the processes that have `tag` in their environment, and those that belong to `session`.

    Args:
        tag: the bot's tag, a string that occurs in no other process's environment.
        session: number of the session that this program started for the bot; None for no session. The session's leader
            must not have been reaped, because the number may belong to another process afterwards. This function does
            not kill the leader: the process that started the leader reaps it.
        patience: CPU time of this thread, in seconds, after which the function gives up. On a busy machine, a limit of
            wall-clock time would allow too few passes over all processes.
    """
    if not _HAS_PROC:
        return
    needle = tag.encode()
    checks: dict[int, int] = {}
    strangers = {session}
    give_up = time.thread_time() + patience
    while True:
        repeat = False
        for pid in _all_pids():
            if pid in strangers:
                continue
            is_ours = _is_ours(pid, needle, session)
            if is_ours:
                _kill(pid, needle, session)
                repeat = True
            elif is_ours is None:
                checks[pid] = checks.get(pid, 0) + 1
                repeat |= checks[pid] < _CHECKS_IF_UNSURE
            else:
                strangers.add(pid)
        if not repeat or time.thread_time() > give_up:
            return
        time.sleep(0.0002)


def _all_pids() -> list[int]:
    """Returns the ids of all processes, highest first.

    The newest process usually has the highest id. So in a chain of processes in which each forks and ends, the last
    process is found first.
    """
    try:
        return sorted((int(name) for name in os.listdir("/proc") if name.isdecimal()), reverse=True)
    except OSError:  # no free descriptor is left
        return []


def _is_ours(pid: int, tag: bytes, session: int | None) -> bool | None:
    """Returns whether a process belongs to a bot: has the bot's tag in its environment, or is in the bot's session.

    Returns None if this is not known: the process is just starting, or has ended already.

    Args:
        pid: process id.
        tag: the bot's tag.
        session: number of the bot's session; None if it has none.
    """
    try:
        own_session = os.getsid(pid)
    except OSError:  # it has ended: a child that it started just before may not be listed yet
        return None
    if own_session == 0:  # a kernel thread, or a process whose session began outside this process's pid namespace
        return False
    environment = contents(f"/proc/{pid}/environ")
    if environment and tag in environment:
        return True
    if own_session != session and environment != b"":
        return None if environment is None and _is_dead(pid) else False
    if _is_dead(pid):
        return None
    return True if own_session == session else None


def _is_dead(pid: int) -> bool:
    """Returns whether a process has ended. True for a zombie, which only waits until its parent reaps it."""
    stat = stat_of(pid)
    return not stat or stat[0] in b"ZX"


def _kill(pid: int, tag: bytes, session: int | None) -> None:
    send(pid, signal.SIGKILL, partial(_is_ours, pid, tag, session))


def send(pid: int, number: int, is_it: Callable[[], object]) -> None:
    """Sends a signal to a process. Does nothing if the process has ended, or if `is_it` returns a false value.

    Args:
        pid: process id.
        number: signal number.
        is_it: function that returns whether the process id `pid` still belongs to the intended process. It is not
            called on systems without pidfd_open.
    """
    with suppress(OSError):
        if not hasattr(os, "pidfd_open"):
            os.kill(pid, number)
            return
        process = os.pidfd_open(pid)
        try:
            if is_it():
                signal.pidfd_send_signal(process, number)
        finally:
            os.close(process)


# ------------------------------------------------------------------------------------- control groups


def end_groups(folders: Iterable[str], patience: float) -> list[str]:
    """Kills all processes in some control groups (see `cgroups`) and removes these groups, within `patience` seconds.

    Returns:
        The folders of groups that could not be removed yet, because a killed process has not ended. Such a process ends
        only when it next gets a processor, which can take long on a busy machine.
    """
    give_up = time.perf_counter() + patience
    remaining = [folder for folder in folders if not _remove(folder)]
    while remaining:
        for folder in remaining:
            _kill_all_in(folder)
        time.sleep(0.0002)
        remaining = [folder for folder in remaining if not _remove(folder)]
        if time.perf_counter() >= give_up:
            break
    return remaining


def _remove(folder: str) -> bool:
    """Removes a control group if it contains no processes. Returns whether the group no longer exists."""
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:  # it still contains a process
        return False
    return True


def _kill_all_in(folder: str) -> None:
    with suppress(OSError):
        write_to(f"{folder}/cgroup.kill", "1")
        return
    for pid in map(int, (contents(f"{folder}/cgroup.procs") or b"").split()):
        if pid:  # 0 stands for a process outside this process's pid namespace
            send(pid, signal.SIGKILL, partial(_is_in, pid, os.path.basename(folder).encode()))


def _is_in(pid: int, group: bytes) -> bool:
    return group in (contents(f"/proc/{pid}/cgroup") or b"")
