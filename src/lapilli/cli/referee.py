"""The command `lapilli referee`, which plays one match for another tool and prints the result in the tool's format."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from lapilli.arena.interop import brutaltester, cgarena, psyleague
from lapilli.arena.interop.reading import one_record_in
from lapilli.arena.interop.sdk import sdk_result
from lapilli.cli.compiling import compiled_silently
from lapilli.cli.options.options import bot_folders_of
from lapilli.cli.options.panels import TOOLS
from lapilli.cli.options.setup import GameName, example_game, setup_keys
from lapilli.cli.shared.browser import show_page
from lapilli.cli.shared.codes import ABANDONED
from lapilli.cli.shared.console import error, file_option
from lapilli.cli.shared.signals import INTERRUPTED
from lapilli.cli.shared.streams import unless_closed
from lapilli.core.api import Game, Setup, Termination
from lapilli.core.errors import RecordError
from lapilli.games import load
from lapilli.match import Clock, Match, Record
from lapilli.match.files import check_writable, write_atomically
from lapilli.players import Sandbox
from lapilli.players.engines.precompile import thinks
from lapilli.players.processes.trouble import OutOfResources
from lapilli.players.sandbox.sandbox import why_no_sandbox
from lapilli.viewer import page

_NUMBER = re.compile(r"[+-]?\d+")


class _RefereeCommand(TyperCommand):
    """A command that restores players' commands which brutaltester printed without quotes."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        names = (name for parameter in self.get_params(ctx) for name in parameter.opts)
        return super().parse_args(ctx, brutaltester.rejoined(args, {name for name in names if name.startswith("-")}))


def register(app: typer.Typer) -> None:
    """Adds this file's command."""
    call = f"lapilli referee {example_game()}"
    app.command(
        "referee",
        rich_help_panel=TOOLS,
        cls=_RefereeCommand,
        context_settings={"ignore_unknown_options": True},  # for negative seeds; `_refuse_options` checks the others
        epilog=f"Examples: brutaltester -r '{call}'  ·  "
        f"cgarena: play_match = '{call} {{SEED}} {{REPLAY_PATH}} {{PLAYERS}}', "
        f"watch_replay = '{call} --watch {{REPLAY_PATH}} {{REPLAY_DIR}} {{PORT}} {{PLAYER_COUNT}}'  ·  "
        f"psyleague: cmd_play_game = '{call} --psyleague %DIR%/%ALL_PLAYERS%'",
    )(referee)


def _probed(asked: bool) -> None:
    if asked:
        print(cgarena.COMPATIBILITY)
        raise typer.Exit


def referee(
    name: GameName,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORD…", help="As cgarena calls: SEED [REPLAY_PATH] PLAYER…; the replay is a .json."),
    ] = None,
    p1: Annotated[
        str | None, typer.Option("-p1", metavar="COMMAND", help="As brutaltester calls: the players.")
    ] = None,
    p2: Annotated[str | None, typer.Option("-p2", metavar="COMMAND")] = None,
    p3: Annotated[str | None, typer.Option("-p3", metavar="COMMAND")] = None,
    p4: Annotated[str | None, typer.Option("-p4", metavar="COMMAND")] = None,
    data: Annotated[str | None, typer.Option("-d", metavar="seed=N", help="The seed, with -p1 and so on.")] = None,
    log: Annotated[Path | None, file_option("-l", "Write the match as the JSON of CodinGame's SDK.")] = None,
    show: Annotated[bool, typer.Option("-s", help="Show the match in the browser, too.")] = False,
    as_psyleague: Annotated[
        bool, typer.Option("--psyleague", help="The words are players alone, as psyleague calls.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="The words are REPLAY_PATH REPLAY_DIR PORT PLAYER_COUNT: write the page.")
    ] = False,
    probe: Annotated[
        bool, typer.Option("--cgarena-compat", is_eager=True, callback=_probed, help="Say which cgarena this is for.")
    ] = False,
    league: Annotated[str | None, typer.Option(help="The rules of an earlier league.")] = None,
    variant: Annotated[str | None, typer.Option(help="A variant of the game.")] = None,
    own: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A key of the game's own.")
    ] = None,
    record: Annotated[
        Path | None, file_option("--record", "Write the record here (.json, .jsonl, or either with .gz).")
    ] = None,
    time_factor: Annotated[float, typer.Option(help="Scale the time limits.", min=0.001)] = 1.0,
    no_timeout: Annotated[bool, typer.Option("--no-timeout", help="No time limits, for debugging.")] = False,
    sandbox: Annotated[
        Sandbox, typer.Option(help="Lock bots in: where bubblewrap works, always, or never.", show_choices=True)
    ] = Sandbox.AUTO,
    bot_folder: Annotated[
        list[Path] | None,
        typer.Option("--bot-folder", metavar="FOLDER", exists=True, help="Show bots in the sandbox this folder, too."),
    ] = None,
) -> None:
    """Plays one match for brutaltester, cgarena or psyleague, and prints what that tool reads.

    Nothing else is printed, and nothing on stderr unless something is wrong. docs/interop.md has a configuration to
    copy for each tool.
    """
    game = load(name)
    _refuse_options(words or [])
    if watch:
        _write_page(words or [])
        return
    call = _call_of(words or [], [p1, p2, p3, p4], data, as_psyleague)
    setup = Setup.from_dict(
        {
            "seed": secrets.randbits(31) if call.seed is None else call.seed,
            **setup_keys(league, variant, own),
        }
    )
    for file in (call.replay, log, record):
        if file is not None:
            check_writable(file)
    clock = Clock(time_factor, no_timeout)
    played = _played(game, call.players, setup, clock, sandbox, bot_folders_of(bot_folder))
    problem = _saved(played, [file for file in (call.replay, record) if file is not None], log)
    if played.outcome is not None and played.outcome.termination == Termination.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    seen = unless_closed(lambda: print(call.told(played), end=""))
    if show:
        seen &= unless_closed(lambda: print(show_page(game.name, page(played))))
    if problem is not None:
        raise problem
    if not seen:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Call:
    """The call of a tool: its arguments, and the format of the result.

    Attributes:
        players: commands of the players.
        told: function from the record to the text that the tool reads.
        seed: seed of the match; None for a random one.
        replay: path of the record to write for the tool; None for none.
    """

    players: Sequence[str]
    told: Callable[[Record], str]
    seed: int | None = None
    replay: Path | None = None


