"""The command `lapilli tournament`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text

from lapilli.arena.events.pairings import Format
from lapilli.arena.matches.playing import Keep
from lapilli.cli.arena.live import Display
from lapilli.cli.compiling import compile_aside
from lapilli.cli.options.options import (
    BotFolderOption,
    CpuLimitOption,
    FirstLimitOption,
    JobsOption,
    JsonOption,
    KeepOption,
    LimitOption,
    MarginOption,
    NoTimeoutOption,
    RayOption,
    SandboxOption,
    StoreOption,
    TimeFactorOption,
    bot_folders_of,
    clock_settings,
    open_store,
)
from lapilli.cli.options.panels import COMPETE
from lapilli.cli.options.setup import GameName, LeagueOption, OwnOption, VariantOption, example_game, setup_keys
from lapilli.cli.shared.codes import ABANDONED
from lapilli.cli.shared.console import console, file_option, visible
from lapilli.cli.shared.signals import INTERRUPTED
from lapilli.cli.shared.streams import unless_closed
from lapilli.core.reading.text import shortened
from lapilli.games import load
from lapilli.match.files import check_writable
from lapilli.players import Sandbox, check_quoted
from lapilli.players.engines.precompile import thinks

if TYPE_CHECKING:
    from lapilli.arena.reports.finaltable import FinalTable

_WIDE = 12
"""Maximum number of players for a cross table in the terminal; files and JSON always have it."""
_NAME = 24


def register(app: typer.Typer) -> None:
    """Adds this file's command."""
    app.command(
        "tournament",
        rich_help_panel=COMPETE,
        epilog=f"Examples: lapilli tournament {example_game()} 'v2=python3 bot2.py' 'v1=python3 bot1.py' greedy  ·  "
        f"lapilli tournament {example_game()} './bot' greedy random --format gauntlet --games 20 --markdown table.md",
    )(tournament)


def tournament(
    name: GameName,
    players: Annotated[
        list[str], typer.Argument(metavar="PLAYER…", help="A built-in's name, a quoted command, or NAME=COMMAND.")
    ],
    format: Annotated[
        Format, typer.Option(help="All against all, the first against the rest, or rounds of those who stand alike.")
    ] = Format.ROUND_ROBIN,
    games: Annotated[int, typer.Option(help="Matches a meeting, rounded up to whole pairs.", min=1)] = 10,
    rounds: Annotated[int | None, typer.Option(help="Of a Swiss tournament.", min=1, show_default="enough")] = None,
    seats: Annotated[
        int | None, typer.Option("--players", help="In a match, where the game is for more than two.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The first pair's seed.", min=0)] = 0,
    league: LeagueOption = None,
    variant: VariantOption = None,
    own: OwnOption = None,
    jobs: JobsOption = None,
    ray: RayOption = None,
    store: StoreOption = None,
    called: Annotated[
        str | None, typer.Option("--name", help="What to call the tournament.", show_default="after the game")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--fresh", help="Go on with the same tournament, or begin anew.")
    ] = True,
    keep: KeepOption = Keep.ALL,
    sandbox: SandboxOption = Sandbox.AUTO,
    bot_folder: BotFolderOption = None,
    freeze_idle: Annotated[
        bool, typer.Option("--freeze-idle/--let-think", help="Freeze bots while they are not asked.")
    ] = True,
    time_factor: TimeFactorOption = 1.0,
    no_timeout: NoTimeoutOption = False,
    limit: LimitOption = None,
    first_limit: FirstLimitOption = None,
    margin: MarginOption = 0.0,
    cpu_limit: CpuLimitOption = None,
    csv: Annotated[Path | None, file_option("--csv", "Write the cross table here as CSV.")] = None,
    markdown: Annotated[Path | None, file_option("--markdown", "Write the cross table here as Markdown.")] = None,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print one sentence only.")] = False,
) -> None:
    """Who is the best of many: matches between all of them, and a cross table with ratings.

    Stopped with Ctrl-C, it goes on where it was when it is started again; with more games it goes on, too. Exits with
    3 where this machine was too busy, with 130 where somebody stopped it.
    """
    from lapilli.arena.events.running import StopReason
    from lapilli.arena.matches.contestants import check_starting, contestants_of
    from lapilli.arena.matches.pools import pool_of
    from lapilli.arena.matches.recipes import recipe_of
    from lapilli.arena.tournament import MAX_PLAYERS, Terms, Tournament

    game = load(name)
    check_quoted(players, MAX_PLAYERS)
    for file in (csv, markdown):
        if file is not None:
            check_writable(file)
    contestants = contestants_of(game, players)
    recipe = recipe_of(
        game,
        contestants,
        setup={**setup_keys(league, variant, own), "players": seats},
        clock=clock_settings(time_factor, no_timeout, limit, first_limit, margin, cpu_limit),
        sandbox=sandbox,
        freeze_idle=freeze_idle,
        keep=keep,
        bot_folders=bot_folders_of(bot_folder),
    )
    terms = Terms(recipe=recipe, format=format, games=games, rounds=rounds, seed=seed)
    check_starting(recipe)
    compile_aside(game, thinks(game, (one.player for one in contestants)))
    with pool_of(recipe, jobs=jobs, ray=ray) as pool, open_store(store) as opened:
        played = Tournament(terms, opened, called or game.title, resume=resume)
        with Display[Tournament](
            lambda now: _table(now.final_table(pool.jobs)), lambda now: _line(now.final_table()), quiet=quiet
        ) as display:
            played.run(pool, display.show)
        final = played.final_table(pool.jobs)
        if final.ending == StopReason.PLAYED:
            opened.finish(played.event.id, final.sentence)
    for file, text in ((csv, final.to_csv), (markdown, final.to_markdown)):
        if file is not None:
            file.write_text(text(), encoding="utf-8")
    if as_json:
        unless_closed(lambda: print(json.dumps(final.to_json(), ensure_ascii=False)))
    else:
        unless_closed(lambda: _show(final, quiet))
    if final.ending == StopReason.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    if final.ending == StopReason.TOO_BUSY:
        raise typer.Exit(ABANDONED)


