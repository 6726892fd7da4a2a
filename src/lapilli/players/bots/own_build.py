"""Builds a user's bot by the user's own commands, outside the sandbox.

Programs that strangers sent to a site are built in the sandbox, by the module `build`.
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
"""Greatest length of the stored output of a command, in characters. Of a longer output, the end is stored."""
_ERROR = re.compile(r"\b(error|exception)\b", re.IGNORECASE)


class CommandFailed(LapilliError):
    """The error for a build command that failed. The message is one line.

    Args:
        message: what happened.
        output: the command's output; empty if the command did not start or took too long.
    """

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output


def run_build(commands: Sequence[str], folder: Path, limit_s: float = BUILD_LIMIT_S) -> None:
    """Runs build commands one after the other, each without a shell.

    The processes of a command are killed if the command takes too long or is interrupted.

    Args:
        commands: command lines, relative to `folder`.
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
    """Splits a command into words. Raises CommandFailed if that fails or its program cannot be started."""
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
    """Returns ": " and the first output line that mentions an error, else the last line; empty if there is no line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    line = next(filter(_ERROR.search, lines), lines[-1] if lines else "")
    return f": {line}" if line else ""
