"""A team of threads that shares out a batch, and is back within microseconds for the next step.

The threads meet at a *board*, an array of words. Who calls writes down there what is to be done; then all of them, the
caller among them, take a piece after the other until none is left. A thread that sleeps takes longer to wake than a
step may take, and so does one that asks for Python's lock. So helpers stay inside a kernel (`attend`) from step to
step. There they look out for a while for what comes next, and only then sleep.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from lapilli.envs.atomic import add, swap
from lapilli.kernels.clock import now_ns
from lapilli.kernels.kernel import Ints, kernel

Task = Callable[[Any, int], object]
"""What a thread does, (board, thread): it takes pieces until none is left."""
Attend = Callable[[Any, int, Any], bool]
"""A kernel (board, thread, room for `now_ns`) that does with pieces what the board says. The caller's thread, which has
the highest number, then waits a while for the others; a helper does job after job until there is none for a while, or
one that is not for it. Whether the caller is to be woken."""

PIECE = 64
"""Environments in a piece: no two threads write to the same line of a processor's cache."""
_LOOKS_OUT_NS = 100_000

# The board: words that are far enough from each other not to share a line of the cache.
_APART = 16
BEGUN, NEXT, JOB, ARGUMENT, _CALLER_ASLEEP, _HELPERS = (_APART * place for place in range(6))
"""How many jobs have begun; the first environment that nobody has taken; what to do: a task of Python's, the end, or
one of `attend`'s own jobs from FIRST_JOB on; a number that belongs to it."""
TASK, GO_HOME, FIRST_JOB = range(3)


@kernel
def _ended_at(helper: int) -> int:
    """Where a helper counts the jobs that it has ended."""
    return _HELPERS + 2 * _APART * helper


@kernel
def _asleep_at(helper: int) -> int:
    """Where a helper says that it sleeps, or is about to."""
    return _HELPERS + 2 * _APART * helper + _APART


@kernel
def take_piece(board: Ints) -> int:
    """The first environment of a piece that is now this thread's; there may be none from there on."""
    return add(board, NEXT, PIECE)


@kernel
def helpers_of(board: Ints) -> int:
    """How many helpers meet at a board."""
    return (len(board) - _HELPERS) // (2 * _APART)


@kernel
def has_ended(board: Ints) -> bool:
    """Whether all helpers are through with what has begun."""
    left = 0
    for helper in range(helpers_of(board)):
        left += board[BEGUN] - add(board, _ended_at(helper), 0)
    return left == 0


@kernel
def look_out(board: Ints, helper: int, clock: Ints) -> bool:
    """Waits until there is something to do for a helper, but not for long. Whether there is."""
    beyond = now_ns(clock) + _LOOKS_OUT_NS
    while board[BEGUN] == board[_ended_at(helper)]:
        if now_ns(clock) > beyond:
            return False
    return add(board, BEGUN, 0) > 0  # what was written down before is seen from here on


@kernel
def look_back(board: Ints, clock: Ints) -> None:
    """Waits until all helpers are through, but not for long."""
    beyond = now_ns(clock) + _LOOKS_OUT_NS
    while not has_ended(board) and now_ns(clock) < beyond:
        pass


@kernel
def end(board: Ints, helper: int) -> bool:
    """A helper is through. Whether the caller is to be woken."""
    add(board, _ended_at(helper), 1)
    return swap(board, _CALLER_ASLEEP, 0) > 0


