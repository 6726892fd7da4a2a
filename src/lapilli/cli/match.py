"""The command `lapilli match`, which plays one match."""

from __future__ import annotations

import secrets
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from lapilli.cli.compiling import compile_shown
from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.match import BOTS_PANEL, ClockOptions, SandboxOptions
from lapilli.cli.options.output import JsonOption, RecordOption
from lapilli.cli.options.setup import GameName, SeedOption, SetupOptions, complete_player
from lapilli.cli.shared.codes import ABANDONED, FAULTED, INTERRUPTED, UNWRITABLE
from lapilli.cli.shared.console import console, draw, line_of, print_json, show_table, visible
from lapilli.cli.shared.faults import show_faults
from lapilli.cli.shared.signals import ignore_signals
from lapilli.cli.shared.streams import unless_closed
from lapilli.core.api import Outcome, Setup, Step, Termination
from lapilli.core.errors import RecordError
from lapilli.games import load
from lapilli.match import Clock, Entry, Match
from lapilli.match.files.writing import check_writable
from lapilli.match.results.summary import summary
from lapilli.players import check_quoted, check_startable
from lapilli.players.engines.precompile import uses_search

_SIDE_STYLES = ("bold bright_blue", "bold dark_orange", "bold green", "bold magenta")


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli match` to the app."""
    game = example_game()
    add_command(
        app,
        "match",
        match,
        examples=(
            f"lapilli match {game} random random --seed 7",
            f"lapilli match {game} 'python3 bot.py' greedy --record match.json",
            f"lapilli match {game} ./bot level3 --limit 200 --json",
        ),
    )


def match(
    name: GameName,
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER…",
            help="Each player: a built-in opponent or a command in quotes.",
            autocompletion=complete_player,
        ),
    ],
    *,
    seed: SeedOption = None,
    setup: SetupOptions,
    position: Annotated[
        str | None,
        typer.Option(metavar="POSITION", help="Start from this position.", show_default="the game's usual start"),
    ] = None,
    record: RecordOption = None,
    as_json: JsonOption = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show what bots write to stderr.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print the result only, in one line.")] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help=f"Exit with code {FAULTED} if a player had a fault, such as a crash or timeout."),
    ] = False,
    bots: SandboxOptions,
    freeze_idle: Annotated[
        bool,
        typer.Option("--freeze-idle", help="Freeze bots while they wait for their turn.", rich_help_panel=BOTS_PANEL),
    ] = False,
    clock: ClockOptions,
) -> None:
    """Plays one match and shows every turn, the result and reply times.

    A player does not lose if a reply is late because this machine was too busy. Such a match is abandoned.

    Exit codes: 0 if the match was played, 3 if it was abandoned, 4 with --strict if a player had a fault, 130 if you
    stopped it.
    """
    game = load(name)
    check_quoted(players, max(game.players))
    start = Setup.from_dict(
        {"seed": secrets.randbits(31) if seed is None else seed, "position": position, **setup.keys()}
    )
    limits = Clock(**clock.settings())
    for player in players:
        check_startable(game, player)
    if record is not None:
        check_writable(record)
    compile_shown(game, searches=uses_search(game, players))
    played = Match(game, players, start, limits, bots.sandbox, freeze_idle=freeze_idle, bot_folders=bots.folders)
    try:
        with played:
            stopped, seen = _play(played, quiet=as_json or quiet, verbose=verbose)
    finally:  # saves at once, before anything else can fail
        saved = record is not None and _saved(played, record)
    abandoned = _why_abandoned(played)
    if as_json:
        seen &= unless_closed(lambda: print_json(summary(played)))
    elif stopped:
        seen &= unless_closed(lambda: console.print(f"Stopped on turn {played.state.turn}."))
    elif abandoned:
        line = f"Abandoned on turn {played.state.turn}, without a result: {visible(abandoned)}."
        seen &= unless_closed(lambda: console.print(Text(line)))
    else:
        seen &= unless_closed(lambda: _show_result(played, quiet))
    if isinstance(saved, RecordError):
        raise saved
    if record is not None and not (as_json or quiet):
        where = f"Wrote the record to {record}." if saved else "No player was asked yet, so no record was written."
        seen &= unless_closed(lambda: console.print(Text(visible(where))))
    code = INTERRUPTED if stopped else ABANDONED if abandoned else 0 if seen else UNWRITABLE
    if not code and strict and summary(played)["faults"]:
        code = FAULTED
    if code:
        raise typer.Exit(code)


def _saved(played: Match, file: Path) -> bool | RecordError:
    """Saves the record of a match. Does nothing if the match was stopped before a player was asked for a reply.

    Returns:
        Whether the record was saved; or, if the file could not be written, the error.
    """
    outcome = played.record.outcome
    if not played.record.turns and (outcome is None or outcome.termination == Termination.INTERRUPTED):
        return False
    try:
        played.record.save(file)
    except RecordError as problem:
        return problem
    return True


def _why_abandoned(played: Match) -> str:
    """Returns the reason why a match was abandoned; "" if it was not abandoned."""
    outcome = played.record.outcome
    return outcome.reason if outcome and outcome.termination == Termination.ABANDONED else ""


def _play(played: Match, quiet: bool, verbose: bool) -> tuple[bool, bool]:
    """Plays a match to its end, and prints each turn.

    Args:
        played: the match.
        quiet: whether to print nothing.
        verbose: whether to print also the text that bots write to stderr.

    Returns:
        Whether the user stopped the match, and whether all output could be written.
    """
    last: Step | None = None
    seen = quiet or unless_closed(lambda: _show_head(played))
    stopped = False
    try:
        for step in played.steps():
            last = step
            if not quiet:
                seen &= unless_closed(partial(_show_turn, played, step, verbose))
    except KeyboardInterrupt:
        ignore_signals()  # a second Ctrl-C must not prevent ending the bots and saving the record
        stopped = True
    if not quiet and last is not None:
        seen &= unless_closed(lambda: _show_board(played, last))
    return stopped, seen


def _show_board(played: Match, last: Step | None) -> None:
    console.print()
    draw(played.game.text(played.state, last))
    console.print()


def _show_head(played: Match) -> None:
    setup = played.setup
    details = [f"seed {setup.seed}", *(detail for detail in (setup.variant, setup.league) if detail)]
    console.print(Text.assemble((played.game.title, "bold"), " · ", " · ".join(details)))
    for number, player in enumerate(played.record.players):
        console.print(
            Text.assemble("  ", (f"{played.game.sides[number]:8}", _SIDE_STYLES[number]), f" {visible(player.name)}")
        )
    console.print()


def _show_turn(played: Match, step: Step, verbose: bool) -> None:
    turn = step.report.turn
    entries = played.entries(turn)
    if not entries:
        console.print(Text(f"{turn:5}  {step.report.event}", style="dim"))
    for entry in entries:
        console.print(_turn_line(played, entry))
        if entry.usage and (verbose or entry.late):
            console.print(Text(f"       {entry.usage}", style="dim"))
        for note in entry.notes:
            console.print(Text(f"       {visible(note)}", style="yellow"))
        if verbose and entry.stderr:
            console.print(
                Text("\n".join(f"       │ {line}" for line in visible(entry.stderr).splitlines()), style="dim")
            )


def _turn_line(played: Match, entry: Entry) -> Text:
    action = "no reply" if entry.action is None else " ⏎ ".join(visible(entry.action).splitlines()) or "(an empty line)"
    line = Text(f"{entry.turn:5}  ")
    line.append(f"{played.game.sides[entry.player]:8}", style=_SIDE_STYLES[entry.player])
    line.append(f"  {_shortened(action, 60):24}")
    line.append(f" {entry.milliseconds or 0:8.1f} ms", style="dim")
    if entry.fault:
        line.append(f"  {visible(entry.fault.reason)}", style="bold red")
    if entry.message:
        line.append(f"  “{_shortened(visible(entry.message), 60)}”", style="italic")
    return line


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _show_result(played: Match, quiet: bool) -> None:
    outcome = played.outcome()
    line = result_line(played, outcome, named=quiet)
    console.print(Text(line_of(line), style="bold"))
    if quiet:
        return
    show_faults(played.record, played.game.sides)
    table = Table(box=None, pad_edge=False)
    for heading in ("rank", "side", "player", "score", "turns", "mean ms", "worst ms"):
        table.add_column(heading, justify="left" if heading in ("side", "player") else "right")
    for number, row in enumerate(summary(played)["players"]):
        timing = row["timing"]
        times = (f"{timing['mean_ms']:.1f}", f"{timing['worst_ms']:.1f}") if timing["turns"] else ("", "")
        side = Text(played.game.sides[number], style=_SIDE_STYLES[number])
        table.add_row(
            str(row["rank"]), side, Text(visible(row["name"])), str(row["score"]), str(timing["turns"]), *times
        )
    show_table(table)


def result_line(played: Match, outcome: Outcome, *, named: bool = False) -> str:
    """Returns the result of a match as one line, with the faults of all players.

    Args:
        played: the match.
        outcome: the outcome of the match. Its reason may not mention all faults.
        named: whether to add the player's name to each side, because no other output contains the names.
    """
    names = [f" ({player.name})" if named else "" for player in played.record.players]
    who_played = [f"{side}{name}" for side, name in zip(played.game.sides, names, strict=False)]
    best = [who for who, rank in zip(who_played, outcome.ranks, strict=True) if rank == 1]
    others = [who for who in who_played if who not in best]
    result = f"{best[0]} wins" if len(best) == 1 else f"Draw between {' and '.join(best)}"
    if named and others:
        result += f" against {' and '.join(others)}"
    who = "" if outcome.culprit is None else f"{played.game.sides[outcome.culprit]}: "
    line = f"{result} — {who}{outcome.reason}."
    for entry in played.record.turns:
        side = played.game.sides[entry.player]
        if entry.fault and entry.fault.termination.is_fault and side.lower() not in line.partition(" — ")[2].lower():
            line += f" {side}: {entry.fault.reason}."
    return line
