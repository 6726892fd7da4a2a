"""Finds all processes of a bot, to kill them when the bot ends and to measure the resources that they use.

A bot is killed together with its process group. But descendants of the bot may have left the group (setsid, a double
fork). So the environment of every bot contains a tag that its descendants inherit. On Linux, the processes with this
tag are found in /proc. Two kinds of descendants are missed: those that started a session of their own and also emptied
their environment, and those that run as another user. Without /proc, as on macOS, every descendant that left the group
is missed. Where the bot has a control group (`cgroups`), no descendant is missed, because no process can leave a
control group.

This file is also the program of the watchdog (see `watchdog`), so it imports only Python's standard library.
"""

from __future__ import annotations

import os
import re
import select
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

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

    Returns None if this cannot be said yet, or can no longer be said because the process has ended.

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


def write_to(path: str, text: str) -> None:
    """Writes a text to a file of /proc or of a control group, in one system call. Raises OSError if that fails."""
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


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


def _count(path: str, what: bytes) -> int | None:
    """Returns the number after the word `what` in a file of a control group; None if there is no such word or file."""
    words = (contents(path) or b"").split()
    return int(words[words.index(what) + 1]) if what in words else None


# ------------------------------------------------------------------------------------- resources

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


def unescaped(path: str) -> str:
    r"""Decodes a path from the file mountinfo, in which a space is written as \040."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), path)


def stat_of(pid: int | str) -> list[bytes]:
    """Returns the fields of /proc/PID/stat, without the first two; empty if the process has ended.

    So the first field in the result is the state of the process. For a thread, pass "PID/task/TID" as `pid`.
    """
    stat = contents(f"/proc/{pid}/stat")
    return stat[stat.rindex(b")") + 2 :].split() if stat else []


def cpu_s_of_groups(folders: Sequence[str]) -> float | None:
    """Returns the CPU time of all present and former processes of a bot's control groups, in seconds.

    Returns None if none of the groups reports this. `folders`: folders of the bot's groups, one for each hierarchy.
    """
    for folder in folders:
        microseconds = _count(f"{folder}/cpu.stat", b"usage_usec")
        if microseconds is not None:
            return microseconds / 1e6
    return None


# ------------------------------------------------------------------------------------- as a program

_PATIENCE = 5.0
"""Time for ending one bot after the process that started it has ended, in seconds; see `sweep` and `end_groups`."""
_CHECK_EVERY_S = 0.05
"""Interval between the checks of bots whose resources are limited, in seconds."""
_LATE_SWEEPS, _LATE_SWEEPS_EVERY_S = 10, 0.05
"""Number of sweeps that follow the first one, and the interval between them in seconds. They are needed if the process
that starts bots was killed while it started one: that bot's environment contains the tag only a moment later.
"""


class Watched(NamedTuple):
    """A bot that the watchdog ends when the process that started the bot has ended, or when the bot exceeds a limit.

    Attributes:
        session: number of the bot's session; 0 while the number is not known.
        memory_mb: memory limit, in mebibytes; 0 for no limit.
        cpu_s: limit of CPU time, in seconds; 0 for no limit.
        files: limit of the number of files and folders that the bot's sandbox stores in memory; 0 for no limit.
        groups: folders of the bot's control groups.
    """

    session: int = 0
    memory_mb: int = 0
    cpu_s: int = 0
    files: int = 0
    groups: tuple[str, ...] = ()

    def line(self, tag: str) -> str:
        """Formats the order to watch this bot, as one line for `serve`. `tag`: the bot's unique tag."""
        return "\t".join([tag, *map(str, self[:4]), *self.groups]) + "\n"

    @property
    def is_bounded(self) -> bool:
        """Whether any of the bot's resources is limited."""
        return bool(self.memory_mb or self.cpu_s or self.files)

    def excess(self) -> str:
        """Checks the bot's limits. Returns a message such as "used more than 768 MB" if one is exceeded; else an empty
        string.
        """
        if not self.session or not self.is_bounded:
            return ""
        killed, cpu_s = killed_for_memory(self.groups), cpu_s_of_groups(self.groups)
        memory = 0
        if killed is None or cpu_s is None:
            usage = usage_of(self.session)
            memory = usage.memory if killed is None else 0
            cpu_s = usage.cpu_s if cpu_s is None else cpu_s
        if self.memory_mb and memory > self.memory_mb << 20:
            memory = shared_memory_of(self.session)
        if self.memory_mb and (killed or memory > self.memory_mb << 20):
            return too_much_memory(self.memory_mb)
        if self.cpu_s and cpu_s > self.cpu_s:
            return f"used more than {self.cpu_s} s of processor time"
        if self.files and any(files_in(child) > self.files for child in children_of(self.session)):
            return f"made more than {self.files} files"
        return ""


