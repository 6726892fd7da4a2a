"""Threads write to a file in turn, and whoever gives up or is interrupted stands in nobody's way."""

from __future__ import annotations

import signal
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from time import sleep
from types import FrameType
from typing import Any

import pytest
from sqlalchemy import Connection

from lapilli.core.errors import StoreTrouble
from lapilli.store.database import connect
from lapilli.store.transactions.interrupts import HeldSignals, held_back
from lapilli.store.transactions.write_queue import WriteQueue

TRACED = ("contextlib.py", "database.py", "interrupts.py", "write_queue.py")


@contextmanager
def held(queue: WriteQueue) -> Iterator[None]:
    """Another thread has its turn meanwhile."""
    has_turn, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with queue.turn(60, HeldSignals()):
            has_turn.set()
            may_end.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    has_turn.wait()
    yield
    may_end.set()
    thread.join()


def test_threads_are_admitted_in_their_order() -> None:
    queue, admitted = WriteQueue(), list[int]()

    def write(number: int) -> None:
        with queue.turn(60, HeldSignals()):
            admitted.append(number)

    with ThreadPoolExecutor(8) as threads, held(queue):
        for number in range(8):
            threads.submit(write, number)
            while len(queue._gates) < number + 2:
                sleep(0.001)
    assert admitted == list(range(8))


def test_who_gives_up_is_not_waited_for() -> None:
    queue = WriteQueue()
    with held(queue), pytest.raises(TimeoutError), queue.turn(0.01, HeldSignals()):
        raise AssertionError("it is the other thread's turn")
    with queue.turn(0.01, HeldSignals()):
        pass


def test_who_is_interrupted_is_not_waited_for() -> None:
    queue = WriteQueue()
    with held(queue):
        timer = threading.Timer(0.1, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt), held_back() as signals, queue.turn(60, signals):
            raise AssertionError("it is the other thread's turn")
        timer.join()
    with queue.turn(0.01, HeldSignals()):
        pass


def test_an_error_ends_a_turn() -> None:
    queue = WriteQueue()
    with pytest.raises(ZeroDivisionError), queue.turn(1, HeldSignals()):
        1 / 0  # noqa: B018
    with queue.turn(0.01, HeldSignals()):
        pass


def interrupted_after(lines: int, run: Callable[[], object]) -> bool:
    """Runs this with a Ctrl-C after so many lines of the store and of what it calls; whether it got that far."""
    left = lines

    def trace(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        nonlocal left
        if not frame.f_code.co_filename.endswith(TRACED):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                signal.raise_signal(signal.SIGINT)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return left <= 0


def test_ctrl_c_at_any_moment_of_a_write_leaves_nothing_behind(tmp_path: Path) -> None:
    """Ctrl-C after one line, after two, and so on. The next write need not wait, while the error keeps all frames."""
    database = connect(tmp_path / "store.db", create=True, patience=0.05)
    make, add = "create table turns (number integer)", "insert into turns values (1)"
    database.write(Connection.exec_driver_sql, make)
    for lines in count(1):
        try:
            reached = interrupted_after(lines, partial(database.write, Connection.exec_driver_sql, add))
        except KeyboardInterrupt:
            database.write(Connection.exec_driver_sql, add)
        else:
            assert not reached
            break
    assert lines > 50
    database.close()


def test_a_write_waits_for_another_program_and_not_for_ever(tmp_path: Path) -> None:
    file, make = tmp_path / "store.db", "create table turns (number integer)"
    patient, hasty = (connect(file, create=True, patience=seconds) for seconds in (20, 0.1))
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    with pytest.raises(StoreTrouble, match=r"still failing after 0\.1 s: .*lock"):
        hasty.write(Connection.exec_driver_sql, make)
    ending = threading.Timer(0.1, other.rollback)
    ending.start()
    patient.write(Connection.exec_driver_sql, make)
    ending.join()
    other.close()
    for database in (patient, hasty):
        database.close()
