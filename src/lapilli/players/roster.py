"""Makes the Player that a user has described: by a name, a command line, a PlayerSpec, a function or a Player."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
from collections.abc import Callable, Sequence

import msgspec

from lapilli.core.api import Game
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.players.bots.process import BotProcess
from lapilli.players.engines.builtin import builtin_engines
from lapilli.players.engines.catalogue import is_builtin, make_builtin
from lapilli.players.engines.in_process import InProcessPlayer
from lapilli.players.engines.searches import search_names
from lapilli.players.player import Player
from lapilli.players.processes.command import find_program, split_command, why_not_started
from lapilli.players.processes.interpreters import advice_for, script_of, shell_operator, with_quoted_path
from lapilli.players.sandbox.sandbox import launcher_for
from lapilli.players.spec import PlayerSpec, Sandbox

PlayerLike = str | Sequence[str] | PlayerSpec | Callable[..., "int | str"] | Player
"""A user's description of a player: the name of a built-in opponent, a command line (as one string or as words), a
PlayerSpec, a Python function, or a Player object.
"""


def make_player(
    game: Game,
    spec: PlayerLike,
    player: int,
    seed: int,
    sandbox: Sandbox | str = Sandbox.AUTO,
    *,
    freeze_idle: bool = False,
    rivals: Sequence[PlayerLike] = (),
    bot_folders: Sequence[str] = (),
) -> Player:
    """Makes the player that `spec` describes. If the player is a bot, its process is not started yet.

    Args:
        game: the game to play.
        spec: description of the player. If it is a Player object, that object is returned.
        player: player number in the match.
        seed: seed of the player's random numbers, if it runs in this process.
        sandbox: sandbox mode of a bot that is described by a command line. A PlayerSpec has a mode of its own; only the
            mode REQUIRE replaces it.
        freeze_idle: whether a bot is frozen between its questions.
        rivals: the other players of the match. A bot in the sandbox does not see their files.
        bot_folders: folders that the sandbox shows to a bot that is described by a command line, besides those that the
            command names.

    Raises:
        LapilliError: `spec` is no PlayerLike, or is a single word that names neither a built-in opponent nor a program;
            or a sandbox is required and not available.
    """
    if isinstance(spec, Player):
        return spec
    if callable(spec):
        return InProcessPlayer.from_function(spec, player, seed)
    if isinstance(spec, str):
        if is_builtin(game, spec):
            return make_builtin(game, spec, player, seed)
        _check_word(game, spec)
    bot = _bot_spec(spec, _sandbox_mode(sandbox), bot_folders)
    if bot is None:
        raise LapilliError(
            f"player {player} is {spec!r}: give a built-in's name, a command line, a PlayerSpec, a function or a Player"
        )
    rival_specs = [described for rival in rivals if (described := _bot_spec(rival)) and not is_builtin(game, rival)]
    launcher = launcher_for(bot, freeze_idle=freeze_idle, rivals=rival_specs)
    return BotProcess(bot, player, launcher, freeze_idle=freeze_idle)


def _bot_spec(spec: object, sandbox: Sandbox = Sandbox.AUTO, bot_folders: Sequence[str] = ()) -> PlayerSpec | None:
    """Converts the description of a bot to a PlayerSpec. Returns None if `spec` describes no bot.

    Args:
        spec: any description of a player, see PlayerLike.
        sandbox: sandbox mode of a bot that is described by a command line.
        bot_folders: folders that the sandbox shows to such a bot, besides those that the command names.
    """
    if isinstance(spec, PlayerSpec):
        required = sandbox == Sandbox.REQUIRE
        return msgspec.structs.replace(spec, sandbox=Sandbox.REQUIRE) if required else spec
    if isinstance(spec, str):
        return PlayerSpec(command=spec, sandbox=sandbox, shown=tuple(bot_folders))
    if isinstance(spec, Sequence) and all(isinstance(word, str) for word in spec):
        return PlayerSpec(command=tuple(spec), sandbox=sandbox, shown=tuple(bot_folders))
    return None


def _sandbox_mode(name: Sandbox | str) -> Sandbox:
    try:
        return Sandbox(name)
    except ValueError:
        raise UnknownName("sandbox mode", name, list(Sandbox)) from None


def check_startable(game: Game, spec: str) -> None:
    """Checks, before a match, that `spec` names a built-in opponent or is a command whose program can be started.

    If the program is an interpreter, the file that it runs must exist, too.

    Raises:
        LapilliError: `spec` is neither. The message suggests what to do.
    """
    if is_builtin(game, spec):
        return
    _check_word(game, spec)
    check_command(spec)


def check_command(command: str, kind: str = "player") -> None:
    """Checks that the program of a bot's command line can be started, and that the file that it interprets exists.

    Args:
        command: the command line.
        kind: what messages call the bot.

    Raises:
        LapilliError: the command cannot be started. The message suggests what to do.
    """
    try:
        words = split_command(command)
    except ValueError as error:
        raise LapilliError(f"{kind} {command!r}: {error}") from None
    quoted_path = with_quoted_path(words)
    if quoted_path:
        raise LapilliError(f"{kind} {command!r}: a path with a blank needs quotes of its own: {quoted_path}")
    try:
        find_program(words)
    except OSError as error:
        raise _not_startable(command, words, error, kind) from None
    script = script_of(words)
    if script is not None and not os.path.exists(script):
        raise LapilliError(f"{kind} {command!r}: there is no file {script!r}{advice_for(words, script)}")
    operator = shell_operator(command, words)
    if operator:
        how = shlex.join(["sh", "-c", command])
        raise LapilliError(f"{kind} {command!r}: bots run without a shell, so {operator!r} has no meaning (say: {how})")


def _check_word(game: Game, spec: str) -> None:
    """Raises LapilliError if `spec` is a single word that names no program. Call it only if no built-in opponent has
    this name.
    """
    is_bare_word = bool(spec) and not any(sign.isspace() or sign in "/'\"\\\0" for sign in spec)
    if is_bare_word and shutil.which(spec) is None:
        if os.path.exists(spec):
            raise _not_startable(spec, [spec], FileNotFoundError(errno.ENOENT, ""))
        raise UnknownName("command or built-in opponent", spec, [*builtin_engines(game), *search_names(game)])


def _not_startable(spec: str, words: Sequence[str], error: OSError, kind: str = "player") -> LapilliError:
    """Returns the exception for a player whose program was not found or cannot be run.

    Args:
        spec: the player, as the user named it.
        words: words of the command line.
        error: the system's error.
        kind: what the message calls the player.
    """
    return LapilliError(f"{kind} {spec!r}: {why_not_started(words, None, error)}{advice_for(words, words[0])}")
