"""Splits command lines of bots into words, finds and hashes their programs, and explains why a bot does not start."""

from __future__ import annotations

import errno
import hashlib
import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from lapilli.players.processes.interpreters import bot_in, command_for, is_interpreter, is_source


def split_command(command: str | Sequence[str]) -> list[str]:
    """Splits a command line into words by the rules of a shell, but without variables, wildcards and pipes.

    If the command is only the path of a folder that contains one bot, such as `./v2`, the result is the command that
    runs this bot (see `bot_in`). A sequence of words is returned as a list, without changes.

    Raises:
        ValueError: the command is empty, cannot be split, or contains a NUL character. The message is for people.
    """
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"the command {command!r} cannot be split into words: {str(error).lower()}") from error
        if len(words) == 1 and "/" in words[0] and "\0" not in words[0]:
            words = bot_in(words[0]) or words
    else:
        words = list(command)
    if not words or not words[0]:
        raise ValueError("the command is empty")
    if any("\0" in word for word in words):
        raise ValueError("the command holds a NUL character")
    return words


def name_of(command: str | Sequence[str]) -> str:
    """Returns a bot's command line as one string, for people."""
    return command if isinstance(command, str) else shlex.join(command)


def program_hash(words: Sequence[str], cwd: str | None = None) -> str:
    """Returns the hash of a bot's program file, which distinguishes one version of the bot from the next.

    If the first word contains a slash and is not an interpreter, as in `./bot`, that word is the program file.
    Otherwise the program file is the first later word that names an existing file, as in `python3 bot.py`.

    Args:
        words: the command line.
        cwd: directory that the words are relative to; None for the current one.

    Returns:
        "sha256:" and 64 hexadecimal digits. Empty if no word names a file, or the file cannot be read.
    """
    is_program = "/" in words[0] and not is_interpreter(words[0]) if words else False
    for word in words[:1] if is_program else words[1:]:
        path = os.path.join(cwd or "", word)
        if os.path.isfile(path):
            try:
                with open(path, "rb") as file:
                    return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
            except OSError:
                return ""
    return ""


def find_program(words: Sequence[str], folder: str | None = None) -> str:
    """Returns the absolute path of the program that a command line starts.

    Args:
        words: the command line.
        folder: working directory in which the command is run; None for the current one.

    Raises:
        OSError: there is no such program, or the system would refuse to run the program. Not every refusal can be
            foreseen here: some appear only when the program is started.
    """
    word = words[0]
    path = os.path.join(folder or "", word) if "/" in word else shutil.which(word)
    if path is None or not os.path.exists(path) or not os.path.isdir(folder or "."):
        raise _os_error(errno.ENOENT)
    if os.path.isdir(path) or not os.access(path, os.X_OK):
        raise _os_error(errno.EACCES)
    refusal = loader_error(path)
    if refusal is not None:
        raise refusal
    return os.path.abspath(path)


def loader_error(program: str) -> OSError | None:
    """Predicts whether the system will refuse to run an executable file. Returns the system's error, or None for no
    refusal.

    The prediction uses only the first 256 bytes of the file. `program` is the file's path.
    """
    try:
        with open(program, "rb") as file:
            start = file.read(256)
    except OSError:  # it may be executable but not readable
        return None
    if start.startswith(b"#!"):
        interpreter = start[2:].split(b"\n")[0].split()[:1]
        return None if interpreter and os.path.exists(interpreter[0]) else _os_error(errno.ENOENT)
    is_text = b"\0" not in start
    return _os_error(errno.ENOEXEC) if is_text else None


def _os_error(code: int) -> OSError:
    return OSError(code, os.strerror(code))


def why_not_started(words: Sequence[str], cwd: str | None, error: OSError) -> str:
    """Returns a text for people about why a command could not be started, and what to do about it.

    Args:
        words: the command line.
        cwd: working directory of the command; None for the current one.
        error: the error that the system reported at the start.
    """
    program = words[0]
    if cwd is not None and not Path(cwd).is_dir():
        return f"there is no directory {cwd!r} to start it in"
    path = Path(cwd or "") / program
    if error.errno == errno.ENOENT:
        return _why_not_found(program, path)
    if error.errno == errno.EACCES and "/" in program:
        if path.is_dir():
            return f"{program!r} is a directory without exactly one bot in it (a file such as bot.py, or a program bot)"
        if path.is_file() and not os.access(path, os.X_OK):
            return _why_not_executable(program)
    if error.errno == errno.ENOEXEC:
        how = command_for(program)
        by = f"name its interpreter: {how}" if how else "a script begins with a line such as #!/usr/bin/env python3"
        return f"{program!r} is no program ({by})"
    return f"{program!r} could not be started: {(error.strerror or str(error)).lower()}"


def _why_not_executable(program: str) -> str:
    if is_source(program):
        return _to_compile(program)
    how = command_for(program)
    return f"{program!r} is not executable (chmod +x, or name its interpreter{f': {how}' if how else ''})"


def _to_compile(file: str) -> str:
    return f"{file!r} is source code: compile it, and name the program that the compiler writes"


def _why_not_found(program: str, path: Path) -> str:
    if "/" in program:
        if path.exists():  # the script exists, but the interpreter in its first line does not
            return f"the interpreter that the first line of {program!r} names does not exist"
        return f"there is no file {program!r}"
    if shutil.which(program) is None and path.is_file():
        if is_source(program):
            return _to_compile(program)
        how = f"./{program}" if os.access(path, os.X_OK) else command_for(program) or f"./{program}"
        return f'there is no command {program!r} (for the file in this directory say "{how}")'
    if path.is_dir():
        return f'there is no command {program!r} (for the bot in the folder of this name say "./{program}")'
    return f"there is no command {program!r}"
