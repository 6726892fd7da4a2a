"""Duels of a league: a bot's matches against the boss of its division, and the bot's progress to its promotion."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lapilli.arena.progress.promotion import DIVISIONS, ENOUGH
from lapilli.arena.statistics import match_score
from lapilli.arena.statistics.evidence import STAKES, evidence, log_growth
from lapilli.store import LeagueEntry, MatchFilter, StoredMatch
from lapilli.store.results import MatchResult

if TYPE_CHECKING:
    from lapilli.store import Store

PROOF = 20.0
"""Evidence that a bot needs for its promotion. A bot as strong as its boss reaches it in at most 1 of 20 cases."""
_PROMOTIONS = 10_000
"""Largest number of promotions that are read from the store."""
_PAGE = 500
"""Number of matches that are read from the store at once."""


class Duel:
    """Counts the matches of a bot against a boss: the built-in opponent that the bot must beat to be promoted.

    Only complete pairs of matches count.

    Args:
        bot, boss: indices of the bot and the boss in the league's list of contestants.
        size: number of matches in a pair.
        since: time when the bot entered the division, in seconds since 1970; earlier matches do not count. None to
            count all matches.

    Attributes:
        bot, boss: indices of the bot and the boss.
        since: time from which matches count, in seconds since 1970; None if all matches count.
        matches: number of counted matches.
    """

    def __init__(self, bot: int, boss: int, size: int, since: float | None = None) -> None:
        self.bot, self.boss, self.since = bot, boss, since
        self.matches = 0
        self._size = size
        self._points = 0.0
        self._logs = np.zeros(len(STAKES))
        self._open: defaultdict[int, list[float]] = defaultdict(list)
        self._last_id = 0

    @property
    def score(self) -> float:
        """The bot's share of the points, from 0 to 1; 1/2 if no match is counted."""
        return self._points / self.matches if self.matches else 0.5

    @property
    def evidence(self) -> float:
        """The evidence that the bot is stronger than the boss of its division: a number of at least 0.

        It grows while the bot beats the boss, and a promotion requires a certain value. It is an e-value:
        `lapilli.arena.statistics.evidence` defines it.
        """
        return float(evidence(self._logs))

    def add(self, result: MatchResult) -> None:
        """Adds the result of a match to the counts. A match in which the bot or the boss does not play is ignored."""
        ranks = {seat.contestant: seat.rank or 0 for seat in result.seats}
        if self.bot not in ranks or self.boss not in ranks:
            return
        pair = self._open[result.pair]
        pair.append(match_score(ranks[self.bot], ranks[self.boss]))
        if len(pair) == self._size:
            del self._open[result.pair]
            self.matches += self._size
            self._points += sum(pair)
            self._logs += log_growth(sum(pair) / self._size)

    def read(self, store: Store, event_id: int) -> None:
        """Reads the matches of the league's event that were stored since the last call, and adds them to the counts."""
        wanted = MatchFilter(contestant=self.bot, opponent=self.boss, since=self.since)
        new: list[StoredMatch] = []
        before: int | None = None
        while True:
            page = store.matches(event_id, wanted, before=before, most=_PAGE)
            fresh = [match for match in page if match.id > self._last_id]
            new += fresh
            if len(fresh) < _PAGE:
                break
            before = page[-1].id
        for match in reversed(new):
            self.add(match.result)
            self._last_id = match.id


@dataclass(frozen=True)
class Progress:
    """The progress of a bot in a league towards a promotion to the next division.

    Attributes:
        entry: the bot.
        boss: the boss of the bot's division.
        here: number of matches that the bot has played in its division, at most `enough`.
        enough: number of matches that a promotion requires: the bot must have played as many in its division, and the
            boss as many in the whole league.
        duel: the matches of the bot against the boss.
    """

    entry: LeagueEntry
    boss: LeagueEntry
    here: int
    enough: int
    duel: Duel

    @property
    def missing(self) -> list[str]:
        """The conditions for a promotion that the bot does not meet yet, one line each; empty if the bot meets all."""
        found, name = [], self.boss.contestant.name
        if self.here < self.enough:
            found.append(f"{self.enough - self.here} more matches in {DIVISIONS[self.entry.division]}")
        if self.boss.matches < self.enough:
            found.append(f"{self.enough - self.boss.matches} more matches of {name}")
        if self.duel.evidence < PROOF:
            found.append(f"a clearer lead over {name}: {self.figures}" if self.duel.matches else f"a lead over {name}")
        return found

    @property
    def figures(self) -> str:
        """The bot's results against the boss, as in "64 % of 22 matches, evidence 3.1 of 20".

        Evidence is a number (an e-value) that grows while the bot beats the boss. The bot can be promoted once its
        evidence reaches the second number.
        """
        share = f"{100 * self.duel.score:.0f} % of {self.duel.matches:,} matches"
        return f"{share}, evidence {min(self.duel.evidence, 999):.1f} of {PROOF:.0f}"


class Duels:
    """The duels of a league, read from the store: the matches of each bot against the boss of its division.

    Args:
        store: the store.
        event_id: the league's event.
        settings: the league's settings.
    """

    def __init__(self, store: Store, event_id: int, settings: dict[str, Any]) -> None:
        self._store, self._event_id = store, event_id
        self._size = int((settings.get("setup") or {}).get("players") or 2)
        self._enough = int(settings.get("enough") or ENOUGH)
        self._duels: dict[tuple[int, int], tuple[int, Duel]] = {}

    def progress(self, entries: Sequence[LeagueEntry]) -> list[Progress]:
        """Returns the progress of each bot in `entries` that can be promoted, computed from all stored matches.

        Bosses, withdrawn bots and bots in a division without a boss are left out.
        """
        bosses = {entry.division: entry for entry in entries if entry.boss and entry.withdrawn is None}
        came = {move.contestant: move.at for move in reversed(self._store.promotions(self._event_id, most=_PROMOTIONS))}
        return [
            self._progress(entry, bosses[entry.division], came.get(entry.number))
            for entry in entries
            if not entry.boss and entry.withdrawn is None and entry.division in bosses
        ]

    def _progress(self, entry: LeagueEntry, boss: LeagueEntry, since: float | None) -> Progress:
        here = 0
        if entry.matches:
            wanted = MatchFilter(contestant=entry.number, since=since)
            here = len(self._store.matches(self._event_id, wanted, most=self._enough))
        return Progress(entry, boss, here, self._enough, self._duel(entry, boss.number, since))

    def _duel(self, entry: LeagueEntry, boss: int, since: float | None) -> Duel:
        key = (entry.number, boss)
        read_at, duel = self._duels.get(key, (-1, Duel(*key, self._size, since)))
        if duel.since != since:
            read_at, duel = -1, Duel(*key, self._size, since)
        if entry.matches != read_at:  # otherwise the bot has no new matches
            duel.read(self._store, self._event_id)
        self._duels[key] = entry.matches, duel
        return duel
