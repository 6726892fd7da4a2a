"""Tournaments: round robins, gauntlets and Swiss tournaments, for games with two to four players in a match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lapilli.arena.matches.contestants import check_starting, contestants_of, functions_of
from lapilli.arena.matches.playing import Keep, Recipe
from lapilli.arena.matches.pools import pool_of
from lapilli.arena.matches.recipes import recipe_keys, recipe_of, starts_of
from lapilli.arena.progress.pairings import Format, Group, PairingPlan, all_meetings, swiss_round, usual_rounds
from lapilli.arena.progress.running import Run, StopReason
from lapilli.arena.reports.crosstable import CrossTable
from lapilli.arena.reports.earlier import EarlierMatches
from lapilli.arena.reports.finaltable import FinalTable
from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.games import load
from lapilli.match import Clock
from lapilli.players import PlayerLike, Sandbox
from lapilli.store import EventKind, Store
from lapilli.store.results import MatchResult, MatchTask

MAX_PLAYERS = 500
"""Largest number of contestants in a tournament."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The settings and contestants of a tournament.

    A *meeting* is a group of contestants that play matches against each other: one contestant for each seat of a match.

    Attributes:
        recipe: settings that the matches share, with the contestants of the tournament, each with a unique name.
        format: round robin, gauntlet or Swiss.
        matches: number of matches in a meeting, rounded up to whole pairs. With more than two players in a match, a
            pair has a match for each rotation of the seats.
        rounds: number of rounds of a Swiss tournament; None for log2(contestants), rounded up, plus 2.
        seed: seed of the first pair; it determines the seeds of all later pairs.

    Raises:
        LapilliError: there are too few or too many contestants; the number of matches or rounds is below 1; or `rounds`
            is set for a format other than Swiss.
        SetupError, UnknownName: the game cannot start with this setup.
    """

    recipe: Recipe
    format: Format = Format.ROUND_ROBIN
    matches: int = 2
    rounds: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Checks the settings. Raises LapilliError if the number of contestants, matches or rounds is not valid."""
        players = len(self.recipe.contestants)
        if not self.seats <= players <= MAX_PLAYERS:
            raise LapilliError(f"{self.seats} to {MAX_PLAYERS} players can take part, not {players}")
        if self.matches < 1 or (self.rounds is not None and self.rounds < 1):
            raise LapilliError("matches and rounds must be at least 1")
        if self.rounds is not None and self.format != Format.SWISS:
            raise LapilliError(f"rounds is for Swiss tournaments only, not for a {self.format}")

    @cached_property
    def seats(self) -> int:
        """Number of players in a match."""
        return load(self.recipe.game).complete(Setup.from_dict(self.recipe.setup)).players or 2

    @property
    def pairs(self) -> int:
        """Number of pairs of matches that each meeting (group of contestants) plays."""
        return -(-self.matches // self.seats)

    @property
    def all_rounds(self) -> int:
        """Number of rounds of the whole tournament. A round robin or a gauntlet is one round with all meetings."""
        if self.format != Format.SWISS:
            return 1
        return self.rounds or usual_rounds(len(self.recipe.contestants), self.seats)

    def settings(self) -> dict[str, Any]:
        """Returns the settings that identify a stored tournament, together with game and contestants.

        A run with the same settings continues the stored tournament. The settings of a Swiss tournament also contain
        the number of pairs in a meeting, because the pairings of later rounds depend on this number.
        """
        settings: dict[str, Any] = {"format": self.format.value, "seed": self.seed}
        if self.format == Format.SWISS:
            settings["pairs"] = self.pairs
        return recipe_keys(self.recipe) | settings


class Tournament(Run):
    """A running or finished tournament.

    Args:
        terms: settings and contestants.
        store: store for the matches.
        name: name of the tournament.
        resume: whether to continue the same tournament if the store contains it; False always begins a new one.

    Attributes:
        terms: settings and contestants.
        table: results so far.
        rounds: the meetings of each round that has begun. A meeting is a group of contestants that play each other.

    A `Tournament` also has the attributes of `Run`.
    """

    def __init__(self, terms: Terms, store: Store, name: str, *, resume: bool = True) -> None:
        recipe, seats = terms.recipe, terms.seats
        self.terms = terms
        self.table = CrossTable([contestant.name for contestant in recipe.contestants], seats)
        self.rounds: list[tuple[Group, ...]] = [_first_round(terms)]
        self._plan = PairingPlan(
            seed=terms.seed,
            seats=seats,
            meetings=len(self.rounds[0]),
            pairs=terms.pairs,
            positions=starts_of(recipe),
            usual=0 if recipe.openings else 1,
        )
        event = store.open_event(
            EventKind.TOURNAMENT, name, recipe.game, terms.settings(), recipe.contestants, resume=resume
        )
        super().__init__(store, event, seats)

    @property
    def all_matches(self) -> int:
        """Number of matches of the whole tournament."""
        return self.terms.all_rounds * self._plan.round_matches

    @property
    def seconds_left(self) -> tuple[float, float] | None:
        """Time until the tournament ends, in seconds, as a tuple of two equal numbers: least and greatest likely value.

        None in this run's first two pairs, or when the tournament is over.
        """
        if self.ending is not None or self.matches - self.resumed < 2 * self.terms.seats or not self.rate:
            return None
        return ((self.all_matches - self.matches) / self.rate,) * 2

    def final_table(self, jobs: int = 1) -> FinalTable:
        """Returns the current standings; `jobs` is the number of matches that the pool plays at once."""
        table, terms = self.table, self.terms
        rows = tuple(table.rows())
        return FinalTable(
            event=self.event.id,
            name=self.event.name,
            game=terms.recipe.game,
            format=terms.format,
            rows=rows,
            cross=tuple(tuple(table.against(row.place, column.place) for column in rows) for row in rows),
            ending=self.ending,
            rounds=len(self.rounds),
            all_rounds=terms.all_rounds,
            matches=self.matches,
            all_matches=self.all_matches,
            earlier=EarlierMatches.of(self),
            abandoned=self.abandoned,
            jobs=jobs,
            seconds=self.seconds,
        )

    def _task(self, number: int) -> MatchTask:
        return self._plan.task(number, self.rounds)

    def _below(self) -> int:
        return len(self.rounds) * self._plan.round_matches

    def _count(self, result: MatchResult) -> None:
        self.table.add(result)
        if self.matches == self._below() and len(self.rounds) < self.terms.all_rounds:
            self.rounds.append(self._next_round())

    def _over(self) -> StopReason | None:
        return StopReason.PLAYED if self.matches >= self.all_matches else None

    def _next_round(self) -> tuple[Group, ...]:
        """Returns the meetings of the next Swiss round: the groups of contestants that play each other.

        They depend on the points so far. For a round in which a contestant has a bye (does not play), it gets as many
        points as for winning all matches of the round.
        """
        players, seats = len(self.terms.recipe.contestants), self.terms.seats
        met: Counter[tuple[int, int]] = Counter()
        byes = [len(self.rounds)] * players
        for meetings in self.rounds:
            for group in meetings:
                met.update(combinations(sorted(group), 2))
                for player in group:
                    byes[player] -= 1
        bye_points = self.terms.pairs * seats * (seats - 1)
        points = [self.table.points(player) + byes[player] * bye_points for player in range(players)]
        return swiss_round(points, met, byes, seats)


def _first_round(terms: Terms) -> tuple[Group, ...]:
    players = len(terms.recipe.contestants)
    if terms.format == Format.SWISS:
        return swiss_round([0] * players, {}, [0] * players, terms.seats)
    return all_meetings(terms.format, players, terms.seats)


def tournament(
    game: str | Game,
    players: Sequence[PlayerLike],
    *,
    format: Format | str = Format.ROUND_ROBIN,
    matches: int = 2,
    rounds: int | None = None,
    seats: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    ray: str | None = None,
    store: str | Path | None = None,
    resume: bool = True,
    name: str = "",
    clock: Clock | None = None,
    sandbox: Sandbox | str = Sandbox.AUTO,
    freeze_idle: bool = True,
    keep: Keep | str = Keep.ALL,
    bot_folders: Sequence[str] = (),
    openings: Sequence[str] = (),
    odds: Mapping[str, float] | None = None,
    memory_mb: Mapping[str, int] | None = None,
    show: Callable[[FinalTable], None] | None = None,
    **setup: Any,
) -> FinalTable:
    """Plays a tournament, and returns its final table.

    >>> print(lapilli.tournament(lapilli.names()[0], ["random", "greedy", "v2=python3 bot.py"], matches=10))

    Args:
        game: a Game or its name.
        players: the contestants, in any form that `play_match` accepts for a player, or as strings NAME=COMMAND.
        format: "round-robin" (all against all), "gauntlet" (the first contestant against all others) or "swiss" (in
            each round, contestants with similar points meet).
        matches: number of matches in a meeting of two contestants (or of a group, if more play in a match), rounded up
            to whole pairs.
        rounds: number of rounds of a Swiss tournament; None for log2(players), rounded up, plus 2.
        seed: seed of the first pair; it determines the seeds of all later pairs.
        seats: number of players in a match, for games that allow several numbers; by default the game's default.
        jobs: number of matches played at once; by default one for every two cores. If a contestant is a Python
            function, all matches are played in this process, one at a time.
        ray: address of a Ray cluster that plays the matches, `auto` or HOST:PORT; by default this machine plays them.
        store: file or PostgreSQL URL of the store for the matches; by default the matches are not stored.
        resume: whether to continue the same tournament if the store contains it; False always begins a new one.
        name: name of the tournament in the store; by default the title of the game.
        clock: time limits of the matches; by default the game's own.
        sandbox: whether bots run in a sandbox: "auto" (if this machine has one), "require" or "off".
        freeze_idle: whether bots are frozen while they are not asked for a reply, so that they cannot compute then.
        bot_folders: further files and folders that the sandbox shows to bots that are command lines.
        keep: which records to store: "all", "lost" (of matches that the first contestant lost, and of matches with a
            fault) or "none".
        openings: start positions for the pairs of each meeting (group of contestants), used in turn. By default, the
            first pair is played from the game's usual start position, and later pairs from the game's own openings.
        odds: factors for the time limits of some contestants, by name: {"v2": 0.5} halves the time limits of v2.
        memory_mb: memory limits of some bots in the sandbox, in mebibytes, by the bot's name.
        show: function that is called with the standings so far, again and again while matches are played.
        setup: keys of the setup: league, variant, and the game's own keys.

    Raises:
        LapilliError: a contestant is not valid or cannot be started, or the game cannot be played with these settings.
    """
    found_game = load(game) if isinstance(game, str) else game
    contestants = contestants_of(found_game, players, bot_folders)
    recipe = recipe_of(
        found_game,
        contestants,
        setup={**setup, "players": seats},
        clock=asdict(clock or Clock()),
        sandbox=Sandbox(sandbox),
        freeze_idle=freeze_idle,
        keep=Keep(keep),
        bot_folders=bot_folders,
        openings=openings,
        odds=odds,
        memory_mb=memory_mb,
    )
    if format not in list(Format):
        raise UnknownName("format", format, list(Format))
    terms = Terms(recipe=recipe, format=Format(format), matches=matches, rounds=rounds, seed=seed)
    functions = functions_of(players)
    check_starting(recipe, functions)
    with ExitStack() as stack:
        pool = stack.enter_context(pool_of(recipe, jobs=jobs, ray=ray, functions=functions))
        location = store or Path(stack.enter_context(TemporaryDirectory())) / "arena.db"
        opened = stack.enter_context(Store.open(location))
        played = Tournament(terms, opened, name or found_game.title, resume=resume)
        played.run(pool, (lambda run: show(run.final_table(pool.jobs))) if show else (lambda run: None))
        final = played.final_table(pool.jobs)
        final.finish(opened)
        return final