class Team:
    """So many threads, the caller's among them; the others end with the team.

    Args:
        number: how many environments there are to share out. threads: how many threads may do so.
    """

    def __init__(self, number: int, threads: int) -> None:
        self.threads = max(1, min(threads, number // PIECE))
        self._board = _Board(self.threads - 1)
        self._process = os.getpid()

    def begin(self, attend: Attend) -> None:
        """Calls the helpers together, who do their jobs by this kernel."""
        self._board.attend = attend
        for helper in range(self.threads - 1):
            threading.Thread(target=self._board.live, args=(helper,), daemon=True).start()
        weakref.finalize(self, _send_home, self._board, self._process)

    def wait(self) -> None:
        """Until nobody is at work any more: somebody may have interrupted the caller's waiting."""
        if self._process != os.getpid():  # a fork has no threads but its caller's
            self._board, self.threads, self._process = self._board.alone(), 1, os.getpid()
        self._board.wait()

    def do(self, job: int, argument: int = 0) -> None:
        """One of the kernel's own jobs, for all environments."""
        self._share(job, argument, None)

    def share(self, task: Task) -> None:
        """A task of Python's. Returns, or raises what the task raised, once all threads are through."""
        self._share(TASK, 0, task)

    def _share(self, job: int, argument: int, task: Task | None) -> None:
        self.wait()
        board = self._board
        try:
            board.post(job, argument, task)
            board.work(self.threads - 1)
        finally:
            board.wait()
        if board.errors:
            raise board.errors.pop()


class _Board:
    """The board, and the locks at which threads sleep. To be woken is a hint: who wakes looks at the board."""

    attend: Attend

    def __init__(self, helpers: int) -> None:
        self.words: Any = np.zeros(_HELPERS + 2 * _APART * helpers, np.int64)
        self.errors: list[BaseException] = []
        self._task: Task | None = None
        self._beds, self._bed = [_locked() for _ in range(helpers)], _locked()
        self._clock: Any = np.zeros(2, np.int64)

    def alone(self) -> _Board:
        """Another board, for the caller's thread alone."""
        board = _Board(0)
        board.attend = self.attend
        return board

    # -- the caller -----------------------------------------------------------------------------------
    def post(self, job: int, argument: int, task: Task | None) -> None:
        words = self.words
        self.errors.clear()
        self._task = task
        words[JOB], words[ARGUMENT], words[NEXT] = job, argument, 0
        add(words, BEGUN, 1)
        self._wake_sleepers()

    def _wake_sleepers(self) -> None:
        for helper, bed in enumerate(self._beds):
            if add(self.words, _asleep_at(helper), 0):
                _wake(bed)

    def wait(self) -> None:
        """Until the helpers are through, even if somebody interrupts."""
        interrupted: BaseException | None = None
        while not has_ended(self.words):
            swap(self.words, _CALLER_ASLEEP, 1)
            try:
                self._wake_sleepers()
                if not has_ended(self.words):
                    self._bed.acquire()
            except KeyboardInterrupt as error:
                interrupted = error
        if interrupted is not None:
            raise interrupted

    # -- every thread ---------------------------------------------------------------------------------
    def work(self, thread: int) -> None:
        """Does what there is to do."""
        if self.words[JOB] == TASK:
            assert self._task is not None
            self._task(self.words, thread)
        else:
            self.attend(self.words, thread, self._clock)

    # -- a helper -------------------------------------------------------------------------------------
    def live(self, helper: int) -> None:
        """Does job after job until it is sent home."""
        words, clock = self.words, np.zeros(2, np.int64)
        while True:
            try:
                caller_sleeps = self.attend(words, helper, clock)
                if not caller_sleeps:
                    if add(words, BEGUN, 0) == words[_ended_at(helper)]:
                        self._sleep(helper)
                        continue
                    if words[JOB] == GO_HOME:
                        return
                    if words[JOB] != TASK:
                        continue
                    self.work(helper)
                    caller_sleeps = end(words, helper)
            except BaseException as error:
                self.errors.append(error)
                caller_sleeps = end(words, helper)
            if caller_sleeps:
                _wake(self._bed)

    def _sleep(self, helper: int) -> None:
        """Until somebody wakes this helper. Who writes on the board looks for sleepers after it, and who is to sleep
        looks at the board after saying so: one of them notices."""
        swap(self.words, _asleep_at(helper), 1)
        if add(self.words, BEGUN, 0) == self.words[_ended_at(helper)]:
            self._beds[helper].acquire()
        swap(self.words, _asleep_at(helper), 0)


def _locked() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


def _wake(bed: threading.Lock) -> None:
    with suppress(RuntimeError):  # somebody else has
        bed.release()


def _send_home(board: _Board, process: int) -> None:
    if process == os.getpid():
        board.post(GO_HOME, 0, None)
