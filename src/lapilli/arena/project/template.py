"""Writes a project file for the bot in a folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

from lapilli.arena.project.project_file import PREVIOUS, PROJECT_FILE
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.players.bots.starters import LANGUAGES, Language

_PROGRAM = "bot"
_TEMPLATE = """\
# Tests of a bot: `lapilli test` runs them. The page "Testing a bot after each change" of the
# documentation describes each key.

game = "{game}"
# league = "wood"                      # also: variant, players, set = {{ key = value }}
# previous = {previous}                       # most matches against the last good version; 0 for none

[bots.mine]
{build}run = {run}

# [limits]                             # as the options of lapilli compare
# time-factor = 2.0                    # for a slow machine

[[tests]]
against = ["random", "greedy"]         # built-in opponents, other bots of this file, commands
matches = 20                           # matches against each of them
# score = 0.5                          # fail if the bot is surely below this score
"""


def write_project(game: Game, folder: Path) -> Path:
    """Writes a project file for the bot in a folder, and returns its path.

    Raises:
        LapilliError: the folder contains no bot or already contains a project file, or the file cannot be written.
    """
    file = folder / PROJECT_FILE
    bot = _bot_in(folder)
    build = f"build = {_quoted(bot.build)}\n" if bot.build else ""
    text = _TEMPLATE.format(game=game.name, previous=PREVIOUS, build=build, run=_quoted(bot.run))
    try:
        with file.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        raise LapilliError(f"{file} exists already: move it away, or change it") from None
    except OSError as error:
        raise LapilliError(f"cannot write {file}: {error.strerror}") from None
    return file


def _bot_in(folder: Path) -> Language:
    """Finds the bot in a folder. Returns the name of its file, and the commands that build and start the bot, as a
    Language.

    The bot is a source file with the usual name of a language, such as `bot.py`, or a program `bot`.

    Raises:
        LapilliError: the folder contains no such file.
    """
    for language in LANGUAGES.values():
        if (folder / language.file).is_file():
            return Language(language.file, language.build.format(folder="."), language.run.format(folder="."))
    if os.access(folder / _PROGRAM, os.X_OK) and (folder / _PROGRAM).is_file():
        return Language(_PROGRAM, "", f"./{_PROGRAM}")
    files = ", ".join(language.file for language in LANGUAGES.values())
    raise LapilliError(f"there is no bot in {folder.absolute()}: expected {files} or a program {_PROGRAM}")


def _quoted(text: str) -> str:
    """Formats a text as a string of TOML."""
    return json.dumps(text, ensure_ascii=False)
