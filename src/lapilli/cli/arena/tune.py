"""The command `lapilli tune`, which tunes the parameters of a bot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from lapilli.arena.matches.playing import Keep
from lapilli.arena.matches.recipes import read_openings
from lapilli.arena.progress.comparison import Comparison
from lapilli.arena.progress.running import StopReason
from lapilli.arena.reports.verdict import BETTER, UNDECIDED, Verdict
from lapilli.arena.tuning.method import MethodName
from lapilli.arena.tuning.parameters import parameters_of, values_text
from lapilli.arena.tuning.specs import tuning_spec
from lapilli.arena.tuning.tune import CONFIRM, check_tuning, run_tuning
from lapilli.arena.tuning.tuned import Tuned
from lapilli.arena.tuning.tuning import Tuning
from lapilli.cli.arena.progress import Display, exit_if_stopped, show_notes
from lapilli.cli.arena.tables import parameter_table
from lapilli.cli.compiling import compile_aside
from lapilli.cli.options.commands import GAMES_ARE_MATCHES, add_command, example_game
from lapilli.cli.options.event import EventOptions, OpeningsOption
from lapilli.cli.options.match import ClockOptions, OddsOptions, SandboxOptions
from lapilli.cli.options.output import file_option
from lapilli.cli.options.setup import GameName, SetupOptions
from lapilli.cli.options.store import open_store
from lapilli.cli.shared import codes
from lapilli.cli.shared.console import console, print_json, visible
from lapilli.cli.shared.stores import command
from lapilli.cli.shared.streams import unless_closed
from lapilli.games import load
from lapilli.match.files.writing import check_writable, write_atomically
from lapilli.players.engines.precompile import uses_search

_KEPT = EventOptions(keep=Keep.NONE)


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli tune` to the app."""
    game = example_game()
    add_command(
        app,
        "tune",
        tune,
        examples=(
            f"lapilli tune {game} 'python3 bot.py --depth {{depth}} --risk {{risk}}' --param depth=1..8:int "
            "--param risk=0..1",
            f"lapilli tune {game} 'python3 bot.py {{params}}' --param a=0..1 --param b=0.001..10:log",
            f"lapilli tune {game} ./bot --env 'RISK={{risk}}' --param risk=0..1:start=0.3 --against best",
        ),
        renamed=GAMES_ARE_MATCHES,
    )


def tune(
    name: GameName,
    player: Annotated[
        str,
        typer.Argument(
            metavar="BOT",
            help="Command in quotes, built-in opponent, or NAME=COMMAND; {a} stands for the value of parameter a, and "
            "{params} for a JSON file with all.",
        ),
    ],
    *,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            metavar="NAME=LOW..HIGH",
            help="A parameter and its range, then :int for whole numbers, :log for a logarithmic range, "
            ":start=VALUE instead of the middle; can be repeated.",
        ),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option(
            "--env", metavar="VARIABLE=TEXT", help="Environment variable of the bot, as in A={a}; can be repeated."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER", help="Opponent that the bot plays.", show_default="itself, with other parameters"
        ),
    ] = None,
    method: Annotated[
        MethodName, typer.Option(help="Method: SPSA, or Optuna for few parameters, or parameters with plateaus.")
    ] = MethodName.SPSA,
    matches: Annotated[int, typer.Option(metavar="N", help="Number of matches of the tuning.", min=1)] = 2000,
    confirm: Annotated[
        int,
        typer.Option(
            metavar="N", help="Maximum number of matches that compare tuned with start values; 0 for none.", min=0
        ),
    ] = CONFIRM,
    out: Annotated[Path | None, file_option("-o", "Write the tuned values to this JSON file.")] = None,
    setup: SetupOptions,
    openings: OpeningsOption = None,
    event: EventOptions = _KEPT,
    bots: SandboxOptions,
    clock: ClockOptions,
    odds: OddsOptions,
) -> None:
    """Tunes the parameters of a bot: plays with changed values, and moves them towards those that win.

    At the end a comparison by a sequential test shows whether the tuned values are better than the start values. You
    can stop with Ctrl-C: run the same command again to continue.

    Exit codes: 0 if the tuned values are better, 1 if not, 4 if undecided or with --confirm 0, 3 if this machine was
    too busy, 130 if you stopped it.
    """
    game = load(name)
    spec = tuning_spec(
        game,
        player,
        parameters_of(param or []),
        environment=dict(map(_variable, env or [])),
        against=against,
        method=method,
        matches=matches,
        setup=setup.keys(),
        clock=clock.settings(),
        sandbox=bots.sandbox,
        freeze_idle=event.freeze_idle,
        keep=event.keep,
        bot_folders=bots.folders,
        openings=read_openings(openings) if openings else (),
        **odds.keys(),
        seed=event.seed,
    )
    if out is not None:
        check_writable(out)
    check_tuning(spec)
    compile_aside(game, uses_search(game, (one.player for one in spec.recipe.contestants)))
    with (
        open_store(event.store) as store,
        Display[Tuning | Comparison](_table, _line, quiet=event.quiet or event.as_json) as display,
    ):
        tuned = run_tuning(
            spec,
            store,
            jobs=event.jobs,
            ray=event.ray,
            resume=event.resume,
            confirm=confirm,
            show=display.show,
        )
    if out is not None:
        write_atomically(out, json.dumps(tuned.values).encode() + b"\n")
    if event.as_json:
        unless_closed(lambda: print_json(tuned.to_json()))
    else:
        unless_closed(lambda: _show(tuned, event))
    _exit(tuned)


def _exit(tuned: Tuned) -> None:
    """Raises typer.Exit with the exit code for a result. Does not raise if the tuned values are better (code 0)."""
    exit_if_stopped(tuned.ending)
    if tuned.verdict is not None:
        exit_if_stopped(tuned.verdict.ending)
    verdict = tuned.verdict.verdict if tuned.verdict else UNDECIDED
    if verdict != BETTER:
        raise typer.Exit(codes.UNDECIDED if verdict == UNDECIDED else codes.FAILED)


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (equals and name.isidentifier()):
        raise typer.BadParameter(f"--env {text}: expected VARIABLE=TEXT, such as RISK={{risk}}")
    return name, value


def _line(run: Tuning | Comparison) -> str:
    if isinstance(run, Comparison):
        verdict = Verdict.of(run)
        return f"tuned against start: {verdict.matches} matches, {verdict.elo_in_words}"
    return f"{run.matches:,} of {run.all_matches:,} matches, {values_text(run.course.values())}"


def _table(run: Tuning | Comparison) -> RenderableType:
    return Text(_line(run), style="bold") if isinstance(run, Comparison) else _values(Tuned.of(run))


def _values(tuned: Tuned) -> Group:
    """Returns text for the terminal: a line with the number of matches, and below it a table of the parameters.

    `tuned`: the result of the tuning so far.
    """
    title = f"{visible(tuned.name)}: {tuned.matches:,} of {tuned.all_matches:,} matches"
    return Group(Text(title, style="bold"), parameter_table(tuned.parameters, tuned.values))


def _show(tuned: Tuned, event: EventOptions) -> None:
    if not event.quiet:
        console.print(_values(tuned))
        stopped = tuned.verdict.ending if tuned.verdict else None
        ending = StopReason.INTERRUPTED if StopReason.INTERRUPTED in (tuned.ending, stopped) else tuned.ending
        notes = [f"Comparison: {command(f'arena show {tuned.verdict.event}', event.store)}"] if tuned.verdict else []
        show_notes(tuned.event, event.store, ending, tuned.earlier.sentence, *notes)
    console.print(Text(visible(tuned.sentence), style="bold"))
