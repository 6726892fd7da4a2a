"""Finding a bot's processes: what it leaves behind, to be ended, and how much memory it uses.

A bot is killed with its whole process group. A descendant may have left the group (setsid, a double fork), so every
bot's environment carries a tag that its descendants inherit, and on Linux whoever carries it is looked up in /proc.
Out of reach stays a descendant that both started its own session and emptied its environment, or that runs as
another user; where there is no /proc (macOS), one that left the group.

This file is also a program, see `warden`: it needs nothing but Python itself.
"""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import suppress

_HAS_PROC = os.path.exists("/proc/self/environ")

_LOOKS_AT_UNSURE = 3
"""How often a process without an environment is looked at: it may be in the middle of an exec."""


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
        patience: seconds after which to give up.
    """
    if not _HAS_PROC:
        return
    needle = tag.encode()
    looks: dict[int, int] = {}
    give_up = time.perf_counter() + patience
    while True:
        again = False
        for pid in _all_pids():
            if pid == session:
                continue
            ours = _is_ours(pid, needle, session)
            if ours:
                _kill(pid, needle, session)
                again = True
            elif ours is None:
                looks[pid] = looks.get(pid, 0) + 1
                again |= looks[pid] < _LOOKS_AT_UNSURE
        if not again or time.perf_counter() > give_up:
            return
        time.sleep(0.001)


def _all_pids() -> list[int]:
    """The numbers of all processes, the newest first, mostly: a chain of them is caught at its end."""
    try:
        return sorted((int(name) for name in os.listdir("/proc") if name.isdecimal()), reverse=True)
    except OSError:  # no descriptor is left to look with
        return []


def _is_ours(pid: int, tag: bytes, session: int | None) -> bool | None:
    """Whether the living process `pid` is a bot's descendant; None where that cannot be told yet."""
    try:
        its_session = os.getsid(pid)
    except OSError:
        return False
    if its_session == 0:  # a kernel thread, or a process whose session began outside our pid namespace
        return False
    environment = _contents(f"/proc/{pid}/environ")
    if environment and tag in environment:
        return True
    if its_session != session and environment != b"":
        return False
    if _is_dead(pid):
        return False
    return True if its_session == session else None


def _is_dead(pid: int) -> bool:
    """Whether it is gone, or a zombie that only waits for its parent."""
    stat = _contents(f"/proc/{pid}/stat")
    return not stat or stat[stat.rindex(b")") + 2 :][:1] in b"ZX"


def _contents(path: str) -> bytes | None:
    """A file of /proc; None where it is gone or not for us to read."""
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
    """Kills a process of ours, and no other that has got its number since."""
    with suppress(OSError):
        if not hasattr(os, "pidfd_open"):
            os.kill(pid, signal.SIGKILL)
            return
        process = os.pidfd_open(pid)
        try:
            if _is_ours(pid, tag, session):
                signal.pidfd_send_signal(process, signal.SIGKILL)
        finally:
            os.close(process)


# -------------------------------------------------------------------------------------- how much it uses

_PAGE = os.sysconf("SC_PAGE_SIZE")


def memory_of(pid: int) -> int:
    """Bytes that a process and its descendants hold for themselves: resident, and not of files. What a fork shares with
    its parent counts twice."""
    total = 0
    queue = [pid]
    while queue:
        one = queue.pop()
        sizes = (_contents(f"/proc/{one}/statm") or b"").split()
        if len(sizes) > 2:
            total += (int(sizes[1]) - int(sizes[2])) * _PAGE
        with suppress(OSError):
            for task in os.listdir(f"/proc/{one}/task"):
                queue += map(int, (_contents(f"/proc/{one}/task/{task}/children") or b"").split())
    return total


# ------------------------------------------------------------------------------------- as a program

_PATIENCE = 5.0
_LOOK_EVERY_S = 0.05
_LATE_LOOKS, _LATE_LOOKS_EVERY_S = 10, 0.05
"""A bot that was being started when the last to tell was killed becomes one, and carries its tag, a moment later."""


def serve(orders: int, verdicts: int) -> None:
    """Hears of bots until nobody is left to tell, and then ends those that are left.

    Args:
        orders: a descriptor to read lines from: "TAG SESSION MEGABYTES" (or "TAG 0 0" while neither is known) for a bot
            that may use so much memory (0: any), and "-TAG" when it is gone.
        verdicts: a descriptor to write "TAG MEGABYTES" to before a bot that uses more is ended for that.
    """
    watched: dict[str, tuple[int, int]] = {}
    text = b""
    while True:
        bounded = any(megabytes for _, megabytes in watched.values())
        if select.select([orders], [], [], _LOOK_EVERY_S if bounded else None)[0]:
            heard = os.read(orders, 65536)
            if not heard:
                break
            *lines, text = (text + heard).split(b"\n")
            for line in lines:
                _obey(line.decode(), watched)
        for tag, (session, megabytes) in watched.items():
            if megabytes and memory_of(session) > megabytes << 20:
                watched[tag] = (session, 0)
                os.write(verdicts, f"{tag} {megabytes}\n".encode())
                kill_group(session)
    for tag, (session, _) in watched.items():
        if session:
            kill_group(session)
        sweep(tag, session or None, _PATIENCE)
    for _ in range(_LATE_LOOKS if watched else 0):
        time.sleep(_LATE_LOOKS_EVERY_S)
        for tag in watched:
            sweep(tag, None, _PATIENCE)


def _obey(line: str, watched: dict[str, tuple[int, int]]) -> None:
    if line.startswith("-"):
        watched.pop(line[1:], None)
    else:
        tag, session, megabytes = line.split()
        watched[tag] = (int(session), int(megabytes))


if __name__ == "__main__":
    serve(0, 1)
