"""Builds bots. The name of a built bot's folder is the hash of the bot's source, so that no source is built twice."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from lapilli.core.errors import LapilliError
from lapilli.players import PlayerSpec, Sandbox
from lapilli.players.bots.build import build, command_of
from lapilli.site.bots.workshop.asks import Code
from lapilli.store import Store

_MOST_FOLDERS = 200
"""Largest number of folders of built bots. If there are more, the least recently used folders are deleted."""


class Builds:
    """Builds the bots of a store, and stores the built programs in folders.

    Args:
        store: the store with the sources.
        folder: the folder that contains the built bots' folders.
    """

    def __init__(self, store: Store, folder: Path) -> None:
        self._store, self._folder = store, folder

    def player(self, code: Code, name: str = "") -> PlayerSpec:
        """Builds a version of a bot, if necessary, and returns what is needed to start the bot in the sandbox.

        Args:
            code: the version.
            name: name of the bot in records; "" for the bot's own name.

        Raises:
            BuildError: the version does not compile.
            LapilliError: the version is no longer stored, or there is no sandbox.
        """
        return PlayerSpec(
            command=command_of(code.language),
            name=name or code.name,
            folder=str(self.folder(code)),
            sandbox=Sandbox.REQUIRE,
        )

    def folder(self, code: Code) -> Path:
        """Builds a version of a bot, if necessary, and returns the folder with the built program.

        Raises:
            BuildError: the version does not compile.
            LapilliError: the version is no longer stored.
        """
        stored = self._store.site.bots.version(code.bot_id, code.version)
        if stored is None:
            raise LapilliError(f"version {code.version} of {code.name!r} is no longer stored")
        place = self._folder / folder_name(code.language, stored.code)
        if not place.exists():
            self._build(code.language, stored.code, place)
        os.utime(place)
        return place

    def _build(self, language: str, text: str, place: Path) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._prune()
        new_folder = Path(tempfile.mkdtemp(prefix=".", dir=self._folder))
        try:
            build(language, text, new_folder)
            new_folder.chmod(0o755)
            with suppress(OSError):  # another worker has built it meanwhile
                new_folder.rename(place)
        finally:
            shutil.rmtree(new_folder, ignore_errors=True)

    def _prune(self) -> None:
        used = dict[Path, float]()
        for folder in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another worker has renamed or deleted it meanwhile
                used[folder] = folder.stat().st_mtime
        for old in sorted(used, key=used.__getitem__, reverse=True)[_MOST_FOLDERS:]:
            shutil.rmtree(old, ignore_errors=True)


def folder_name(language: str, text: str) -> str:
    """Returns the folder name for the built program of the source code `text` in this language."""
    return hashlib.sha256(f"{language}\0{text}".encode(errors="replace")).hexdigest()[:24]
