"""Starter bots: copies a game's starter bot in one language to the user's folder."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from lapilli.core.api import Game
from lapilli.core.errors import LapilliError, UnknownName


@dataclass(frozen=True, slots=True)
class Language:
    """A programming language that starter bots are written in.

    Attributes:
        file: file name of the starter bot.
        build: command that compiles `{folder}/FILE`; "" if nothing is to be compiled.
        run: command that runs the bot in `{folder}`.
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
    """A starter bot in a user's folder.

    Attributes:
        file: path of the file.
        build: command that builds it; "" if nothing is to be built.
        run: command that runs it.
    """

    file: Path
    build: str
    run: str


def write_starter(game: Game, language: str, folder: Path) -> Starter:
    """Writes the starter bot of `game` into `folder`, which is created if it is missing.

    Raises:
        UnknownName: there is no such language.
        LapilliError: the game has no starter bot in this language; or the bot's file exists already, or cannot be
            written.
    """
    if language not in LANGUAGES:
        raise UnknownName("language", language, LANGUAGES)
    chosen = LANGUAGES[language]
    if language not in game.languages:
        raise LapilliError(f"{game.title} has no starter bot in {language}: choose {' or '.join(game.languages)}")
    source = game.folder / "starters" / chosen.file
    if not source.is_file():
        raise LapilliError(
            f"{game.title} has no starter bot in {language} yet: its folder lacks starters/{chosen.file}"
        )
    text = source.read_text(encoding="utf-8")
    file = folder / chosen.file
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        if not file.exists():
            raise LapilliError(f"cannot write into {folder}: it is a file, not a folder") from None
        raise LapilliError(f"{file} exists already: name another folder, or move the file away") from None
    except OSError as error:
        raise LapilliError(f"cannot write {file}: {error.strerror}") from None
    place = shlex.quote(str(folder) if folder.is_absolute() else f"./{folder}".removesuffix("/."))
    return Starter(file, chosen.build.format(folder=place), chosen.run.format(folder=place))
