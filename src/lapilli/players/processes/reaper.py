"""Finding a bot's processes: what it leaves behind, to be ended, and how much it uses.

A bot is killed with its whole process group. A descendant may have left the group (setsid, a double fork), so every
bot's environment carries a tag that its descendants inherit, and on Linux whoever carries it is looked up in /proc.
Out of reach stays a descendant that both started its own session and emptied its environment, or that runs as
another user; where there is no /proc (macOS), one that left the group. Nothing is out of reach where the bot has a
control group (`cgroups`): no process leaves that.

This file is also a program, see `warden`: it needs nothing but Python itself.
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
"""How often a process without an environment is looked at: it may be in the middle of an exec, or at its end."""


def kill_group(group: int) -> None:
    """Kills a process group; one that is gone already, or beyond our rights, is left at that."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def sweep(tag: str, session: int | None, patience: float) -> None:
    """Kills every process that carries `tag` in its environment or belongs to `session`, until none is left.

    Args:
        tag: a text that occurs in no other process's environment.
        session: a session of ours. Its leader must not have been reaped, else the number may be someone else's; the
            leader itself is left alone, since whoever started it reaps it.
        patience: seconds of this thread's processor time after which to give up: on a busy machine a look around takes
            longer, and whoever flees goes no slower for it.
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
    """The numbers of all processes, the newest first, mostly: a chain of them is caught at its end."""
    try:
        return sorted((int(name) for name in os.listdir("/proc") if name.isdecimal()), reverse=True)
    except OSError:  # no descriptor is left to look with
        return []


def _is_ours(pid: int, tag: bytes, session: int | None) -> bool | None:
    """Whether the living process `pid` is a bot's descendant; None where that cannot be told: yet, or any more."""
    try:
        its_session = os.getsid(pid)
    except OSError:  # ended since it was listed: a child of its last moment is in no list yet
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
    """Whether it is gone, or a zombie that only waits for its parent."""
    stat = stat_of(pid)
    return not stat or stat[0] in b"ZX"


