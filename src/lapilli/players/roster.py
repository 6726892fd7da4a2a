"""From what a user names as a player to the player."""

from __future__ import annotations

import errno
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from lapilli.games.api import Game
from lapilli.games.errors import LapilliError, UnknownName
from lapilli.players.builtin import builtin_engines
from lapilli.players.command import split_command, why_not_started
from lapilli.players.inside import InsidePlayer
from lapilli.players.process import BotProcess

PlayerSpec = str | Sequence[str] | Callable[..., "int | str"]
"""The name of a built-in opponent, a command line (as text or split), or a Python function."""


def make_player(game: Game, spec: PlayerSpec, player: int, seed: int) -> BotProcess | InsidePlayer:
    """The player that `spec` names, as number `player` of a match. A bot's process is not started yet."""
    if callable(spec):
        return InsidePlayer.from_function(spec, player, seed)
    if isinstance(spec, str) and spec in builtin_engines(game):
        return InsidePlayer.from_engine(builtin_engines(game)[spec], player, seed)
    return BotProcess(spec, player)


def name_of(spec: PlayerSpec) -> str:
    """What to call this player: a built-in's name, a command line, a function's name."""
    if callable(spec):
        return getattr(spec, "__name__", type(spec).__name__)
    return spec if isinstance(spec, str) else shlex.join(spec)


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
    if shutil.which(words[0]) is not None:
        return
    if words == [spec] and "/" not in spec and not Path(spec).exists():
        raise UnknownName("command or built-in opponent", spec, known)
    problem = PermissionError(errno.EACCES, "") if Path(words[0]).exists() else FileNotFoundError(errno.ENOENT, "")
    raise LapilliError(f"player {spec!r}: {why_not_started(words, None, problem)}")
