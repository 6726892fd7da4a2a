"""From what a user names as a player to the player."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Sequence

from lapilli.games.api import Engine, Game
from lapilli.games.errors import LapilliError, UnknownName
from lapilli.players.builtin import builtin_engines
from lapilli.players.command import loader_error, split_command, why_not_started
from lapilli.players.inside import InsidePlayer
from lapilli.players.player import Player
from lapilli.players.process import BotProcess

PlayerSpec = str | Sequence[str] | Callable[..., "int | str"] | Player
"""The name of a built-in opponent, a command line (as text or split), a Python function, or a Player of one's own."""


def make_player(game: Game, spec: PlayerSpec, player: int, seed: int) -> Player:
    """The player that `spec` names, as number `player` of a match. A bot's process is not started yet.

    Raises:
        LapilliError: `spec` is nothing of what a PlayerSpec may be, or a single word that names nothing.
    """
    if isinstance(spec, Player):
        return spec
    if callable(spec):
        return InsidePlayer.from_function(spec, player, seed)
    if isinstance(spec, str):
        engine = _engine_named(game, spec)
        return BotProcess(spec, player) if engine is None else InsidePlayer.from_engine(spec, engine, player, seed)
    if isinstance(spec, Sequence) and all(isinstance(word, str) for word in spec):
        return BotProcess(spec, player)
    raise LapilliError(f"player {player} is {spec!r}: give a built-in's name, a command line, a function or a Player")


def check_startable(game: Game, spec: str) -> None:
    """Checks before a match that `spec` is a built-in or a program that can be started.

    Raises:
        LapilliError: it is neither; the message says what to do.
    """
    if _engine_named(game, spec) is not None:
        return
    try:
        words = split_command(spec)
    except ValueError as error:
        raise LapilliError(f"player {spec!r}: {error}") from None
    program = shutil.which(words[0])
    if program is None:
        raise _not_startable(spec, words)
    refusal = loader_error(program)
    if refusal is not None:
        raise LapilliError(f"player {spec!r}: {why_not_started([program], None, refusal)}")


def _engine_named(game: Game, spec: str) -> Engine | None:
    """The built-in opponent of that name; None where `spec` is a command line.

    Raises:
        LapilliError: it is a single word, and neither a built-in nor a command.
    """
    engines = builtin_engines(game)
    if spec in engines:
        return engines[spec]
    is_bare_word = bool(spec) and not any(sign.isspace() or sign in "/'\"\\\0" for sign in spec)
    if is_bare_word and shutil.which(spec) is None:
        if os.path.exists(spec):
            raise _not_startable(spec, [spec])
        raise UnknownName("command or built-in opponent", spec, engines)
    return None


def _not_startable(spec: str, words: Sequence[str]) -> LapilliError:
    """What to tell somebody whose program is not found, or is no program."""
    program = words[0]
    code = errno.EACCES if "/" in program and os.path.exists(program) else errno.ENOENT
    reason = why_not_started(words, None, OSError(code, os.strerror(code)))
    home = " (there is no shell here: write your home folder out)" if program.startswith("~") else ""
    return LapilliError(f"player {spec!r}: {reason}{home}")
