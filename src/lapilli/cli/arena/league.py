"""The group of commands `lapilli league`, which create, play and show leagues of bots."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from lapilli.arena.league import League, LeagueRun
from lapilli.arena.matches.pool import LocalPool, default_jobs
from lapilli.arena.progress.promotion import DIVISIONS, ENOUGH
from lapilli.arena.progress.running import StopReason
from lapilli.arena.reports import standings
from lapilli.cli.arena import tables
from lapilli.cli.arena.filters import FilterOptions, MostOption, list_matches
from lapilli.cli.arena.progress import Display, exit_if_stopped
from lapilli.cli.compiling import compile_aside
from lapilli.cli.options.commands import GAMES_ARE_MATCHES, add_command, add_group, example_game
from lapilli.cli.options.match import ClockOptions
from lapilli.cli.options.output import JsonOption, path_of
from lapilli.cli.options.setup import GameName, PlayersOption, VariantOptions
from lapilli.cli.options.store import StoreOption, open_store
from lapilli.cli.options.workers import JobsOption
from lapilli.cli.shared.console import console, print_json, show_table, visible
from lapilli.cli.shared.streams import unless_closed
from lapilli.core.picture.words import quantity
from lapilli.games import load
from lapilli.players import check_quoted
from lapilli.players.engines.precompile import uses_search
from lapilli.store.places import beside

LeagueName = Annotated[str, typer.Argument(metavar="LEAGUE", help="Name of the league.")]


def register(app: typer.Typer) -> None:
    """Adds the group of commands `lapilli league` to the app."""
    game = example_game()
    group = add_group(
        app,
        "league",
        "Runs leagues: bots play each other, are rated, and rise through divisions from wood to legend.\n\n"
        "A bot is promoted once its matches against the boss of its division prove that it is stronger. Bots run in a "
        "sandbox, so a league needs bubblewrap.",
        examples=(
            f"lapilli league create spring {game}",
            "lapilli league enter spring 'mybot=python3 mybot/bot.py'",
            "lapilli league run spring --minutes 10",
            "lapilli league board spring",
        ),
    )
    add_command(
        group,
        "create",
        create,
        examples=(
            f"lapilli league create spring {game}",
            f"lapilli league create blitz {game} --limit 50 --enough 100",
        ),
    )
    add_command(
        group,
        "enter",
        enter,
        examples=(
            "lapilli league enter spring 'mybot=python3 mybot/bot.py'",
            "lapilli league enter spring 'mybot=python3 mybot/bot.py' --version 2",
        ),
    )
    add_command(
        group,
        "run",
        run,
        examples=(
            "lapilli league run spring --minutes 10",
            "lapilli league run spring --matches 100 --only mybot --only rival",
        ),
        renamed=GAMES_ARE_MATCHES,
    )
    add_command(group, "board", board, examples=("lapilli league board spring", "lapilli league board spring --json"))
    add_command(
        group,
        "withdraw",
        withdraw,
        examples=("lapilli league withdraw spring mybot", "lapilli league withdraw spring mybot --version 1"),
    )
    add_command(
        group,
        "matches",
        matches,
        examples=(
            "lapilli league matches spring --lost-by mybot",
            "lapilli league matches spring --player mybot --limit 5",
        ),
    )


def create(
    name: LeagueName,
    game: GameName,
    *,
    seats: PlayersOption = None,
    setup: VariantOptions,
    enough: Annotated[
        int, typer.Option(metavar="N", help="Matches that a bot plays in a division before it can rise.", min=1)
    ] = ENOUGH,
    clock: ClockOptions,
    store: StoreOption = None,
) -> None:
    """Creates a league, with a built-in opponent as the boss of each division below the highest."""
    with open_store(store) as opened:
        made = League.create(
            opened,
            name,
            load(game),
            _copies(store),
            setup={**setup.keys(), "players": seats},
            clock=clock.settings(),
            enough=enough,
        )
        bosses = [f"{DIVISIONS[boss.division]}: {boss.contestant.player}" for boss in reversed(made.entries())]
    console.print(Text(visible(f"Created the league {name} of {made.game.title}. Bosses: {', '.join(bosses)}.")))


def enter(
    name: LeagueName,
    bots: Annotated[
        list[str], typer.Argument(metavar="NAME=COMMAND…", help="Name and command of each bot, in quotes.")
    ],
    version: Annotated[
        str | None, typer.Option("--version", metavar="VERSION", help="Version of the bots.", show_default="none")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(parser=path_of, metavar="DIR", help="Folder to copy.", show_default="that of the command's file"),
    ] = None,
    store: StoreOption = None,
) -> None:
    """Enters bots into a league. Their folders are copied, so later changes have no effect.

    A new version of a bot starts in the highest division that the bot has reached. A bot that was withdrawn plays
    again.
    """
    check_quoted(bots, len(bots))
    named = [bot.partition("=") for bot in bots]
    for bot, (called, equals, command) in zip(bots, named, strict=True):
        if not (called and equals and command):
            raise typer.BadParameter(f"{bot}: expected NAME=COMMAND, such as 'mybot=python3 mybot/bot.py'")
    with _league(name, store) as found:
        for called, _, command in named:
            entry = found.enter(called, command, version=version or "", folder=folder)
            entered = f"{called} {version or ''}".rstrip()
            console.print(Text(visible(f"Entered {entered}. It plays in the division {DIVISIONS[entry.division]}.")))


def run(
    name: LeagueName,
    matches: Annotated[
        int | None, typer.Option(metavar="N", help="Number of matches.", min=1, show_default="until Ctrl-C")
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(metavar="MINUTES", help="Time to play, in minutes.", min=0.01, show_default="until Ctrl-C"),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="BOT", help="Play only matches between these bots; repeat it for each bot."),
    ] = None,
    jobs: JobsOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plays matches of a league, until --matches or --minutes is reached, or until Ctrl-C.

    Exit codes: 0 if --matches or --minutes was reached, 3 if this machine was too busy, 130 if you stopped it.
    """
    with _league(name, store) as found:
        seconds = None if minutes is None else 60 * minutes
        played = LeagueRun(found, matches=matches, seconds=seconds, only=found.numbers_of(only or []))
        compile_aside(found.game, uses_search(found.game, (one.player for one in played.recipe.contestants)))
        number = jobs or default_jobs(in_process=False)
        with Display[LeagueRun](_table, _line, quiet=as_json) as display:
            played.run(LocalPool(played.recipe, number), display.show)
    if as_json:
        result = {
            "league": name,
            "ending": played.ending,
            "played": played.matches - played.resumed,
            "abandoned": played.abandoned,
            "promoted": [{"name": who, "division": DIVISIONS[to]} for who, to in played.promoted],
        }
        unless_closed(lambda: print_json(result))
    else:
        unless_closed(lambda: _show(played, number))
    exit_if_stopped(played.ending)


