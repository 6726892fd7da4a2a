"""A team of threads that shares out a batch, and is back within microseconds for the next step.

A thread that sleeps takes longer to wake than a step may take. So whoever waits looks out for a while first, outside
Python's lock, and only then sleeps.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lapilli.games.kernel import Ints, parallel_kernel
from lapilli.games.stopclock import now_ns

Task = Callable[[int, int, int], object]
"""What is done with the environments `first` to `beyond` - 1 by a thread of that number."""
Stretch = tuple[int, int]
_LOOKS_OUT_NS = 100_000
_AT_LEAST, _PER_THREAD = 128, 4
"""Environments in a stretch, and stretches for a thread: who is late leaves some to the others."""


@parallel_kernel
def look_out(flags: Ints, place: int, wanted: int, clock: Ints) -> None:
    """Waits until a flag is as wanted, but not for long. `clock` is room for `now_ns`."""
    beyond = now_ns(clock) + _LOOKS_OUT_NS
    while flags[place] != wanted and now_ns(clock) < beyond:
        pass


class Team:
    """So many threads, the caller's among them; the others end with the team.

    Args:
        number: how many environments there are to share out. threads: how many threads may do so.
    """

    def __init__(self, number: int, threads: int) -> None:
        parts = min(threads * _PER_THREAD, max(1, number // _AT_LEAST))
        ends = [number * part // parts for part in range(parts + 1)]
        self._stretches = list(pairwise(ends))
        self.threads = min(threads, parts)
        self._board = _Board(self.threads - 1)
        for helper in range(self.threads - 1):
            threading.Thread(target=_help, args=(self._board, helper), daemon=True).start()
        weakref.finalize(self, self._board.close)

    def share(self, task: Task) -> None:
        """Does the task for all environments. Returns, or raises what the task raised, once all threads are through,
        whatever happens."""
        if self.threads == 1:
            for first, beyond in self._stretches:
                task(first, beyond, 0)
            return
        self._board.post(task, self._stretches)
        try:
            self._board.work(self.threads - 1)
        finally:
            self._board.wait()
        if self._board.errors:
            raise self._board.errors.pop()


class _Board:
    """What the threads of a team see of each other. The locks alone decide who goes on; flags are there to look at."""

    def __init__(self, helpers: int) -> None:
        self.task: Task | None = None
        self.errors: list[BaseException] = []
        self.begun, self.ended = np.zeros(1, np.int64), np.zeros(helpers, np.int64)
        self.may_begin, self.has_ended = [_locked() for _ in range(helpers)], [_locked() for _ in range(helpers)]
        self._left: Iterator[Stretch] = iter(())
        self._clock: Any = np.zeros(2, np.int64)

    def post(self, task: Task | None, stretches: Sequence[Stretch]) -> None:
        self.task, self._left = task, iter(stretches)
        self.errors.clear()
        self.begun[0] += 1
        for lock in self.may_begin:
            lock.release()

    def work(self, thread: int) -> None:
        """Takes stretches until none is left."""
        assert self.task is not None
        for first, beyond in self._left:
            self.task(first, beyond, thread)

    def wait(self) -> None:
        """Until the helpers are through, even if somebody interrupts."""
        interrupted: BaseException | None = None
        for helper, lock in enumerate(self.has_ended):
            look_out(self.ended, helper, self.begun[0], self._clock)
            while True:
                try:
                    lock.acquire()
                    break
                except KeyboardInterrupt as error:
                    interrupted = error
        if interrupted is not None:
            raise interrupted

    def close(self) -> None:
        """Sends the helpers home."""
        self.post(None, ())


def _locked() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


def _help(board: _Board, helper: int) -> None:
    """A helper's life."""
    clock: Any = np.zeros(2, np.int64)
    number = 0
    while True:
        number += 1
        look_out(board.begun, 0, number, clock)
        board.may_begin[helper].acquire()
        if board.task is None:
            return
        try:
            board.work(helper)
        except BaseException as error:
            board.errors.append(error)
        board.ended[helper] = number
        board.has_ended[helper].release()
