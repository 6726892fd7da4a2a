"""Threads write to a file in turn, and whoever gives up or is interrupted stands in nobody's way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import sleep

import pytest

from lapilli.store.write_queue import WriteQueue


@contextmanager
def held(queue: WriteQueue) -> Iterator[None]:
    """Another thread has its turn meanwhile."""
    has_turn, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with queue.turn(60):
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
        with queue.turn(60):
            admitted.append(number)

    with ThreadPoolExecutor(8) as threads, held(queue):
        for number in range(8):
            threads.submit(write, number)
            while len(queue._gates) < number + 2:
                sleep(0.001)
    assert admitted == list(range(8))


def test_who_gives_up_is_not_waited_for() -> None:
    queue = WriteQueue()
    with held(queue), pytest.raises(TimeoutError), queue.turn(0.01):
        raise AssertionError("it is the other thread's turn")
    with queue.turn(0.01):
        pass


def test_who_is_interrupted_is_not_waited_for() -> None:
    queue = WriteQueue()
    with held(queue):
        timer = threading.Timer(0.1, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt), queue.turn(60):
            raise AssertionError("it is the other thread's turn")
        timer.join()
    with queue.turn(0.01):
        pass


def test_an_error_ends_a_turn() -> None:
    queue = WriteQueue()
    with pytest.raises(ZeroDivisionError), queue.turn(1):
        1 / 0  # noqa: B018
    with queue.turn(0.01):
        pass
