"""From what a user names as a player to the player."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from lapilli.games.api import Game
from lapilli.games.errors import LapilliError, UnknownName
from lapilli.players.builtin import builtin_engines
from lapilli.players.command import loader_error, split_command, why_not_started
from lapilli.players.inside import InsidePlayer
from lapilli.players.process import BotProcess

PlayerSpec = str | Sequence[str] | Callable[..., "int | str"]
"""The name of a built-in opponent, a command line (as text or split), or a Python function."""


def make_player(game: Game, spec: PlayerSpec, player: int, seed: int) -> BotProcess | InsidePlayer:
    """The player that `spec` names, as number `player` of a match. A bot's process is not started yet.

    Raises:
        LapilliError: `spec` is neither a function nor text, or a single word that names nothing.
    """
    if callable(spec):
        return InsidePlayer.from_function(spec, player, seed)
    engines = builtin_engines(game)
    if isinstance(spec, str) and spec in engines:
        return InsidePlayer.from_engine(engines[spec], player, seed)
    if isinstance(spec, str):
        if _is_bare_word(spec) and not _is_program(spec):
            raise UnknownName("command or built-in opponent", spec, engines)
        return BotProcess(spec, player)
    if isinstance(spec, Sequence) and all(isinstance(word, str) for word in spec):
        return BotProcess(spec, player)
    raise LapilliError(f"player {player} is {spec!r}: give a built-in's name, a command line or a function")


def name_of(spec: PlayerSpec) -> str:
    """What to call this player: a built-in's name, a command line, a function's name."""
    if callable(spec):
        return getattr(spec, "__name__", type(spec).__name__)
    name = spec if isinstance(spec, str) else shlex.join(spec)
    return name.encode("utf-8", "replace").decode()


def find_program(game: Game, spec: str) -> None:
    """Checks before a match that `spec` is a built-in or a program that can be started.

    Raises:
        LapilliError: it is neither; the message says what to do.
    """
    known = builtin_engines(game)
    if spec in known:
        return
    try:
        words = split_command(spec)
    except ValueError as error:
        raise LapilliError(f"player {spec!r}: {error}") from None
    program = shutil.which(words[0])
    if program is not None:
        refused = loader_error(program)
        if refused is not None:
            raise LapilliError(f"player {spec!r}: {why_not_started([program], None, refused)}")
        return
    here = Path(words[0])
    if _is_bare_word(spec) and not here.exists():
        raise UnknownName("command or built-in opponent", spec, known)
    code = errno.EACCES if "/" in words[0] and here.exists() else errno.ENOENT
    reason = why_not_started(words, None, OSError(code, os.strerror(code)))
    home = " (there is no shell here: write your home folder out)" if words[0].startswith("~") else ""
    raise LapilliError(f"player {spec!r}: {reason}{home}")


def _is_bare_word(spec: str) -> bool:
    return bool(spec) and not any(sign.isspace() or sign in "/'\"\\" for sign in spec)


def _is_program(word: str) -> bool:
    return shutil.which(word) is not None
