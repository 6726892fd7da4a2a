"""The watchdog: a second process that ends this process's bots if this process cannot do so, as after `kill -9`.

It also ends bots that use too much memory or CPU time. This process sends it, through a pipe, a line for each bot that
starts or ends. Only this process has the writing end of the pipe open. So when this process ends, the pipe ends, and
the watchdog ends the bots that are left (`reaper.serve`). A process starts its watchdog together with its first bot,
and uses it for all its matches.

The watchdog finds a bot's processes as `reaper` does. A bot of the same user could kill the watchdog first, unless the
bot is in a sandbox. If no watchdog can be started (no descriptor or no memory left), a match goes on without one.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock

from lapilli.players.processes.reaper import Watched, gone_line

_PROGRAM = Path(__file__).with_name("reaper.py")
_LAST_SECONDS = 1.0


class _Watchdog:
    """This process's end of the watchdog: starts it, sends it lines, and reads its verdicts. Safe for threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._watched: dict[str, str] = {}
        self._verdicts: dict[str, str] = {}

    def watch(self, tag: str, bot: Watched) -> None:
        line = bot.line(tag)
        with self._lock:
            self._watched[tag] = line
            self._send(line)

    def forget(self, tag: str, groups: Sequence[str]) -> None:
        with self._lock:
            if self._watched.pop(tag, None):
                self._send(gone_line(tag, groups))
                self._verdicts.pop(tag, None)

    def verdict(self, tag: str) -> str:
        with self._lock, suppress(OSError):
            if self._process and self._process.stdout:
                for line in (self._process.stdout.read() or b"").decode().splitlines():
                    owner, _, reason = line.partition(" ")
                    self._verdicts[owner] = reason
        return self._verdicts.get(tag, "")

    def _send(self, line: str) -> None:
        with suppress(OSError):
            try:
                if self._process is None:
                    self._start()
                self._write(line)
            except BrokenPipeError:  # the watchdog was killed
                self._stop()
                self._start()
                self._write(line)

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_PROGRAM)],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        for pipe in (self._process.stdin, self._process.stdout):  # a stopped watchdog must not block this process
            os.set_blocking(pipe.fileno(), False)
        for line in self._watched.values():
            self._write(line)

    def _write(self, line: str) -> None:
        assert self._process
        assert self._process.stdin
        self._process.stdin.write(os.fsencode(line))

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process and process.stdin and process.stdout:
            process.stdin.close()
            process.stdout.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LAST_SECONDS)

    def at_exit(self) -> None:
        with self._lock:
            self._stop()

    def after_fork_in_child(self) -> None:
        """Closes the pipe in a forked child. The bots belong to the parent, and the pipe must end with the parent."""
        if self._process and self._process.stdin and self._process.stdout:
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.returncode = 0
        self._lock, self._process, self._watched, self._verdicts = Lock(), None, {}, {}


_watchdog = _Watchdog()
atexit.register(_watchdog.at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watchdog.after_fork_in_child)


def watch(tag: str, bot: Watched) -> None:
    """Registers a bot: the watchdog ends it when this process dies, or when the bot exceeds a limit.

    When this process dies, the watchdog kills all processes that have `tag` in their environment, belong to the bot's
    session, or are in its control groups. Then it removes these groups. When the bot exceeds a limit, only the process
    group of its session's leader is killed. A later call with the same tag replaces the registration.

    Args:
        tag: the bot's unique tag.
        bot: the bot's session, limits and control groups.
    """
    _watchdog.watch(tag, bot)


def verdict(tag: str) -> str:
    """Returns why the watchdog ended the bot with this tag, for people; empty if it did not end the bot."""
    return _watchdog.verdict(tag)


def forget(tag: str, groups: Sequence[str] = ()) -> None:
    """Unregisters a bot. Call this when the bot's processes have ended, if possible before they are reaped.

    While the bot is registered, the watchdog could kill an unrelated process that got the number of a reaped one.

    Args:
        tag: the bot's unique tag.
        groups: control groups of the bot that could not be removed yet; the watchdog removes them as soon as possible.
    """
    _watchdog.forget(tag, groups)
