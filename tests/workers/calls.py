"""Functions that tests have worker processes call; those import them from here."""

from __future__ import annotations

import os
import time

from lapilli.workers.call_worker import send_report


def counted(numbers: int, pause_s: float = 0.0) -> int:
    """Reports numbers, and returns how many."""
    for number in range(numbers):
        send_report(number)
        time.sleep(pause_s)
    return numbers


def variable(name: str) -> str | None:
    """An environment variable of the process."""
    return os.environ.get(name)


def niceness() -> int:
    """That of the process."""
    return os.getpriority(os.PRIO_PROCESS, 0)
