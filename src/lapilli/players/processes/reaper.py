"""Finds a bot's processes: to end those that it leaves behind, and to measure how much they use.

A bot is killed together with its process group. A descendant may have left the group (setsid, a double fork). So every
bot's environment contains a tag that its descendants inherit, and on Linux the processes with this tag are found in
/proc. This misses a descendant that both started its own session and emptied its environment, or that runs as another
user; and, where there is no /proc (macOS), every descendant that left the group. Nothing is missed where the bot has a
control group (`cgroups`), since no process can leave that.

This file is also a program that the `watchdog` starts, so it imports nothing but Python's standard library.
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

_LOOKS_AT_UNSURE = 3
"""How often a process without a readable environment is looked at: it may be in the middle of an exec, or about to
end.
"""


def kill_group(group: int) -> None:
    """Kills a process group; ignores one that is gone already, or that we have no right to kill."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def sweep(tag: str, session: int | None, patience: float) -> None:
    """Kills every process that has `tag` in its environment or belongs to `session`, until none is left.

    Args:
        tag: a string that occurs in no other process's environment.
        session: number of a session of ours. Its leader must not have been reaped, or the number may belong to another
            process by now. The leader itself is not killed here: the process that started it reaps it.
        patience: CPU time of this thread, in seconds, after which to give up. It is not wall-clock time, because one
            look takes longer on a busy machine, and fleeing processes are not slower there.
    """
    if not _HAS_PROC:
        return
    needle = tag.encode()
    looks: dict[int, int] = {}
    strangers = {session}
    give_up = time.thread_time() + patience
    while True:
        again = False
        for pid in _all_pids():
            if pid in strangers:
                continue
            ours = _is_ours(pid, needle, session)
            if ours:
                _kill(pid, needle, session)
                again = True
            elif ours is None:
                looks[pid] = looks.get(pid, 0) + 1
                again |= looks[pid] < _LOOKS_AT_UNSURE
            else:
                strangers.add(pid)
        if not again or time.thread_time() > give_up:
            return
        time.sleep(0.0002)


def _all_pids() -> list[int]:
    """Returns the numbers of all processes, usually the newest first, so that a chain of forking processes is caught at
    its end.
    """
    try:
        return sorted((int(name) for name in os.listdir("/proc") if name.isdecimal()), reverse=True)
    except OSError:  # no free descriptor is left
        return []


def _is_ours(pid: int, tag: bytes, session: int | None) -> bool | None:
    """Returns whether the process `pid` is a bot's descendant; None if that is not known yet, or can no longer be
    known.
    """
    try:
        its_session = os.getsid(pid)
    except OSError:  # ended since it was listed: a child of its last moment may not be listed yet
        return None
    if its_session == 0:  # a kernel thread, or a process whose session began outside our pid namespace
        return False
    environment = contents(f"/proc/{pid}/environ")
    if environment and tag in environment:
        return True
    if its_session != session and environment != b"":
        return None if environment is None and _is_dead(pid) else False
    if _is_dead(pid):
        return None
    return True if its_session == session else None


def _is_dead(pid: int) -> bool:
    """Returns whether a process is gone, or a zombie that only waits for its parent."""
    stat = stat_of(pid)
    return not stat or stat[0] in b"ZX"


