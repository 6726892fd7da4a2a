"""A team of threads that share the work on a batch. The threads begin the next step within microseconds.

The threads communicate through a *board*, an array of 64-bit words. The thread that calls the batch (the caller's
thread) writes a job to the board. Then every thread, including the caller's, takes pieces of the batch until no piece
is left. All threads but the caller's are called helpers.

Waking a sleeping thread can take longer than a whole step, and so can waiting for Python's global interpreter lock. So
helpers stay inside a kernel (`attend`) between steps. There they poll the board for a short time before they sleep.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from lapilli.kernels.atomics import fetch_add, swap
from lapilli.kernels.clock import now_ns
from lapilli.kernels.kernel import Ints, kernel

Task = Callable[[Any, int], object]
"""A function (board, number of the thread) that every thread calls. The function works on one piece of the batch after
another, until no piece is left.
"""
Attend = Callable[[Any, int, Any], bool]
"""A kernel that does the job on the board. Its arguments: the board, the number of the thread, a scratch array for
`now_ns`.

The caller's thread has the highest number. In that thread, the kernel does one job, polls for a short time until all
helpers have finished, and returns False.

In a helper, the kernel does one job after another. It returns False when no new job arrives for a short time, or when
the new job is not one of its own. It returns True when it has finished a job and the caller's thread sleeps: that
thread must then be woken.
"""

PIECE = 64
"""Number of environments in a piece: so many that two threads hardly ever write to the same cache line."""
_POLL_NS = 100_000
"""Longest time for which a thread polls the board before it sleeps, in nanoseconds."""

# The used words of the board are so far apart that no two of them share a cache line.
_APART = 16
BEGUN, NEXT, JOB, ARGUMENT, _CALLER_ASLEEP, _HELPERS = (_APART * place for place in range(6))
"""Indices of the board's words.

    BEGUN: number of jobs begun.
    NEXT: index of the first environment that no thread has taken yet.
    JOB: the job: TASK, STOP, or a job of `attend`, numbered from FIRST_JOB on.
    ARGUMENT: argument of the job, an integer.
    _CALLER_ASLEEP: 1 while the caller's thread sleeps, otherwise 0.
    _HELPERS: the first of two words for each helper, see `_ended_at` and `_asleep_at`.
