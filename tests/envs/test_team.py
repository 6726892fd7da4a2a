"""The threads of a batch: who takes what, who is told of errors, and that nobody is left over."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from lapilli.envs.batch import batch
from lapilli.envs.batches.team import PIECE, Team, take_piece
from lapilli.games import names

HELPERS = 3
NAME = names()[0]


def alone(code: str) -> str:
    """What a script prints in a process of its own; one that hangs fails."""
    done = subprocess.run([sys.executable, "-c", code, NAME], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def team() -> Any:
    made = Team(1000 * PIECE, HELPERS + 1)
    made.begin(lambda *_: False)  # no job but Python's
    return made


def taken(board: Any, beyond: int) -> list[int]:
    pieces = []
    while (first := take_piece(board, PIECE)) < beyond:
        pieces.append(first)
    return pieces


def test_each_piece_is_taken_once(team: Team) -> None:
    pieces: dict[int, list[int]] = {}

    def take(board: Any, thread: int) -> None:
        pieces[thread] = taken(board, 1000 * PIECE)

    for _ in range(30):
        pieces.clear()
        team.share(take)
        assert sorted(pieces) == list(range(HELPERS + 1))
        assert sorted(first for own in pieces.values() for first in own) == list(range(0, 1000 * PIECE, PIECE))


def test_what_a_thread_raises_reaches_the_caller(team: Team) -> None:
    def fail(_: Any, thread: int) -> None:
        if thread == wrong:
            raise ValueError(f"thread {thread}")

    for wrong in range(HELPERS + 1):
        with pytest.raises(ValueError, match=f"thread {wrong}"):
            team.share(fail)
    called: list[int] = []
    team.share(lambda _, thread: called.append(thread))
    assert sorted(called) == list(range(HELPERS + 1)), "all of them go on"


def test_an_interrupted_caller_waits_for_the_others(team: Team) -> None:
    through: list[int] = []
    met = threading.Barrier(HELPERS + 1)

    def interrupted(_: Any, thread: int) -> None:
        met.wait(60)
        if thread == HELPERS:
            raise KeyboardInterrupt
        through.append(thread)

    for _ in range(20):
        through.clear()
        with pytest.raises(KeyboardInterrupt):
            team.share(interrupted)
        assert sorted(through) == list(range(HELPERS))


def test_helpers_end_with_their_batch() -> None:
    before = set(threading.enumerate())
    games = batch(NAME, 4 * PIECE, threads=3)
    games.step(games.sample())
    helpers = set(threading.enumerate()) - before
    assert len(helpers) == 2
    del games
    gc.collect()
    for helper in helpers:
        helper.join(60)
        assert not helper.is_alive()


def test_a_small_batch_needs_no_helpers() -> None:
    before = set(threading.enumerate())  # some may be helpers of earlier batches, which end now
    games = batch(NAME, 2 * PIECE - 1, threads=3)
    assert set(threading.enumerate()) <= before
    assert games.num_envs == 2 * PIECE - 1


FORKED = """
import os, sys
from lapilli.envs.batch import batch
games = batch(sys.argv[1], 300, seed=4, threads=3)
games.step(games.sample())
child = os.fork()
for _ in range(10):
    games.step(games.sample())
games.refresh()
digest = hash(games.states.tobytes() + games.observations.tobytes())
if child:
    print(os.waitpid(child, 0)[1])
print(digest, flush=True)
"""


def test_a_fork_goes_on_alone() -> None:
    of_the_child, code, of_the_parent = alone(FORKED).split()
    assert (of_the_child, code) == (of_the_parent, "0")


INTERRUPTED = """
import signal, sys
from lapilli.envs.batch import batch
games, same = (batch(sys.argv[1], 500, seed=4, threads=threads) for threads in (3, 1))
same.step(same.sample())
heard = 0
signal.signal(signal.SIGALRM, signal.default_int_handler)
while heard < 100:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005 + heard % 10 * 0.0001)  # once
        while True:
            games.step(games.sample())
    except KeyboardInterrupt:
        heard += 1
shown = games.observations.tobytes() + games.legal.tobytes()
games.refresh()
assert shown == games.observations.tobytes() + games.legal.tobytes()
assert (games.refused == -1).all()
same.restore(games.save())
for _ in range(20):
    games.step(games.sample())
    same.step(same.sample())
assert games.states.tobytes() == same.states.tobytes()
print("whole")
"""


def test_interrupts_leave_a_batch_whole() -> None:
    assert alone(INTERRUPTED) == "whole\n"


def test_a_process_ends_with_helpers_at_work() -> None:
    code = "import sys, lapilli; games = lapilli.batch(sys.argv[1], 500, threads=3); games.sample(); print('done')"
    assert alone(code) == "done\n"


def test_helpers_that_slept_come_back() -> None:
    games, same = (batch(NAME, 4 * PIECE, seed=1, threads=threads) for threads in (3, 1))
    for _ in range(5):
        time.sleep(0.01)  # long enough to fall asleep; if they do not, nothing is tested, but nothing fails
        for one in (games, same):
            one.step(one.sample())
        assert games.states.tobytes() == same.states.tobytes()