def contents(path: str) -> bytes | None:
    """Returns the contents of a file of /proc or of a control group; None if it is gone or we may not read it."""
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
    """Sends a signal to a process, unless it is gone or `is_it` returns False because another process now has its
    number.
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
    """Kills all processes in these control groups (see `cgroups`) and removes the groups, within `patience` seconds.

    Returns the folders of groups that are left: a killed process ends only when it next gets a processor, which can
    take long on a busy machine.
    """
    give_up = time.perf_counter() + patience
    left = [folder for folder in folders if not _remove(folder)]
    while left:
        for folder in left:
            _kill_all_in(folder)
        time.sleep(0.0002)
        left = [folder for folder in left if not _remove(folder)]
        if time.perf_counter() >= give_up:
            break
    return left


def _remove(folder: str) -> bool:
    """Removes a control group if it is empty, and returns whether it is gone now."""
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
        if pid:  # 0 is a process without a number in our own namespace
            send(pid, signal.SIGKILL, partial(_is_in, pid, os.path.basename(folder).encode()))


def _is_in(pid: int, group: bytes) -> bool:
    return group in (contents(f"/proc/{pid}/cgroup") or b"")


def write_to(path: str, text: str) -> None:
    """Writes to a file of /proc or of a control group, without buffering. Raises OSError."""
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def killed_for_memory(folders: Sequence[str]) -> int | None:
    """Returns how many processes the system has killed because these groups had used up their memory; None if none of
    the groups limits memory.
    """
    for folder in folders:
        for name in ("memory.events", "memory.oom_control"):  # of version 2 and of version 1
            killed = _count(f"{folder}/{name}", b"oom_kill")
            if killed is not None:
                return killed
    return None


def _count(path: str, what: bytes) -> int | None:
    """Returns the number after a word in a file of a control group; None if the word or the file is missing."""
    words = (contents(path) or b"").split()
    return int(words[words.index(what) + 1]) if what in words else None


# -------------------------------------------------------------------------------------- how much it uses

_TICKS = os.sysconf("SC_CLK_TCK")
_OWN_MEMORY = frozenset([b"RssAnon:", b"RssShmem:", b"VmSwap:"])
_SHARES = frozenset([b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"])


class BotUsage(NamedTuple):
    """Resources that a bot uses.

    Attributes:
        memory: memory in bytes.
        cpu_s: CPU time in seconds.
    """

    memory: int
    cpu_s: float


def children_of(pid: int) -> list[int]:
    """Returns the processes that any thread of a process has started and not yet reaped."""
    children: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            children += map(int, (contents(f"/proc/{pid}/task/{task}/children") or b"").split())
    return children


def tree_of(pid: int) -> Iterator[int]:
    """Yields a process and its descendants, parents first."""
    queue = [pid]
    for one in queue:
        yield one
        queue += children_of(one)


def usage_of(pid: int) -> BotUsage:
    """Returns the resources that a process and its descendants use.

    Memory is what belongs to no file on disk, swapped out or not; memory that several processes share counts for each
    of them. CPU time includes that of ended processes whose parents have waited for them.
    """
    memory, ticks = 0, 0
    for one in tree_of(pid):
        memory += _kilobytes(f"/proc/{one}/status", _OWN_MEMORY) or 0
        ticks += sum(map(int, stat_of(one)[11:15]))
    return BotUsage(memory << 10, ticks / _TICKS)


def shared_memory_of(pid: int) -> int:
    """Returns the memory of a process and its descendants in bytes. Of memory shared by several processes, each counts
    its share. The system needs milliseconds to compute this. A process that we may not inspect counts as in `usage_of`.
    """
    memory = 0
    for one in tree_of(pid):
        shares = _kilobytes(f"/proc/{one}/smaps_rollup", _SHARES)
        memory += (shares if shares is not None else _kilobytes(f"/proc/{one}/status", _OWN_MEMORY)) or 0
    return memory << 10


def _kilobytes(path: str, names: frozenset[bytes]) -> int | None:
    """Returns the sum over the lines "Name: 12 kB" of a file of /proc that have one of these names; None if there are
    none.
    """
    lines = [line.split() for line in (contents(path) or b"").splitlines()]
    found = [int(words[1]) for words in lines if words and words[0] in names]
    return sum(found) if found else None


def files_in(pid: int) -> int:
    """Returns how many files and folders the in-memory file systems of a sandbox hold.

    Args:
        pid: the first process in the sandbox; any other process could hide what it sees.
    """
    count = 0
    for line in os.fsdecode(contents(f"/proc/{pid}/mountinfo") or b"").splitlines():
        words = line.split()
        if words[words.index("-") + 1] == "tmpfs" and "rw" in words[5].split(","):
            with suppress(OSError):
                about = os.statvfs(f"/proc/{pid}/root{unescaped(words[4])}")
                count += about.f_files - about.f_ffree
    return count


def unescaped(path: str) -> str:
    r"""Decodes a path as mountinfo writes it, where a space is \040."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), path)


def stat_of(pid: int | str) -> list[bytes]:
    """Returns the fields of /proc/PID/stat from the third one, the state, on. Empty for a process that is gone."""
    stat = contents(f"/proc/{pid}/stat")
    return stat[stat.rindex(b")") + 2 :].split() if stat else []


