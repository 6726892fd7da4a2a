"""The command `lapilli tournament`, which plays a tournament between several bots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text

from lapilli.arena.matches.contestants import check_starting, contestants_of
from lapilli.arena.matches.pools import pool_of
from lapilli.arena.matches.recipes import read_openings, recipe_of
from lapilli.arena.progress.pairings import Format
from lapilli.arena.reports.finaltable import FinalTable, cell_text, faults_text
from lapilli.arena.tournament import MAX_PLAYERS, Terms, Tournament
from lapilli.cli.arena.progress import Display, exit_if_stopped, show_earlier, show_notes
from lapilli.cli.compiling import compile_aside
from lapilli.cli.options.commands import GAMES_ARE_MATCHES, add_command, example_game
from lapilli.cli.options.event import EventOptions, OpeningsOption
from lapilli.cli.options.match import ClockOptions, OddsOptions, SandboxOptions
from lapilli.cli.options.output import file_option
from lapilli.cli.options.setup import GameName, PlayersOption, SetupOptions, complete_player
from lapilli.cli.options.store import open_store
from lapilli.cli.shared.console import console, fits, print_json, show_table, visible
from lapilli.cli.shared.stores import command
from lapilli.cli.shared.streams import unless_closed
from lapilli.games import load
from lapilli.match.files.writing import check_writable, write_atomically
from lapilli.players import check_quoted
from lapilli.players.engines.precompile import uses_search

_WIDE = 12
"""Maximum number of players for which the terminal shows a cross table. Files and JSON always contain the table."""


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli tournament` to the app."""
    game = example_game()
    add_command(
        app,
        "tournament",
        tournament,
        examples=(
            f"lapilli tournament {game} level1 greedy random",
            f"lapilli tournament {game} 'v2=python3 bot2.py' 'v1=python3 bot1.py' greedy --matches 20",
            f"lapilli tournament {game} ./bot greedy random --format gauntlet --markdown table.md",
        ),
        renamed=GAMES_ARE_MATCHES,
    )


def tournament(
    name: GameName,
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER…",
            help="Each player: a built-in opponent, a command in quotes, or NAME=COMMAND.",
            autocompletion=complete_player,
        ),
    ],
    *,
    format: Annotated[
        Format,
        typer.Option(help="All play all, the first plays each other player, or rounds between equal scores."),
    ] = Format.ROUND_ROBIN,
    matches: Annotated[
        int, typer.Option(metavar="N", help="Matches of each pairing, rounded up to whole pairs.", min=1)
    ] = 10,
    rounds: Annotated[
        int | None,
        typer.Option(metavar="N", help="Rounds of a Swiss tournament.", min=1, show_default="as many as needed"),
    ] = None,
    seats: PlayersOption = None,
    called: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the tournament.", show_default="the game's title"),
    ] = None,
    setup: SetupOptions,
    openings: OpeningsOption = None,
    event: EventOptions,
    csv: Annotated[Path | None, file_option("--csv", "Write the cross table to this CSV file.")] = None,
    markdown: Annotated[Path | None, file_option("--markdown", "Write the cross table to this Markdown file.")] = None,
    bots: SandboxOptions,
    clock: ClockOptions,
    odds: OddsOptions,
) -> None:
    """Plays a tournament between players, and shows a table of their results and ratings.

    Ctrl-C stops it. Run the same command again to continue it, also with a larger number of --matches.

    Exit codes: 0 if all matches were played, 3 if this machine was too busy, 130 if you stopped it.
    """
    game = load(name)
    check_quoted(players, MAX_PLAYERS)
    for file in (csv, markdown):
        if file is not None:
            check_writable(file)
    contestants = contestants_of(game, players, bots.folders)
    recipe = recipe_of(
        game,
        contestants,
        setup={**setup.keys(), "players": seats},
        clock=clock.settings(),
        sandbox=bots.sandbox,
        freeze_idle=event.freeze_idle,
        keep=event.keep,
        bot_folders=bots.folders,
        **odds.keys(),
        openings=read_openings(openings) if openings else (),
    )
    terms = Terms(recipe=recipe, format=format, matches=matches, rounds=rounds, seed=event.seed)
    check_starting(recipe)
    compile_aside(game, uses_search(game, (one.player for one in contestants)))
    with pool_of(recipe, jobs=event.jobs, ray=event.ray) as pool, open_store(event.store) as store:
        played = Tournament(terms, store, called or game.title, resume=event.resume)
        with Display[Tournament](
            lambda now: _table(now.final_table(pool.jobs)),
            lambda now: _line(now.final_table()),
            quiet=event.quiet or event.as_json,
        ) as display:
            played.run(pool, display.show)
        final = played.final_table(pool.jobs)
        final.finish(store)
    if event.as_json:
        unless_closed(lambda: print_json(final.to_json()))
    else:
        unless_closed(lambda: _show(final, event))
    for file, text in ((csv, final.to_csv), (markdown, final.to_markdown)):
        if file is not None:
            write_atomically(file, text().encode())
    exit_if_stopped(final.ending)


def _line(final: FinalTable) -> str:
    first = final.rows[0]
    return f"{final.matches} of {final.all_matches} matches, {visible(first.figures.name)} leads"


def _show(final: FinalTable, event: EventOptions) -> None:
    if not event.quiet:
        show_table(_table(final))
        _show_cross(final, event.store)
        delayed = f"{final.abandoned} matches were abandoned and played again, because this machine delayed bots."
        show_notes(final.event, event.store, final.ending, final.earlier.sentence, delayed if final.abandoned else "")
    else:
        show_earlier(final.earlier.sentence)
    console.print(Text(visible(final.sentence), style="bold"))


def _show_cross(final: FinalTable, where: str | None) -> None:
    """Prints the cross table, if there are 3 to `_WIDE` players.

    If the terminal is too narrow for the cross table, prints a command that shows the table in the browser. `where`:
    value of the option --store, for this command.
    """
    if not 2 < len(final.rows) <= _WIDE:
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("against", *(f"{row.rank}" for row in final.rows)):
        table.add_column(heading, justify="right", no_wrap=True)
    for row, cells in zip(final.rows, final.cross, strict=True):
        table.add_row(f"{row.rank}", *map(cell_text, cells))
    if fits(table):
        console.print()
        show_table(table)
    else:
        see = command(f"arena page {final.event}", where)
        console.print(Text(f"The results against each other are wider than this terminal: see {see}", style="dim"))


def _table(final: FinalTable) -> Table:
    """Returns the final table for the terminal, without the results of single pairings."""
    rounds = f", round {final.rounds} of {final.all_rounds}" if final.all_rounds > 1 else ""
    table = Table(
        title=f"{visible(final.name)}: {final.matches} of {final.all_matches} matches{rounds}",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
    )
    for heading in ("", "player", "Elo", "95 %", "points", "of", "won", "drawn", "lost", "faults"):
        is_text = heading in ("player", "faults")
        justify: Literal["left", "right"] = "left" if is_text else "right"
        width = 8 if is_text else None
        table.add_column(heading, justify=justify, no_wrap=not is_text, min_width=width, overflow="fold")
    for row in final.rows:
        rating = row.rating
        table.add_row(
            f"{row.rank}",
            Text(visible(row.figures.name)),
            f"{rating.elo:+.0f}",
            f"{rating.low:+.0f} to {rating.high:+.0f}",
            f"{row.points:g}",
            *map(str, (row.possible, row.wins, row.draws, row.losses)),
            Text(faults_text(row), style="red"),
        )
    return table
