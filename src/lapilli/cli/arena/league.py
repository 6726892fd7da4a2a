"""The command `lapilli league`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from lapilli.arena.events.promotion import DIVISIONS, ENOUGH
from lapilli.arena.events.running import StopReason
from lapilli.arena.league import League, LeagueRun
from lapilli.arena.matches.pool import LocalPool, default_jobs
from lapilli.arena.reports import standings
from lapilli.cli.arena import events as arena
from lapilli.cli.arena import tables as arena_shown
from lapilli.cli.arena.live import Display
from lapilli.cli.compiling import compile_aside
from lapilli.cli.options.options import (
    CpuLimitOption,
    FirstLimitOption,
    JobsOption,
    JsonOption,
    LimitOption,
    MarginOption,
    NoTimeoutOption,
    StoreOption,
    TimeFactorOption,
    clock_settings,
    open_store,
)
from lapilli.cli.options.panels import COMPETE
from lapilli.cli.options.setup import GameName, OwnOption, VariantOption, example_game, setup_keys
from lapilli.cli.shared.codes import ABANDONED
from lapilli.cli.shared.console import console, path_of, visible
from lapilli.cli.shared.signals import INTERRUPTED
from lapilli.cli.shared.streams import unless_closed
from lapilli.games import load
from lapilli.players import check_quoted
from lapilli.players.engines.precompile import thinks
from lapilli.store.places import beside

LeagueName = Annotated[str, typer.Argument(metavar="LEAGUE", help="A league's name.")]
VersionOption = Annotated[str | None, typer.Option("--version", help="Which version of it.")]

league = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False)


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.add_typer(
        league,
        name="league",
        rich_help_panel=COMPETE,
        epilog=f"Example: lapilli league create spring {example_game()}",
    )


@league.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Bots that are entered play those who tell most of them, are rated, and rise from wood to legend past a boss each.

    They are locked in: a league needs bubblewrap.
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


@league.command("create", epilog=f"Example: lapilli league create spring {example_game()}")
def create(
    name: LeagueName,
    game: GameName,
    seats: Annotated[
        int | None, typer.Option("--players", help="In a match, where the game is for more than two.")
    ] = None,
    variant: VariantOption = None,
    own: OwnOption = None,
    enough: Annotated[int, typer.Option(help="Matches in a division until a bot may be promoted.", min=1)] = ENOUGH,
    time_factor: TimeFactorOption = 1.0,
    no_timeout: NoTimeoutOption = False,
    limit: LimitOption = None,
    first_limit: FirstLimitOption = None,
    margin: MarginOption = 0.0,
    cpu_limit: CpuLimitOption = None,
    store: StoreOption = None,
) -> None:
    """Makes a league, with a boss at the gate of each division."""
    with open_store(store) as opened:
        made = League.create(
            opened,
            name,
            load(game),
            copies(store),
            setup={**setup_keys(None, variant, own), "players": seats},
            clock=clock_settings(time_factor, no_timeout, limit, first_limit, margin, cpu_limit),
            enough=enough,
        )
        bosses = [f"{DIVISIONS[boss.division]} by {boss.contestant.player}" for boss in reversed(made.entries())]
    console.print(Text(visible(f"League {name} of {made.game.title}; the gates are kept, of {', '.join(bosses)}.")))


@league.command("enter", epilog="Example: lapilli league enter spring 'mybot=python3 mybot/bot.py' --version 2")
def enter(
    name: LeagueName,
    bots: Annotated[list[str], typer.Argument(metavar="NAME=COMMAND…", help="Bots, each in a folder of its own.")],
    version: VersionOption = None,
    folder: Annotated[
        Path | None,
        typer.Option(parser=path_of, metavar="DIR", help="What is copied.", show_default="where the command's file is"),
    ] = None,
    store: StoreOption = None,
) -> None:
    """Enters bots: their folders are copied, so that what they are is not changed under the league.

    A new version begins in the division where one of that name has come to. Who was withdrawn plays again.
    """
    check_quoted(bots, len(bots))
    named = [bot.partition("=") for bot in bots]
    for bot, (called, equals, command) in zip(bots, named, strict=True):
        if not (called and equals and command):
            raise typer.BadParameter(f"{bot}: expected NAME=COMMAND, such as 'mybot=python3 mybot/bot.py'")
    with _league(name, store) as found:
        for called, _, command in named:
            entry = found.enter(called, command, version=version or "", folder=folder)
            console.print(Text(visible(f"{entry.contestant.name} is in {DIVISIONS[entry.division]}.")))


@league.command("run", epilog="Example: lapilli league run spring --minutes 10")
def run(
    name: LeagueName,
    games: Annotated[int | None, typer.Option(help="So many matches.", min=1, show_default="until Ctrl-C")] = None,
    minutes: Annotated[float | None, typer.Option(help="For so long.", min=0.01)] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="BOT", help="Only matches between these: a rematch.")
    ] = None,
    jobs: JobsOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Plays matches, until there are so many, or so long, or until Ctrl-C.

    Exits with 3 where this machine was too busy, with 130 where somebody stopped it.
    """
    with _league(name, store) as found:
        seconds = None if minutes is None else 60 * minutes
        played = LeagueRun(found, games=games, seconds=seconds, only=found.numbers_of(only or []))
        compile_aside(found.game, thinks(found.game, (one.player for one in played.recipe.contestants)))
        number = jobs or default_jobs(in_process=False)
        with Display[LeagueRun](_table, _line, quiet=as_json) as display:
            played.run(LocalPool(played.recipe, number), display.show)
    told = {
        "league": name,
        "ending": played.ending,
        "played": played.matches - played.resumed,
        "abandoned": played.abandoned,
        "promoted": [{"name": who, "division": DIVISIONS[to]} for who, to in played.promoted],
    }
    if as_json:
        unless_closed(lambda: print(json.dumps(told, ensure_ascii=False)))
    else:
        unless_closed(lambda: _show(played, number))
    if played.ending == StopReason.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    if played.ending == StopReason.TOO_BUSY:
        raise typer.Exit(ABANDONED)


