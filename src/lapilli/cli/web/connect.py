"""The command `lapilli connect`."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from lapilli.cli.options.panels import BOTS
from lapilli.cli.shared.console import console
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.players.processes.command import find_program, split_command, why_not_started
from lapilli.players.spec import PlayerSpec, Sandbox

TOKEN_VARIABLE = "LAPILLI_TOKEN"
_MOST = 64


def register(app: typer.Typer) -> None:
    """Adds this file's command."""
    app.command(
        "connect",
        rich_help_panel=BOTS,
        epilog="Example: lapilli connect http://127.0.0.1:8480 --bot 'python3 bot.py'",
    )(connect)


def connect(
    url: Annotated[str, typer.Argument(metavar="URL", help="The site's address.")],
    bot: Annotated[str, typer.Option(metavar="COMMAND", help="The bot's command line; it is started for each match.")],
    token: Annotated[
        str, typer.Option(envvar=TOKEN_VARIABLE, help="From the site's page /account/tokens.", show_default=False)
    ] = "",
    game: Annotated[str, typer.Option(help="The one game that the bot plays.", show_default="any")] = "",
    at_once: Annotated[int, typer.Option(help="In how many matches it plays at once.", min=1, max=_MOST)] = 1,
    sandbox: Annotated[Sandbox, typer.Option(help="Whether it is locked in.")] = Sandbox.OFF,
) -> None:
    """Have a bot on this machine play on a site: it accepts challenges, and plays them until Ctrl-C.

    Better give the token in the environment than as an option, which others on this machine may see.
    """
    try:
        from lapilli.cli.web.api_client import Remote
    except ImportError as error:
        if (error.name or "").split(".")[0] == "lapilli":
            raise
        raise LapilliError("to connect needs one more library: pip install 'lapilli[site]'") from None
    if not token:
        raise LapilliError(
            f"a token is missing: make one at {url.rstrip('/')}/account/tokens, and set {TOKEN_VARIABLE}"
        )
    if not url.startswith(("http://", "https://")):
        raise LapilliError("the site's address begins with http:// or https://")
    name = load(game).name if game else ""
    try:
        words = split_command(bot)
    except ValueError as error:
        raise LapilliError(f"bot {bot!r}: {error}") from None
    try:
        find_program(words)
    except OSError as error:
        raise LapilliError(f"bot {bot!r}: {why_not_started(words, None, error)}") from None

    async def play() -> None:
        said = lambda text: console.print(text, highlight=False, markup=False)  # noqa: E731
        await Remote(url, token, PlayerSpec(command=bot, sandbox=sandbox), name, at_once, said).play()

    asyncio.run(play())
