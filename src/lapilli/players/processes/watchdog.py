"""The watchdog: a second process that ends this process's bots when this process cannot, as after `kill -9`.

The watchdog also ends bots that use too much memory or CPU time. This process sends a line through a pipe to the
watchdog for each bot that starts or ends. No other process has the writing end of the pipe open. So the pipe is closed
when this process ends, for whatever reason, and the watchdog then ends the bots that are left (`watching.serve`). A
process starts its watchdog together with its first bot, and uses it for all its matches.

The watchdog finds a bot's processes with the module `reaper`. A bot outside the sandbox could first kill the watchdog,
because both run as the same user. If no watchdog can be started, because no descriptor or no memory is left, a match is
played without a watchdog.
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

from lapilli.players.processes.watching import Watched, gone_line

_PROGRAM = Path(__file__).with_name("watchdog_main.py")
_LAST_SECONDS = 1.0
"""Longest wait for the end of the watchdog after its pipe was closed, in seconds."""


class _Watchdog:
    """This process's connection to its watchdog: starts the watchdog, sends orders, and reads verdicts. Safe for
    threads.
    """

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
        """Closes the pipe in a forked child. The bots are the parent's, and the pipe must be closed when the parent
        ends.
        """
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
    """Registers a bot with the watchdog, which ends the bot when this process ends, or when the bot exceeds a limit.

    When this process ends, the watchdog kills all processes that have `tag` in their environment, belong to the bot's
    session, or are in the bot's control groups. Then it removes these groups. When the bot exceeds a limit, the
    watchdog kills only the process group of the session's leader. A later call with the same tag replaces the
    registration.

    Args:
        tag: the bot's unique tag.
        bot: the bot's session, limits and control groups.
    """
    _watchdog.watch(tag, bot)


def verdict(tag: str) -> str:
    """Returns why the watchdog ended a bot, as a text for people; empty if it did not end the bot.

    `tag` is the bot's unique tag, with which `watch` was called.
    """
    return _watchdog.verdict(tag)


def forget(tag: str, groups: Sequence[str] = ()) -> None:
    """Removes a bot from the watchdog. Call this when the bot's processes have ended, if possible before they are
    reaped.

    Otherwise the watchdog could kill an unrelated process that has got the id of a reaped process.

    Args:
        tag: the bot's unique tag, with which `watch` was called.
        groups: folders of those control groups of the bot that could not be removed yet; the watchdog removes them.
    """
    _watchdog.forget(tag, groups)