@league.command("board", epilog="Example: lapilli league board spring")
def board(name: LeagueName, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Shows who stands where."""
    with _league(name, store) as found:
        ladder = standings.league(found.store, found.event)
    if as_json:
        print(json.dumps(standings.league_data(found.event, ladder)))
    else:
        arena_shown.league(found.event, ladder)


@league.command("withdraw", epilog="Example: lapilli league withdraw spring mybot --version 1")
def withdraw(
    name: LeagueName,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Its name.")],
    version: VersionOption = None,
    store: StoreOption = None,
) -> None:
    """Takes a bot out of the league, all versions or one. Its matches stay; to enter it again brings it back."""
    with _league(name, store) as found:
        gone = found.withdraw(bot, version)
    console.print(Text(visible(f"{len(gone)} version{'' if len(gone) == 1 else 's'} of {bot} withdrawn.")))


@league.command("matches", epilog="Example: lapilli league matches spring --lost-by mybot")
def matches(
    name: LeagueName,
    lost_by: arena.LostBy = None,
    player: arena.Player = None,
    opponent: arena.Opponent = None,
    fault: arena.Fault = None,
    seed: arena.Seed = None,
    limit: Annotated[int, typer.Option(help="How many, at most.", min=1)] = 20,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lists a league's matches, the one stored last first."""
    with _league(name, store) as found:
        number = found.event.id
    arena.matches(number, lost_by, player, opponent, fault, seed, limit, None, store, as_json)


@contextmanager
def _league(name: str, where: str | None) -> Iterator[League]:
    with open_store(where, create=False) as store:
        yield League.named(store, name, copies(where))


def copies(where: str | None) -> Path:
    """Returns the folder of the copies of bots: beside a store in a file, else in the user's data folder."""
    return beside(where, "leagues")


def _line(played: LeagueRun) -> str:
    return f"{played.matches} matches, {len(played.promoted)} promoted in this run"


def _table(played: LeagueRun) -> Table:
    """Returns a table of the first entries, by division."""
    table = Table(title=visible(played.league.event.name), title_justify="left", box=None, pad_edge=False)
    for heading in ("division", "bot", "rating", "±", "matches"):
        table.add_column(heading, justify="left" if heading in ("division", "bot") else "right")
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
    console.print(_table(played))
    for who, division in played.promoted:
        console.print(Text(visible(f"{who} is promoted to {DIVISIONS[division]}."), style="bold"))
    if played.ending == StopReason.TOO_BUSY:
        console.print(f"This machine is too busy for {jobs} matches at once: play fewer at once (--jobs).")
    console.print(f"{played.matches - played.resumed:,} matches played, {played.matches:,} in all.")
