"""The command `lapilli bot`: a built-in opponent as a bot process. It is loaded without the other commands."""

from __future__ import annotations

import gc
import secrets
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from lapilli.cli.options.panels import BOTS
from lapilli.cli.options.setup import (
    GameName,
    LeagueOption,
    OwnOption,
    SeedOption,
    VariantOption,
    example_game,
    setup_keys,
)
from lapilli.cli.shared.signals import INTERRUPTED
from lapilli.cli.shared.streams import mute
from lapilli.core.api import Setup
from lapilli.core.errors import InputError
from lapilli.games import load
from lapilli.players.engines.catalogue import make_builtin, strongest
from lapilli.players.engines.stdio_bot import speak

_LONGEST = 1 << 20
"""Maximum number of bytes in an input line: many times as long as any game's input lines."""


def register(app: typer.Typer) -> None:
    """Adds this file's command."""
    game = example_game()
    app.command(
        "bot",
        rich_help_panel=BOTS,
        epilog=f"Examples: lapilli bot {game}  ·  lapilli bot {game} --level 3  ·  "
        f"lapilli match {game} 'python3 bot.py' 'lapilli bot {game} --player greedy'",
    )(bot)


def bot(
    name: GameName,
    player: Annotated[
        str | None,
        typer.Option(metavar="SPEC", help="A built-in opponent, as best:ms=80.", show_default="the strongest"),
    ] = None,
    level: Annotated[int | None, typer.Option(metavar="N", help="The one of that level.")] = None,
    seed: SeedOption = None,
    league: LeagueOption = None,
    variant: VariantOption = None,
    own: OwnOption = None,
) -> None:
    """A built-in opponent as a bot process, on stdin and stdout, for any referee that speaks the game's bot text.

    It keeps the game's limits once 'lapilli compile' has run, and ends when its input does. With a match's seed it
    plays as in 'lapilli match'. League and the like are the match's, where the text does not tell them.
    """
    if None not in (player, level):
        raise typer.BadParameter("--player and --level name one opponent each: give one of them")
    gc.disable()  # collecting garbage would cost time of a reply; a match leaves little garbage
    try:
        game = load(name)
        who = player if player is not None else strongest(game) if level is None else f"level{level}"
        chance = secrets.randbits(31) if seed is None else seed
        make_builtin(game, who, 0, chance)  # raises now if the name is wrong
        speak(game, who, Setup.from_dict(setup_keys(league, variant, own)), chance, _lines(), _say)
    except BrokenPipeError:  # the referee has closed the pipe
        mute()
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _lines() -> Iterator[str]:
    """Yields the lines of stdin as they arrive; an unfinished last line is dropped.

    Raises:
        InputError: a line is too long.
    """
    with open(0, "rb", closefd=False) as stdin:
        number = 1
        while (line := stdin.readline(_LONGEST)).endswith(b"\n"):
            yield line.decode("utf-8", "replace")
            number += 1
        if len(line) == _LONGEST:
            raise InputError(f"line {number} of the input is longer than any that is sent")


def _say(reply: str) -> None:
    """Writes a reply to stdout."""
    sys.stdout.write(f"{reply}\n")
    sys.stdout.flush()
