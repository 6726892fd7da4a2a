"""One worker process: reports, time limits, and its end at any moment."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from lapilli.workers.call_worker import CallTimeout, CallWorker, WorkerDied
from players.conftest import is_running, mark, wait_until  # noqa: F401 - applies to all tests here
from workers.calls import counted, niceness

WAIT = 30.0


@pytest.fixture(autouse=True, scope="module")
def first_worker() -> None:
    """What Python starts with the first process stays: no test shall be the one that leaves it behind."""
    made = CallWorker()
    made.call(os.getpid).result()
    made.end()


@pytest.fixture
def worker() -> Iterator[CallWorker]:
    made = CallWorker()
    yield made
    made.end()


def test_reports_come_before_the_result(worker: CallWorker) -> None:
    call = worker.call(counted, 3)
    assert list(call.reports()) == [0, 1, 2]
    assert (call.result(), call.result()) == (3, 3)
    assert list(call.reports()) == []
    assert worker.call(counted, 2).result() == 2  # whose reports nobody reads


def test_none_is_yielded_while_there_is_no_report(worker: CallWorker) -> None:
    worker.call(os.getpid).result()
    found = list(worker.call(counted, 2, 0.5).reports(0.1))
    assert [one for one in found if one is not None] == [0, 1]
    assert found.count(None) >= 4


def test_a_call_beyond_its_time_is_ended_with_its_process(worker: CallWorker) -> None:
    pid = worker.call(os.getpid, limit_s=WAIT).result()
    began = time.monotonic()
    slow = worker.call(time.sleep, 600, limit_s=0.3)
    with pytest.raises(CallTimeout, match=r"longer than 0\.3 seconds"):
        slow.result()
    talking = worker.call(counted, 10_000, 0.001, limit_s=0.3)
    assert list(talking.reports())
    with pytest.raises(CallTimeout):
        talking.result()
    assert time.monotonic() - began < WAIT
    assert not is_running(pid)
    assert worker.call(os.getpid).result() != pid


def test_a_death_ends_the_call_and_the_next_one_has_a_new_process(worker: CallWorker) -> None:
    for _ in range(3):
        dying = worker.call(os._exit, 1)
        assert set(dying.reports(0.1)) <= {None}
        with pytest.raises(WorkerDied):
            dying.result()
        with pytest.raises(WorkerDied):  # once more, which ends no other process
            dying.result()
        assert worker.call(abs, -1).result() == 1


def test_a_call_that_is_left_does_not_answer_the_next_one(worker: CallWorker) -> None:
    left = worker.call(counted, 10_000, 0.001)
    assert next(left.reports()) == 0
    assert worker.call(abs, -7).result() == 7


def test_to_end_is_to_begin_anew(worker: CallWorker) -> None:
    pid = worker.call(os.getpid).result()
    worker.call(time.sleep, 600)
    worker.end()
    assert not is_running(pid)
    assert worker.call(os.getpid).result() != pid


def test_another_thread_stops_a_call(worker: CallWorker) -> None:
    pid = worker.call(os.getpid).result()
    slow = worker.call(time.sleep, 600)
    threading.Timer(0.2, worker.stop).start()
    with pytest.raises(WorkerDied):
        slow.result()
    assert worker.is_stopped
    assert not is_running(pid)
    with pytest.raises(WorkerDied, match="stopped"):
        worker.call(abs, 1)


def test_ctrl_c_is_for_its_parent_alone_and_it_yields_to_it() -> None:
    worker = CallWorker(niceness=3)
    pid = worker.call(os.getpid).result()
    os.kill(pid, signal.SIGINT)
    assert worker.call(niceness).result() == niceness() + 3
    assert worker.call(os.getpid).result() == pid
    worker.end()
    wait_until(lambda: not is_running(pid), WAIT)
