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
        build: command line that compiles the starter bot; "" if the language needs no compiler.
        run: command line that runs the starter bot. In `build` and `run`, "{folder}" stands for the bot's folder.
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
_ALSO_CALLED = {"c++": ("cpp",), "js": ("javascript",), "node": ("javascript",)}
"""Languages that a user may mean by another name that is not similar to the language's own."""


@dataclass(frozen=True, slots=True)
class Starter:
    """A starter bot in a user's folder.

    Attributes:
        file: path of the bot's source file.
        build: command line that compiles the bot; "" if the language needs no compiler.
        run: command line that runs the bot.
    """

    file: Path
    build: str
    run: str


def starter_code(game: Game, language: str) -> str:
    """Returns the source code of the starter bot of `game` in this language.

    Raises:
        UnknownName: there is no such language.
        LapilliError: the game has no starter bot in this language.
    """
    if language not in LANGUAGES:
        raise UnknownName("language", language, LANGUAGES, _ALSO_CALLED.get(language.lower(), ()))
    if language not in game.languages:
        raise LapilliError(f"{game.title} has no starter bot in {language}: choose {' or '.join(game.languages)}")
    source = game.folder / "starters" / LANGUAGES[language].file
    if not source.is_file():
        raise LapilliError(
            f"{game.title} has no starter bot in {language} yet: its folder lacks starters/{source.name}"
        )
    return source.read_text(encoding="utf-8")


def write_starter(game: Game, language: str, folder: Path) -> Starter:
    """Copies the starter bot of `game` in this language into `folder`, which is created if it is missing.

    Returns the path of the copy, with the command lines that compile and run it.

    Raises:
        UnknownName: there is no such language.
        LapilliError: the game has no starter bot in this language; or the bot's file exists already, or cannot be
            written.
    """
    text = starter_code(game, language)
    chosen = LANGUAGES[language]
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
