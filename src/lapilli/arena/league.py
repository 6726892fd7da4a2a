"""Leagues: bots enter, play against bots of similar strength, and are promoted if they beat their division's boss.

A boss is a built-in opponent. Each division except the highest has one boss.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from random import Random
from secrets import randbits
from typing import TYPE_CHECKING, Any, Self

from lapilli.arena.matches.contestants import check_starting
from lapilli.arena.matches.entering import entered
from lapilli.arena.matches.playing import Keep, Pool, Recipe
from lapilli.arena.matches.recipes import recipe_of
from lapilli.arena.matches.versions.fingerprint import player_hash
from lapilli.arena.progress.duels import Duels
from lapilli.arena.progress.matchmaking import Candidate, next_group
from lapilli.arena.progress.promotion import DIVISIONS, ENOUGH, boss_of, ladder_of, rules_of
from lapilli.arena.progress.running import Run, StopReason
from lapilli.arena.progress.schedule import pair_seed, seating
from lapilli.arena.statistics import Skill, updated
from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.games import load
from lapilli.players import Sandbox
from lapilli.store import Event, EventKind, LeagueEntry, Rating
from lapilli.store.results import Contestant, MatchResult, MatchTask

if TYPE_CHECKING:
    from lapilli.store import Store

_NAME = re.compile(r"\w[\w.-]{0,63}")
_NEW = Rating(Skill().mu, Skill().sigma)
_CHECK_S = 1.0
"""Time between two checks for new ratings and promotions while matches are played, in seconds."""
_REMEMBERED = 10_000
"""Largest number of player groups that a run keeps in memory. If there are more, the oldest group is dropped.

