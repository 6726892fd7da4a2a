"""Makes contestants from players as users name them, with hashes that distinguish versions of a bot."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from lapilli.arena.matches.playing import Recipe
from lapilli.core.api import Game, Setup, Termination
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.match import Clock, Match
from lapilli.players import PlayerLike, PlayerSpec, check_startable, is_builtin
from lapilli.players.engines.searches import weights_of
from lapilli.players.player import lapilli_version
from lapilli.players.processes.command import name_of, split_command
from lapilli.players.processes.interpreters import is_interpreter
from lapilli.store.results import Contestant, ascii_json

_NOT_PLAYING = (Termination.NOT_STARTED, Termination.EXITED, Termination.CLOSED_INPUT)
_NAMED = re.compile(r"([^\s/'\"=:]{1,64})=(.*)", re.DOTALL)


def contestants_of(game: Game, players: Sequence[PlayerLike]) -> tuple[Contestant, ...]:
    """Returns the contestants of an event, each with a unique name.

    Args:
        game: the game.
        players: players as for `lapilli.match.Match`, or strings NAME=COMMAND. If two players without a given name
            would have the same name, the second one gets "NAME (2)".

    Raises:
        LapilliError: a player is not valid or cannot be started (this is checked without starting it), or two players
            were given the same name.
    """
    found: list[Contestant] = []
    for player in players:
        contestant = contestant_of(game, player)
        names = {other.name for other in found}
        if contestant.name in names:
            name = contestant.name
            if _has_given_name(player):
                raise LapilliError(f"two players are called {name!r}: give each a name of its own")
            number = next(number for number in range(2, len(found) + 3) if f"{name} ({number})" not in names)
            contestant = Contestant(name=f"{name} ({number})", player=contestant.player, hash=contestant.hash)
        found.append(contestant)
    return tuple(found)


def split_name(player: str) -> tuple[str, str]:
    """Splits NAME=COMMAND into name and command; the name is empty if there is none."""
    named = _NAMED.fullmatch(player)
    return (named[1], named[2]) if named else ("", player)


def contestant_of(game: Game, player: PlayerLike) -> Contestant:
    """Returns a player as a contestant. Raises LapilliError if the player is not valid or cannot be started."""
    if isinstance(player, str):
        name, command = split_name(player)
        check_startable(game, command)
        if is_builtin(game, command):
            return Contestant(name=name or command, player=command, hash=_builtin_hash(game, command))
        return Contestant(name=name or command, player=command, hash=_fingerprint(PlayerSpec(command=command)))
    if isinstance(player, PlayerSpec):
        return Contestant(name=player.name or name_of(player.command), player=player, hash=_fingerprint(player))
    if isinstance(player, Sequence):
        return contestant_of(game, PlayerSpec(command=tuple(player)))
    if callable(player):
        name = getattr(player, "__name__", "function")
        return Contestant(name=name, player=name, hash=f"function {getattr(player, '__module__', '')}.{name}")
    raise LapilliError(
        f"{player!r} is not a contestant: give a built-in's name, a command line, a PlayerSpec or a function"
    )


def _builtin_hash(game: Game, name: str) -> str:
    """Returns the hash of a built-in opponent. It depends on the version of Lapilli and on the opponent's weights."""
    weights = weights_of(game, name)
    return f"{name} of Lapilli {lapilli_version()}" + (f" sha256:{_file_hash(Path(weights))}" if weights else "")


def functions_of(players: Sequence[PlayerLike]) -> dict[int, PlayerLike]:
    """Returns the players that cannot be stored as data, such as Python functions, by index."""
    return {
        place: player for place, player in enumerate(players) if not isinstance(player, str | PlayerSpec | Sequence)
    }


def check_starting(recipe: Recipe, without: Collection[int] = ()) -> None:
    """Starts each bot, and waits for its first reply, so that a bot that cannot play is found before the first match.

    Args:
        recipe: settings of the matches, with the contestants.
        without: indices of contestants that are not checked.

    Raises:
        LapilliError: a bot does not start or exits at once, the game cannot start with this setup, or the required
            sandbox is not available.
    """
    game = load(recipe.game)
    setup = game.complete(Setup.from_dict({"seed": 0, **recipe.setup}))
    others = ["random"] * ((setup.players or 2) - 1)
    for place, contestant in enumerate(recipe.contestants):
        if place in without or is_builtin(game, contestant.player):
            continue
        among: dict[str, Any] = {
            "rivals": [contestant.player for contestant in recipe.contestants],
            "bot_folders": recipe.bot_folders,
        }
        with Match(game, [contestant.player, *others], setup, Clock(**recipe.clock), recipe.sandbox, **among) as match:
            for _ in match.turns():
                if any(entry.player == 0 for entry in match.record.turns):
                    break
        fault = next((entry.fault for entry in match.record.turns if entry.player == 0 and entry.fault), None)
        if fault is not None and fault.termination in _NOT_PLAYING:
            words = match.record.last_words(0).strip().splitlines()[-1:]
            raise LapilliError(f"player {contestant.name!r} {': '.join([fault.reason, *words])}")


def folder_hash(folder: Path) -> str:
    """Returns a hash of the names and contents of all files in a folder: "sha256:" and 64 hexadecimal digits.

    Raises:
        OSError: a file cannot be read.
    """
    whole = hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        whole.update(ascii_json([str(file.relative_to(folder)), _file_hash(file)]).encode())
    return f"sha256:{whole.hexdigest()}"


def _has_given_name(player: PlayerLike) -> bool:
    return (
        bool(_NAMED.fullmatch(player))
        if isinstance(player, str)
        else isinstance(player, PlayerSpec) and bool(player.name)
    )


def _fingerprint(bot: PlayerSpec) -> str:
    """Returns a hash that distinguishes versions of a bot.

    It depends on the words of the command line, on the environment, and on the files that these words name. Besides
    such a file, it depends on all files with the same suffix in the same folder, such as imported modules. If a word
    names a folder, it depends on the modification times of the files there. It does not depend on other files that the
    program may read.

    Raises:
        LapilliError: the command line cannot be split into words, or a file cannot be read.
    """
    try:
        words = split_command(bot.command)
    except ValueError as error:
        raise LapilliError(f"player {name_of(bot.command)!r}: {error}") from None
    try:
        content = [words, dict(bot.environment), list(_files(words, Path(bot.folder or ".")))]
    except OSError as error:
        raise LapilliError(f"player {name_of(bot.command)!r}: {error.strerror}: {error.filename}") from None
    return f"sha256:{hashlib.sha256(ascii_json(content).encode()).hexdigest()}"


def _files(words: Sequence[str], folder: Path) -> Iterator[tuple[str, str | int]]:
    program = words[0] if "/" in words[0] else shutil.which(words[0])
    others = [folder / word for word in words[1:]]
    for named in others if program is None or is_interpreter(program) else [folder / program, *others]:
        if named.is_dir():
            for file in sorted(named.rglob("*")):
                yield str(file), file.stat().st_mtime_ns
        elif named.is_file():
            beside = named.parent.glob(f"*{named.suffix}") if named.suffix else []
            for file in sorted({named, *beside}):
                if file.is_file() and os.access(file, os.R_OK):
                    yield file.name, _file_hash(file)


def _file_hash(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
