"""Starter bots: a legal bot in a user's language, from the game's folder to the user's."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from lapilli.core.api import Game
from lapilli.core.errors import LapilliError, UnknownName


@dataclass(frozen=True, slots=True)
class Language:
    """A language a starter bot comes in.

    Attributes:
        file: the starter's name. build: how to compile `{file}` into `{folder}`, "" for nothing to do.
        run: how to run it.
    """

    file: str
    build: str
    run: str


LANGUAGES = {
    "python": Language("bot.py", "", "python3 {folder}/bot.py"),
    "cpp": Language("bot.cpp", "g++ -O2 -std=c++17 -o {folder}/bot {folder}/bot.cpp", "{folder}/bot"),
    "javascript": Language("bot.js", "", "node {folder}/bot.js"),
    "java": Language("Bot.java", "javac -d {folder} {folder}/Bot.java", "java -cp {folder} Bot"),
    "rust": Language("bot.rs", "rustc -O -o {folder}/bot {folder}/bot.rs", "{folder}/bot"),
}


@dataclass(frozen=True, slots=True)
class Starter:
    """A starter bot as written: its file, and the commands that build it ("" for none) and run it."""

    file: Path
    build: str
    run: str


def write_starter(game: Game, language: str, folder: Path) -> Starter:
    """Writes `game`'s starter bot into `folder`, which is made where it is missing.

    Raises:
        UnknownName: no such language. LapilliError: the game has no starter in it; the file is there already, or
            cannot be written.
    """
    if language not in LANGUAGES:
        raise UnknownName("language", language, LANGUAGES)
    chosen = LANGUAGES[language]
    if language not in game.languages:
        raise LapilliError(f"{game.title} has no starter bot in {language}, but in {' and '.join(game.languages)}")
    text = (game.folder / "starters" / chosen.file).read_text(encoding="utf-8")
    file = folder / chosen.file
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        if not file.exists():
            raise LapilliError(f"cannot write into {folder}: it is a file, not a folder") from None
        raise LapilliError(f"{file} is there already: name another folder, or move it away first") from None
    except OSError as error:
        raise LapilliError(f"cannot write {file}: {error.strerror}") from None
    place = shlex.quote(str(folder) if folder.is_absolute() else f"./{folder}".removesuffix("/."))
    return Starter(file, chosen.build.format(folder=place), chosen.run.format(folder=place))