def board(name: LeagueName, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Shows the leaderboard of a league."""
    with _league(name, store) as found:
        ladder = standings.league(found.store, found.event)
    if as_json:
        print_json(standings.league_data(found.event, ladder))
    else:
        tables.league(found.event, ladder)


def withdraw(
    name: LeagueName,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Name of the bot.")],
    version: Annotated[
        str | None,
        typer.Option("--version", metavar="VERSION", help="Version to withdraw.", show_default="all versions"),
    ] = None,
    store: StoreOption = None,
) -> None:
    """Withdraws a bot from a league. Its matches are kept; enter it again to bring it back."""
    with _league(name, store) as found:
        gone = found.withdraw(bot, version)
    console.print(Text(visible(f"Withdrew {quantity(len(gone), 'version')} of {bot}.")))


def matches(
    name: LeagueName,
    *,
    wanted: FilterOptions,
    limit: MostOption = 20,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lists the matches of a league. Those stored last come first."""
    with _league(name, store) as found:
        list_matches(found.store, found.event, wanted, limit=limit, where=store, as_json=as_json)


@contextmanager
def _league(name: str, where: str | None) -> Iterator[League]:
    with open_store(where, create=False) as store:
        yield League.named(store, name, _copies(where))


def _copies(where: str | None) -> Path:
    """Returns the folder beside a store in which leagues store copies of their bots. `where`: value of --store."""
    return beside(where, "leagues")


def _line(played: LeagueRun) -> str:
    return f"{played.matches} matches, {len(played.promoted)} promoted in this run"


def _table(played: LeagueRun) -> Table:
    """Returns a table of the 30 best entries of a league, ordered by division and rating."""
    table = Table(title=visible(played.league.event.name), title_justify="left", box=None, pad_edge=False)
    for heading in ("division", "bot", "rating", "±", "matches"):
        is_text = heading in ("division", "bot")
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=heading != "bot", overflow="fold")
    before = -1
    for entry in played.entries[:30]:
        division = "" if entry.division == before else DIVISIONS[entry.division]
        before = entry.division
        called = f"{entry.contestant.name} {entry.contestant.version}".strip()
        table.add_row(
            division,
            Text(visible(called), style="dim" if entry.boss else ""),
            f"{entry.rating.mu - 3 * entry.rating.sigma:.1f}",
            f"{entry.rating.sigma:.1f}",
            f"{entry.matches:,}",
        )
    return table


def _show(played: LeagueRun, jobs: int) -> None:
    show_table(_table(played))
    for who, division in played.promoted:
        console.print(Text(visible(f"{who} is promoted to {DIVISIONS[division]}."), style="bold"))
    if played.ending == StopReason.TOO_BUSY:
        console.print(f"This machine is too busy for {jobs} matches at once. Play fewer at once, with --jobs.")
    console.print(f"{played.matches - played.resumed:,} matches played, {played.matches:,} in total.")
