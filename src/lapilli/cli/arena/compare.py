"""The command `lapilli compare`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from lapilli.arena.matches.playing import Keep
from lapilli.arena.statistics import Sprt
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
from lapilli.cli.shared.console import console, visible
from lapilli.cli.shared.signals import INTERRUPTED
from lapilli.cli.shared.streams import unless_closed
from lapilli.games import load
from lapilli.players import Sandbox, check_quoted
from lapilli.players.engines.precompile import thinks

if TYPE_CHECKING:
    from lapilli.arena.reports.verdict import PlayerFigures, Verdict

NOT_BETTER, UNDECIDED = 1, 4
"""Exit codes, in addition to 0 for "better"."""
TEST = "How long"


def register(app: typer.Typer) -> None:
    """Adds this file's command."""
    app.command(
        "compare",
        rich_help_panel=COMPETE,
        epilog=f"Examples: lapilli compare {example_game()} 'v2=python3 bot2.py' 'v1=python3 bot1.py'  ·  "
        f"lapilli compare {example_game()} './bot' greedy --games 200 --json",
    )(compare)


def compare(
    name: GameName,
    players: Annotated[
        list[str],
        typer.Argument(metavar="A B [OTHER…]", help="A built-in's name, a quoted command, or NAME=COMMAND."),
    ],
    games: Annotated[
        int | None, typer.Option(help="Play so many matches, with no test.", min=1, rich_help_panel=TEST)
    ] = None,
    elo0: Annotated[float, typer.Option(help="The test's H0: A is so much stronger.", rich_help_panel=TEST)] = 0,
    elo1: Annotated[float, typer.Option(help="Its H1: A is so much stronger.", rich_help_panel=TEST)] = 40,
    alpha: Annotated[float, typer.Option(help="How often it may say H1 under H0.", rich_help_panel=TEST)] = 0.05,
    beta: Annotated[float, typer.Option(help="How often it may say H0 under H1.", rich_help_panel=TEST)] = 0.05,
    most: Annotated[
        int | None, typer.Option(help="With the test: at most so many matches.", min=1, rich_help_panel=TEST)
    ] = None,
    names: Annotated[
        list[str] | None, typer.Option("--name", help="What to call A, then B; or say NAME=COMMAND.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The first pair's seed.", min=0)] = 0,
    league: LeagueOption = None,
    variant: VariantOption = None,
    own: OwnOption = None,
    jobs: JobsOption = None,
    ray: RayOption = None,
    store: StoreOption = None,
    resume: Annotated[
        bool, typer.Option("--resume/--fresh", help="Go on with the same comparison, or begin anew.")
    ] = True,
    keep: KeepOption = Keep.LOST,
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
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdict's sentence only.")] = False,
) -> None:
    """Whether A is better than B: matches in pairs, on one seed with seats exchanged, until a test decides.

    Stopped with Ctrl-C, it goes on where it was when it is started again. Exits with 0 if A is better, with 1 if not,
    with 4 if nobody can say yet, with 3 where this machine was too busy, with 130 where somebody stopped it.
    """
    from lapilli.arena.compare import comparison_spec, title
    from lapilli.arena.events.comparison import Comparison
    from lapilli.arena.events.running import StopReason
    from lapilli.arena.matches.contestants import check_starting, contestants_of
    from lapilli.arena.matches.pools import pool_of
    from lapilli.arena.reports.verdict import BETTER, Verdict
    from lapilli.arena.reports.verdict import UNDECIDED as NOBODY_KNOWS

    game = load(name)
    check_quoted(players, max(game.players))
    chosen = [f"{called}={player}" for called, player in zip(names or [], players, strict=False)]
    spec = comparison_spec(
        game,
        contestants_of(game, [*chosen, *players[len(chosen) :]]),
        setup=setup_keys(league, variant, own),
        clock=clock_settings(time_factor, no_timeout, limit, first_limit, margin, cpu_limit),
        sandbox=sandbox,
        freeze_idle=freeze_idle,
        keep=keep,
        bot_folders=bot_folders_of(bot_folder),
        games=games or most,
        sprt=None if games else Sprt(elo0, elo1, alpha, beta),
        seed=seed,
    )
    check_starting(spec.recipe)
    compile_aside(game, thinks(game, (one.player for one in spec.recipe.contestants)))
    with pool_of(spec.recipe, jobs=jobs, ray=ray) as pool, open_store(store) as opened:
        comparison = Comparison(spec, opened, title(spec.recipe.contestants), resume=resume)
        with Display[Comparison](
            lambda now: tables(Verdict.of(now, pool.jobs)), lambda now: _line(Verdict.of(now, pool.jobs)), quiet=quiet
        ) as display:
            comparison.run(pool, display.show)
        verdict = Verdict.of(comparison, pool.jobs)
        if verdict.ending not in (None, StopReason.INTERRUPTED):
            opened.finish(comparison.event.id, verdict.sentence)
    if as_json:
        unless_closed(lambda: print(json.dumps(verdict.to_json(), ensure_ascii=False)))
    else:
        unless_closed(lambda: _show(verdict, quiet))
    if verdict.ending == StopReason.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    if verdict.ending == StopReason.TOO_BUSY:
        raise typer.Exit(ABANDONED)
    if verdict.verdict != BETTER:
        raise typer.Exit(UNDECIDED if verdict.verdict == NOBODY_KNOWS else NOT_BETTER)