A group is drawn at random, and plays one pair of matches.
"""


class League:
    """A league in a store.

    Args:
        store: store that contains the league.
        event: the league's event in the store.
        folder: parent folder for the copies of bots; each league of the store has its own subfolder.

    Attributes:
        store: the store that contains the league.
        event: the league's event in the store.
        game: the league's game.
    """

    def __init__(self, store: Store, event: Event, folder: Path) -> None:
        self.store, self.event = store, event
        self.game: Game = load(event.game)
        self._copies = folder / event.name

    @classmethod
    def create(
        cls,
        store: Store,
        name: str,
        game: Game,
        folder: Path,
        *,
        setup: dict[str, Any] | None = None,
        clock: dict[str, Any] | None = None,
        enough: int = ENOUGH,
    ) -> Self:
        """Creates a league, with a boss in each division except the highest.

        Args:
            store: store in which the league is created.
            name: name of the new league.
            game: game of the league.
            folder: parent folder for the copies of bots; each league has its own subfolder.
            setup: setup of the league's matches: players, variant, the game's own keys. The key `league` is ignored,
                because each division plays by the rules of one of the game's leagues.
            clock: settings of a `Clock`, by name.
            enough: number of matches that a bot must play in a division before it may be promoted.

        Raises:
            LapilliError: the name is not valid, another league has this name, or the game cannot be played with this
                setup.
        """
        check_name("league", name)
        if store.events(kind=EventKind.LEAGUE, name=name, most=1):
            raise LapilliError(f"there is a league {name!r} already")
        recipe = recipe_of(game, (), setup=setup, clock=clock)
        base_setup = {key: value for key, value in recipe.setup.items() if key != "league"}
        for division in range(len(DIVISIONS)):
            rules = rules_of(division, game.leagues)
            game.new_initial_state(Setup.from_dict({**base_setup, "league": rules, "seed": 0}))
        settings = {"setup": base_setup, "clock": recipe.clock, "enough": enough, "seed": randbits(31)}
        league = cls(store, store.open_league(name, game.name, settings), folder)
        for division, division_name in enumerate(DIVISIONS[:-1]):
            engine = boss_of(division, ladder_of(game))
            boss = Contestant(name=f"{division_name} boss", player=engine, hash=player_hash(game, engine))
            store.enter(league.event.id, boss, _NEW, division=division, boss=True)
        return league

    @classmethod
    def named(cls, store: Store, name: str, folder: Path) -> Self:
        """Returns the league with this name. Raises UnknownName if the store contains no such league.

        `folder`: parent folder for the copies of bots; each league has its own subfolder.
        """
        return cls(store, store.event_named(EventKind.LEAGUE, name), folder)

    def entries(self, *, withdrawn: bool = False) -> list[LeagueEntry]:
        """Returns the entries (bots and bosses): the highest division first, and within a division the best first.

        Args:
            withdrawn: whether to include withdrawn entries.
        """
        return self.store.leaderboard(self.event.id, withdrawn=withdrawn)

    def enter(self, name: str, command: str, *, version: str = "", folder: Path | None = None) -> LeagueEntry:
        """Enters a bot in the league, and returns the bot's entry. A bot that was withdrawn takes part again.

        A new version starts with a new rating, in the highest division that a bot of this name has reached. Older
        versions continue to play until they are withdrawn.

        Args:
            name: name of the bot.
            command: command line that starts the bot from the current folder.
            version: version of the bot.
            folder: folder with the bot's files, which is copied; by default the folder of the first file that the
                command names.

        Raises:
            LapilliError: the name is not valid, the bot does not start in a sandbox, this machine has no sandbox, or a
                different bot with this name and version has entered before.
        """
        check_name("bot", name)
        entries = self.entries(withdrawn=True)
        division = max((entry.division for entry in entries if entry.contestant.name == name), default=0)
        contestant, copy = entered(name, version, command, folder, self._copies)
        try:
            check_starting(self.recipe([contestant], division))
            place = self.store.enter(self.event.id, contestant, _NEW, folder=str(copy), division=division)
        except LapilliError:
            if str(copy) not in {entry.folder for entry in entries}:
                shutil.rmtree(copy, ignore_errors=True)
            raise
        return next(entry for entry in self.entries() if entry.number == place)

    def withdraw(self, name: str, version: str | None = None) -> list[LeagueEntry]:
        """Withdraws a bot from the league, and returns the withdrawn entries. The bot's matches remain in the store.

        Args:
            name: name of the bot.
            version: the version to withdraw; None for all versions.

        Raises:
            UnknownName: no bot has this name and version.
        """
        bots = [entry for entry in self.entries() if not entry.boss]
        found = [
            entry for entry in bots if entry.contestant.name == name and version in (None, entry.contestant.version)
        ]
        if not found:
            label = name if version is None else f"{name} {version}"
            raise UnknownName("bot", label, [_label(entry.contestant) for entry in bots])
        for entry in found:
            self.store.withdraw(self.event.id, entry.number)
        return found

    def numbers_of(self, names: Sequence[str]) -> set[int]:
        """Returns the numbers (indices in the league's list of contestants) of the bots and bosses with these names.

        Args:
            names: each is "NAME", for all versions of a bot, or "NAME VERSION".

        Raises:
            UnknownName: no bot or boss has one of these names.
        """
        entries = self.entries()
        found: set[int] = set()
        for name in names:
            own = {e.number for e in entries if name in (e.contestant.name, _label(e.contestant))}
            if not own:
                raise UnknownName("bot", name, [_label(entry.contestant) for entry in entries])
            found |= own
        return found

    def recipe(self, contestants: Sequence[Contestant], division: int) -> Recipe:
        """Returns the settings that all matches of a division share, as the pool that plays them needs them.

        Args:
            contestants: contestants of the matches.
            division: number of the division; 0 is the lowest. It determines the league of the game by whose rules
                matches are played.
        """
        settings = self.event.settings
        return Recipe(
            game=self.game.name,
            contestants=tuple(contestants),
            setup=settings["setup"] | self.rules(division),
            clock=settings["clock"],
            sandbox=Sandbox.REQUIRE,
            keep=Keep.ALL,
        )

    def rules(self, division: int) -> dict[str, Any]:
        """Returns the setup keys that depend on the division: a dict with the key `league`, empty if the game has no
        leagues.

        `division`: number of the division; 0 is the lowest.
        """
        league = rules_of(division, self.game.leagues)
        return {} if league is None else {"league": league}


class LeagueRun(Run):
    """A run that plays matches of a league.

    The run ends when a number of matches or a time limit is reached, when the user stops it, or when no division has
    enough bots for a match.

    Args:
        league: the league to play.
        matches: number of matches; None for no limit.
        seconds: time limit of the run, in seconds; None for no limit.
        only: numbers of the contestants that play. These contestants all play each other, by the rules of the lowest
            division among them. If `only` is empty, all bots play, each in its division.

    Attributes:
        league: the league.
        recipe: settings of the matches, for the pool that plays them.
        there: numbers of the contestants that may play in this run: those that had entered before the run began.
        entries: entries (bots and bosses) of the league, the highest division first, and within a division the best
            first. They are read again from the store about every second.
        promoted: name and new division of each bot promoted in this run.

    A `LeagueRun` also has the attributes of `Run`.

    Raises:
        LapilliError: no division has enough bots for a match.
    """

    def __init__(
        self,
        league: League,
        *,
        matches: int | None = None,
        seconds: float | None = None,
        only: Collection[int] = (),
    ) -> None:
        store, event = league.store, league.store.event(league.event.id)
        self.league = league
        self.recipe = league.recipe(event.contestants, len(DIVISIONS) - 1)
        self.promoted: list[tuple[str, int]] = []
        self._most, self._limit_s, self._only = matches, seconds, frozenset(only)
        self._began = self._checked_at = time.monotonic()
        self._duels = Duels(store, event.id, event.settings)
        self._groups: dict[int, tuple[tuple[int, ...], int]] = {}
        self.entries = league.entries()
        entered_before = len(event.contestants)
        self.there = frozenset(entry.number for entry in self.entries if entry.number < entered_before)
        most = int(league.event.settings["setup"]["players"])
        self._sizes = [size for size in league.game.players if size <= most]
        self._random = Random()
        self._has_too_few = not self._next_group()[0]
        if self._has_too_few:
            raise LapilliError(f"league {event.name!r} has too few bots for a match: enter some")
        last = store.matches(event.id, most=1)
        super().__init__(store, event, most, rating=rated, seen=(last[0].id if last else 0, event.played))

    @property
    def seconds_left(self) -> tuple[float, float] | None:
        """Time until the run ends, in seconds, as a tuple of two equal numbers: its least and greatest likely value.

        None if neither matches nor time are limited, or if no match has ended yet and only matches are limited.
        """
        left = []
        if self._limit_s is not None:
            left.append(max(0.0, self._limit_s - (time.monotonic() - self._began)))
        if self._most is not None and self.rate:
            left.append((self._most - (self.matches - self.resumed)) / self.rate)
        return (min(left),) * 2 if left else None

    def run(self, pool: Pool, show: Callable[[Self], None] = lambda _: None) -> None:
        """Plays matches until the run ends, and then promotes the bots that meet all conditions for a promotion.

        `pool`: pool that plays the matches. `show`: function that is called with this run after each batch of results.
        """
        self._began = time.monotonic()
        super().run(pool, show)
        self._check_promotions()

    def _task(self, number: int) -> MatchTask:
        most = max(self._sizes)
        pair, turn = divmod(number, most)
        if pair not in self._groups:
            self._groups[pair] = self._next_group()
            if len(self._groups) > _REMEMBERED:
                del self._groups[next(iter(self._groups))]
        group, division = self._groups[pair]
        rules = self.league.rules(division) | {"players": len(group)}
        starts = self.league.game.openings(Setup.from_dict({**self.recipe.setup, **rules}))
        again, rotation = divmod(turn, len(group))  # a group smaller than `most` goes round more than once
        return MatchTask(
            number=number,
            pair=pair,
            seed=pair_seed(self.league.event.settings["seed"] + again, pair),
            seats=seating(group, pair, rotation),
            position=starts[(pair + again) % len(starts)] if starts else None,
            setup=rules,
        )

    def _next_group(self) -> tuple[tuple[int, ...], int]:
        """Draws the next group of players.

        Returns:
            The numbers of the players (indices in the list of contestants), empty if no division has enough bots; and
            the players' division.
        """
        playing = [e for e in self.entries if e.number in self.there and (not self._only or e.number in self._only)]
        lowest = min((entry.division for entry in playing), default=0)
        candidates = [
            Candidate(e.number, lowest if self._only else e.division, Skill(e.rating.mu, e.rating.sigma), boss=e.boss)
            for e in playing
        ]
        group = next_group(candidates, self._sizes, self._random)
        return group, next((candidate.division for candidate in candidates if candidate.number in group), 0)

    def _below(self) -> None:
        return None

    def _portion(self) -> int:
        portion = super()._portion() // self._together * self._together  # only whole pairs count against a boss
        return portion if self._most is None else min(portion, self._most - self._claimed)

    def _count(self, result: MatchResult) -> None:
        if time.monotonic() - self._checked_at > _CHECK_S:
            self._check_promotions()

    def _over(self) -> StopReason | None:
        all_played = self._most is not None and self.matches - self.resumed >= self._most
        timed_out = self._limit_s is not None and time.monotonic() - self._began >= self._limit_s
        return StopReason.PLAYED if all_played or timed_out or self._has_too_few else None

    def _check_promotions(self) -> None:
        """Promotes the bots that meet all conditions for a promotion, and reads the entries again from the store.

        Also checks whether any division still has enough bots for a match.
        """
        self._checked_at = time.monotonic()
        self.entries = self.league.entries()
        ready = [progress for progress in self._duels.progress(self.entries) if not progress.missing]
        for progress in ready:
            entry, before = progress.entry, progress.entry.division
            reason = f"beat {progress.boss.contestant.name}: {progress.figures}"
            if self._store.promote(self.event.id, entry.number, before, before + 1, reason):
                self.promoted.append((_label(entry.contestant), before + 1))
        if ready:
            self.entries = self.league.entries()
        self._has_too_few = not self._next_group()[0]


def rated(result: MatchResult, before: Sequence[Rating]) -> list[Rating]:
    """Returns the players' new ratings after a match.

    Args:
        result: result of the match.
        before: ratings of the players before the match, by seat; the result has the same order.
    """
    skills = updated([Skill(rating.mu, rating.sigma) for rating in before], [seat.rank or 0 for seat in result.seats])
    return [Rating(skill.mu, skill.sigma) for skill in skills]


def _label(contestant: Contestant) -> str:
    return f"{contestant.name} {contestant.version}".strip()


def check_name(kind: str, name: str) -> None:
    """Raises LapilliError if the name of a league or bot is not valid; `kind` is "league" or "bot", for the message."""
    if not _NAME.fullmatch(name):
        raise LapilliError(f"a {kind}'s name has 1 to 64 letters, digits, dots, hyphens or underscores, not {name!r}")
