"""One worker process: reports, time limits, and its end at any moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lapilli.workers.call_worker import CallTimeout, CallWorker, WorkerDied
from players.conftest import is_running, mark, wait_until  # noqa: F401 - applies to all tests here
from workers.calls import counted, niceness, variable

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
        with pytest.raises(WorkerDied, match=r"^a worker process ended with exit code 1$"):
            dying.result()
        with pytest.raises(WorkerDied):  # once more, which ends no other process
            dying.result()
        assert worker.call(abs, -1).result() == 1


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (signal.SIGKILL, "was killed (SIGKILL), perhaps because this machine had no memory left: try again"),
        (signal.SIGSEGV, "was ended by the signal SIGSEGV"),
    ],
)
def test_memory_is_mentioned_only_where_it_may_be_the_cause(worker: CallWorker, number: int, told: str) -> None:
    pid = worker.call(os.getpid).result()
    with pytest.raises(WorkerDied) as died:
        worker.call(os.kill, pid, number).result()
    assert str(died.value) == f"a worker process {told}"


NOT_STARTING = """
from lapilli.workers.call_worker import CallWorker, WorkerDied
if __name__ != "__main__":
    import no_such_module
worker = CallWorker()
try:
    worker.call(abs, -1).result()
except WorkerDied as died:
    print(died)
"""


def test_a_process_that_cannot_start_is_told_and_its_error_is_on_stderr(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(NOT_STARTING)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert done.stdout == "a worker process ended with exit code 1\n"
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'no_such_module'\n")


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


def test_a_worker_can_have_environment_variables_of_its_own() -> None:
    worker = CallWorker(environment={"LAPILLI_OF_WORKER": "1"})
    assert worker.call(variable, "LAPILLI_OF_WORKER").result() == "1"
    assert variable("LAPILLI_OF_WORKER") is None
    worker.end()


def test_ctrl_c_is_for_its_parent_alone_and_it_yields_to_it() -> None:
    worker = CallWorker(niceness=3)
    pid = worker.call(os.getpid).result()
    os.kill(pid, signal.SIGINT)
    assert worker.call(niceness).result() == niceness() + 3
    assert worker.call(os.getpid).result() == pid
    worker.end()
    wait_until(lambda: not is_running(pid), WAIT)