def _line(verdict: Verdict) -> str:
    llr = "" if verdict.llr is None else f", LLR {verdict.llr:+.2f}"
    return f"{verdict.matches} matches, {verdict.elo_text} Elo{llr}"


def _show(verdict: Verdict, quiet: bool) -> None:
    from lapilli.arena.events.running import StopReason

    if not quiet:
        console.print(tables(verdict))
        if verdict.resumed:
            console.print(Text(f"{verdict.resumed} matches were there from before.", style="dim"))
        if verdict.varied:
            console.print(Text("Both always do the same, so the starts are varied, by openings.", style="dim"))
        if verdict.ending == StopReason.INTERRUPTED:
            console.print(Text("Stopped; the same command goes on from here.", style="dim"))
        console.print(Text(f"More of it: lapilli arena show {verdict.event}", style="dim"))
    console.print(Text(visible(verdict.sentence), style="bold"))


def tables(verdict: Verdict) -> Group:
    """Returns the tables with all figures of a comparison."""
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
        ("stronger", f"with {100 * elo.los:.1f} % likelihood"),
    ]
    if verdict.sprt and verdict.llr is not None:
        test = verdict.sprt
        bounds = f"({test.lower:.2f} to {test.upper:.2f})  elo0 {test.elo0:g}, elo1 {test.elo1:g}"
        rows.append(("LLR", f"{verdict.llr:+.2f} {_bar(verdict.llr, test.lower, test.upper)} {bounds}"))
    if verdict.points.low is not None and verdict.points.high is not None:
        points = verdict.points
        rows.append(("points", f"{points.mean:+.1f} a match ({points.low:+.1f} to {points.high:+.1f}), 95 %"))
    if verdict.abandoned:
        rows.append(("abandoned", f"{verdict.abandoned}, played again: this machine kept bots waiting"))
    for heading, value in rows:
        table.add_row(Text(heading, style="dim"), value)
    return table


def _bar(value: float, low: float, high: float, width: int = 20) -> str:
    """Draws the place of a value between its bounds as a line of characters."""
    place = round((min(max(value, low), high) - low) / (high - low) * (width - 1))
    return "".join("●" if position == place else "·" for position in range(width))


def _players(verdict: Verdict) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("player", "p50 ms", "p99 ms", "max ms", "faults"):
        table.add_column(heading, justify="left" if heading in ("player", "faults") else "right")
    for player in verdict.players:
        table.add_row(
            Text(visible(player.name)),
            *(f"{value:.1f}" for value in (player.p50_ms, player.p99_ms, player.max_ms)),
            Text(_faults(player), style="red" if player.faults else "dim"),
        )
    return table


def _faults(player: PlayerFigures) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in sorted(player.faults.items())) or "none"
