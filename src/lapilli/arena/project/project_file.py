"""The project file lapilli.toml: game, bots, limits and tests. docs/testing-bots.md describes it for users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from lapilli.arena.project.toml_tables import Place, TomlFile
from lapilli.core.errors import LapilliError
from lapilli.match import Clock
from lapilli.players import Sandbox

PROJECT_FILE = "lapilli.toml"
"""Usual name of the project file."""
MATCHES, PREVIOUS = 40, 100
"""Default number of matches against each opponent, and default largest number against the last good version."""
_Positive = Annotated[float, msgspec.Meta(gt=0)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class _Keys(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    """Base class for tables of the project file. In the file, names of keys have hyphens instead of underscores."""


class SetupKeys(_Keys, frozen=True, kw_only=True, rename="kebab"):
    """Keys that set the game and its rules. They are at the top of the file; a test can override them.

    Attributes:
        game: name of the game.
        league, variant: league and variant of the game's rules, as in the options `--league` and `--variant`.
        players: number of players in a match.
        set: settings that only this game has, as in the option `--set`.
        previous: largest number of matches against the bot's last good version, the latest one that passed all its
            tests; 0 for none.
    """

    game: str | None = None
    league: str | None = None
    variant: str | None = None
    players: Annotated[int, msgspec.Meta(ge=2)] | None = None
    set: dict[str, Any] | None = None
    previous: _Count | None = None


class _ProjectKeys(SetupKeys, frozen=True, kw_only=True, rename="kebab"):
    """The keys at the top of the project file, and its tables as they stand in the file.

    The tables are parsed later, one by one, so that errors name their lines.

    Attributes:
        bots: the tables [bots.NAME], by name of the bot.
        limits: the table [limits].
        tests: the tables [[tests]].
    """

    bots: dict[str, Any]
    limits: dict[str, Any] = {}
    tests: list[dict[str, Any]] = []


class BotKeys(_Keys, frozen=True, kw_only=True, rename="kebab"):
    """The keys of a bot: a table [bots.NAME].

    Attributes:
        run: command that starts the bot.
        build: command that builds the bot, or a list of such commands.
        folder: folder with the bot's files, in which these commands run; relative to the folder of the project file.
    """

    run: str
    build: str | list[str] = []
    folder: str = "."

    @property
    def builds(self) -> list[str]:
        """The build commands as a list, which may be empty."""
        return [self.build] if isinstance(self.build, str) else self.build


class LimitKeys(_Keys, frozen=True, kw_only=True, rename="kebab"):
    """The table [limits]. Except for `memory_mb`, its keys are the options of `lapilli compare` with the same names.

    Attributes:
        limit, first_limit, margin, cpu_limit: time limits, in milliseconds.
        time_factor: factor of all time limits of the game.
        no_timeout: whether there are no time limits.
        sandbox: sandbox mode.
        memory_mb: memory of a bot in the sandbox, in mebibytes; None for Lapilli's default.
    """

    limit: _Positive | None = None
    first_limit: _Positive | None = None
    margin: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    cpu_limit: _Positive | None = None
    time_factor: _Positive = 1.0
    no_timeout: bool = False
    sandbox: Sandbox = Sandbox.AUTO
    memory_mb: Annotated[int, msgspec.Meta(ge=1)] | None = None

    def clock(self) -> dict[str, Any]:
        """Returns the settings of a `Clock`, by name. Raises SetupError if one is out of range."""
        chosen: dict[str, Any] = {
            "factor": self.time_factor,
            "unlimited": self.no_timeout,
            "first_ms": self.first_limit,
            "reply_ms": self.limit,
            "margin_ms": self.margin,
            "cpu_ms": self.cpu_limit,
        }
        Clock(**chosen)
        return chosen


class TestKeys(SetupKeys, frozen=True, kw_only=True, rename="kebab"):
    """The keys of a test: a table [[tests]].

    Attributes:
        name: name of the test; None for a default name.
        bot: name of the tested bot; None for the first bot of the file.
        against: opponents: names of bots, built-in opponents, or commands.
        matches: number of matches against each opponent.
        score: required score against each opponent, from 0 to 1. The test fails if the whole 95 % interval of the bot's
            score is below this number. None for no requirement.
        faults: largest number of matches against each opponent in which the bot may have a fault.
        openings: file with start positions of the matches, as in the option `--openings`; relative to the folder of the
            project file. None for the game's own.
        odds: factors for the time limits of the bot and its opponents, by name, as in the option `--odds`.
    """

    name: str | None = None
    bot: str | None = None
    against: list[str] = []
    matches: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = MATCHES
    score: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    faults: _Count = 0
    openings: str | None = None
    odds: dict[str, _Positive] = {}


@dataclass(frozen=True, kw_only=True)
class Project:
    """The contents of a project file.

    Attributes:
        file: the file, for error messages.
        keys: the setup keys at the top of the file, which are defaults for all tests.
        bots: bots by name.
        limits: limits of all matches.
        tests: the tests.
    """

    file: TomlFile
    keys: SetupKeys
    bots: Mapping[str, BotKeys]
    limits: LimitKeys
    tests: tuple[TestKeys, ...]

    @property
    def folder(self) -> Path:
        """Absolute path of the folder of the project file, with all links resolved."""
        return self.file.path.resolve().parent

    def error(self, place: Place, message: str) -> LapilliError:
        """Returns an error about the value at a place of the file, with the text "FILE:LINE: MESSAGE".

        `place`: the keys and indices that lead to the value, the outermost first, as in ("tests", 0, "matches").
        """
        return self.file.error(place, message)

    def folder_of(self, bot: BotKeys) -> Path:
        """Returns the absolute path of a bot's folder, with all links resolved."""
        return (self.folder / bot.folder).resolve()


def read_project(path: Path) -> Project:
    """Reads a project file.

    Args:
        path: the file, or the folder that contains lapilli.toml.

    Raises:
        LapilliError: there is no such file, or a key or value in it is not valid. The message names the line.
    """
    path = path / PROJECT_FILE if path.is_dir() else path
    if not path.exists():
        raise LapilliError(f"there is no file {path}: lapilli test --init GAME writes one for the bot in this folder")
    file = TomlFile(path)
    keys = file.read(_ProjectKeys, file.data)
    bots = {name: _bot(file, name, data) for name, data in keys.bots.items()}
    if not bots:
        raise file.error(("bots",), "bots: expected at least one table [bots.NAME]")
    limits = file.read(LimitKeys, keys.limits, ("limits",))
    try:
        limits.clock()
    except LapilliError as error:
        raise file.error(("limits",), f"{error} in [limits]") from None
    tests = tuple(file.read(TestKeys, data, ("tests", number)) for number, data in enumerate(keys.tests))
    if not tests:
        raise file.error(("tests",), "tests: expected at least one table [[tests]]")
    return Project(file=file, keys=keys, bots=bots, limits=limits, tests=tests)


def _bot(file: TomlFile, name: str, data: object) -> BotKeys:
    place = ("bots", name)
    if not isinstance(data, dict):
        raise file.error(place, f"{name}: expected a table [bots.{name}] with the key run")
    if not name.strip() or "=" in name or len(name) > 64:
        raise file.error(place, f"{name!r} is no name for a bot: expected 1 to 64 characters without '='")
    bot = file.read(BotKeys, data, place)
    if not (file.path.parent / bot.folder).is_dir():
        raise file.error((*place, "folder"), f"folder: there is no folder {bot.folder!r} in [bots.{name}]")
    return bot
