"""The command `lapilli referee`, which plays one match for another tool and prints the result in the tool's format."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from lapilli.arena.interop import brutaltester, cgarena, psyleague
from lapilli.arena.interop.reading import one_record_in
from lapilli.arena.interop.sdk import sdk_result
from lapilli.cli.compiling import compiled_silently
from lapilli.cli.options.commands import add_command, example_game
from lapilli.cli.options.match import FactorOptions, SandboxOptions
from lapilli.cli.options.output import RecordOption, file_option
from lapilli.cli.options.setup import GameName, SetupOptions
from lapilli.cli.shared.browser import show_page
from lapilli.cli.shared.codes import ABANDONED, INTERRUPTED, UNWRITABLE
from lapilli.cli.shared.console import error
from lapilli.cli.shared.streams import unless_closed
from lapilli.core.api import Game, Setup, Termination
from lapilli.core.errors import OutOfResources, RecordError
from lapilli.games import load
from lapilli.match import Clock, Match, Record
from lapilli.match.files.writing import check_writable, write_atomically
from lapilli.players import Sandbox
from lapilli.players.engines.precompile import uses_search
from lapilli.players.sandbox.sandbox import why_no_sandbox
from lapilli.viewer import page

_NUMBER = re.compile(r"[+-]?\d+")


class _RefereeCommand(TyperCommand):
    """A Typer command that also accepts brutaltester's command lines, in which players' commands are not quoted."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        names = (name for parameter in self.get_params(ctx) for name in parameter.opts)
        return super().parse_args(ctx, brutaltester.rejoined(args, {name for name in names if name.startswith("-")}))


def register(app: typer.Typer) -> None:
    """Adds the command `lapilli referee` to the app."""
    call = f"lapilli referee {example_game()}"
    add_command(
        app,
        "referee",
        referee,
        examples=(
            f"{call} -p1 'python3 bot.py' -p2 greedy -d seed=7",
            f"brutaltester -r '{call}'",
            f"cgarena: play_match = '{call} {{SEED}} {{REPLAY_PATH}} {{PLAYERS}}'",
            f"cgarena: watch_replay = '{call} --watch {{REPLAY_PATH}} {{REPLAY_DIR}} {{PORT}} {{PLAYER_COUNT}}'",
            f"psyleague: cmd_play_game = '{call} --psyleague %DIR%/%ALL_PLAYERS%'",
        ),
        cls=_RefereeCommand,
        context_settings={"ignore_unknown_options": True},  # accepts negative seeds; `_refuse_options` refuses options
    )


def _print_compatibility(asked: bool) -> None:
    if asked:
        print(cgarena.COMPATIBILITY)
        raise typer.Exit


def referee(
    name: GameName,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD…", help="As called by cgarena: SEED [REPLAY_PATH] PLAYER…, with a .json file as REPLAY_PATH."
        ),
    ] = None,
    *,
    p1: Annotated[
        str | None, typer.Option("-p1", metavar="COMMAND", help="First player, as called by brutaltester.")
    ] = None,
    p2: Annotated[str | None, typer.Option("-p2", metavar="COMMAND", help="Second player.")] = None,
    p3: Annotated[str | None, typer.Option("-p3", metavar="COMMAND", help="Third player.")] = None,
    p4: Annotated[str | None, typer.Option("-p4", metavar="COMMAND", help="Fourth player.")] = None,
    data: Annotated[
        str | None,
        typer.Option("-d", metavar="seed=N", help="Seed of the match, with -p1.", show_default="a random seed"),
    ] = None,
    log: Annotated[Path | None, file_option("-l", "Write the match to this file, as JSON of CodinGame's SDK.")] = None,
    show: Annotated[bool, typer.Option("-s", help="Open the match in the browser, too.")] = False,
    as_psyleague: Annotated[
        bool, typer.Option("--psyleague", help="All WORDs are players, as called by psyleague.")
    ] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch", help="Write the page of a replay; the WORDs are REPLAY_PATH REPLAY_DIR PORT PLAYER_COUNT."
        ),
    ] = False,
    probe: Annotated[
        bool,
        typer.Option(
            "--cgarena-compat",
            is_eager=True,
            callback=_print_compatibility,
            help="Print the version of cgarena's interface, and exit.",
        ),
    ] = False,
    usual_start: Annotated[
        bool,
        typer.Option("--usual-start", help="Begin at the game's usual start, not from an opening that the seed draws."),
    ] = False,
    setup: SetupOptions,
    record: RecordOption = None,
    bots: SandboxOptions,
    clock: FactorOptions,
) -> None:
    """Plays one match for brutaltester, cgarena or psyleague, and prints the result in the format of that tool.

    Nothing else is printed, except errors on stderr. The page "With other tools" of the documentation has a
    configuration for each tool.

    In a game whose start does not depend on the seed, the seed selects one of the game's balanced openings. Otherwise
    two deterministic bots would play the same match every time.

    Exit codes: 0 if the match was played, 3 if brutaltester's match was abandoned, 130 if you stopped it.
    """
    game = load(name)
    _refuse_options(words or [])
    if watch:
        _write_page(words or [])
        return
    call = _call_of(words or [], [p1, p2, p3, p4], data, as_psyleague)
    start = Setup.from_dict({"seed": secrets.randbits(31) if call.seed is None else call.seed, **setup.keys()})
    if not usual_start:
        start = _with_opening(game, start)
    for file in (call.replay, log, record):
        if file is not None:
            check_writable(file)
    played = _played(game, call.players, start, Clock(clock.time_factor, clock.no_timeout), bots)
    problem = _saved(played, [file for file in (call.replay, record) if file is not None], log)
    if played.outcome is not None and played.outcome.termination == Termination.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    seen = unless_closed(lambda: print(call.output(played), end=""))
    if show:
        seen &= unless_closed(lambda: print(show_page(game.name, page(played))))
    if problem is not None:
        raise problem
    if not seen:
        raise typer.Exit(UNWRITABLE)


