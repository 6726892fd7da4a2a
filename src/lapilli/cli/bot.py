"""The command `lapilli bot`, which runs a built-in opponent as a bot process.

The module imports few other modules, so that the bot starts fast.
"""

from __future__ import annotations

import gc
import secrets
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.setup import GameName, SeedOption, SetupOptions
from lapilli.cli.shared.codes import INTERRUPTED
from lapilli.cli.shared.streams import mute
from lapilli.core.api import Setup
from lapilli.core.errors import InputError
from lapilli.games import load
from lapilli.players.engines.catalogue import make_builtin, strongest
from lapilli.players.engines.stdio_bot import run_stdio_bot

_LONGEST = 1 << 20
"""Maximum number of bytes in an input line, far above the length of any game's input lines."""


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli bot` to the app."""
    game = example_game()
    add_command(
        app,
        "bot",
        bot,
        examples=(
            f"lapilli bot {game}",
            f"lapilli bot {game} --level 3",
            f"lapilli match {game} 'python3 bot.py' 'lapilli bot {game} --player greedy'",
        ),
    )


def _level_of(text: str) -> int:
    """Returns the number of a level, parsed from the value of the option --level."""
    if not text.isdecimal():
        raise typer.BadParameter(f"expected the number of a level, not {text!r}; for other opponents: --player {text}")
    return int(text)


def bot(
    name: GameName,
    player: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC", help="Built-in opponent, such as greedy or best:ms=80.", show_default="the strongest"
        ),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=_level_of,
            help="Play as the built-in opponent levelN.",
            show_default="the strongest",
        ),
    ] = None,
    seed: SeedOption = None,
    *,
    setup: SetupOptions,
) -> None:
    """Runs a built-in opponent as a bot on stdin and stdout, for any referee that uses the game's bot protocol.

    Run 'lapilli compile' first, so that the bot keeps the game's time limits. The bot ends when its input ends. With
    the seed of a match it plays as it does in 'lapilli match'. --league, --variant and --set describe the match, if its
    input does not contain them.
    """
    if None not in (player, level):
        raise typer.BadParameter("--player and --level cannot be combined: give one of them")
    gc.disable()  # collecting garbage would cost time of a reply; a match leaves little garbage
    try:
        game = load(name)
        who = player if player is not None else strongest(game) if level is None else f"level{level}"
        chance = secrets.randbits(31) if seed is None else seed
        make_builtin(game, who, 0, chance)  # raises an error now if the name is wrong
        run_stdio_bot(game, who, Setup.from_dict(setup.keys()), chance, _lines(), _write)
    except BrokenPipeError:  # the referee has closed the pipe
        mute()
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _lines() -> Iterator[str]:
    """Yields each line of stdin as soon as it arrives. A last line without a line end is dropped.

    Raises:
        InputError: a line is too long.
    """
    with open(0, "rb", closefd=False) as stdin:
        number = 1
        while (line := stdin.readline(_LONGEST)).endswith(b"\n"):
            yield line.decode("utf-8", "replace")
            number += 1
        if len(line) == _LONGEST:
            raise InputError(f"line {number} of the input is too long: the maximum is {_LONGEST} bytes")


def _write(reply: str) -> None:
    """Writes a reply to stdout."""
    sys.stdout.write(f"{reply}\n")
    sys.stdout.flush()
