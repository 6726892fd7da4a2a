"""Lets the threads of a process write to a database file one after another, in the order in which they came.

SQLite itself lets one transaction write at a time, but in no fixed order: a thread may have to wait until no other
thread wants to write, and may then give up.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from lapilli.store.transactions.interrupts import HeldSignals


class WriteQueue:
    """A queue of threads that want to write. The first thread may write, and each other thread waits until it is the
    first.

    Each thread waits for a lock of its own, which the thread before it releases.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._gates: deque[threading.Lock] = deque()

    @contextmanager
    def turn(self, patience: float, held: HeldSignals) -> Iterator[None]:
        """Waits until it is this thread's turn, which lasts until the `with` block ends.

        Args:
            patience: the longest time to wait, in seconds.
            held: the object of the surrounding `held_back` block, which delays signals such as Ctrl-C. They take effect
                while the thread waits, but not while it enters or leaves the queue. Otherwise an interrupted thread
                could stay in the queue and block all others.

        Raises:
            TimeoutError: it took longer than `patience`.
        """
        gate = threading.Lock()
        gate.acquire()
        with self._mutex:
            self._gates.append(gate)
            if self._gates[0] is gate:
                gate.release()
        try:
            if not held.waiting(lambda: gate.acquire(timeout=patience)):
                raise TimeoutError
            yield
        finally:
            self._leave(gate)

    def _leave(self, gate: threading.Lock) -> None:
        """Removes from the queue a thread that has written or given up; `gate` is the lock for which it waited.

        If the thread was the first in the queue, the next thread may write.
        """
        with self._mutex:
            was_first = self._gates[0] is gate
            self._gates.remove(gate)
            if was_first and self._gates:
                self._gates[0].release()