def contents(path: str) -> bytes | None:
    """A file of /proc or of a control group; None where it is gone or not for us to read."""
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
    """Sends a signal to a process, unless it is gone or `is_it` says that another has got its number since."""
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
    """Kills all that is in these control groups (see `cgroups`) and removes them, for so many seconds at most.

    Returns those that are left: whoever is killed goes when it next has a processor, which many on a busy machine wait
    for.
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
    """Whether a control group is gone now."""
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:  # somebody is in it still
        return False
    return True


def _kill_all_in(folder: str) -> None:
    with suppress(OSError):
        write_to(f"{folder}/cgroup.kill", "1")
        return
    for pid in map(int, (contents(f"{folder}/cgroup.procs") or b"").split()):
        if pid:  # 0 is one that our own namespace has no number for
            send(pid, signal.SIGKILL, partial(_is_in, pid, os.path.basename(folder).encode()))


def _is_in(pid: int, group: bytes) -> bool:
    return group in (contents(f"/proc/{pid}/cgroup") or b"")


def write_to(path: str, text: str) -> None:
    """Writes to a file of /proc or of a control group, at once. Raises OSError."""
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def killed_for_memory(folders: Sequence[str]) -> int | None:
    """How many processes the system has killed because these groups had used up their memory; None where none of them
    bounds memory."""
    for folder in folders:
        for name in ("memory.events", "memory.oom_control"):  # of version 2 and of version 1
            killed = _count(f"{folder}/{name}", b"oom_kill")
            if killed is not None:
                return killed
    return None


def _count(path: str, what: bytes) -> int | None:
    """The number behind a word in a file of a control group; None where it is not there."""
    words = (contents(path) or b"").split()
    return int(words[words.index(what) + 1]) if what in words else None


# -------------------------------------------------------------------------------------- how much it uses

_TICKS = os.sysconf("SC_CLK_TCK")
_OWN_MEMORY = frozenset([b"RssAnon:", b"RssShmem:", b"VmSwap:"])
_SHARES = frozenset([b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"])


class Usage(NamedTuple):
    """What a bot uses: bytes of memory, seconds of processor time."""

    memory: int
    cpu_s: float


def children_of(pid: int) -> list[int]:
    """The processes that any thread of a process has started and not yet reaped."""
    children: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            children += map(int, (contents(f"/proc/{pid}/task/{task}/children") or b"").split())
    return children


def tree_of(pid: int) -> Iterator[int]:
    """A process and its descendants, parents first."""
    queue = [pid]
    for one in queue:
        yield one
        queue += children_of(one)


def usage_of(pid: int) -> Usage:
    """What a process and its descendants use. Memory is what belongs to no file on a disk, swapped out or not; what
    several of them share counts for each. Of the dead, the time of those counts that were waited for."""
    memory, ticks = 0, 0
    for one in tree_of(pid):
        memory += _kilobytes(f"/proc/{one}/status", _OWN_MEMORY) or 0
        ticks += sum(map(int, stat_of(one)[11:15]))
    return Usage(memory << 10, ticks / _TICKS)


def shared_memory_of(pid: int) -> int:
    """Bytes of memory of a process and its descendants, of what several of them share a share for each. It takes the
    system milliseconds to count. A process that forbids a look counts as in `usage_of`."""
    memory = 0
    for one in tree_of(pid):
        shares = _kilobytes(f"/proc/{one}/smaps_rollup", _SHARES)
        memory += (shares if shares is not None else _kilobytes(f"/proc/{one}/status", _OWN_MEMORY)) or 0
    return memory << 10


def _kilobytes(path: str, names: frozenset[bytes]) -> int | None:
    """The sum of some lines "Name: 12 kB" of a file of /proc; None where there is none."""
    lines = [line.split() for line in (contents(path) or b"").splitlines()]
    found = [int(words[1]) for words in lines if words and words[0] in names]
    return sum(found) if found else None


def files_in(pid: int) -> int:
    """How many files and folders a sandbox's own file systems hold, those in memory.

    Args:
        pid: the first process in the sandbox, as any other could hide what it sees.
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
    r"""A path as mountinfo writes it: a blank is \040."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), path)


def stat_of(pid: int | str) -> list[bytes]:
    """What /proc/PID/stat says from the state on: the third field and those behind it. Empty for one that is gone."""
    stat = contents(f"/proc/{pid}/stat")
    return stat[stat.rindex(b")") + 2 :].split() if stat else []


def cpu_s_of_groups(folders: Sequence[str]) -> float | None:
    """Seconds of processor time that all who ever were in these groups have used; None where none of them tells."""
    for folder in folders:
        microseconds = _count(f"{folder}/cpu.stat", b"usage_usec")
        if microseconds is not None:
            return microseconds / 1e6
    return None


# ------------------------------------------------------------------------------------- as a program

_PATIENCE = 5.0
_LOOK_EVERY_S = 0.05
_LATE_LOOKS, _LATE_LOOKS_EVERY_S = 10, 0.05
"""A bot that was being started when the last to tell was killed becomes one, and carries its tag, a moment later."""


class Watched(NamedTuple):
    """A bot that is to be ended when nobody is left to tell, or when it uses too much.

    Attributes:
        session: its session; 0 while it is not known.
        memory_mb: mebibytes of memory that it may use; 0: any.
        cpu_s: seconds of processor time that it may use; 0: any.
        files: files and folders that it may have in its sandbox's memory; 0: any.
        groups: the folders of its control groups.
    """

    session: int = 0
    memory_mb: int = 0
    cpu_s: int = 0
    files: int = 0
    groups: tuple[str, ...] = ()

    def line(self, tag: str) -> str:
        """As it is told."""
        return "\t".join([tag, *map(str, self[:4]), *self.groups]) + "\n"

    @property
    def is_bounded(self) -> bool:
        """Whether there is something that it may use too much of."""
        return bool(self.memory_mb or self.cpu_s or self.files)

    def excess(self) -> str:
        """What it has used too much of, for people; empty for nothing."""
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
    """How it is told that a bot is gone, and which of its control groups are left to be ended."""
    return "\t".join([f"-{tag}", *groups]) + "\n"


def too_much_memory(megabytes: int) -> str:
    """The verdict."""
    return f"used more than {megabytes} MB"


def serve(orders: int, verdicts: int) -> None:
    """Hears of bots until nobody is left to tell, and then ends those that are left.

    Args:
        orders: a descriptor to read lines from: what `Watched.line` makes of a bot, and `gone_line` when it is gone.
        verdicts: a descriptor to write "TAG VERDICT" to before a bot that uses too much is ended for that.
    """
    watched: dict[str, Watched] = {}
    groups: set[str] = set()  # of those that are gone
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
    """Takes a line to heart. Returns control groups that somebody who is gone has left."""
    if line.startswith("-"):
        tag, *groups = line[1:].split("\t")
        watched.pop(tag, None)
        return groups
    tag, session, memory_mb, cpu_s, files, *groups = line.split("\t")
    watched[tag] = Watched(int(session), int(memory_mb), int(cpu_s), int(files), tuple(groups))
    return ()


if __name__ == "__main__":
    serve(0, 1)
