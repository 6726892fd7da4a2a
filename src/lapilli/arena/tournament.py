"""Who is the best of many? Round robins, gauntlets and Swiss rounds, in matches of two to four players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from lapilli.arena.contestants import check_starting, contestants_of, functions_of
from lapilli.arena.crosstable import CrossTable
from lapilli.arena.finaltable import FinalTable
from lapilli.arena.pairings import Format, Group, Plan, all_meetings, swiss_round, usual_rounds
from lapilli.arena.playing import Keep, Recipe
from lapilli.arena.pools import pool_of
from lapilli.arena.recipes import recipe_of
from lapilli.arena.running import Ending, Run
from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.games import load
from lapilli.match import Clock
from lapilli.players import PlayerLike, Sandbox
from lapilli.store import EventKind, Store
from lapilli.store.results import MatchResult, MatchTask

MAX_PLAYERS = 500
"""The most players that a tournament may have."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What is played in a tournament, and by whom.

    Attributes:
        recipe: what the matches have in common; its contestants take part, each with a name of its own.
        format: how they meet.
        games: how many matches a meeting has; rounded up to whole pairs (of more players: rounds of rotations).
        rounds: of a Swiss tournament; None for as many as tell the players apart.
        seed: of the first pair.

    Raises:
        LapilliError: too few or too many players; a number of matches or rounds below 1; rounds, but not Swiss.
        SetupError, UnknownName: the game cannot start so.
    """

    recipe: Recipe
    format: Format = Format.ROUND_ROBIN
    games: int = 2
    rounds: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuses what cannot be played."""
        players = len(self.recipe.contestants)
        if not self.seats <= players <= MAX_PLAYERS:
            raise LapilliError(f"{self.seats} to {MAX_PLAYERS} players can take part, not {players}")
        if self.games < 1 or (self.rounds is not None and self.rounds < 1):
            raise LapilliError("there is at least one game a meeting, and one round")
        if self.rounds is not None and self.format != Format.SWISS:
            raise LapilliError(f"only a Swiss tournament has a number of rounds, a {self.format} has not")

    @cached_property
    def seats(self) -> int:
        """How many players a match has."""
        return load(self.recipe.game).complete(Setup.from_dict(self.recipe.setup)).players or 2

    @property
    def pairs(self) -> int:
        """How many pairs a meeting has."""
        return -(-self.games // self.seats)

    @property
    def all_rounds(self) -> int:
        """How many rounds are played. A round robin and a gauntlet are one round of all meetings."""
        if self.format != Format.SWISS:
            return 1
        return self.rounds or usual_rounds(len(self.recipe.contestants), self.seats)

    def settings(self) -> dict[str, Any]:
        """What makes two runs the same tournament, beside game and contestants: not how long they last. (But the next
        Swiss round depends on how many pairs a meeting had before.)"""
        plain = msgspec.to_builtins(self.recipe)
        chosen: dict[str, Any] = {"format": self.format.value, "seed": self.seed}
        if self.format == Format.SWISS:
            chosen["pairs"] = self.pairs
        return {key: plain[key] for key in ("setup", "clock", "freeze_idle")} | chosen


class Tournament(Run):
    """A tournament under way, or done.

    Args:
        terms: what is played. store: where its matches are, and go. name: what people call it.
        resume: whether matches of the same tournament that are there already count.

    Attributes:
        table: what the matches come to. rounds: the meetings of all rounds so far. Others as in `Run`.
    """

    def __init__(self, terms: Terms, store: Store, name: str, *, resume: bool = True) -> None:
        recipe, seats = terms.recipe, terms.seats
        self.terms = terms
        self.table = CrossTable([contestant.name for contestant in recipe.contestants], seats)
        self.rounds: list[tuple[Group, ...]] = [_first_round(terms)]
        game = load(recipe.game)
        self._plan = Plan(
            seed=terms.seed,
            seats=seats,
            meetings=len(self.rounds[0]),
            pairs=terms.pairs,
            positions=game.openings(Setup.from_dict(recipe.setup)),
        )
        event = store.open_event(
            EventKind.TOURNAMENT, name, recipe.game, terms.settings(), recipe.contestants, resume=resume
        )
        super().__init__(store, event, seats)

    @property
    def all_matches(self) -> int:
        """How many matches there are to play."""
        return self.terms.all_rounds * self._plan.round_matches

    @property
    def seconds_left(self) -> float | None:
        """How long it may go on; None where nobody can tell yet."""
        if self.ending is not None or self.matches - self.resumed < 2 * self.terms.seats or not self.rate:
            return None
        return (self.all_matches - self.matches) / self.rate

    def _task(self, number: int) -> MatchTask:
        return self._plan.task(number, self.rounds)

    def _below(self) -> int:
        return len(self.rounds) * self._plan.round_matches

    def _count(self, result: MatchResult) -> None:
        self.table.add(result)
        if self.matches == self._below() and len(self.rounds) < self.terms.all_rounds:
            self.rounds.append(self._next_round())

    def _over(self) -> Ending | None:
        return Ending.PLAYED if self.matches >= self.all_matches else None

    def _next_round(self) -> tuple[Group, ...]:
        """The Swiss round after those that are played. Who sits out has the points of a round that is won."""
        players, seats = len(self.terms.recipe.contestants), self.terms.seats
        met: Counter[tuple[int, int]] = Counter()
        byes = [len(self.rounds)] * players
        for meetings in self.rounds:
            for group in meetings:
                met.update(combinations(sorted(group), 2))
                for who in group:
                    byes[who] -= 1
        won = self.terms.pairs * seats * (seats - 1)
        points = [self.table.points(who) + byes[who] * won for who in range(players)]
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
    games: int = 2,
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
    show: Callable[[FinalTable], None] | None = None,
    **setup: Any,
) -> FinalTable:
    """Who is the best of many.

    >>> print(lapilli.tournament(lapilli.names()[0], ["random", "greedy", "v2=python3 bot.py"], games=10))

    Args:
        game: a Game or its name.
        players: who takes part: as in `play_match`, or a text NAME=COMMAND.
        format: "round-robin" (all against all), "gauntlet" (the first against the rest) or "swiss" (in each round,
            those who stand alike).
        games, rounds, seed: as in `Terms`. seats: players in a match, where the game lets one choose.
        jobs: how many matches are played at once; by default one for every two cores. Functions are asked in this
            process, one match at a time.
        ray: the address of a Ray cluster that plays them instead, `auto` or HOST:PORT.
        store: where matches go, a file or a PostgreSQL URL; by default nowhere. The same tournament goes on there,
            unless `resume` is False. name: what it is called there; by default after the game.
        clock, sandbox, freeze_idle, bot_folders: as in `Match`; here bots are frozen while they are not asked.
        keep: which records are kept in the store: "all", "lost" (by the first player, or with a fault) or "none".
        show: called now and then with how it stands.
        setup: league, variant, and the game's own keys.

    Raises:
        LapilliError: somebody is no player, or cannot be started; the game cannot be played so.
    """
    what = load(game) if isinstance(game, str) else game
    contestants = contestants_of(what, players)
    recipe = recipe_of(
        what,
        contestants,
        setup={**setup, "players": seats},
        clock=asdict(clock or Clock()),
        sandbox=Sandbox(sandbox),
        freeze_idle=freeze_idle,
        keep=Keep(keep),
        bot_folders=bot_folders,
    )
    if format not in list(Format):
        raise UnknownName("format", format, list(Format))
    terms = Terms(recipe=recipe, format=Format(format), games=games, rounds=rounds, seed=seed)
    functions = functions_of(players)
    check_starting(recipe, functions)
    with ExitStack() as stack:
        pool = stack.enter_context(pool_of(recipe, jobs=jobs, ray=ray, functions=functions))
        where = store or Path(stack.enter_context(TemporaryDirectory())) / "arena.db"
        opened = stack.enter_context(Store.open(where))
        played = Tournament(terms, opened, name or what.title, resume=resume)
        played.run(pool, (lambda now: show(FinalTable.of(now, pool.jobs))) if show else (lambda now: None))
        return FinalTable.of(played, pool.jobs)
