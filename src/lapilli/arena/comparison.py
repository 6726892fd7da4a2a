"""Is A better than B? Matches in pairs until a test decides, or a given number of them.

What is stored decides: a match is in the store before it is counted, so that a comparison can be stopped at any moment
and taken up again, and several processes that share a store share its work.
"""

from __future__ import annotations

import os
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from secrets import token_hex
from typing import Any

import msgspec

from lapilli.arena.playing import Pool, Recipe
from lapilli.arena.results import MatchResult, MatchTask
from lapilli.arena.schedule import Schedule
from lapilli.arena.scoreboard import Scoreboard
from lapilli.arena.statistics import Decision, Sprt
from lapilli.arena.store import Event, EventKind, Store
from lapilli.games import load
from lapilli.games.api import Setup

_LEASE_S = 60.0
"""How long what somebody is playing is nobody else's, unless that is said again."""
_RENEW_S = 20.0
_WAIT_S = 0.5
_TRIES = 3
"""How often one match may be abandoned until the machine counts as too busy."""
_CLAIM_S = 2.0
"""Matches are claimed for about so long."""
_USUAL = 2
"""Pairs that start as usual in any case: if the second is a copy of the first, the others do not."""


class Ending(StrEnum):
    """Why a comparison stopped."""

    DECIDED = "decided"
    """The test has decided."""
    PLAYED = "played"
    """The number of matches that was asked for is played."""
    REPEATED = "repeated"
    """Both players always do the same, and every start there is has been played."""
    TOO_BUSY = "too busy"
    """A match was abandoned again and again."""
    INTERRUPTED = "interrupted"
    """Somebody stopped it; it can be taken up again."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is compared, and how.

    Attributes:
        recipe: what the matches have in common; contestants 0 (A) and 1 (B) are compared, others sit beside them.
        sprt: the test that decides; None to play `games` matches.
        games: how many matches are played, at most where there is a test; rounded up to whole pairs. None for any.
        seed: of the first pair.
    """

    recipe: Recipe
    sprt: Sprt | None = None
    games: int | None = None
    seed: int = 0

    @property
    def seats(self) -> int:
        """How many players a match has."""
        return len(self.recipe.contestants)

    @property
    def limit(self) -> int | None:
        """How many pairs are played at most."""
        return None if self.games is None else -(-self.games // self.seats)

    def settings(self) -> dict[str, Any]:
        """What makes two runs the same comparison, beside game and contestants: not how long they last."""
        plain = msgspec.to_builtins(self.recipe)
        return {key: plain[key] for key in ("setup", "clock", "freeze_idle")} | {"seed": self.seed}


class Comparison:
    """A comparison under way, or done.

    Args:
        question: what is compared. store: where its matches are, and go. name: what people call it.
        resume: whether matches of the same comparison that are there already count.
    Attributes:
        event: its place in the store. board: what the matches come to.
        ending: why it stopped; None while it goes on.
        resumed: how many matches were there before.
        abandoned: how many matches counted for nobody, in this run. seconds: how long it has taken.
    """

    def __init__(self, question: Question, store: Store, name: str, *, resume: bool = True) -> None:
        recipe = question.recipe
        self.question = question
        self.event: Event = store.open_event(
            EventKind.COMPARISON, name, recipe.game, question.settings(), recipe.contestants, resume=resume
        )
        self.board = Scoreboard(question.seats, question.sprt)
        self.abandoned = 0
        self.seconds = 0.0
        self._store = store
        self._openings = _openings(question)
        self._worker = f"{socket.gethostname()}/{os.getpid()}/{token_hex(4)}"
        self._held: set[int] = set()
        self._tries: Counter[int] = Counter()
        self._again: deque[int] = deque()
        self._last_id = 0
        self._renewed = 0.0
        self._learn()
        self.resumed = self.board.matches
        self.ending = self._over()

    @property
    def varied(self) -> bool:
        """Whether the start is varied, since both players always do the same."""
        return self.board.repeats and bool(self._openings)

    @property
    def rate(self) -> float:
        """Matches a second, in this run."""
        return (self.board.matches - self.resumed) / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long it may go on; None where nobody can tell yet."""
        if self.ending is not None or not self.rate or self.board.matches - self.resumed < 2 * self.question.seats:
            return None
        left = []
        if self.question.sprt and self.board.counts.pairs >= 2:
            left.append(self.question.sprt.pairs_left(self.board.counts))
        if self._most is not None:
            left.append(self._most - self.board.complete)
        return min(left) * self.question.seats / self.rate if left else None

    def run(self, pool: Pool, show: Callable[[Comparison], None] = lambda _: None) -> None:
        """Plays until it is decided. A KeyboardInterrupt ends the run, too, and is not raised.

        Args:
            show: called now and then with this comparison, and at the end.

        Raises:
            LapilliError: a match cannot be played at all, or the store is out of reach.
        """
        began = time.perf_counter()

        def tell() -> None:
            self.seconds = time.perf_counter() - began
            show(self)

        try:
            while self.ending is None:
                with closing(pool.play(self._tasks())) as results:
                    for batch in results:
                        self._keep(batch)
                        tell()
                        if self.ending is not None:
                            break
                if self.ending is None:  # others who share the store are at the rest
                    time.sleep(_WAIT_S)
                    self._keep([])
                    tell()
        except KeyboardInterrupt:
            self.ending = Ending.INTERRUPTED
        finally:
            if self._held:
                self._store.release(self.event.id, sorted(self._held), self._worker)
        tell()

    # -- what is to be played -----------------------------------------------------------------------------
    def _tasks(self) -> Iterator[MatchTask | None]:
        claimed = deque[int]()
        while self._over() is None:
            if not (self._again or claimed):
                claimed += self._claim()
            if self._again:
                yield self._task(self._again.popleft())
            else:
                yield self._task(claimed.popleft()) if claimed else None

    def _task(self, number: int) -> MatchTask:
        positions = self._openings if self.board.repeats else ()
        return Schedule(self.question.seed, self.question.seats, positions, _USUAL).task(number)

    def _claim(self) -> list[int]:
        below = self._most
        if self.board.complete < _USUAL:  # only then it is known how the others start
            below = min(_USUAL, below or _USUAL)
        most = max(self.question.seats, int(self.rate * _CLAIM_S))
        pairs = None if below is None else below * self.question.seats
        numbers = self._store.claim_next(self.event.id, most, self._worker, _LEASE_S, below=pairs)
        self._held.update(numbers)
        return numbers

    @property
    def _most(self) -> int | None:
        """How many pairs there are to play at most."""
        limit = self.question.limit
        if self.board.repeats:
            different = _USUAL + len(self._openings)
            return different if limit is None else min(limit, different)
        return limit

    def _over(self) -> Ending | None:
        if self.board.decision != Decision.CONTINUE:
            return Ending.DECIDED
        most = self._most
        if most is not None and self.board.complete >= most:
            return Ending.PLAYED if most == self.question.limit else Ending.REPEATED
        return None

    # -- what was played ----------------------------------------------------------------------------------
    def _keep(self, batch: Sequence[MatchResult]) -> None:
        """Stores what was played, and counts what the store has."""
        if batch:
            self._store.add_results(self.event.id, batch)
        for result in batch:
            self._held.discard(result.number)
            if result.abandoned:
                self._play_again(result.number)
        now = time.monotonic()
        if self._held and now - self._renewed > _RENEW_S:
            self._renewed = now
            self._held = set(self._store.renew(self.event.id, sorted(self._held), self._worker, _LEASE_S))
        self._learn()
        self.ending = self.ending or self._over()

    def _play_again(self, number: int) -> None:
        self.abandoned += 1
        self._tries[number] += 1
        if self._tries[number] >= _TRIES:
            self.ending = Ending.TOO_BUSY
        elif self._store.claim(self.event.id, [number], self._worker, _LEASE_S):
            self._held.add(number)
            self._again.append(number)

    def _learn(self) -> None:
        """Counts what this process or others have stored since."""
        for stored in self._store.results(self.event.id, after=self._last_id):
            self._last_id = stored.id
            self.board.add(stored.result)


def _openings(question: Question) -> Sequence[str]:
    """Other positions to start from, where the usual start is always the same."""
    return load(question.recipe.game).openings(Setup.from_dict(question.recipe.setup))
