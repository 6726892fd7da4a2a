"""The commands `lapilli games`, `rules`, `new` and `bench`."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.output import JsonOption, path_of
from lapilli.cli.options.setup import AnyGameName, GameName
from lapilli.cli.shared.console import console, print_json, show_table
from lapilli.core.api import Game
from lapilli.games import load, names
from lapilli.players import builtin_names, search_names
from lapilli.players.bots.starters import LANGUAGES, write_starter
from lapilli.players.engines.searches import level_titles


def register(app: typer.Typer) -> None:
    """Adds the commands `lapilli games`, `rules`, `new` and `bench` to the app."""
    game = example_game()
    add_command(app, "games", show_games, examples=("lapilli games", f"lapilli games {game}", "lapilli games --json"))
    add_command(app, "rules", show_rules, examples=(f"lapilli rules {game}", f"lapilli rules {game} | less"))
    add_command(app, "new", new, examples=(f"lapilli new {game}", f"lapilli new {game} --lang cpp mybot"))
    add_command(app, "bench", bench, examples=(f"lapilli bench {game}", f"lapilli bench {game} --json --seconds 5"))


def show_games(name: AnyGameName = None, as_json: JsonOption = False) -> None:
    """Lists the games with their players, variants, leagues and built-in opponents.

    For one game, it also shows the measured strength of each opponent.
    """
    games = [load(each) for each in ([name] if name else names())]
    if as_json:
        print_json([{**_described(game), "strengths": list(map(asdict, game.strengths))} for game in games])
        return
    for game in games:
        console.print(Text.assemble((game.name, "bold"), f"  {game.title}. {game.summary}"))
        for what, values in _described(game).items():
            if isinstance(values, list) and values:
                console.print(f"  {what:9} {', '.join(map(str, values))}")
    if name and games[0].strengths:
        show_table(_strengths(games[0]))


def _strengths(game: Game) -> Table:
    title = "Strength of the opponents, in matches from the usual start"
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for heading in ("opponent", "called", "Elo", "95 %", "matches"):
        table.add_column(heading, justify="left" if heading in ("opponent", "called") else "right")
    titles = level_titles(game)
    for one in game.strengths:
        bounds = f"{one.low:+} to {one.high:+}"
        table.add_row(one.player, titles.get(one.player, ""), f"{one.elo:+}", bounds, f"{one.matches}")
    return table


def _described(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "summary": game.summary,
        "players": list(game.players),
        "variants": list(game.variants),
        "leagues": list(game.leagues),
        "opponents": [*builtin_names(game), *search_names(game)],
        "aliases": list(game.aliases),
    }


def show_rules(game: GameName) -> None:
    """Prints a game's rules and its bot protocol."""
    console.print(Markdown(load(game).rules_page), width=min(console.width, 100), soft_wrap=False)


def new(
    name: GameName,
    folder: Annotated[
        Path | None,
        typer.Argument(parser=path_of, metavar="DIR", help="Folder for the bot.", show_default="GAME-bot"),
    ] = None,
    lang: Annotated[
        str, typer.Option(metavar="LANGUAGE", help=f"Language of the bot: {', '.join(LANGUAGES)}.")
    ] = "python",
) -> None:
    """Writes a starter bot that plays legal turns, and prints how to run it."""
    game = load(name)
    starter = write_starter(game, lang, folder or Path(f"{game.name}-bot"))
    console.print(f"Wrote {starter.file}.")
    if starter.build:
        missing = "" if shutil.which(starter.build.split()[0]) else f"   (needs {starter.build.split()[0]})"
        console.print(f"Build it:  {starter.build}{missing}")
    opponents = " ".join(["random"] * (game.players[0] - 1))
    console.print(f'Run it:    lapilli match {game.name} "{starter.run}" {opponents}')
    console.print(f"Its rules: lapilli rules {game.name}")


def bench(
    name: AnyGameName = None,
    as_json: JsonOption = False,
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time for each measurement, in seconds.", min=0.01)
    ] = 1.0,
) -> None:
    """Measures how fast the rules of games run on one core of this machine."""
    games = [load(each) for each in ([name] if name else names())]
    if as_json:
        print_json({game.name: game.speed(seconds) for game in games})
        return
    for game in games:
        with console.status(f"measuring {game.title} …"):
            figures = game.speed(seconds)
        table = Table(title=game.title, title_justify="left", title_style="bold", box=None, show_header=False)
        table.add_column(justify="right")
        table.add_column()
        for what, figure in figures.items():
            table.add_row(f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}", what)
        show_table(table)
