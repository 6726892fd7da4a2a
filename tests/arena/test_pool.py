"""Worker processes: who is killed loses nothing, who stops leaves nothing behind.

That nothing is left behind is asserted by the fixture `mark`.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from multiprocessing import resource_tracker
from pathlib import Path

import pytest

from arena.played import command_line, of, plain, sleepers, tasks
from lapilli.arena.matches.playing import InProcessPool, WorkerBug, decode_report, play, report
from lapilli.arena.matches.pool import LocalPool, default_jobs
from lapilli.core.errors import LapilliError, OutOfResources
from lapilli.store import Store
from lapilli.store.results import MatchResult
from players.conftest import first_bot, mark, marked, wait_until

__all__ = ["first_bot", "mark"]
PLAYED = str(Path(__file__).with_name("played.py"))


@pytest.fixture(autouse=True, scope="session")
def tracker_runs() -> None:
    """Python's own helper starts with the first process that is no copy, and stays."""
    resource_tracker.ensure_running()


@pytest.fixture(autouse=True)
def settled(mark: str) -> Iterator[None]:
    """A worker's warden ends a moment after it."""
    yield
    wait_until(lambda: marked(mark) == [])


@pytest.fixture
def several_threads() -> Iterator[None]:
    """A thread beside this one, so that workers are no copies of this process."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    yield
    done.set()
    thread.join()


def workers() -> list[int]:
    return [child.pid for child in multiprocessing.active_children() if child.pid]


def bots(mark: str) -> list[str]:
    return [process for process in marked(mark) if "sleeps.py" in process]


def play_until(playing: Iterator[list[MatchResult]], condition: Callable[[], bool]) -> None:
    """Lets workers begin; none of the matches is over by then."""
    while not condition():
        assert next(playing) == []


def kill_all() -> None:
    for worker in workers():
        os.kill(worker, signal.SIGKILL)


def test_all_is_played_once_and_as_here() -> None:
    recipe = of("random", "random")
    here = [result for batch in InProcessPool(recipe).play(tasks(60)) for result in batch]
    there = [result for batch in LocalPool(recipe, 2).play(tasks(60)) for result in batch]
    assert plain(there) == plain(here)
    assert len({result.moves for result in here}) > 40  # no two are clones of each other


def test_a_worker_starts_when_there_is_a_task_for_it() -> None:
    """Another process may play the last matches of an event; then this one asks again and again for a task."""
    recipe = sleepers(10)
    assert list(LocalPool(recipe, 2).play(tasks(0))) == []
    with closing(LocalPool(recipe, 2).play(tasks(1))) as playing:
        assert max(len(workers()) for _ in playing) == 1


def test_a_killed_worker_loses_nothing_and_is_replaced() -> None:
    recipe = sleepers(10)
    results: list[MatchResult] = []
    killed, seen = 0, set[int]()
    with closing(LocalPool(recipe, 2).play(tasks(8))) as playing:
        for batch in playing:
            results += batch
            seen |= set(workers())
            if batch and not killed:  # everybody has got another match by now
                killed = workers()[0]
                os.kill(killed, signal.SIGKILL)
    assert [result.number for result in sorted(results, key=lambda one: one.number)] == list(range(8))
    assert len(seen) == 3
    assert plain(results) == plain(play(recipe, task) for task in tasks(8) if task)


def test_when_one_after_the_other_dies_it_says_so() -> None:
    told: list[list[MatchResult]] = []

    def play_and_kill() -> None:
        with closing(LocalPool(sleepers(300), 1).play(tasks(1))) as playing:
            for batch in playing:
                told.append(batch)
                kill_all()

    with pytest.raises(OutOfResources, match=r"^3 worker processes died one after the other; the last one was killed"):
        play_and_kill()
    assert told == [[], [], []]


def test_to_close_is_to_stop(mark: str) -> None:
    playing = LocalPool(sleepers(500), 2).play(tasks(10))
    play_until(playing, lambda: len(bots(mark)) == 4)
    assert len(workers()) == 2
    playing.close()
    assert (workers(), bots(mark)) == ([], [])


def test_with_several_threads_workers_are_no_copies(several_threads: None) -> None:
    with closing(LocalPool(of("random", "random"), 2).play(tasks(400))) as playing:
        results = next(playing)
        assert all(b"spawn" in command_line(worker) for worker in workers())
        for batch in playing:
            results += batch
    assert sorted(result.number for result in results) == list(range(400))


def test_each_worker_keeps_to_cores_of_its_own(mark: str) -> None:
    cores = os.sched_getaffinity(0)
    if len(cores) < 2:
        pytest.skip("there is one core only")
    with closing(LocalPool(sleepers(500), 2).play(tasks(10))) as playing:
        play_until(playing, lambda: len(bots(mark)) == 4)
        first, second = map(os.sched_getaffinity, workers())
        assert len(first) == len(second) == len(cores) // 2
        assert first | second <= cores
        assert not first & second
    assert default_jobs(in_process=True) == len(cores)
    assert default_jobs(in_process=False) == len(cores) // 2


def test_more_workers_than_cores_share_them(mark: str) -> None:
    cores = os.sched_getaffinity(0)
    jobs = len(cores) + 1
    with closing(LocalPool(sleepers(500), jobs).play(tasks(10))) as playing:
        play_until(playing, lambda: len(bots(mark)) == 2 * jobs)
        assert [os.sched_getaffinity(worker) for worker in workers()] == [cores] * jobs


ENDING = """
import atexit, os, signal
from multiprocessing import Pipe
from lapilli.arena.matches.pool import _work
atexit.register(os.kill, os.getpid(), signal.SIGTERM)
theirs, ours = Pipe()
ours.close()
_work(theirs, None, (), ())
"""


def test_a_worker_that_ends_is_not_interrupted_by_being_stopped() -> None:
    """Who stops it may do so while it ends by itself, and waits for its bots' warden."""
    done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_bug_in_a_worker_carries_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that it can be mended; a LapilliError and a machine that is full stay one line."""

    def broken(*_: object) -> MatchResult:
        raise problems[-1]

    monkeypatch.setattr("lapilli.arena.matches.playing.play", broken)
    problems: list[Exception] = [KeyError("x")]
    with pytest.raises(WorkerBug) as found:
        decode_report(report(of("random", "random"), [task for task in tasks(1) if task]))
    said = str(found.value)
    assert said.startswith("KeyError: 'x'\nin a worker process:\nTraceback")
    assert "in broken" in said
    for problem, line in ((LapilliError("no"), "no"), (MemoryError(), "out of memory")):
        problems.append(problem)
        with pytest.raises(LapilliError) as refused:
            decode_report(report(of("random", "random"), [task for task in tasks(1) if task]))
        assert str(refused.value) == line


def test_what_cannot_be_played_is_said_in_one_line() -> None:
    with (
        pytest.raises(LapilliError, match=r"^no command or built-in opponent 'nobody'"),
        closing(LocalPool(of("random", "nobody"), 2).play(tasks(4))) as playing,
    ):
        list(playing)  # on a busy machine nothing comes at first
    assert workers() == []


def compare(where: Path, matches: int) -> subprocess.Popen[str]:
    folders = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, PLAYED, str(where), "2", str(matches)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(folders)},
    )


def till_played(process: subprocess.Popen[str], number: int) -> list[str]:
    """What it says until that many are stored."""
    assert process.stdout
    said = []
    for line in process.stdout:
        said.append(line.strip())
        if said[-1].isdecimal() and int(said[-1]) >= number:
            return said
    pytest.fail("it ended too soon")


def stored(where: Path) -> int:
    with Store.open(where, create=False) as store:
        [event] = store.events()
        assert event.played == len(list(store.results(event.id)))
        return event.played


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_comparison_that_is_stopped_leaves_all_stored_and_nobody_alive(
    stop: signal.Signals, tmp_path: Path, mark: str
) -> None:
    """As a terminal does by Ctrl-C: whoever belongs to the command gets the signal. And by `kill -9` of it alone."""
    where = tmp_path / "arena.db"
    with compare(where, 10_000) as process:
        before = till_played(process, 4)
        if stop == signal.SIGINT:
            os.killpg(process.pid, stop)
        else:
            process.kill()
        said, errors = process.communicate(timeout=20)
    assert errors == ""
    assert "forked" in before
    if stop == signal.SIGINT:
        assert bots(mark) == []
    wait_until(lambda: marked(mark) == [], 10)
    there = stored(where)
    assert there >= 4
    if stop == signal.SIGKILL:  # for a minute its matches are nobody else's
        return
    assert process.returncode == 0
    *_, count, ending = said.split()
    assert (int(count), ending) == (there, "interrupted")
    with compare(where, there + 2) as process:
        said, errors = process.communicate(timeout=60)
    assert errors == ""
    assert int(said.split()[0]) == there
    assert said.split()[-1] == "played"
    assert stored(where) >= there + 2
