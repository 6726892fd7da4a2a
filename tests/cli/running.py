"""Runs `lapilli` as tests do it: what it prints, and where; its exit code; what it refuses, in one line."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from players.conftest import wait_until
from warm import usual

LAPILLI = [sys.executable, "-m", "lapilli"]
_MOST_S = 120.0
"""Time for one command, in seconds: a machine may be busy, and kernels may have to be compiled."""


def run(
    *words: object,
    code: int | None = 0,
    cwd: Path | None = None,
    text: str = "",
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs `lapilli WORDS` in a process that need not load it first, unless a variable says how it is loaded.

    Args:
        code: its exit code must be this one; None for any. cwd: its folder. text: its input.
        env: variables beside those of the tests.
    """
    command = list(map(str, words))
    variables = os.environ | dict(env or {})
    if not usual().fits(variables):
        return run_process(*words, code=code, cwd=cwd, text=text, env=env)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err, tempfile.TemporaryFile("w+") as told:
        told.write(text)
        told.seek(0)
        streams = (told.fileno(), out.fileno(), err.fileno())
        process = usual().start(command, streams, variables, cwd or Path.cwd())
        try:
            returned = process.wait(_MOST_S)
        except BaseException:
            process.kill()
            raise
        out.seek(0)
        err.seek(0)
        return _checked(subprocess.CompletedProcess(command, returned, out.read(), err.read()), code)


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
