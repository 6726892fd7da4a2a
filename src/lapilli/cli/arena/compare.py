"""The command `lapilli compare`, which tests whether one bot is better than another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from lapilli.arena.compare import comparison_spec, title
from lapilli.arena.matches.contestants import check_starting, contestants_of
from lapilli.arena.matches.playing import Keep
from lapilli.arena.matches.pools import pool_of
from lapilli.arena.matches.recipes import read_openings
from lapilli.arena.progress.comparison import Comparison
from lapilli.arena.reports.figures import faults_text, ms_text
from lapilli.arena.reports.verdict import BETTER, UNDECIDED, Verdict
from lapilli.arena.statistics import EloModel, Sprt
from lapilli.cli.arena.progress import Display, exit_if_stopped, show_earlier, show_notes
from lapilli.cli.compiling import compile_aside
from lapilli.cli.options.commands import GAMES_ARE_MATCHES, add_command, example_game
from lapilli.cli.options.event import EventOptions, OpeningsOption
from lapilli.cli.options.match import ClockOptions, OddsOptions, SandboxOptions
from lapilli.cli.options.setup import GameName, SetupOptions, complete_player
from lapilli.cli.options.store import open_store
from lapilli.cli.shared import codes
from lapilli.cli.shared.console import console, print_json, show_table, visible
from lapilli.cli.shared.stores import command
from lapilli.cli.shared.streams import unless_closed
from lapilli.games import load
from lapilli.players import check_quoted
from lapilli.players.engines.precompile import uses_search

_LENGTH = "When to stop"
"""Title of the panel in the help text that lists the options of `LengthOptions`."""


@dataclass(frozen=True, kw_only=True)
class LengthOptions:
    """Options that define when a comparison ends: after a number of matches, or by a sequential test (SPRT)."""

    matches: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Count this number of matches instead of the test.",
            min=1,
            rich_help_panel=_LENGTH,
            show_default="until the test decides",
        ),
    ] = None
    elo0: Annotated[
        float, typer.Option(metavar="ELO", help="H0 of the test: A is stronger by this.", rich_help_panel=_LENGTH)
    ] = 0
    elo1: Annotated[
        float, typer.Option(metavar="ELO", help="H1 of the test: A is stronger by this.", rich_help_panel=_LENGTH)
    ] = 40
    alpha: Annotated[
        float,
        typer.Option(metavar="P", help="Probability that the test accepts H1 under H0.", rich_help_panel=_LENGTH),
    ] = 0.05
    beta: Annotated[
        float,
        typer.Option(metavar="P", help="Probability that the test accepts H0 under H1.", rich_help_panel=_LENGTH),
    ] = 0.05
    most: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Maximum number of matches of the test.",
            min=1,
            rich_help_panel=_LENGTH,
            show_default="no limit",
        ),
    ] = None

    normalized: Annotated[
        bool,
        typer.Option(
            "--normalized",
            help="State --elo0 and --elo1 in normalized Elo.",
            rich_help_panel=_LENGTH,
        ),
    ] = False
    stop_at_fault: Annotated[
        bool,
        typer.Option("--stop-at-fault", help="Stop when A or B has a fault.", rich_help_panel=_LENGTH),
    ] = False

    @property
    def sprt(self) -> Sprt | None:
        """The sequential test that ends the comparison; None if the comparison ends after the matches of --matches."""
        model = EloModel.NORMALIZED if self.normalized else EloModel.LOGISTIC
        return None if self.matches else Sprt(self.elo0, self.elo1, self.alpha, self.beta, model)


_KEPT = EventOptions(keep=Keep.LOST)


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli compare` to the app."""
    game = example_game()
    add_command(
        app,
        "compare",
        compare,
        examples=(
            f"lapilli compare {game} greedy random",
            f"lapilli compare {game} 'v2=python3 bot2.py' 'v1=python3 bot1.py'",
            f"lapilli compare {game} ./bot greedy --matches 200 --json",
        ),
        renamed=GAMES_ARE_MATCHES,
    )