"""
TASK, STOP, FIRST_JOB = range(3)
"""Numbers of jobs. TASK: run a Python function. STOP: end all helpers. FIRST_JOB and above: jobs of the kernel
`attend`.
"""


@kernel
def _ended_at(helper: int) -> int:
    """Returns the index, on the board, of the word that contains the number of jobs that a helper has finished."""
    return _HELPERS + 2 * _APART * helper


@kernel
def _asleep_at(helper: int) -> int:
    """Returns the index, on the board, of the word that is 1 while a helper sleeps or is about to sleep."""
    return _HELPERS + 2 * _APART * helper + _APART


@kernel
def take_piece(board: Ints, size: int) -> int:
    """Takes the next piece of the batch for this thread. Returns the index of the piece's first environment.

    If no piece is left, the result is not less than the number of environments. `size`: number of environments in a
    piece, the same for all threads.
    """
    return fetch_add(board, NEXT, size)


@kernel
def helpers_of(board: Ints) -> int:
    """Returns the number of helpers (threads of the team except the caller's), which the length of `board` tells.

    `board`: the array through which the team's threads communicate.
    """
    return (len(board) - _HELPERS) // (2 * _APART)


@kernel
def has_ended(board: Ints) -> bool:
    """Returns whether all helpers have finished all jobs that were written to the board."""
    left = 0
    for helper in range(helpers_of(board)):
        left += board[BEGUN] - fetch_add(board, _ended_at(helper), 0)
    return left == 0


@kernel
def poll_for_job(board: Ints, helper: int, clock: Ints) -> bool:
    """Polls the board until there is a new job for a helper, for a short time at most.

    Returns whether a new job has arrived. `clock` is a scratch array for `now_ns`, which reads the time.
    """
    deadline = now_ns(clock) + _POLL_NS
    while board[BEGUN] == board[_ended_at(helper)]:
        if now_ns(clock) > deadline:
            return False
    return fetch_add(board, BEGUN, 0) > 0  # an atomic read: all writes before the job began are visible after it


@kernel
def poll_for_end(board: Ints, clock: Ints) -> None:
    """Polls the board until all helpers have finished the job, for a short time at most.

    If this time was too short, the caller must wait in another way. `clock` is a scratch array for `now_ns`, which
    reads the time.
    """
    deadline = now_ns(clock) + _POLL_NS
    while not has_ended(board) and now_ns(clock) < deadline:
        pass


@kernel
def end(board: Ints, helper: int) -> bool:
    """Counts, on the board, that a helper has finished the job. Returns whether the caller's thread sleeps and must be
    woken.
    """
    fetch_add(board, _ended_at(helper), 1)
    return swap(board, _CALLER_ASLEEP, 0) > 0


class Team:
    """A team of threads: the caller's thread and the helpers. The helpers end when this object is garbage-collected.

    Args:
        number: number of environments of the batch.
        threads: greatest number of threads, including the caller's. For a small batch, the team has fewer.
        piece: least number of environments for each thread.
    """

    def __init__(self, number: int, threads: int, piece: int = PIECE) -> None:
        self.threads = max(1, min(threads, number // piece))
        self._board = _Board(self.threads - 1)
        self._process = os.getpid()

    def begin(self, attend: Attend) -> None:
        """Starts the helpers. `attend`: the kernel that does the jobs."""
        self._board.attend = attend
        for helper in range(self.threads - 1):
            threading.Thread(target=self._board.run_helper, args=(helper,), daemon=True).start()
        weakref.finalize(self, _stop_helpers, self._board, self._process)

    def wait(self) -> None:
        """Waits until no helper is working. This is needed before a job, because helpers may still work after an
        interrupted call.
        """
        if self._process != os.getpid():  # a forked process has only the thread that called fork
            self._board, self.threads, self._process = self._board.alone(), 1, os.getpid()
        self._board.wait()

    def do(self, job: int, argument: int = 0) -> None:
        """Makes all threads do a job of the kernel `attend`, and waits until they have finished it.

        `job` is the number of the job, FIRST_JOB or above. `argument` is an integer that `attend` reads from the board.
        """
        self._share(job, argument, None)

    def share(self, task: Task) -> None:
        """Makes all threads run a Python function, and waits until they have finished.

        If the function `task` has raised an exception in one of the threads, raises this exception.
        """
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
    """The board of a team. A thread sleeps by acquiring its lock, and is woken when another thread releases that lock.

    A thread may be woken without reason, so it checks the board again after it was woken.

    Attributes:
        attend: the kernel that does the jobs.
        words: the words of the board (int64). BEGUN explains their indices.
        errors: exceptions that threads raised in the current job.
    """

    attend: Attend

    def __init__(self, helpers: int) -> None:
        self.words: Any = np.zeros(_HELPERS + 2 * _APART * helpers, np.int64)
        self.errors: list[BaseException] = []
        self._task: Task | None = None
        self._helper_locks, self._caller_lock = [_locked() for _ in range(helpers)], _locked()
        self._clock: Any = np.zeros(2, np.int64)

    def alone(self) -> _Board:
        """Returns a new board without helpers, with the same kernel, for a forked process: it has no other threads."""
        board = _Board(0)
        board.attend = self.attend
        return board

    # -- the caller -----------------------------------------------------------------------------------
    def post(self, job: int, argument: int, task: Task | None) -> None:
        """Gives a job to all threads of the team: writes its number and argument to the shared array, and wakes them.

        `task`: function for the job TASK, else None.
        """
        words = self.words
        self.errors.clear()
        self._task = task
        words[JOB], words[ARGUMENT], words[NEXT] = job, argument, 0
        fetch_add(words, BEGUN, 1)
        self._wake_sleepers()

    def _wake_sleepers(self) -> None:
        for helper, lock in enumerate(self._helper_locks):
            if fetch_add(self.words, _asleep_at(helper), 0):
                _wake(lock)

    def wait(self) -> None:
        """Waits until all helpers have finished the current job. Ctrl-C raises KeyboardInterrupt only after that."""
        interrupted: BaseException | None = None
        while not has_ended(self.words):
            swap(self.words, _CALLER_ASLEEP, 1)
            try:
                self._wake_sleepers()
                if not has_ended(self.words):
                    self._caller_lock.acquire()
            except KeyboardInterrupt as error:
                interrupted = error
        if interrupted is not None:
            raise interrupted

    # -- every thread ---------------------------------------------------------------------------------
    def work(self, thread: int) -> None:
        """Does the calling thread's share of the job that `post` has written to the board.

        `thread`: number of the calling thread.
        """
        if self.words[JOB] == TASK:
            assert self._task is not None
            self._task(self.words, thread)
        else:
            self.attend(self.words, thread, self._clock)

    # -- a helper -------------------------------------------------------------------------------------
    def run_helper(self, helper: int) -> None:
        """Runs the thread of a helper: does one job after another until the job is STOP."""
        words, clock = self.words, np.zeros(2, np.int64)
        while True:
            try:
                caller_sleeps = self.attend(words, helper, clock)
                if not caller_sleeps:
                    if fetch_add(words, BEGUN, 0) == words[_ended_at(helper)]:
                        self._sleep(helper)
                        continue
                    if words[JOB] == STOP:
                        return
                    if words[JOB] != TASK:
                        continue
                    self.work(helper)
                    caller_sleeps = end(words, helper)
            except BaseException as error:
                self.errors.append(error)
                caller_sleeps = end(words, helper)
            if caller_sleeps:
                _wake(self._caller_lock)

    def _sleep(self, helper: int) -> None:
        """Makes the thread of a helper sleep until another thread wakes it.

        No job is missed: `post` first writes a job and then looks for sleeping helpers, while a helper first marks
        itself as asleep and then looks for a job.
        """
        swap(self.words, _asleep_at(helper), 1)
        if fetch_add(self.words, BEGUN, 0) == self.words[_ended_at(helper)]:
            self._helper_locks[helper].acquire()
        swap(self.words, _asleep_at(helper), 0)


def _locked() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


def _wake(lock: threading.Lock) -> None:
    with suppress(RuntimeError):  # another thread has already released it
        lock.release()


def _stop_helpers(board: _Board, process: int) -> None:
    if process == os.getpid():
        board.post(STOP, 0, None)