def cpu_s_of_groups(folders: Sequence[str]) -> float | None:
    """Returns the CPU time of all processes that were ever in these groups, in seconds; None if none of the groups
    reports it.
    """
    for folder in folders:
        microseconds = _count(f"{folder}/cpu.stat", b"usage_usec")
        if microseconds is not None:
            return microseconds / 1e6
    return None


# ------------------------------------------------------------------------------------- as a program

_PATIENCE = 5.0
_LOOK_EVERY_S = 0.05
_LATE_LOOKS, _LATE_LOOKS_EVERY_S = 10, 0.05
"""Number and interval, in seconds, of late sweeps. A bot that was just being started when our process was killed
carries its tag only a moment later.
"""


class Watched(NamedTuple):
    """A bot to end when the process that started it is gone, or when the bot uses too much.

    Attributes:
        session: number of its session; 0 while it is not known.
        memory_mb: memory limit, in mebibytes; 0: none.
        cpu_s: limit of CPU time, in seconds; 0: none.
        files: limit of the number of files and folders in its sandbox's memory; 0: none.
        groups: folders of its control groups.
    """

    session: int = 0
    memory_mb: int = 0
    cpu_s: int = 0
    files: int = 0
    groups: tuple[str, ...] = ()

    def line(self, tag: str) -> str:
        """Formats the bot as a line for `serve`."""
        return "\t".join([tag, *map(str, self[:4]), *self.groups]) + "\n"

    @property
    def is_bounded(self) -> bool:
        """Whether any of its resources is limited."""
        return bool(self.memory_mb or self.cpu_s or self.files)

    def excess(self) -> str:
        """Returns the limit that it has exceeded, for people; empty if it has exceeded none."""
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
    """Formats the line for `serve` that says that a bot is gone, and which of its control groups are still to be
    removed.
    """
    return "\t".join([f"-{tag}", *groups]) + "\n"


def too_much_memory(megabytes: int) -> str:
    """Returns the verdict on a bot that used too much memory."""
    return f"used more than {megabytes} MB"


def serve(orders: int, verdicts: int) -> None:
    """Watches bots until the process that sends the orders is gone, and then ends the bots that are left.

    Args:
        orders: descriptor to read lines from: `Watched.line` for a bot to watch, `gone_line` when it is gone.
        verdicts: descriptor to write "TAG VERDICT" to, before a bot is ended because it uses too much.
    """
    watched: dict[str, Watched] = {}
    groups: set[str] = set()  # of bots that are gone
    text = b""
    while True:
        bounded = any(bot.is_bounded for bot in watched.values())
        if select.select([orders], [], [], _LOOK_EVERY_S if bounded or groups else None)[0]:
            heard = os.read(orders, 65536)
            if not heard:
                break
            *lines, text = (text + heard).split(b"\n")
            for line in lines:
                groups.update(_obey(os.fsdecode(line), watched))
        groups = set(end_groups(groups, 0))
        for tag, bot in watched.items():
            why = bot.excess()
            if why:
                watched[tag] = bot._replace(memory_mb=0, cpu_s=0, files=0)
                os.write(verdicts, f"{tag} {why}\n".encode())
                kill_group(bot.session)
    for tag, bot in watched.items():
        if bot.session:
            kill_group(bot.session)
        sweep(tag, bot.session or None, _PATIENCE)
        end_groups(bot.groups, _PATIENCE)
    end_groups(groups, _PATIENCE)
    for _ in range(_LATE_LOOKS if watched else 0):
        time.sleep(_LATE_LOOKS_EVERY_S)
        for tag in watched:
            sweep(tag, None, _PATIENCE)


def _obey(line: str, watched: dict[str, Watched]) -> Sequence[str]:
    """Applies one command line. Returns the control groups that a gone bot has left."""
    if line.startswith("-"):
        tag, *groups = line[1:].split("\t")
        watched.pop(tag, None)
        return groups
    tag, session, memory_mb, cpu_s, files, *groups = line.split("\t")
    watched[tag] = Watched(int(session), int(memory_mb), int(cpu_s), int(files), tuple(groups))
    return ()


if __name__ == "__main__":
    serve(0, 1)