@dataclass(frozen=True, slots=True)
class _Call:
    """A tool's call of `lapilli referee`: the arguments, and the format of the result that the tool expects.

    Attributes:
        players: commands of the players.
        output: function that returns the text to print for the tool; its argument is the record of the match.
        seed: seed of the match; None for a random seed.
        replay: path to which the record is written for the tool; None if the tool wants no record.
    """

    players: Sequence[str]
    output: Callable[[Record], str]
    seed: int | None = None
    replay: Path | None = None


def _refuse_options(words: Sequence[str]) -> None:
    """Raises typer.BadParameter if a word looks like an option, because a mistyped option would count as a player.

    A negative number is allowed: it may be the seed.
    """
    for word in words:
        if word.startswith("-") and not _NUMBER.fullmatch(word):
            raise typer.BadParameter(f"no such option: {word}")


def _call_of(words: list[str], players: Sequence[str | None], data: str | None, as_psyleague: bool) -> _Call:
    """Finds out which tool has called this command, and returns the tool's call.

    Args:
        words: arguments without option names.
        players: values of -p1, -p2 and so on; None for an option that is not set.
        data: value of -d; None if it is not set.
        as_psyleague: whether --psyleague is set.

    Raises:
        typer.BadParameter: no tool calls this command with such arguments.
    """
    named = [player for player in players if player is not None]
    if not named and data is not None:
        raise typer.BadParameter("-d needs players: add -p1, -p2 and so on")
    if named and (words or as_psyleague):
        raise typer.BadParameter("name players either by -p1, -p2 and so on, or as words, not both")
    if named:
        if None in players[: len(named)]:
            raise typer.BadParameter("-p1, -p2 and so on must not leave out a player")
        return _Call(named, _brutaltester_output, None if data is None else brutaltester.seed_of(data))
    if not words:
        raise typer.BadParameter("no players: name them by -p1, -p2 and so on, or as words after a seed")
    if as_psyleague:
        return _Call(words, _in_json(psyleague.result))
    seed, replay, commands = cgarena.call_of(words)
    return _Call(commands, _in_json(cgarena.result), seed, replay)


def _with_opening(game: Game, setup: Setup) -> Setup:
    """Returns a setup with the opening that its seed selects. If the game has no openings, returns `setup` itself."""
    openings = game.openings(setup)
    return replace(setup, position=openings[(setup.seed or 0) % len(openings)]) if openings else setup


def _in_json(result: Callable[[Record], Any]) -> Callable[[Record], str]:
    return lambda played: json.dumps(result(played)) + "\n"


def _brutaltester_output(played: Record) -> str:
    """Returns the text with scores and seed that brutaltester reads.

    If the match was abandoned, prints an error on stderr instead, and raises typer.Exit. (Brutaltester cannot leave out
    a match: without this text, it counts the match as a draw.)
    """
    outcome = played.outcome
    assert outcome is not None
    if outcome.by_rules:
        return brutaltester.output(played)
    error(f"the match was abandoned, without a result: {outcome.reason}")
    raise typer.Exit(ABANDONED)


def _played(game: Game, players: Sequence[str], setup: Setup, clock: Clock, bots: SandboxOptions) -> Record:
    """Plays the match of a tool's call without any output, and returns its record.

    `players`: commands of the players. `clock`: time limits. `bots`: options for the sandbox of the bots.
    """
    sandbox = bots.sandbox
    with suppress(OutOfResources):  # the match will then be abandoned
        if sandbox == Sandbox.AUTO and why_no_sandbox():  # AUTO would print a warning
            sandbox = Sandbox.OFF
    with (
        compiled_silently(game, uses_search(game, players)),
        Match(game, players, setup, clock, sandbox, bot_folders=bots.folders) as match,
    ):
        try:
            for _ in match.turns():
                pass
        except KeyboardInterrupt:
            match.referee.stop()
    return match.record


def _saved(played: Record, files: Sequence[Path], log: Path | None) -> RecordError | None:
    """Writes the record to all `files`, and the match as JSON of CodinGame's SDK to `log`.

    Returns the last error; None if all files could be written.
    """
    problem = None
    for file in files:
        try:
            played.save(file)
        except RecordError as found:
            problem = found
    if log is not None:
        try:
            write_atomically(log, json.dumps(sdk_result(played)).encode())
        except RecordError as found:
            problem = found
    return problem


def _write_page(words: Sequence[str]) -> None:
    """Writes the page of a replay into cgarena's folder. `words` are REPLAY_PATH, REPLAY_DIR, PORT and PLAYER_COUNT.

    The port is ignored, because cgarena itself serves the folder.
    """
    if len(words) != 4:
        raise typer.BadParameter("--watch needs REPLAY_PATH REPLAY_DIR PORT PLAYER_COUNT")
    target = Path(words[1]) / cgarena.REPLAY_PAGE
    played = one_record_in(Path(words[0]))
    check_writable(target)
    write_atomically(target, page(played).encode())
