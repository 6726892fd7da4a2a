"""A team of threads that share the work of a batch, and are ready for the next step within microseconds.

The threads communicate through a *board*, an array of words. The caller writes a job to it. Then all threads, the
caller's among them, take pieces of the batch until none is left. Waking a thread that sleeps can take longer than a
step, and so can waiting for Python's global interpreter lock. So helper threads stay inside a kernel (`attend`) between
steps. There they poll the board for a short time, and sleep only after that.
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
"""A function (board, thread) run by each thread: takes pieces until none is left."""
Attend = Callable[[Any, int, Any], bool]
"""A kernel (board, thread, scratch array for `now_ns`) that does the job on the board.

The caller's thread has the highest number: it does one job, and then waits for the helpers for a short time. A helper
does job after job, until there is none for a short time, or one that the kernel does not know. Returns whether the
caller must be woken.
"""

PIECE = 64
"""Environments in a piece: enough that no two threads write to the same cache line."""
_LOOKS_OUT_NS = 100_000

# The board: words far enough apart not to share a cache line.
_APART = 16
BEGUN, NEXT, JOB, ARGUMENT, _CALLER_ASLEEP, _HELPERS = (_APART * place for place in range(6))
"""Indices of the board's words: number of jobs begun; first environment not yet taken; job (a Python task, the end, or
one of the jobs of `attend`, from FIRST_JOB on); argument of the job; whether the caller sleeps; words of the
helpers."""
TASK, GO_HOME, FIRST_JOB = range(3)


@kernel
def _ended_at(helper: int) -> int:
    """Returns the index of the word that counts the jobs a helper has finished."""
    return _HELPERS + 2 * _APART * helper


@kernel
def _asleep_at(helper: int) -> int:
    """Returns the index of the word that is 1 while a helper sleeps, or is about to."""
    return _HELPERS + 2 * _APART * helper + _APART


@kernel
def take_piece(board: Ints) -> int:
    """Takes the next piece for this thread, and returns its first environment, which is past the end if none is
    left."""
    return add(board, NEXT, PIECE)


@kernel
def helpers_of(board: Ints) -> int:
    """Returns the number of helpers of a board."""
    return (len(board) - _HELPERS) // (2 * _APART)


@kernel
def has_ended(board: Ints) -> bool:
    """Returns whether all helpers have finished all jobs begun."""
    left = 0
    for helper in range(helpers_of(board)):
        left += board[BEGUN] - add(board, _ended_at(helper), 0)
    return left == 0


@kernel
def look_out(board: Ints, helper: int, clock: Ints) -> bool:
    """Waits a short time for a job. Returns whether there is one."""
    beyond = now_ns(clock) + _LOOKS_OUT_NS
    while board[BEGUN] == board[_ended_at(helper)]:
        if now_ns(clock) > beyond:
            return False
    return add(board, BEGUN, 0) > 0  # an atomic read: all writes before the job began are visible after it


@kernel
def look_back(board: Ints, clock: Ints) -> None:
    """Waits a short time until all helpers have finished."""
    beyond = now_ns(clock) + _LOOKS_OUT_NS
    while not has_ended(board) and now_ns(clock) < beyond:
        pass


@kernel
def end(board: Ints, helper: int) -> bool:
    """Marks a helper as finished. Returns whether the caller must be woken."""
    add(board, _ended_at(helper), 1)
    return swap(board, _CALLER_ASLEEP, 0) > 0


class Team:
    """A team of up to `threads` threads, the caller's among them. The others end with the team.

    Args:
        number: number of environments.
        threads: largest number of threads.
    """

    def __init__(self, number: int, threads: int) -> None:
        self.threads = max(1, min(threads, number // PIECE))
        self._board = _Board(self.threads - 1)
        self._process = os.getpid()

    def begin(self, attend: Attend) -> None:
        """Starts the helpers, which do their jobs with this kernel."""
        self._board.attend = attend
        for helper in range(self.threads - 1):
            threading.Thread(target=self._board.live, args=(helper,), daemon=True).start()
        weakref.finalize(self, _send_home, self._board, self._process)

    def wait(self) -> None:
        """Waits until no helper is working: the previous call may have been interrupted while it waited."""
        if self._process != os.getpid():  # a forked process has only the thread that called fork
            self._board, self.threads, self._process = self._board.alone(), 1, os.getpid()
        self._board.wait()

    def do(self, job: int, argument: int = 0) -> None:
        """Does one of the kernel's jobs for all environments."""
        self._share(job, argument, None)

    def share(self, task: Task) -> None:
        """Runs a Python task on all threads, and waits for them. Raises what the task raised."""
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
    """The board, and the locks on which threads sleep. A thread that was woken always checks the board again."""

    attend: Attend

    def __init__(self, helpers: int) -> None:
        self.words: Any = np.zeros(_HELPERS + 2 * _APART * helpers, np.int64)
        self.errors: list[BaseException] = []
        self._task: Task | None = None
        self._beds, self._bed = [_locked() for _ in range(helpers)], _locked()
        self._clock: Any = np.zeros(2, np.int64)

    def alone(self) -> _Board:
        """Returns a new board for the caller's thread alone."""
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
        """Waits until the helpers have finished; raises KeyboardInterrupt only after that."""
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
        """Does the current job with one thread."""
        if self.words[JOB] == TASK:
            assert self._task is not None
            self._task(self.words, thread)
        else:
            self.attend(self.words, thread, self._clock)

    # -- a helper -------------------------------------------------------------------------------------
    def live(self, helper: int) -> None:
        """Runs a helper: does jobs until the team ends."""
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
        """Sleeps until somebody wakes this helper. No wake-up is lost: the poster of a job looks for sleepers after
        writing it, and a helper looks for a job after marking itself as asleep."""
        swap(self.words, _asleep_at(helper), 1)
        if add(self.words, BEGUN, 0) == self.words[_ended_at(helper)]:
            self._beds[helper].acquire()
        swap(self.words, _asleep_at(helper), 0)


def _locked() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


def _wake(bed: threading.Lock) -> None:
    with suppress(RuntimeError):  # another thread has already released it
        bed.release()


def _send_home(board: _Board, process: int) -> None:
    if process == os.getpid():
        board.post(GO_HOME, 0, None)
