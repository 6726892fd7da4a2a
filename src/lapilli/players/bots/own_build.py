"""Builds a user's bot on the user's own machine, with the user's own commands and without a sandbox.

Programs that strangers send to a site are built in a sandbox instead, by the module `build`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from lapilli.core.errors import LapilliError
from lapilli.players.processes.command import find_program, name_of, split_command, why_not_started
from lapilli.players.processes.reaper import kill_group

BUILD_LIMIT_S = 600.0
"""Time limit of one build command, in seconds."""
_MOST_MESSAGES = 40_000
"""Greatest length of a build command's output that is stored, in characters. Only the end of a longer output is stored.
"""
_ERROR = re.compile(r"\b(error|exception)\b", re.IGNORECASE)
"""Words in a line of output that reports an error."""


class CommandFailed(LapilliError):
    """The error for a build command that failed.

    Args:
        message: one line that says which command failed and how.
        output: the command's output; empty if the command did not start or took too long.
    """

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output

    def __reduce__(self) -> tuple[type[CommandFailed], tuple[str, str]]:
        """Makes copies from both arguments, so that the error can be sent to another process."""
        return type(self), (str(self), self.output)


def run_build(commands: Sequence[str], folder: Path, limit_s: float = BUILD_LIMIT_S) -> None:
    """Runs the build commands of a bot one after the other, each without a shell.

    If a command takes too long, or the user interrupts this call, all processes of the command are killed.

    Args:
        commands: command lines. Paths in them are relative to `folder`.
        folder: folder in which they are run.
        limit_s: time limit of each command, in seconds.

    Raises:
        CommandFailed: a command does not start, exits with another code than 0, or takes too long.
    """
    for command in commands:
        _run(command, folder, limit_s)


def _run(command: str, folder: Path, limit_s: float) -> None:
    words = _startable(command, folder)
    with subprocess.Popen(
        words,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        process_group=0,
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            kill_group(process.pid)
            raise CommandFailed(f"{name_of(command)!r} did not finish within {limit_s:g} s", "") from None
        except BaseException:
            kill_group(process.pid)
            raise
    if process.returncode:
        text = output.decode(errors="replace")[-_MOST_MESSAGES:]
        raise CommandFailed(f"{name_of(command)!r} {_how_it_ended(process.returncode)}{_first_error(text)}", text)


def _startable(command: str, folder: Path) -> list[str]:
    """Splits a command into words, and checks that its program can be started in `folder`.

    Raises CommandFailed if the command cannot be split, or its program cannot be started.
    """
    try:
        words = split_command(command)
    except ValueError as error:
        raise CommandFailed(str(error), "") from None
    try:
        find_program(words, str(folder))
    except OSError as error:
        raise CommandFailed(why_not_started(words, str(folder), error), "") from None
    return words


def _how_it_ended(code: int) -> str:
    return f"ended with code {code}" if code > 0 else f"was ended by signal {-code}"


def _first_error(output: str) -> str:
    """Returns the end of an error message: ": " and the most helpful line of a command's output; "" without output.

    The most helpful line is the first one that mentions an error, or else the last line.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    line = next(filter(_ERROR.search, lines), lines[-1] if lines else "")
    return f": {line}" if line else ""
