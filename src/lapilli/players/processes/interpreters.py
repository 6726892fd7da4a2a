"""Knows interpreters of bots' files by name, and detects forgotten quotes and shell syntax, for helpful messages."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePath

from lapilli.core.errors import LapilliError

_INTERPRETER = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|java|dotnet|mono|ruby|perl|php|lua|luajit|julia|Rscript|sh|bash|dash|zsh|env)"
    r"[\d.]*"
)
_RUN_BY = {
    ".py": "python3",
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".jar": "java -jar",
    ".java": "java",
    ".dll": "dotnet",
    ".rb": "ruby",
    ".pl": "perl",
    ".php": "php",
    ".lua": "lua",
    ".jl": "julia",
    ".r": "Rscript",
    ".sh": "sh",
}
"""Command that runs a file, by the file's extension."""
_PLAIN_OPTIONS = {"-u", "-O", "-B", "-jar"}
"""Options of interpreters without a value of their own that commands of bots often have before the file."""
_COMPILED = {".c", ".cc", ".cpp", ".cxx", ".cs", ".d", ".go", ".hs", ".kt", ".ml", ".nim", ".pas", ".rs", ".scala"} | {
    ".swift",
    ".ts",
    ".zig",
}
"""File extensions of languages that are compiled."""

_SHELL_OPERATOR = re.compile(r"\|\|?|&&?|;|<|\d?>{1,2}(&\d|\S+)?")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*")


def is_interpreter(program: str) -> bool:
    """Returns whether a program is an interpreter, judging by its name."""
    return bool(_INTERPRETER.fullmatch(os.path.basename(program)))


def is_source(file: str) -> bool:
    """Returns whether a file must be compiled before it can run, judging by its extension."""
    return PurePath(file).suffix.lower() in _COMPILED


def command_for(file: str) -> str:
    """Returns the command line that runs a file, judging by its extension; empty for an unknown extension."""
    path = PurePath(file)
    ending = path.suffix.lower()
    if ending == ".class":
        return shlex.join(["java", "-cp", str(path.parent), path.stem])
    return f"{_RUN_BY[ending]} {shlex.quote(file)}" if ending in _RUN_BY else ""


def script_of(words: Sequence[str]) -> str | None:
    """Returns the file that a command line's interpreter runs, such as `bot.py` for `python3 -u bot.py`.

    Returns None if the first word is not an interpreter, or if it is not clear which word is the file. It is clear if
    the word has an extension that an interpreter runs, and only options in `_PLAIN_OPTIONS` come before it.
    """
    if not (words and is_interpreter(words[0])):
        return None
    word = next((word for word in words[1:] if word not in _PLAIN_OPTIONS), "")
    return word if command_for(word) else None


def shell_operator(command: str, words: Sequence[str]) -> str:
    """Returns the first word of a command that only a shell understands, such as `|` or `2>&1`; empty if there is none.

    Args:
        command: the command line as the user wrote it. A word that is quoted there is not returned.
        words: words of the command line.
    """
    unquoted = set(command.split())
    return next((word for word in words if word in unquoted and _SHELL_OPERATOR.fullmatch(word)), "")


def with_quoted_path(words: Sequence[str]) -> str:
    """Returns a command with quotes around a path with blanks, if the command names an existing file without them.

    The path is that of the program, or of the file that an interpreter runs. The result is empty if that file exists
    without quotes, or if there is no such path.
    """
    start = 0
    if is_interpreter(words[0]):
        start = next((at for at in range(1, len(words)) if words[at] not in _PLAIN_OPTIONS), len(words))
    if start < len(words) and not os.path.exists(words[start]):
        for end in range(start + 2, len(words) + 1):
            path = " ".join(words[start:end])
            if os.path.isfile(path):
                return shlex.join([*words[:start], path, *words[end:]])
    return ""


def advice_for(words: Sequence[str], missing: str) -> str:
    """Returns what to write instead of a word that only a shell understands, such as `~/bot.py`; empty for other words.

    Args:
        words: words of the command line.
        missing: the word whose file or program does not exist.
    """
    if missing.startswith(("~", "$")):
        return " (there is no shell here: write the whole path)"
    if missing == "cd":
        return " (there is no shell here: name the bot's file with its folder)"
    return f" (to set a variable: env {shlex.join(words)})" if _ASSIGNMENT.fullmatch(missing) else ""


def bot_in(folder: str) -> list[str]:
    """Returns the words of the command that runs the only bot in a folder, such as a folder that `lapilli new` made.

    The bot is the executable file `bot`. If there is no such file, the bot is the only file `bot.*` that an interpreter
    can run, such as `bot.py` or `Bot.class`. The result is empty if the folder contains no bot, or several.
    """
    try:
        files = sorted((entry for entry in os.scandir(folder) if entry.is_file()), key=lambda entry: entry.name)
    except OSError:
        return []
    paths = [entry.path for entry in files if PurePath(entry.name).stem.lower() == "bot"]
    programs = [path for path in paths if not PurePath(path).suffix and os.access(path, os.X_OK)]
    is_java = {PurePath(path).suffix for path in paths} == {".class", ".java"}
    run = [path for path in paths if command_for(path) and not (is_java and path.endswith(".java"))]
    if programs:
        return programs
    return shlex.split(command_for(run[0])) if len(run) == 1 else []


def short_names(names: Sequence[str]) -> list[str]:
    """Shortens the names of players, for narrow columns and labels.

    A name that is a command, such as `python3 -u bots/v2/bot.py --fast`, becomes `v2/bot.py --fast`: the last two parts
    of the file's path, and all words after the file. Options of the interpreter are left out. If different players
    would get the same name, all names are returned unchanged.
    """
    short = [_without_interpreter(name) for name in names]
    return short if len(set(short)) == len(set(names)) else list(names)


def _without_interpreter(name: str) -> str:
    program, *words = name.split() or [""]
    files = (number for number, word in enumerate(words) if not word.startswith("-"))
    place = next(files, None)
    if place is None or not (is_interpreter(program) and command_for(words[place])):
        return name
    file, *more = words[place:]
    return " ".join(["/".join(PurePath(file).parts[-2:]), *more])


def check_quoted(players: Sequence[str], most: int) -> None:
    """Checks that the user did not forget the quotes around a command of several words. A command is one player.

    Args:
        players: the players as the user named them.
        most: greatest number of players in a match.

    Raises:
        LapilliError: a player is an interpreter and the next player is a file; or there are more than `most` players,
            and one of them looks like a part of a command.
    """
    for word, file in pairwise(players):
        if is_interpreter(word) and (os.path.isfile(file) or command_for(file)):
            raise LapilliError(f'a command is one player, and must be quoted: "{word} {file}"')
    if len(players) > most and any(
        is_interpreter(word) or os.path.isfile(word) or command_for(word) for word in players
    ):
        raise LapilliError(
            f"{len(players)} players are named, but at most {most} can play: a command of several words is one "
            'player, and must be quoted, as in "./bot --fast"'
        )