def _refuse_options(words: Sequence[str]) -> None:
    """Raises typer.BadParameter if a word looks like an option, except for numbers."""
    for word in words:
        if word.startswith("-") and not _NUMBER.fullmatch(word):
            raise typer.BadParameter(f"no such option: {word}")


def _call_of(words: list[str], players: Sequence[str | None], data: str | None, as_psyleague: bool) -> _Call:
    """Determines from the arguments which tool calls, and returns its call.

    Raises:
        typer.BadParameter: the arguments fit no tool.
    """
    named = [player for player in players if player is not None]
    if not named and data is not None:
        raise typer.BadParameter("-d goes with -p1, -p2 and so on")
    if named and (words or as_psyleague):
        raise typer.BadParameter("players are named by -p1, -p2 and so on, or as words, not both")
    if named:
        if None in players[: len(named)]:
            raise typer.BadParameter("-p1, -p2 and so on name the players without a gap")
        return _Call(named, _told_to_brutaltester, None if data is None else brutaltester.seed_of(data))
    if not words:
        raise typer.BadParameter("nobody plays: name players by -p1, -p2 and so on, or as words after a seed")
    if as_psyleague:
        return _Call(words, _in_json(psyleague.result))
    seed, replay, commands = cgarena.call_of(words)
    return _Call(commands, _in_json(cgarena.result), seed, replay)


def _in_json(result: Callable[[Record], Any]) -> Callable[[Record], str]:
    return lambda played: json.dumps(result(played)) + "\n"


def _told_to_brutaltester(played: Record) -> str:
    """Returns the text with scores and seed that brutaltester reads.

    For an abandoned match, it prints an error on stderr and exits. The tool then counts a draw, because it has no way
    to leave a match out.
    """
    outcome = played.outcome
    assert outcome is not None
    if outcome.counts:
        return brutaltester.output(played)
    error(f"abandoned, and counts for nobody: {outcome.reason}")
    raise typer.Exit(ABANDONED)


def _played(
    game: Game, players: Sequence[str], setup: Setup, clock: Clock, sandbox: Sandbox, bot_folders: Sequence[str]
) -> Record:
    """Plays the match without any output, and returns its record."""
    with suppress(OutOfResources):  # then the match will be abandoned anyway
        if sandbox == Sandbox.AUTO and why_no_sandbox():  # else the match prints a line about it
            sandbox = Sandbox.OFF
    with (
        compiled_silently(game, thinks(game, players)),
        Match(game, players, setup, clock, sandbox, bot_folders=bot_folders) as match,
    ):
        try:
            for _ in match.turns():
                pass
        except KeyboardInterrupt:
            match.referee.stop()
    return match.record


def _saved(played: Record, files: Sequence[Path], log: Path | None) -> RecordError | None:
    """Writes the record to `files` and the SDK's JSON to `log`. Returns the last error; None without errors."""
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
    """Writes the page of a replay into cgarena's folder. The port is ignored, because cgarena serves the folder."""
    if len(words) != 4:
        raise typer.BadParameter("--watch needs REPLAY_PATH REPLAY_DIR PORT PLAYER_COUNT")
    target = Path(words[1]) / cgarena.REPLAY_PAGE
    played = one_record_in(Path(words[0]))
    check_writable(target)
    write_atomically(target, page(played).encode())
