"""The command `lapilli analyse`, which lets an engine find the bad turns of a match."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from lapilli.cli.options.commands import add_command
from lapilli.cli.options.output import JsonOption, file_option
from lapilli.cli.options.store import StoreOption
from lapilli.cli.records.analysis import analyse_all, analysis_file, saved_text
from lapilli.cli.records.files import RecordFile, in_file
from lapilli.cli.shared.codes import INTERRUPTED
from lapilli.cli.shared.console import console, print_json, show_table, visible
from lapilli.cli.shared.stores import record_named
from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.core.reading.text import shortened
from lapilli.match import Record
from lapilli.match.analyser import Analyser
from lapilli.match.analysis import Analysis, TurnAnalysis
from lapilli.match.files.writing import check_writable
from lapilli.players.engines.searches import BEST
from lapilli.search.budget import Budget
from lapilli.search.threads import MOST

_REPLY = 30
"""Maximum number of characters of a reply in the table."""
_PLURALS = {"blunder": "blunders", "mistake": "mistakes", "inaccuracy": "inaccuracies"}
_PROVEN = "A value with ! is proven, not an estimate: 1.00! is a proven win, 0.00! a proven loss."
_TIME = "{ms:g} ms a turn; --ms {longer:g} gives a steadier verdict, --nodes a repeatable one."
_STYLES = {"blunder": "bold red", "mistake": "red", "inaccuracy": "yellow"}


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli analyse` to the app."""
    add_command(
        app,
        "analyse",
        analyse,
        examples=(
            "lapilli analyse lost.json",
            "lapilli analyse 3/17 --nodes 20000",
            "lapilli analyse lost.json --engine level3 --all -o analysis.json",
        ),
    )


def analyse(
    file: RecordFile,
    ms: Annotated[
        float | None,
        typer.Option(
            metavar="MS", help="Time for each turn, in milliseconds.", show_default="the game's limit for a reply"
        ),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Nodes for each turn, instead of a time: the result is the same on every machine.",
            show_default="no limit",
        ),
    ] = None,
    engine: Annotated[
        str, typer.Option(metavar="SPEC", help="Engine that analyses: best, a level or a search.")
    ] = BEST,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=MOST,
            help="Threads of the engine, if it can use several.",
            show_default="the cores that are free; 1 if nodes alone limit it",
        ),
    ] = None,
    out: Annotated[
        Path | None, file_option("-o", "Write the analysis to this file (JSON).", default="RECORD.analysis.json")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show all turns, not only mistakes.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Analyses a match: finds the turns that lowered a player's expected score, and shows better ones.

    Ctrl-C stops the analysis; the turns analysed so far are saved.
    """
    record = record_named(file, store)
    target = out or analysis_file(file)
    check_writable(target)
    if target.exists() and file.exists() and target.samefile(file):
        raise LapilliError(f"{target} is the record: name another file for the analysis")
    budget = None if ms is None and nodes is None else Budget(nodes, ms)
    analyser = in_file(file, lambda: Analyser(record, engine, budget, threads))
    stopped = analyse_all(analyser, target)
    found = analyser.analysis
    if as_json:
        print_json(msgspec.to_builtins(found))
    else:
        _show(analyser.game, record, found, every)
        if found.turns and budget is None and found.nodes is None and found.ms is not None:
            console.print(_TIME.format(ms=found.ms, longer=10 * found.ms))
        see = f" View it: lapilli view {file} --analysis" if found.turns and out is None else ""
        console.print(Text(visible(saved_text(analyser, target) + see)))
    if stopped:
        raise typer.Exit(INTERRUPTED)


def _show(game: Game, record: Record, found: Analysis, every: bool) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("turn", "player", "played", "before", "after", "lost", "", "better"):
        table.add_column(heading, justify="right" if heading in ("turn", "before", "after", "lost") else "left")
    shown = [one for one in found.turns if every or one.mark]
    for one in shown:
        table.add_row(*_row(game, one))
    if shown:
        show_table(table)
    if any(one.proven for one in shown):
        console.print(_PROVEN)
    for one in shown:
        if one.reason:
            console.print(Text(visible(f"Turn {one.turn}, {game.sides[one.player]}: {one.reason}")))
    if unexplained := [f"{one.turn}" for one in shown if one.mark and not one.reason]:
        console.print(f"No simple reason found for turn{'s'[: len(unexplained) > 1]} {', '.join(unexplained)}.")
    for player, accuracy in enumerate(found.accuracy):
        if accuracy is not None:
            counts = found.marks_of(player).items()
            marks = ", ".join(f"{count} {mark if count == 1 else _PLURALS[mark]}" for mark, count in counts)
            name = f"{game.sides[player]} ({record.player_name(player)})"
            console.print(Text(visible(f"{name}: accuracy {accuracy:.1f} %; {marks}.")))


def _row(game: Game, one: TurnAnalysis) -> list[Text]:
    best = one.best[0] if one.best else None
    better = best.reply if best is not None and best.reply != one.reply and one.loss else ""
    cells = (
        f"{one.turn}",
        game.sides[one.player],
        "no reply" if one.reply is None else _line(one.reply),
        f"{one.before:.2f}" + ("!" if one.proven else ""),
        "" if one.after is None else f"{one.after:.2f}",
        "" if one.loss is None else f"{one.loss:.2f}",
        one.mark,
        _line(better),
    )
    return [Text(visible(cell), style=_STYLES.get(one.mark, "")) for cell in cells]


def _line(reply: str) -> str:
    return shortened(" / ".join(reply.splitlines()), _REPLY)
