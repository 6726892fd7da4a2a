"""The gauntlet of a project: which bots to build, and which tests to run. Nothing is started here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from lapilli.arena.matches.recipes import check_opening, read_openings
from lapilli.arena.project.project_file import PREVIOUS, BotKeys, Project, SetupKeys, TestKeys
from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.setup import COMMON_KEYS
from lapilli.games import load
from lapilli.players import builtin_names, is_builtin, search_names
from lapilli.players.processes.command import find_program, split_command, why_not_started

LAST_GOOD = "last good version"
"""Name of the opponent in a comparison of a bot with its last good version."""


@dataclass(frozen=True)
class TestOpponent:
    """An opponent of a tested bot.

    Attributes:
        name: name of a bot, name of a built-in opponent, or a command, as written in the project file.
        bot: the commands of the bot, as a table of the project file; None for a built-in opponent.
    """

    name: str
    bot: BotKeys | None


@dataclass(frozen=True, kw_only=True)
class GauntletTest:
    """A test of a bot, with all settings filled in.

    Attributes:
        name: name of the test, unique in the file.
        bot: name of the tested bot.
        game: the game.
        setup: keys of the setup, with the number of players.
        opponents: the opponents. The bot plays against one opponent at a time; in games for more than two players, this
            opponent takes all other seats.
        keys: keys of the test, from its table in the project file.
        openings: start positions of the matches; empty for the game's own.
        previous: largest number of matches against the bot's last good version, the latest one that passed all its
            tests; 0 for none. The number is also 0 if an earlier test of the same bot has the same game and setup.
    """

    name: str
    bot: str
    game: Game
    setup: Mapping[str, Any]
    opponents: tuple[TestOpponent, ...]
    keys: TestKeys
    openings: tuple[str, ...]
    previous: int

    @property
    def players(self) -> int:
        """Number of players in a match."""
        return int(self.setup["players"])


@dataclass(frozen=True, kw_only=True)
class Gauntlet:
    """The tests to run, and the bots that they need.

    Attributes:
        project: the project file.
        tests: the tests, in the order of the file.
        whole: names of the bots for which this gauntlet contains all tests. Only for these bots can a run decide that
            the tested version is good: that it has passed all tests.
    """

    project: Project
    tests: tuple[GauntletTest, ...]
    whole: frozenset[str]

    @property
    def bots(self) -> dict[str, BotKeys]:
        """The bots that play, both tested bots and opponents, by name. The name of a command is the command itself."""
        found: dict[str, BotKeys] = {}
        for test in self.tests:
            found[test.bot] = self.project.bots[test.bot]
            found |= {opponent.name: opponent.bot for opponent in test.opponents if opponent.bot is not None}
        return found

    @property
    def folders(self) -> list[Path]:
        """The folders with the files of the bots that play, without duplicates."""
        return list(dict.fromkeys(self.project.folder_of(bot) for bot in self.bots.values()))


def gauntlet_of(project: Project, only: Collection[str] = ()) -> Gauntlet:
    """Returns the gauntlet of a project: the tests to run, and the bots that they need.

    Args:
        project: the project file.
        only: names of the tests to run; the name of a bot selects all tests of the bot. Empty for all tests.

    Raises:
        LapilliError: the file names a game, a bot, an opponent or a setup that does not exist; or `only` names no test.
    """
    planned: list[GauntletTest] = []
    for number, keys in enumerate(project.tests):
        planned.append(_planned(project, number, keys, planned))
    known = {name for test in planned for name in (test.name, test.bot)}
    for name in only:
        if name not in known:
            raise UnknownName("test or tested bot", name, known)
    chosen = [test for test in planned if not only or {test.name, test.bot} & {*only}]
    left_out = {test.bot for test in planned if test not in chosen}
    return Gauntlet(project=project, tests=tuple(chosen), whole=frozenset({test.bot for test in chosen} - left_out))


def _planned(project: Project, number: int, keys: TestKeys, before: list[GauntletTest]) -> GauntletTest:
    """Returns a test with all settings filled in.

    Args:
        project: the project file.
        number: index of the test in the file.
        keys: the test's settings, as they stand in the file.
        before: the tests that come before this test in the file.

    Raises:
        LapilliError: a setting of the test is missing or not valid.
    """
    place = ("tests", number)
    bot = _tested_bot(project, number, keys)
    game, setup = _game_and_setup(project, number, keys)
    opponents = tuple(_opponents(project, game, number, keys))
    previous = next((each for each in (keys.previous, project.keys.previous) if each is not None), PREVIOUS)
    if any((test.bot, test.game.name, test.setup) == (bot, game.name, setup) for test in before):
        previous = 0
    if not opponents and not previous:
        raise project.error(place, "against: expected at least one opponent in [[tests]]")
    players = [bot, *keys.against]
    for player in keys.odds:
        if player not in players:
            raise project.error((*place, "odds"), f"odds: {UnknownName('player', player, players)}")
    taken = {test.name for test in before}
    if keys.name in taken:
        raise project.error((*place, "name"), f"name: two tests are called {keys.name!r}")
    name = keys.name or _default_name(bot, game, setup, taken)
    return GauntletTest(
        name=name,
        bot=bot,
        game=game,
        setup=setup,
        opponents=opponents,
        keys=keys,
        openings=_openings(project, game, setup, number, keys),
        previous=previous,
    )


def _default_name(bot: str, game: Game, setup: Mapping[str, Any], taken: Collection[str]) -> str:
    words = [bot, game.name, *(str(setup[key]) for key in ("league", "variant") if key in setup)]
    name = " ".join(words)
    numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
    return next(each for each in (name, *numbered) if each not in taken)


def _tested_bot(project: Project, number: int, keys: TestKeys) -> str:
    """Returns the name of the bot that a test is for; by default the first bot of the project file.

    `number`: index of the test in the file. `keys`: the test's settings in the file.
    """
    if keys.bot is None:
        return next(iter(project.bots))
    if keys.bot not in project.bots:
        raise project.error(("tests", number, "bot"), f"bot: {UnknownName('bot', keys.bot, project.bots)}")
    return keys.bot


def _game_and_setup(project: Project, number: int, keys: TestKeys) -> tuple[Game, dict[str, Any]]:
    """Returns the game and the setup of a test, from the test's settings and the settings at the top of the file.

    If the test itself names a game, no setup keys from the top of the file are used for the test.

    `number`: index of the test in the file. `keys`: the test's settings in the file.
    """
    place = ("tests", number)
    name = keys.game or project.keys.game
    if name is None:
        raise project.error(place, "game: expected the name of a game, at the top of the file or in [[tests]]")
    try:
        game = load(name)
    except LapilliError as error:
        raise project.error((*place, "game") if keys.game else ("game",), f"game: {error}") from None
    levels: list[SetupKeys] = [keys] if keys.game else [project.keys, keys]
    setup: dict[str, Any] = {"players": 2 if 2 in game.players else min(game.players)}
    for level in levels:
        own = level.set or {}
        for key in own.keys() & COMMON_KEYS.keys():
            raise project.error((*place, "set"), f"set: the key {key!r} stands beside it, not in it")
        common = {"league": level.league, "variant": level.variant, "players": level.players}
        setup |= {key: value for key, value in common.items() if value is not None} | own
    try:
        game.complete(Setup.from_dict({"seed": 0, **setup}))
    except LapilliError as error:
        raise project.error(_place_of_setup(number, keys), str(error)) from None
    return game, setup


def _place_of_setup(number: int, keys: TestKeys) -> tuple[str | int, ...]:
    """Returns the place in the project file to which an error about a test's setup refers.

    A place consists of the keys and indices that lead to a value, the outermost first, as in ("tests", 0, "league").
    `number`: index of the test in the file. `keys`: the test's settings in the file.

    The result is the place of the test's first setup key. If the test has no setup keys, it is the test's
    table (if the test names a game), or the key `game` at the top of the file.
    """
    own = [key for key in ("league", "variant", "players", "set") if getattr(keys, key) is not None]
    if own:
        return ("tests", number, own[0])
    return ("tests", number) if keys.game else ("game",)


def _openings(project: Project, game: Game, setup: Mapping[str, Any], number: int, keys: TestKeys) -> tuple[str, ...]:
    """Reads the start positions for a test from the file that the test's key `openings` names; empty without this key.

    `number`: index of the test in the project file. `keys`: the test's settings in the project file.
    """
    if keys.openings is None:
        return ()
    try:
        found = read_openings(project.folder / keys.openings)
        for opening in found:
            check_opening(game, opening, setup)
    except LapilliError as error:
        raise project.error(("tests", number, "openings"), f"openings: {error}") from None
    return tuple(found)


def _opponents(project: Project, game: Game, number: int, keys: TestKeys) -> Iterator[TestOpponent]:
    for name in dict.fromkeys(keys.against):
        if name in project.bots:
            yield TestOpponent(name, project.bots[name])
            continue
        try:
            yield TestOpponent(name, None if is_builtin(game, name) else _command(project, game, name))
        except LapilliError as error:
            raise project.error(("tests", number, "against"), f"against: {error}") from None


def _command(project: Project, game: Game, command: str) -> BotKeys:
    """Returns the settings of an opponent that is given as a command, in the form of a table [bots.NAME].

    Raises:
        LapilliError: the command cannot be started.
    """
    try:
        words = split_command(command)
        find_program(words, str(project.folder))
    except ValueError as error:
        raise LapilliError(str(error)) from None
    except OSError as error:
        if len(words) == 1 and "/" not in command:
            known = [*project.bots, *builtin_names(game), *search_names(game)]
            near = get_close_matches(command.lower(), known, n=1, cutoff=0.5)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise LapilliError(f"no bot, built-in opponent or command {command!r}{hint}") from None
        raise LapilliError(why_not_started(words, str(project.folder), error)) from None
    return BotKeys(run=command)