def compare(
    name: GameName,
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [OTHER…]",
            help="Each player: a built-in opponent, a command in quotes, or NAME=COMMAND.",
            autocompletion=complete_player,
        ),
    ],
    *,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="Name of A; given twice, of A and B.", show_default="the command"),
    ] = None,
    setup: SetupOptions,
    length: LengthOptions,
    openings: OpeningsOption = None,
    event: EventOptions = _KEPT,
    bots: SandboxOptions,
    clock: ClockOptions,
    odds: OddsOptions,
) -> None:
    """Compares two players: tests whether A is better than B.

    Matches are played in pairs that share a seed and exchange the seats. The comparison ends when a sequential test
    decides, after --matches matches, or with Ctrl-C. Run the same command again to continue it.

    Exit codes: 0 if A is better, 1 if not, 4 if undecided, 3 if this machine was too busy, 130 if you stopped it.
    """
    game = load(name)
    check_quoted(players, max(game.players))
    named = [f"{called}={player}" for called, player in zip(names or [], players, strict=False)]
    spec = comparison_spec(
        game,
        contestants_of(game, [*named, *players[len(named) :]], bots.folders),
        setup=setup.keys(),
        clock=clock.settings(),
        sandbox=bots.sandbox,
        freeze_idle=event.freeze_idle,
        keep=event.keep,
        bot_folders=bots.folders,
        matches=length.matches or length.most,
        sprt=length.sprt,
        seed=event.seed,
        **odds.keys(),
        openings=read_openings(openings) if openings else (),
        stop_at_fault=length.stop_at_fault,
    )
    check_starting(spec.recipe)
    compile_aside(game, uses_search(game, (one.player for one in spec.recipe.contestants)))
    with pool_of(spec.recipe, jobs=event.jobs, ray=event.ray) as pool, open_store(event.store) as store:
        comparison = Comparison(spec, store, title(spec.recipe.contestants), resume=event.resume)
        with Display[Comparison](
            lambda now: _tables(Verdict.of(now, pool.jobs)),
            lambda now: _line(Verdict.of(now, pool.jobs)),
            quiet=event.quiet or event.as_json,
        ) as display:
            comparison.run(pool, display.show)
        verdict = Verdict.of(comparison, pool.jobs, lambda match: command(f"view {match}", event.store))
        verdict.finish(store)
    if event.as_json:
        unless_closed(lambda: print_json(verdict.to_json()))
    else:
        unless_closed(lambda: _show(verdict, event))
    exit_if_stopped(verdict.ending)
    if verdict.verdict != BETTER:
        raise typer.Exit(codes.UNDECIDED if verdict.verdict == UNDECIDED else codes.FAILED)


def _line(verdict: Verdict) -> str:
    llr = "" if verdict.llr is None else f", LLR {verdict.llr:+.2f}"
    return f"{verdict.matches} matches, {verdict.elo_in_words}{llr}"


def _show(verdict: Verdict, event: EventOptions) -> None:
    if not event.quiet:
        show_table(_tables(verdict))
        notes = [verdict.repetitions, verdict.not_counted]
        show_notes(verdict.event, event.store, verdict.ending, verdict.earlier.sentence, *notes)
    else:
        show_earlier(verdict.earlier.sentence)
    console.print(Text(visible(verdict.sentence), style="bold"))


def _tables(verdict: Verdict) -> Group:
    """Returns two tables for the terminal: the results of a comparison, and the faults and times of its players.

    `verdict` has the numbers of both.
    """
    return Group(_figures(verdict), _players(verdict))


def _figures(verdict: Verdict) -> Table:
    elo = verdict.elo
    table = Table.grid(padding=(0, 2))
    a, b = (visible(player.name) for player in verdict.players)
    rows: list[tuple[str, Text | str]] = [
        ("", Text(f"{a} against {b}", style="bold")),
        ("score", f"{100 * elo.score:.1f} %: {verdict.wins} won, {verdict.draws} drawn, {verdict.losses} lost"),
        ("pairs", "{} won, {} drawn, {} lost".format(*verdict.pairs)),
        ("Elo", f"{verdict.elo_text}, 95 %"),
        ("better", f"with a probability of {100 * elo.los:.1f} %"),
    ]
    if verdict.sprt and verdict.llr is not None:
        test = verdict.sprt
        unit = " normalized" if test.model == EloModel.NORMALIZED else ""
        bar = _bar(verdict.llr, test.lower, test.upper)
        rows.append(("test", f"LLR {verdict.llr:+.2f} {bar}  elo0 {test.elo0:g}, elo1 {test.elo1:g}{unit}"))
        rows.append(("", f"the log-likelihood ratio ends the test at {test.lower:.2f} (no) or {test.upper:.2f} (yes)"))
    if verdict.points.low is not None and verdict.points.high is not None:
        points = verdict.points
        rows.append(("points", f"{points.mean:+.1f} a match ({points.low:+.1f} to {points.high:+.1f}), 95 %"))
    if verdict.abandoned:
        rows.append(("abandoned", f"{verdict.abandoned}, played again, because this machine delayed bots"))
    for heading, value in rows:
        table.add_row(Text(heading, style="dim"), value)
    return table


def _bar(value: float, low: float, high: float, width: int = 20) -> str:
    """Draws the position of a value between `low` and `high` as a line of `width` characters."""
    place = round((min(max(value, low), high) - low) / (high - low) * (width - 1))
    return "".join("●" if position == place else "·" for position in range(width))


def _players(verdict: Verdict) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("player", "p50 ms", "p99 ms", "max ms", "faults"):
        table.add_column(heading, justify="left" if heading in ("player", "faults") else "right")
    for player in verdict.players:
        table.add_row(
            Text(visible(player.name)),
            *map(ms_text, (player.p50_ms, player.p99_ms, player.max_ms)),
            Text(faults_text(player.faults) or "none", style="red" if player.faults else "dim"),
        )
    return table
