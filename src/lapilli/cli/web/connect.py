"""The command `lapilli connect`, which lets a bot on this machine play on a site."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.match import SandboxOption
from lapilli.cli.shared.console import console
from lapilli.core.errors import LapilliError
from lapilli.core.installed import how_to_install
from lapilli.games import load
from lapilli.players import check_command
from lapilli.players.spec import PlayerSpec, Sandbox

_TOKEN_VARIABLE = "LAPILLI_TOKEN"
_MOST = 64
"""Largest value of the option --at-once, the number of matches that the bot plays at once."""


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli connect` to the app."""
    site = "http://127.0.0.1:8480"
    add_command(
        app,
        "connect",
        connect,
        examples=(
            f"lapilli connect {site} --bot 'python3 bot.py'",
            f"lapilli connect {site} --bot ./bot --game {example_game()} --at-once 4",
            f"lapilli connect {site} --bot ./bot --tournament 9fKq2hXbT0aVw1Zd",
        ),
    )


def connect(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the site.")],
    bot: Annotated[
        str, typer.Option(metavar="COMMAND", help="Command of the bot, in quotes. It is started for each match.")
    ],
    token: Annotated[
        str,
        typer.Option(
            metavar="TOKEN",
            envvar=_TOKEN_VARIABLE,
            help="Token from the site's page /account/tokens.",
            show_default=False,
        ),
    ] = "",
    game: Annotated[
        str, typer.Option(metavar="GAME", help="The only game that the bot plays.", show_default="all games")
    ] = "",
    at_once: Annotated[int, typer.Option(metavar="N", help="Maximum number of matches at once.", min=1, max=_MOST)] = 1,
    tournament: Annotated[
        str, typer.Option(metavar="ID", help="Tournament of the site to join.", show_default="none")
    ] = "",
    sandbox: SandboxOption = Sandbox.OFF,
) -> None:
    """Connects a bot on this machine to a site, where it accepts challenges and plays them until Ctrl-C.

    Put the token into the environment variable LAPILLI_TOKEN, because other users of this machine may see the options
    of a command.
    """
    try:
        from lapilli.cli.web.api_client import Remote
    except ImportError as error:
        if (error.name or "").split(".")[0] == "lapilli":
            raise
        raise LapilliError(f"this command needs more libraries: {how_to_install('site')}") from None
    if not url.startswith(("http://", "https://")):
        raise LapilliError("the site's address must begin with http:// or https://")
    if not token:
        raise LapilliError(
            f"there is no token: make one at {url.rstrip('/')}/account/tokens, and set {_TOKEN_VARIABLE} to it"
        )
    name = load(game).name if game else ""
    check_command(bot, "bot")
    tournament_id = tournament.rstrip("/").rpartition("/")[2]  # `tournament` may be the address of its page

    async def play() -> None:
        report = lambda text: console.print(text, highlight=False, markup=False)  # noqa: E731
        await Remote(url, token, PlayerSpec(command=bot, sandbox=sandbox), name, at_once, report).play(tournament_id)

    asyncio.run(play())
