"""Runs `lapilli` as tests do it: what it prints, and where; its exit code; what it refuses, in one line."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import IO, Self

from players.conftest import wait_until
from warm import Warm, usual

LAPILLI = [sys.executable, "-m", "lapilli"]
_MOST_S = 120.0
"""Time for one command, in seconds: a machine may be busy, and kernels may have to be compiled."""


def run(
    *words: object,
    code: int | None = 0,
    cwd: Path | None = None,
    text: str = "",
    env: Mapping[str, str] | None = None,
    spare: int | None = None,
    warm: Warm | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs `lapilli WORDS` in a process that need not load it first, unless a variable says how it is loaded.

    Args:
        code: its exit code must be this one; None for any. cwd: its folder. text: its input.
        env: variables beside those of the tests, or of `warm`.
        spare: how many descriptors it may open at once; None for as many as tests may.
        warm: what forks itself for it; None for the one that tests share.
    """
    if warm is None and not usual().fits(os.environ | dict(env or {})):
        assert spare is None
        return run_process(*words, code=code, cwd=cwd, text=text, env=env)
    return _checked(run_anyhow(*words, cwd=cwd, text=text, env=env, spare=spare, warm=warm), code)


def run_anyhow(
    *words: object,
    cwd: Path | None = None,
    text: str = "",
    env: Mapping[str, str] | None = None,
    spare: int | None = None,
    warm: Warm | None = None,
) -> subprocess.CompletedProcess[str]:
    """The same for commands that may end and say whatever they like: a bot's traceback on stderr, for one."""
    with tempfile.TemporaryFile("w+") as told:
        told.write(text)
        told.seek(0)
        with Started(*words, cwd=cwd, env=env, text=told, spare=spare, warm=warm) as started:
            returned = started.wait(_MOST_S)
            return subprocess.CompletedProcess(started.words, returned, *started.said())


class Started:
    """`lapilli WORDS` in a process that need not load it first, while the test goes on.

    What it prints goes to files, which can be read meanwhile. At the end of `with` it is killed, if it still runs.

    Args:
        cwd: its folder. env: variables beside those of the tests, or of `warm`.
        text: its input. out: what it prints to; None for a file that can be read.
        own_session: whether it begins a session of its own.
        spare: how many descriptors it may open at once; None for as many as tests may.
        warm: what forks itself for it; None for the one that tests share.
        program: a file with another program of Python's.
    """

    def __init__(
        self,
        *words: object,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        text: IO[str] | None = None,
        out: IO[str] | None = None,
        own_session: bool = False,
        spare: int | None = None,
        warm: Warm | None = None,
        program: Path | None = None,
    ) -> None:
        parent, variables = warm or usual(), os.environ | dict(warm.environment if warm else {}) | dict(env or {})
        assert parent.fits(variables), "with these variables it must start from nothing"
        self.words = list(map(str, words))
        self._out, self._err = (tempfile.TemporaryFile() for _ in range(2))  # noqa: SIM115  # closed by `__exit__`
        with open(os.devnull) as nothing:
            streams = ((text or nothing).fileno(), (out or self._out).fileno(), self._err.fileno())
            self._process = parent.start(self.words, streams, variables, cwd or Path.cwd(), own_session, spare, program)
        self.pid = self._process.pid
        self.poll, self.wait, self.send_signal = self._process.poll, self._process.wait, self._process.send_signal

    @property
    def returncode(self) -> int | None:
        return self._process.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Waits for its end; returns all that it has written."""
        self.wait(timeout)
        return self.said()

    def said(self) -> tuple[str, str]:
        """All that it has written to stdout and to stderr. Where they are written to next does not change."""
        out, err = (
            os.pread(stream.fileno(), os.fstat(stream.fileno()).st_size, 0).decode()
            for stream in (self._out, self._err)
        )
        return out, err

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._out.close()
        self._err.close()


def run_process(
    *words: object,
    code: int | None = 0,
    cwd: Path | None = None,
    text: str = "",
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """The same by `python -m lapilli`, in a process that starts from nothing, with pipes."""
    done = subprocess.run(
        [*LAPILLI, *map(str, words)],
        input=text,
        capture_output=True,
        text=True,
        timeout=_MOST_S,
        cwd=cwd,
        env=os.environ | dict(env or {}),
        check=False,
    )
    return _checked(done, code)


def _checked(done: subprocess.CompletedProcess[str], code: int | None) -> subprocess.CompletedProcess[str]:
    assert code in (None, done.returncode), done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def refused(*words: object, cwd: Path | None = None, text: str = "", env: Mapping[str, str] | None = None) -> str:
    """The one line that a user gets who must mend something, without its end."""
    done = run(*words, code=2, cwd=cwd, text=text, env=env)
    assert done.stdout == ""
    assert done.stderr.endswith("\n")
    # Where the cache is cold, the command may have said before that it compiles kernels.
    (line,) = (line for line in done.stderr.splitlines() if not line.startswith("lapilli: compiling "))
    return line


until = partial(wait_until, seconds=120.0)
