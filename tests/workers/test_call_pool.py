"""Calls in worker processes: results, errors, deaths, and the end of everything at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from types import ModuleType

import pytest

from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.workers.call_pool import CallPool
from lapilli.workers.call_worker import WorkerDied
from players.conftest import is_running, wait_until

WAIT = 30.0


@pytest.fixture
def pool() -> Iterator[CallPool]:
    made = CallPool(2)
    yield made
    made.close()


def test_results_come_in_the_order_of_the_items(pool: CallPool) -> None:
    assert list(pool.map(abs, range(-20, 0))) == list(range(20, 0, -1))


def test_errors_are_raised_here(pool: CallPool, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LapilliError, match=r"^no game 'chess'"):  # pickle alone cannot make this one anew
        pool.submit(load, "chess").result(WAIT)
    with pytest.raises(ZeroDivisionError):
        pool.submit(divmod, 1, 0).result(WAIT)
    with pytest.raises(TypeError, match="cannot pickle"):
        pool.submit(threading.Lock).result(WAIT)
    with pytest.raises(Exception, match="pickle"):
        pool.submit(lambda: 1).result(WAIT)
    here_alone = ModuleType("here_alone")
    exec("def work(): pass", vars(here_alone))
    monkeypatch.setitem(sys.modules, "here_alone", here_alone)
    with pytest.raises(ModuleNotFoundError):
        pool.submit(here_alone.work).result(WAIT)
    assert pool.submit(abs, -1).result(WAIT) == 1


def test_a_call_that_comes_while_the_pool_is_closed_ends(pool: CallPool, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, is_closing, is_putting = pool._calls, threading.Event(), threading.Event()

    class SlowQueue:
        def put(self, call: object) -> None:
            if call is not None:
                is_putting.set()
                is_closing.wait(0.5)
            calls.put(call)  # type: ignore[arg-type]

        def get_nowait(self) -> object:
            return calls.get_nowait()

    monkeypatch.setattr(pool, "_calls", SlowQueue())
    futures = list[Future[int]]()
    submitting = threading.Thread(target=lambda: futures.append(pool.submit(abs, -1)))
    submitting.start()
    assert is_putting.wait(WAIT)
    pool.close()
    is_closing.set()
    submitting.join()
    with suppress(WorkerDied, CancelledError):
        assert futures[0].result(WAIT) == 1


def test_a_worker_that_dies_fails_its_call_alone(pool: CallPool) -> None:
    for _ in range(8):
        calls: list[Future[int]] = [pool.submit(abs, -number) for number in range(4)]
        dead = pool.submit(os._exit, 1)
        more = [pool.submit(abs, -number) for number in range(4)]
        with pytest.raises(WorkerDied):
            dead.result(WAIT)
        assert [call.result(WAIT) for call in (*calls, *more)] == [*range(4), *range(4)]


def test_a_worker_that_died_while_it_was_idle_fails_no_call() -> None:
    pool = CallPool(1)
    for _ in range(4):
        worker = pool.submit(os.getpid).result(WAIT)
        os.kill(worker, signal.SIGKILL)
        os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)
        assert pool.submit(abs, -1).result(WAIT) == 1
    pool.close()


def test_closing_ends_calls_that_are_under_way() -> None:
    pool = CallPool(1)
    pid = pool.submit(os.getpid).result(WAIT)
    slow, queued = pool.submit(time.sleep, 600.0), pool.submit(abs, 1)
    while not slow.running():
        time.sleep(0.01)
    pool.close()
    wait_until(lambda: not is_running(pid), WAIT)
    with pytest.raises(WorkerDied):
        slow.result(0)
    assert queued.cancelled()
    with pytest.raises(WorkerDied):
        pool.submit(abs, 1)
    pool.close()


def test_workers_end_with_the_process_that_started_them() -> None:
    code = (
        "import os\nfrom lapilli.workers.call_pool import CallPool\n"
        "if __name__ == '__main__':\n"
        "    pool = CallPool(1)\n    print(pool.submit(os.getpid).result(), flush=True)\n    input()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert is_running(pid)
    parent.kill()
    parent.communicate()
    wait_until(lambda: not is_running(pid), WAIT)
