"""Runs an event of any kind: claims matches, stores and counts their results, and detects the end.

A match is stored before it is counted. So an event can be interrupted at any moment and continued later, and several
processes with the same store can share the work. A process *claims* a match in the store before it plays the match, so
that no other process plays the same match.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from lapilli.arena.matches.playing import Pool
from lapilli.core.picture.words import quantity
from lapilli.store import Claimant, Event, Rate, worker_name
from lapilli.store.results import MatchResult, MatchTask

if TYPE_CHECKING:
    from lapilli.store import Store

_LEASE_S = 30.0
"""Time after which a claim on a match expires unless it is renewed, in seconds.

Then other processes may play the match.
"""
_RENEW_S = 10.0
"""Interval between renewals of claims, in seconds."""
_WAIT_S = 0.5
"""Interval between checks whether other processes have finished the last matches of the event, in seconds."""
_TRIES = 3
"""If the same match is abandoned this number of times, the run stops, because this machine is too busy."""
_FEW, _MANY = 1_000, 20_000
"""A checkpoint (the state of the counts) is stored after each `_MANY` matches, and at the end of a run if at least
`_FEW` matches were counted since the last checkpoint. The next run reads the matches after the checkpoint; a thousand
matches take some hundredths of a second.
"""
_CLAIM_S = 2.0
"""A run claims as many matches at once as it can play in about this time, in seconds."""


class StopReason(StrEnum):
    """The reason why a run stopped."""

    DECIDED = "decided"
    """The sequential test has decided."""
    PLAYED = "played"
    """All requested matches are played."""
    REPEATED = "repeated"
    """Both players always play the same moves, and matches from all openings are played."""
    FAULT = "fault"
    """A contestant had a fault, and the settings require a stop at the first fault."""
    TOO_BUSY = "too busy"
    """The same match was abandoned several times, because this machine was too busy."""
    INTERRUPTED = "interrupted"
    """The user stopped the run; it can be continued."""


class Run(ABC):
    """A run of an event, which plays matches until the event is over.

    Subclasses for comparisons, tournaments, leagues and tunings define the matches, and count their results.

    Args:
        store: store for the matches.
        event: event in that store.
        together: smallest number of matches to claim at once, such as the number of matches in a pair.
        rating: function from a match's result, and the players' ratings before it, to their ratings after the match;
            None if matches are not rated.
        seen: (id, number): id of a stored match, and number of the event's matches up to it. The run does not read
            these matches again, and only adds their number to `matches`. (0, 0) to read all matches.

    Attributes:
        event: the event.
        matches: number of finished matches, including those stored before this run.
        resumed: number of matches stored before this run.
        waits_for: the processes that are playing the last matches of the event, while this run waits for these
            processes; otherwise empty.
        abandoned: number of matches abandoned in this run.
        seconds: duration of this run so far, in seconds.
        ending: reason why the run stopped; None while it has not stopped.
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
        self.waits_for: list[Claimant] = []
        self._worker = worker_name()
        self._held: set[int] = set()
        self._claimed = 0
        self._tries: Counter[int] = Counter()
        self._again: deque[int] = deque()
        self._last_id, self.matches = seen
        self._at_checkpoint = self.matches
        self._renewed = 0.0
        self._count_new()
        self.resumed = self.matches
        self.ending = self._over()

    # -- defined by each kind of event --------------------------------------------------------------------
    @abstractmethod
    def _task(self, number: int) -> MatchTask:
        """Returns the task of match `number`, counted from 0."""

    @abstractmethod
    def _below(self) -> int | None:
        """Returns a number: all matches with a lower number may be played now; None for no limit.

        There is a limit if later matches depend on results, as the rounds of a Swiss tournament do.
        """

    @abstractmethod
    def _count(self, result: MatchResult) -> None:
        """Adds the result of a stored match to the event's counts.

        This method is called once for each match, in the order of storage.
        """

    @abstractmethod
    def _over(self) -> StopReason | None:
        """Returns the reason to stop if the event is over; otherwise None."""

    def _checkpoint(self, after: int) -> str | None:
        """Returns the state of the counts as text, from which the next run can continue.

        `after` is the id of the last counted match. The default is None: each run counts all matches again.
        """
        return None

    # -- the run ------------------------------------------------------------------------------------------
    @property
    def rate(self) -> float:
        """Number of finished matches per second in this run; 0 at the beginning."""
        return (self.matches - self.resumed) / self.seconds if self.seconds else 0.0

    @property
    @abstractmethod
    def seconds_left(self) -> tuple[float, float] | None:
        """Least and greatest likely time until the run ends, in seconds. None if there is no estimate yet.

        Both times are equal if the number of matches to play is known.
        """

    @property
    def waiting(self) -> str:
        """A sentence about the processes that this run waits for, and their matches; empty if the run does not wait."""
        if not self.waits_for:
            return ""
        matches = sum(claimant.matches for claimant in self.waits_for)
        workers = " and ".join(claimant.process for claimant in self.waits_for)
        seconds = max(claimant.seconds_left for claimant in self.waits_for)
        return (
            f"Waiting for {quantity(matches, 'match')} of {workers}; "
            f"played here in {seconds:.0f} s unless {'it is' if len(self.waits_for) == 1 else 'they are'} alive then."
        )

    def run(self, pool: Pool, show: Callable[[Self], None] = lambda _: None) -> None:
        """Plays matches until the event is over. A KeyboardInterrupt (Ctrl-C) ends the run, and is not raised again.

        Args:
            pool: pool that plays the matches.
            show: function that is called with this run after each batch of results, and at the end.

        Raises:
            LapilliError: a match cannot be played, or the store cannot be reached.
        """
        began = time.perf_counter()

        def tell() -> None:
            self.seconds = time.perf_counter() - began
            show(self)

        try:
            self._store.release_dead(self.event.id)
            while self.ending is None:
                with closing(pool.play(self._tasks())) as results:
                    for batch in results:
                        self.waits_for = []
                        self._keep(batch)
                        tell()
                        if self.ending is not None:
                            break
                if self.ending is None:  # other processes are playing the remaining matches
                    self.waits_for = self._store.release_dead(self.event.id)
                    tell()
                    time.sleep(_WAIT_S)
                    self._keep([])
                    tell()
        except KeyboardInterrupt:
            self._count_new()  # the interrupt may have come between storing and counting a match
            self.ending = self._over() or StopReason.INTERRUPTED
        finally:
            self._store.release(self.event.id, None, self._worker)  # releases all claims, even one made during Ctrl-C
            self._keep_checkpoint(_FEW)
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
        """Returns the number of matches to claim at once: as many as this run plays in some seconds, but at least
        `together`.
        """
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
        """Stores a batch of results, and counts all new results in the store.

        Also renews this run's claims from time to time. A claim reserves a match for this process. It expires if it is
        not renewed, so that other processes can play the matches of a process that has died.
        """
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
            self._store.release_dead(self.event.id)
        self._count_new()
        self.ending = self.ending or self._over()

    def _play_again(self, number: int) -> None:
        self.abandoned += 1
        self._tries[number] += 1
        if self._tries[number] >= _TRIES:
            self.ending = StopReason.TOO_BUSY
        elif self._store.claim(self.event.id, [number], self._worker, _LEASE_S):
            self._held.add(number)
            self._again.append(number)

    def _count_new(self) -> None:
        """Counts the matches that this and other processes have stored since the last call."""
        for stored in self._store.results(self.event.id, after=self._last_id):
            self._last_id = stored.id
            self.matches += 1
            self._count(stored.result)
            self._keep_checkpoint(_MANY)

    def _keep_checkpoint(self, new: int) -> None:
        """Stores a checkpoint if at least `new` matches were counted since the last checkpoint."""
        if self.matches - self._at_checkpoint >= new and (text := self._checkpoint(self._last_id)) is not None:
            self._store.keep_checkpoint(self.event.id, text)
            self._at_checkpoint = self.matches