def _line(final: FinalTable) -> str:
    first = final.rows[0]
    return f"{final.matches} of {final.all_matches} matches, first {visible(first.figures.name)}"


def _show(final: FinalTable, quiet: bool) -> None:
    from lapilli.arena.events.running import StopReason

    if not quiet:
        console.print(_table(final))
        if final.resumed:
            console.print(Text(f"{final.resumed} matches were there from before.", style="dim"))
        if final.abandoned:
            line = f"{final.abandoned} matches were abandoned and played again: this machine kept bots waiting."
            console.print(Text(line, style="dim"))
        if final.ending == StopReason.INTERRUPTED:
            console.print(Text("Stopped; the same command goes on from here.", style="dim"))
        console.print(Text(f"More of it: lapilli arena show {final.event}", style="dim"))
    console.print(Text(visible(final.sentence), style="bold"))


def _table(final: FinalTable) -> Table:
    """Returns the cross table; with more than _WIDE players, without the results against each opponent."""
    from lapilli.arena.reports.finaltable import cell_text, faults_text

    rounds = f", round {final.rounds} of {final.all_rounds}" if final.all_rounds > 1 else ""
    table = Table(
        title=f"{visible(final.name)}: {final.matches} of {final.all_matches} matches{rounds}",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
    )
    crossed = final.rows if len(final.rows) <= _WIDE else ()
    headings = ("", "player", "Elo", "95 %", "points", "of", "won", "drawn", "lost", *(f"{r.rank}" for r in crossed))
    for heading in (*headings, "faults"):
        justify: Literal["left", "right"] = "left" if heading in ("player", "faults") else "right"
        table.add_column(heading, justify=justify, no_wrap=heading != "faults")
    for row, cells in zip(final.rows, final.cross, strict=True):
        rating = row.rating
        table.add_row(
            f"{row.rank}",
            Text(shortened(visible(row.figures.name), _NAME)),
            f"{rating.elo:+.0f}",
            f"{rating.low:+.0f} to {rating.high:+.0f}",
            f"{row.points:g}",
            *map(str, (row.possible, row.wins, row.draws, row.losses)),
            *(cell_text(cell) for cell in cells[: len(crossed)]),
            Text(faults_text(row), style="red"),
        )
    return table
