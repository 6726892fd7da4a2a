"""A second process that ends the bots of this one, should it die without doing so itself, as by `kill -9`; and those
that use too much memory or processor time.

It is told through a pipe which bots there are, and that they are gone. The pipe's other end is in this process alone:
when that is gone, the pipe ends, and so do the bots that are left (`cleanup.serve`). One is started with the first bot
of a process, and serves all its matches.

It finds what `cleanup` finds. Nothing but a sandbox keeps a bot of the same user from killing it first; and where none
can be started (no descriptor, no memory left), a match goes on without.
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


class _Warden:
    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._watched: dict[str, str] = {}
        self._verdicts: dict[str, str] = {}

    def watch(self, tag: str, bot: Watched) -> None:
        line = bot.line(tag)
        with self._lock:
            self._watched[tag] = line
            self._tell(line)

    def forget(self, tag: str, groups: Sequence[str]) -> None:
        with self._lock:
            if self._watched.pop(tag, None):
                self._tell(gone_line(tag, groups))
                self._verdicts.pop(tag, None)

    def verdict(self, tag: str) -> str:
        with self._lock, suppress(OSError):
            if self._process and self._process.stdout:
                for line in (self._process.stdout.read() or b"").decode().splitlines():
                    whose, _, why = line.partition(" ")
                    self._verdicts[whose] = why
        return self._verdicts.get(tag, "")

    def _tell(self, line: str) -> None:
        with suppress(OSError):
            try:
                if self._process is None:
                    self._start()
                self._write(line)
            except BrokenPipeError:  # somebody has killed it
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
        for pipe in (self._process.stdin, self._process.stdout):  # nobody waits for it, should it have been stopped
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
        """The bots are the parent's, and so is the pipe: while a child held it, it would not end."""
        if self._process and self._process.stdin and self._process.stdout:
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.returncode = 0
        self._lock, self._process, self._watched, self._verdicts = Lock(), None, {}, {}


_warden = _Warden()
atexit.register(_warden.at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_warden.after_fork_in_child)


def watch(tag: str, bot: Watched) -> None:
    """From now on whoever carries `tag` in its environment dies with this process, and so does the bot's session, if it
    is known, and who is in its control groups, which are removed. The session is also ended when it uses too much."""
    _warden.watch(tag, bot)


def verdict(tag: str) -> str:
    """Why these were ended by the warden, for people; empty where they were not."""
    return _warden.verdict(tag)


def forget(tag: str, groups: Sequence[str] = ()) -> None:
    """These are gone: told after that, since what is killed twice may by then be somebody else. Control groups
    of theirs that could not be removed yet are, as soon as that is possible."""
    _warden.forget(tag, groups)
