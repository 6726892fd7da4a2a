"""What all events have in common while they are played: who plays which match, what is stored, when it is over.

What is stored decides: a match is in the store before it is counted, so that an event can be stopped at any moment and
taken up again, and several processes that share a store share its work.
"""

from __future__ import annotations

import os
import socket
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from enum import StrEnum
from secrets import token_hex
from typing import TYPE_CHECKING, Self

from lapilli.arena.playing import Pool
from lapilli.store import Event, Rate
from lapilli.store.results import MatchResult, MatchTask

if TYPE_CHECKING:
    from lapilli.store import Store

_LEASE_S = 30.0
"""How long what somebody is playing is nobody else's, unless that is said again."""
_RENEW_S = 10.0
_WAIT_S = 0.5
_TRIES = 3
"""How often one match may be abandoned until the machine counts as too busy."""
_CLAIM_S = 2.0
"""Matches are claimed for about so long."""


class Ending(StrEnum):
    """Why a run stopped."""

    DECIDED = "decided"
    """The test has decided."""
    PLAYED = "played"
    """All matches that were asked for are played."""
    REPEATED = "repeated"
    """Both players always do the same, and every start there is has been played."""
    TOO_BUSY = "too busy"
    """A match was abandoned again and again."""
    INTERRUPTED = "interrupted"
    """Somebody stopped it; it can be taken up again."""


class Run(ABC):
    """An event of the store, being played or done. What it plays and counts is for its kind to say.

    Args:
        store: where its matches are, and go. event: its place there.
        together: how many matches belong together; so many are claimed at least.
        rating: what makes of the players' ratings before a match those after it; None where matches are not rated.
        seen: the `id` of the last match that need not be counted again, and how many there are up to it.

    Attributes:
        event: as above.
        matches: how many are finished that count, of those the ones that were there before: `resumed`.
        abandoned: how many matches counted for nobody, in this run. seconds: how long it has taken.
        ending: why it stopped; None while it goes on.
    """

    def __init__(
        self,
        store: Store,
        event: Event,
        together: int,
        *,
        rating: Rate | None = None,
        seen: tuple[int, int] = (0, 0),
    ) -> None:
        self.event = event
        self.abandoned = 0
        self.seconds = 0.0
        self._store = store
        self._together = together
        self._rating = rating
        self._worker = f"{socket.gethostname()}/{os.getpid()}/{token_hex(4)}"
        self._held: set[int] = set()
        self._claimed = 0
        self._tries: Counter[int] = Counter()
        self._again: deque[int] = deque()
        self._last_id, self.matches = seen
        self._renewed = 0.0
        self._learn()
        self.resumed = self.matches
        self.ending = self._over()

    # -- for its kind to say ------------------------------------------------------------------------------
    @abstractmethod
    def _task(self, number: int) -> MatchTask:
        """What match `number` is."""

    @abstractmethod
    def _below(self) -> int | None:
        """Matches of lower numbers may be played now; None for any."""

    @abstractmethod
    def _count(self, result: MatchResult) -> None:
        """Counts a match that is stored; they come in the order in which they were stored."""

    @abstractmethod
    def _over(self) -> Ending | None:
        """Whether there is nothing left to play, and why."""

    # -- the run ------------------------------------------------------------------------------------------
    @property
    def rate(self) -> float:
        """Matches a second, in this run."""
        return (self.matches - self.resumed) / self.seconds if self.seconds else 0.0

    @property
    @abstractmethod
    def seconds_left(self) -> float | None:
        """How long it may go on; None where nobody can tell yet."""

    def run(self, pool: Pool, show: Callable[[Self], None] = lambda _: None) -> None:
        """Plays until it is over. A KeyboardInterrupt ends the run, too, and is not raised.

        Args:
            show: called now and then with this run, and at the end.

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
            self._learn()  # it may have come between storing and counting
            self.ending = Ending.INTERRUPTED
        finally:
            self._store.release(self.event.id, None, self._worker)  # also what was claimed when Ctrl-C came
        tell()

    def _tasks(self) -> Iterator[MatchTask | None]:
        claimed = deque[int]()
        while self._over() is None:
            if not (self._again or claimed):
                claimed += self._claim()
            if self._again:
                yield self._task(self._again.popleft())
            else:
                yield self._task(claimed.popleft()) if claimed else None

    def _portion(self) -> int:
        """How many matches to claim at once."""
        return max(self._together, int(self.rate * _CLAIM_S))

    def _claim(self) -> list[int]:
        most = self._portion()
        if most <= 0:
            return []
        numbers = self._store.claim_next(self.event.id, most, self._worker, _LEASE_S, below=self._below())
        self._claimed += len(numbers)
        self._held.update(numbers)
        return numbers

    def _keep(self, batch: Sequence[MatchResult]) -> None:
        """Stores what was played, and counts what the store has."""
        if batch:
            self._store.add_results(self.event.id, batch, rate=self._rating)
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
            self.matches += 1
            self._count(stored.result)
