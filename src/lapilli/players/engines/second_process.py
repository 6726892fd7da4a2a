"""Compiles kernels in a second process, while this process compiles others. Both report each compiled kernel."""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from lapilli.kernels.kernel import compile_callback
from lapilli.players.processes.launcher import has_data
from lapilli.search.threads import cores

OnKernels = Callable[..., None]
"""Callback that receives the keys of kernels that were just compiled. `key_of` returns the key of a kernel."""


@contextmanager
def in_second_process(work: Callable[[], None], on_kernels: OnKernels, allowed: bool) -> Iterator[OnKernels]:
    """Runs `work` in a second process while the `with` block runs here, and waits for that process at the block's end.

    The second process, a fork of this one, only fills the cache on disk. If it fails, `work` runs in this process at
    the block's end. This is also done if no second process is started: because there is no core for it, or because this
    process has several threads. (A fork could wait forever for a lock that another thread holds.)

    Args:
        work: function that compiles kernels.
        on_kernels: callback for the kernels that the two processes compile. Its arguments are keys of kernels
            (`key_of`).
        allowed: whether a second process may be started.

    Yields:
        A callback for the kernels that this process compiles; the caller must call it with the key of each of them.
    """

    def work_here() -> None:
        with compile_callback(lambda function: on_kernels(key_of(function))):
            work()

    if not allowed or cores() < 2 or threading.active_count() > 1:
        yield on_kernels
        work_here()
        return
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _run_second_process(work, writing)
    os.close(writing)

    def read(wait: bool) -> bool:
        """Calls `on_kernels` with the keys that the second process has sent. Returns False if the process has ended.

        `wait`: whether to wait for further keys until the process has ended.
        """
        while has_data(reading, None if wait else 0.0):
            keys = os.read(reading, select.PIPE_BUF)
            if not keys:
                return False
            on_kernels(*keys.decode().split())
        return True

    def on_own_kernel(key: str) -> None:
        on_kernels(key)
        read(wait=False)

    status: int | None = None
    try:
        yield on_own_kernel
        while read(wait=True):
            pass
        _, status = os.waitpid(child, 0)
    finally:
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        os.close(reading)
    if status:
        work_here()


def _run_second_process(work: Callable[[], None], writing: int) -> NoReturn:
    """Contains all that the second process does: runs `work`, sends the key of each compiled kernel, and exits at once.

    The exit code is 1 if `work` fails.

    Args:
        work: function that compiles kernels.
        writing: descriptor of the pipe to the first process. Each key is written as one line.
    """

    def send(function: Any) -> None:
        os.write(writing, f"{key_of(function)}\n".encode())

    code = 1
    try:
        with compile_callback(send):
            work()
        code = 0
    finally:
        os._exit(code)


def key_of(function: Any) -> str:
    """Returns the key that identifies a kernel: the name of its module and the name of its function, as
    "MODULE.FUNCTION".
    """
    return f"{function.__module__}.{function.__name__}"