def gone_line(tag: str, groups: Sequence[str]) -> str:
    """Formats the order to stop watching a bot that has ended, as one line for `serve`.

    Args:
        tag: the bot's unique tag.
        groups: folders of those control groups of the bot that could not be removed yet; `serve` removes them.
    """
    return "\t".join([f"-{tag}", *groups]) + "\n"


def too_much_memory(megabytes: int) -> str:
    """Returns the message about a bot that has exceeded a memory limit of `megabytes`."""
    return f"used more than {megabytes} MB"


def serve(orders: int, verdicts: int) -> None:
    """Runs the watchdog: watches bots until the process that sends the orders has ended, and then ends all bots still
    watched.

    Args:
        orders: descriptor to read orders from, one in each line: `Watched.line` to watch a bot, `gone_line` to stop
            watching it.
        verdicts: descriptor to write verdicts to. Before a bot is ended for exceeding a limit, a line with the bot's
            tag and the message of `Watched.excess` is written.
    """
    watched: dict[str, Watched] = {}
    groups: set[str] = set()  # control groups, still to be removed, of bots that have ended
    text = b""
    while True:
        bounded = any(bot.is_bounded for bot in watched.values())
        if select.select([orders], [], [], _CHECK_EVERY_S if bounded or groups else None)[0]:
            data = os.read(orders, 65536)
            if not data:
                break
            *lines, text = (text + data).split(b"\n")
            for line in lines:
                groups.update(_apply_order(os.fsdecode(line), watched))
        groups = set(end_groups(groups, 0))
        for tag, bot in watched.items():
            excess = bot.excess()
            if excess:
                watched[tag] = bot._replace(memory_mb=0, cpu_s=0, files=0)
                os.write(verdicts, f"{tag} {excess}\n".encode())
                kill_group(bot.session)
    for tag, bot in watched.items():
        if bot.session:
            kill_group(bot.session)
        sweep(tag, bot.session or None, _PATIENCE)
        end_groups(bot.groups, _PATIENCE)
    end_groups(groups, _PATIENCE)
    for _ in range(_LATE_SWEEPS if watched else 0):
        time.sleep(_LATE_SWEEPS_EVERY_S)
        for tag in watched:
            sweep(tag, None, _PATIENCE)


def _apply_order(line: str, watched: dict[str, Watched]) -> Sequence[str]:
    """Applies one order to the dict of watched bots, by tag: adds a bot (`Watched.line`), or removes it (`gone_line`).

    Returns:
        The folders of an ended bot's control groups that are still to be removed; empty if the order is `Watched.line`.
    """
    if line.startswith("-"):
        tag, *groups = line[1:].split("\t")
        watched.pop(tag, None)
        return groups
    tag, session, memory_mb, cpu_s, files, *groups = line.split("\t")
    watched[tag] = Watched(int(session), int(memory_mb), int(cpu_s), int(files), tuple(groups))
    return ()


if __name__ == "__main__":
    serve(0, 1)
