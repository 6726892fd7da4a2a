"""The hash of a contestant, which identifies a version of a player. docs/store.md describes the hash for users.

Two contestants with the same hash are the same player, so earlier matches count for both. The hash covers everything
that determines how a player plays: the files of a bot, the code and data of a Python function, or the sources and
weights of a built-in opponent.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

from lapilli.arena.matches.versions.bot_files import IGNORE_FILE, MAX_FILES, content_hash, files_below, is_left_out
from lapilli.arena.matches.versions.function_hash import function_hash
from lapilli.arena.matches.versions.reached_files import reached
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.kernels.cache import ROOT, sources_of
from lapilli.players import PlayerSpec
from lapilli.players.engines import searches
from lapilli.players.engines.builtin import builtin_engines
from lapilli.players.engines.searches import find_search
from lapilli.players.processes.command import name_of, split_command
from lapilli.players.processes.interpreters import is_interpreter
from lapilli.players.sandbox.visible_files import (
    SYSTEM,
    bot_places,
    is_own_program,
    paths_named,
    unless_private,
)
from lapilli.store.results import ascii_json

MAX_BYTES = 512 << 20
"""Largest total size of the files whose contents are hashed, in bytes."""
_SHORT = 6
"""Number of digits of a hash that users see."""
_TEMPLATE = re.compile(r'"(lapilli(?:\.\w+)+_template)"')
"""Pattern of the name of a template in a source file. Such a file does not import the template, but executes it: a
template is a module that is executed once for each game.
"""


def short_hash(full: str) -> str:
    """Returns the first digits of a contestant's hash, for users. In older stores, the hash `full` can be any text."""
    digits = full.removeprefix("sha256:")
    return (digits if re.fullmatch("[0-9a-f]{64}", digits) else _sha256(full))[:_SHORT]


def player_hash(game: Game, player: str | PlayerSpec | Callable[..., object], bot_folders: Sequence[str] = ()) -> str:
    """Returns the hash of a player: "sha256:" and 64 hexadecimal digits.

    Args:
        game: the game.
        player: name of a built-in opponent, command line, bot, or Python function.
        bot_folders: further files and folders of the bot, if the player is a command line.

    Raises:
        LapilliError: the command line cannot be split into words, or a file cannot be read.
    """
    if isinstance(player, str):
        named = find_search(game, player)
        if named is not None or player in builtin_engines(game):
            return f"sha256:{_builtin_hash(game, player)}"
        player = PlayerSpec(command=player, shown=tuple(bot_folders))
    if isinstance(player, PlayerSpec):
        return f"sha256:{_bot_hash(player)}"
    return f"sha256:{function_hash(player)}"


# -- bots


def _bot_hash(bot: PlayerSpec) -> str:
    """Returns a hash of a bot's command line, environment and files.

    A path in the command is replaced by a label of its file. So the same bot in another folder has the same hash.
    """
    who = name_of(bot.command)
    try:
        words = split_command(bot.command)
        files = _files_of(words, bot, who)
        labels = [_with_labels(word, files, os.path.abspath(bot.folder or ".")) for word in words]
        hashes = sorted((label, found) for path, label in files.labels.items() if (found := content_hash(path)))
    except ValueError as error:
        raise LapilliError(f"player {who!r}: {error}") from None
    except OSError as error:
        raise LapilliError(f"player {who!r}: {error.strerror}: {error.filename}") from None
    return _sha256(ascii_json(["bot", labels, dict(bot.environment), hashes]))


class _Files:
    """The files of a bot, with labels by which the bot's hash represents them.

    Labels do not depend on the location of the bot, so that the same bot in another folder has the same hash.

    Attributes:
        labels: label of each file, by the file's path.
        places: the folders and files that were added and contributed at least one new file.
    """

    def __init__(self) -> None:
        self.labels: dict[str, str] = {}
        self.places: list[str] = []
        self._size = 0

    def add(self, place: str) -> bool:
        """Adds the file `place`, or all files in the folder `place` that belong to a bot.

        Returns whether the files were added.

        If there are too many files, or the files are too large, none of them is added.
        """
        home = place if os.path.isdir(place) else os.path.dirname(place)
        new: dict[str, str] = {}
        size = self._size
        for path in files_below(place):
            if path not in self.labels and os.access(path, os.R_OK):
                size += os.path.getsize(path)
                if len(self.labels) + len(new) >= MAX_FILES or size > MAX_BYTES:
                    return False
                new[path] = f"{len(self.places)}/{path.removeprefix(home).lstrip('/')}"
        if new:
            self.labels.update(new)
            self.places.append(place)
            self._size = size
        return True

    def label(self, path: str) -> str | None:
        """Returns the label by which the hash represents a path, whatever the location of the bot.

        Returns None unless the path is an added file, or lies inside an added folder.
        """
        if path in self.labels:
            return self.labels[path]
        for number, place in enumerate(self.places):
            if f"{path}/".startswith(f"{place}/") and os.path.exists(path):
                return f"{number}/{os.path.relpath(path, place)}"
        return None


