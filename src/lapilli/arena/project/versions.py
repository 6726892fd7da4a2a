"""Versions of a project's bots: the copies of files from which the bots play, and the last good version of each bot.

A version plays from a copy, so that saving a file in the middle of a match changes nothing. The copies lie in the
folder .lapilli beside the project file. Each copy is written into a new folder, which is then renamed. So a copy is
complete, or does not exist.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from lapilli.arena.matches.entering import copied_folder
from lapilli.arena.matches.versions.fingerprint import player_hash
from lapilli.arena.project.project_file import BotKeys, LimitKeys, Project
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.match.files.writing import write_atomically
from lapilli.players import Limits, PlayerSpec
from lapilli.players.processes.command import split_command
from lapilli.store.results import Contestant, ascii_json

_OWN_FOLDER = ".lapilli"
_COPIES = "versions"
_UNUSED_S = 24 * 3600.0
"""Time from the last use of a copy until it is deleted, in seconds. Copies of last good versions are not deleted."""


class SavedVersion(msgspec.Struct, frozen=True):
    """A version of a bot, as a copy of its files.

    Attributes:
        run: words of the bot's command line. Paths of the bot's files in it are relative to the folder of the copy.
        copy: name of the folder of the copy.
    """

    run: tuple[str, ...]
    copy: str


def own_folder(project_folder: Path) -> Path:
    """Returns the path of the folder .lapilli in a project's folder. If needed, creates it, so that git ignores it.

    Raises:
        LapilliError: the folder cannot be written.
    """
    home = project_folder / _OWN_FOLDER
    try:
        (home / _COPIES).mkdir(parents=True, exist_ok=True)
        ignored = home / ".gitignore"
        if not ignored.exists():
            ignored.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise LapilliError(f"the folder {home} cannot be written: {error.strerror}") from None
    return home


class Versions:
    """The stored versions of a project's bots.

    Args:
        project: the project file.

    Raises:
        LapilliError: the folder .lapilli cannot be written, or the list of last good versions is damaged.
    """

    def __init__(self, project: Project) -> None:
        self._home = own_folder(project.folder)
        self._copies = self._home / _COPIES
        self._list = self._home / "last-good.json"
        self._limits = project.limits
        self._used: set[str] = set()
        self._last_good = self._read()

    def take(self, name: str, bot: BotKeys, source: Path) -> SavedVersion:
        """Copies the current files of a bot, and returns the copy as a version.

        Args:
            name: name of the bot, for messages.
            bot: table of the bot in the project file.
            source: folder of the bot.

        Raises:
            LapilliError: the bot's command cannot be split into words, or its folder cannot be copied or is too large.
        """
        try:
            words = split_command(bot.run)
        except ValueError as error:
            raise LapilliError(f"bot {name!r}: {error}") from None
        copy, _ = copied_folder(name, source, self._copies)
        os.utime(copy)
        self._used.add(copy.name)
        run = tuple(_word_in_copy(word, source, copy, is_program=place == 0) for place, word in enumerate(words))
        return SavedVersion(run, copy.name)

    def contestant(self, game: Game, name: str, version: SavedVersion) -> Contestant:
        """Converts a version to a contestant that is called `name`.

        Raises:
            LapilliError: a file of the copy cannot be read.
        """
        limits = _limits_of(self._limits)
        player = PlayerSpec(
            command=version.run,
            name=name,
            folder=str(self._copies / version.copy),
            sandbox=self._limits.sandbox,
            limits=limits,
        )
        digest = player_hash(game, player)
        if limits != Limits():
            digest = f"sha256:{hashlib.sha256(ascii_json([digest, limits.memory_mb]).encode()).hexdigest()}"
        return Contestant(name=name, player=player, hash=digest)

    def last_good(self, name: str) -> SavedVersion | None:
        """Returns the last good version of a bot: the latest one that passed all its tests.

        Returns None if there is no such version, or its copy was deleted. `name`: name of the bot.
        """
        version = self._last_good.get(name)
        return version if version and (self._copies / version.copy).is_dir() else None

    def keep(self, good: Mapping[str, SavedVersion]) -> None:
        """Stores new last good versions of bots (see `last_good`), and deletes copies that were not used for a day.

        Args:
            good: for each of these bots, the version that has passed all tests, by the bot's name. The last good
                versions of other bots stay.

        Raises:
            LapilliError: the list cannot be written.
        """
        before = self._read()  # another process may have changed the list
        self._last_good = {**before, **good}
        if self._last_good != before:
            write_atomically(self._list, msgspec.json.encode(self._last_good) + b"\n")
        self._used |= {version.copy for version in self._last_good.values()}
        for copy in self._copies.iterdir():
            with suppress(OSError):  # another process may have deleted the copy meanwhile
                if copy.name not in self._used and time.time() - copy.stat().st_mtime > _UNUSED_S:
                    shutil.rmtree(copy)

    def _read(self) -> dict[str, SavedVersion]:
        try:
            return msgspec.json.decode(self._list.read_bytes(), type=dict[str, SavedVersion])
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise LapilliError(f"{self._list} cannot be read: {error.strerror}") from None
        except msgspec.DecodeError:
            raise LapilliError(
                f"{self._list} is damaged: delete it, and the next good version begins it anew"
            ) from None


def _limits_of(keys: LimitKeys) -> Limits:
    return Limits() if keys.memory_mb is None else Limits(memory_mb=keys.memory_mb)


def _word_in_copy(word: str, source: Path, copy: Path, *, is_program: bool) -> str:
    """Converts a word of a bot's command line, so that the command line starts the bot in its copy.

    A path of a copied file becomes relative to the copy. Any other existing path becomes absolute.

    Args:
        word: the word.
        source: folder of the bot.
        copy: folder of its copy.
        is_program: whether this is the first word.
    """
    if not word or (is_program and "/" not in word):
        return word
    path = Path(os.path.normpath(source / word))
    if not path.exists():
        return word
    relative = os.path.relpath(path, source)
    if path.is_relative_to(source) and (copy / relative).exists():
        return f"./{relative}" if is_program else relative
    return str(path)
