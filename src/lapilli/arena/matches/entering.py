"""Prepares a bot for a league: copies and hashes its folder, and adapts its command line to the copy."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from lapilli.arena.matches.versions.bot_files import IGNORE_FILE, MAX_COPIED, MAX_FILES, files_below, folder_hash
from lapilli.core.errors import LapilliError
from lapilli.players import PlayerSpec, Sandbox
from lapilli.players.processes.command import split_command
from lapilli.players.processes.interpreters import is_interpreter
from lapilli.store.results import Contestant, ascii_json


def entered(name: str, version: str, command: str, folder: Path | None, copies: Path) -> tuple[Contestant, Path]:
    """Copies a bot's folder, and returns the bot as a contestant that is started from the copy.

    Args:
        name, version: name and version of the bot.
        command: command line that starts the bot from the current folder.
        folder: folder to copy; None for the folder of the first file that the command names.
        copies: folder for all copies. The name of a copy is the first 16 digits of its hash, so that folders with the
            same content have one copy.

    Returns:
        A tuple: the contestant, and the folder of its copy.

    Raises:
        LapilliError: the command names no file, or the folder cannot be copied or is too large.
    """
    try:
        words = split_command(command)
    except ValueError as error:
        raise LapilliError(f"bot {name!r}: {error}") from None
    source = (folder or _own_folder(name, words)).resolve()
    copy, content = copied_folder(name, source, copies)
    own = tuple(_word_for_copy(word, source, place == 0) for place, word in enumerate(words))
    player = PlayerSpec(command=own, name=f"{name} {version}".strip(), folder=str(copy), sandbox=Sandbox.REQUIRE)
    digest = hashlib.sha256(ascii_json([own, content]).encode()).hexdigest()
    return Contestant(name=name, version=version, player=player, hash=f"sha256:{digest}"), copy


def copied_folder(name: str, source: Path, copies: Path) -> tuple[Path, str]:
    """Copies the files of a bot. Returns the folder of the copy and the hash of its contents (`folder_hash`).

    Args:
        name: name of the bot, for messages.
        source: folder of the bot, with all links resolved.
        copies: folder for all copies; the copy's own folder in it is named after the hash.

    Raises:
        LapilliError: the folder cannot be copied or is too large.
    """
    try:
        files = list(_files(name, source))
        copies.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=copies, prefix=".new-") as new:
            arriving = Path(new, "bot")
            arriving.mkdir()
            for file in files:
                target = arriving / file.relative_to(source)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, target)
            content = folder_hash(arriving)
            copy = copies / content.removeprefix("sha256:")[:16]
            if not copy.is_dir():
                _move(arriving, copy)
    except OSError as error:
        raise LapilliError(f"bot {name!r}: its folder cannot be copied: {error.strerror}: {error.filename}") from None
    return copy, content


def _move(arriving: Path, copy: Path) -> None:
    """Gives a new copy its final name, unless another process has made the same copy meanwhile."""
    try:
        arriving.rename(copy)
    except OSError:
        if not copy.is_dir():
            raise


def _own_folder(name: str, words: Sequence[str]) -> Path:
    for place, word in enumerate(words):
        is_runner = place == 0 and len(words) > 1 and (is_interpreter(word) or _is_system_program(word))
        if os.path.isfile(word) and (place or "/" in word) and not is_runner:
            return Path(word).parent
    raise LapilliError(f"bot {name!r}: its command names no file: name the bot's folder (--folder)")


def _is_system_program(word: str) -> bool:
    """Returns whether a word of a command is the absolute path of a program that is also installed on this machine.

    It is regarded as installed if a program with the same name is found in one of the folders of PATH.
    """
    return os.path.isabs(word) and shutil.which(os.path.basename(word)) is not None


def _word_for_copy(word: str, source: Path, program: bool) -> str:
    """Converts a word of a bot's command line for the copy of the bot.

    A path in the bot's folder becomes relative to this folder. The path of a program elsewhere becomes absolute. Any
    other word is returned as it is.

    Args:
        word: the word.
        source: the bot's folder.
        program: whether this is the first word, the program.
    """
    path = Path(word).absolute()
    if (program and "/" not in word) or not path.exists():
        return word
    for candidate in (path, path.resolve()):
        if candidate.is_relative_to(source):
            relative = str(candidate.relative_to(source))
            return f"./{relative}" if program else relative
    return str(path) if program else word


def _files(name: str, folder: Path) -> Iterator[Path]:
    """Yields the files in a folder that belong to a bot. `name`: name of the bot, for the message of the error.

    Raises:
        LapilliError: there are too many files, or they are too large.
    """
    number = size = 0
    for file in map(Path, files_below(str(folder))):
        number, size = number + 1, size + file.stat().st_size
        if number > MAX_FILES or size > MAX_COPIED:
            raise LapilliError(
                f"bot {name!r}: {folder} holds more than {MAX_FILES:,} files or {MAX_COPIED >> 20} MiB: name "
                f"a smaller folder for it, or list in {IGNORE_FILE} there what is not the bot's"
            )
        yield file