def _files_of(words: Sequence[str], bot: PlayerSpec, who: str) -> _Files:
    """Collects the files of a bot.

    Args:
        words: words of the bot's command.
        bot: the bot.
        who: name of the bot in warnings.
    """
    start = os.path.abspath(bot.folder or ".")
    named = list(_named_files(words, start))
    by_environment = [path for path in paths_named([*bot.environment.values()], start) if any(unless_private(path, ()))]
    places = [*bot_places(words, bot), *by_environment]
    if not places and not named:  # such as `java Main`: the sandbox also shows the current folder in this case
        places = list(unless_private(start, ()))
    files = _Files()
    whole = [place for place in places if _added(files, place, who) and os.path.isdir(place)]
    for file in named:
        files.add(file)
        if not any(_lies_in(file, place) for place in [*whole, *SYSTEM]):
            for other in _of_same_suffix(Path(file)):
                files.add(str(other))
    for path in reached(named, words, start):
        homes = [place for place in whole if _lies_in(path, place)] or [os.path.dirname(path)]
        if not any(is_left_out(path, home) for home in homes):
            _added(files, path, who)
    return files


def _of_same_suffix(file: Path) -> list[Path]:
    """Returns all files that are in the same folder as `file` and have the same suffix, `file` included.

    They are needed because the file may use them as modules.
    """
    return sorted(filter(Path.is_file, file.parent.glob(f"*{file.suffix}"))) if file.suffix else []


def _named_files(words: Sequence[str], start: str) -> Iterator[str]:
    """Yields the paths of the files that a command names: its program, and those of its arguments that are files.

    A program that is an interpreter, such as `python3`, is left out.

    Args:
        words: words of the command.
        start: folder in which the command runs; relative paths are relative to it.
    """
    if is_own_program(words[0]):
        yield os.path.normpath(os.path.join(start, words[0]))
    elif (program := shutil.which(words[0])) and not is_interpreter(program):
        yield os.path.abspath(program)
    yield from filter(os.path.isfile, paths_named(words[1:], start))


def _added(files: _Files, place: str, who: str) -> bool:
    """Adds the folder or file `place` of a bot to `files`, and returns True.

    If the folder contains too many or too large files, prints a warning instead, and returns False. `who` is the bot's
    name in the warning.
    """
    if files.add(place):
        return True
    _warn_once(
        f"lapilli: player {who!r}: {place} holds more than {MAX_FILES:,} files or {MAX_BYTES >> 20} MiB, so changes of "
        f"files that the command and its scripts do not name go unnoticed there: give the bot a folder of its own, or "
        f"list in {os.path.join(place, IGNORE_FILE)} what is not the bot's"
    )
    return False


@cache
def _warn_once(line: str) -> None:
    """Prints a warning on stderr, unless this process has already printed the same line."""
    print(line, file=sys.stderr)


def _lies_in(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _with_labels(word: str, files: _Files, start: str) -> str:
    """Returns a word of a command, with the paths of the bot's files replaced by labels.

    Args:
        word: a path, or a text with a path after "=", or several paths with colons between them.
        files: files of the bot, with their labels.
        start: folder in which the bot starts; relative paths are relative to it.
    """

    def label(part: str) -> str | None:
        return files.label(os.path.normpath(os.path.join(start, part))) if part else None

    value = word.partition("=")[2] or word
    return label(word) or word.removesuffix(value) + ":".join(label(part) or part for part in value.split(":"))


# -- built-in opponents


def _builtin_hash(game: Game, name: str) -> str:
    """Returns a hash of the settings of the built-in opponent `name`, and of the sources and weights that it uses."""
    home = Path(str(game.folder)).resolve()
    named = find_search(game, name)
    if named is None:
        return _sha256(ascii_json(["built-in", name, _sources_hash(home, builtin_engines(game)[name].__module__)]))
    search, budget = named.search, named.budget
    limits = None if budget is None else [budget.nodes, budget.ms]
    weights = content_hash(search.weights) if search.weights else ""
    sources = _sources_hash(home, searches.__name__, f"lapilli.search.{search.method}")
    return _sha256(ascii_json(["search", search.method, dict(search.settings), limits, weights, sources]))


@cache
def _sources_hash(home: Path, *modules: str) -> str:
    """Returns a hash of a game's trained weights and sources, of some modules, and of all sources that they import.

    The paths of the files are hashed, too, but relative to Lapilli's folder or the game's folder. So the location of
    these folders makes no difference.

    Args:
        home: folder of the game.
        modules: dotted names of the modules.
    """
    queue = [home / "__init__.py", *(Path(str(import_module(module).__file__)).resolve() for module in modules)]
    reached_sources: set[Path] = set()
    while queue:
        new = sources_of(queue.pop()) - reached_sources
        reached_sources |= new
        names = {name for source in new for name in _TEMPLATE.findall(source.read_text("utf-8"))}
        queue += [template for name in names if (template := _source_of(name)) not in reached_sources]
    weights = (home / "content").glob("*.npz")
    content = {_place_in(file, home): content_hash(str(file)) for file in (*reached_sources, *weights)}
    return _sha256(ascii_json(content))


def _source_of(module: str) -> Path:
    return ROOT.joinpath(*module.split(".")).with_suffix(".py")


def _place_in(file: Path, home: Path) -> str:
    return str(
        file.relative_to(home.parent if file.is_relative_to(home) else ROOT if file.is_relative_to(ROOT) else "/")
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
