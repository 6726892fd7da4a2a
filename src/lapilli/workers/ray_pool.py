"""Runs calls of functions on the machines of a Ray cluster. Each call runs on a machine with enough free cores.

Ray transfers calls and results between machines. If a machine is lost, Ray repeats its calls on another machine.
Nothing else is stored on the machines. The same version of Lapilli must be installed on all machines.
"""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Self

from lapilli.core.errors import LapilliError, OutOfResources
from lapilli.core.installed import how_to_install
from lapilli.kernels.cache import ROOT
from lapilli.kernels.source_folders import ELSEWHERE

_RETRIES = 3
"""Greatest number of times that a call is repeated because the machine that ran it was lost."""
_REACH_S = 5.0
"""Time limit for reaching a cluster's head node, in seconds."""
_CANCEL_S = 5.0
"""Time for which `RayPool.cancel` waits for the end of cancelled calls before it kills them, in seconds. After killing,
it waits once more for at most this time."""

_STDERR = 2
"""Number of stderr's file descriptor, on which threads write that are not Python's."""


class RayPool:
    """A connection to a Ray cluster, to run calls on its machines. As a context manager, it disconnects at the end.

    Args:
        address: address of the cluster: `auto` for the cluster of this machine, or HOST:PORT of the cluster's head
            node. This machine must have joined the cluster (`ray start --address=HOST:PORT`). If this process is
            connected to a cluster already, that connection is used and stays open.

    Raises:
        LapilliError: Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, address: str) -> None:
        self._is_own = connect(address)
        self._ray = _library()
        self._remote = self._ray.remote(max_retries=_RETRIES)(_answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnects from the cluster and cancels running calls, if this pool has opened the connection."""
        if self._is_own:
            with _stderr_discarded():
                self._ray.shutdown()

    def machines(self) -> list[float]:
        """Returns the number of cores of each machine of the cluster. Lost machines are left out."""
        return [node["Resources"].get("CPU", 0.0) for node in self._ray.nodes() if node["Alive"]]

    def places(self, cores: int = 1) -> int:
        """Returns the number of calls that the whole cluster can run at once if each call needs `cores` cores."""
        return sum(int(those // cores) for those in self.machines())

    def share(self, data: Any) -> Any:
        """Stores data on the cluster, and returns a reference to the data. Many calls can use the same reference.

        If the reference is an argument of a call, the called function receives the data instead. A reference inside an
        argument, such as an item of a list, is not replaced; then the function must call `fetch`.
        """
        return self._ray.put(data)

    def submit(self, work: Callable[..., Any], *arguments: Any, cores: int = 1) -> Any:
        """Queues a call of `work` and returns its task, an object for `wait`, `result` and `cancel`.

        Args:
            work: a function at the top level of a module. Ray shows the function's name as the name of the process.
            arguments: arguments of `work`.
            cores: number of cores that the call needs.
        """
        task = self._remote.options(num_cpus=cores, name=work.__name__)
        return task.remote(sources(), work, *arguments)

    def wait(self, tasks: Sequence[Any], seconds: float) -> tuple[list[Any], list[Any]]:
        """Waits until at least one task is done, at most `seconds`. Returns two lists: done tasks, and all others."""
        done, rest = self._ray.wait(list(tasks), num_returns=1, timeout=seconds)
        more, rest = self._ray.wait(rest, num_returns=len(rest) or 1, timeout=0)
        return [*done, *more], rest

    def result(self, task: Any) -> Any:
        """Waits for a task and returns its result.

        Raises:
            LapilliError: the called function raised an exception; or Lapilli is not installed on the machine, or in
                another version.
            OutOfResources: the machine that ran the call was lost. Ray repeated the call on other machines, which were
                lost, too.
        """
        errors = self._ray.exceptions
        try:
            problem, result = self._ray.get(task)
        except errors.RayTaskError as error:
            raise LapilliError(f"a machine of the Ray cluster cannot play: {error.cause}") from None
        except errors.RayError as error:
            raise OutOfResources(
                f"{_RETRIES + 1} machines were lost one after the other ({type(error).__name__})"
            ) from None
        if problem is not None:
            raise LapilliError(problem)
        return result

    def cancel(self, tasks: Sequence[Any]) -> None:
        """Cancels tasks and waits for their end. Tasks that have not ended after `_CANCEL_S` seconds are killed."""
        left = list(tasks)
        for force in (False, True):
            for task in left:
                self._ray.cancel(task, force=force)
            if left:
                left = self._ray.wait(left, num_returns=len(left), timeout=_CANCEL_S)[1]


# -- on the machines


def fetch(reference: Any) -> Any:
    """Returns the data of a reference from `RayPool.share`. Use this in functions that run on the cluster."""
    return _library().get(reference)


def _answer(caller_sources: str, work: Callable[..., Any], *arguments: Any) -> tuple[str | None, Any]:
    """Runs a call on a machine of the cluster.

    Args:
        caller_sources: hash of Lapilli's files on the caller's machine, from `sources`. If the hash of the files on
            this machine differs, `work` is not called, and the pair contains an error message.
        work: function to call.
        arguments: arguments of `work`.

    Returns:
        The pair (None, result of `work`). After a LapilliError, the pair (message of the error, None).
    """
    try:
        _check_sources(caller_sources)
        return None, work(*arguments)
    except LapilliError as error:
        return str(error), None


@cache
def sources() -> str:
    """Returns a hash of all Python files and trained weights of Lapilli on this machine, which identifies a version.

    Games in folders outside the package (LAPILLI_GAMES) are included.
    """
    digest = hashlib.sha256()
    for root in (ROOT / "lapilli", *ELSEWHERE):
        for file in sorted((*root.rglob("*.py"), *root.rglob("*.npz"))):
            digest.update(f"{file.relative_to(root)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _check_sources(caller_sources: str) -> None:
    """Raises LapilliError if the caller's machine has another version of Lapilli than this machine.

    `caller_sources` is the result of `sources` on the caller's machine.
    """
    if caller_sources != sources():
        raise LapilliError(
            f"{socket.gethostname()} has another version of Lapilli: install the same as on this machine"
        )


# -- the connection


def connect(address: str) -> bool:
    """Connects to a Ray cluster, unless this process is connected already.

    Ray's messages go to its log files only, not to the terminal.

    Returns:
        Whether this call opened the connection.

    Raises:
        LapilliError: Ray is not installed, or the connection fails.
    """
    ray = _library()
    if ray.is_initialized():
        return False
    host, _, port = address.rpartition(":")
    if "/" not in address and host and port.isdecimal():
        _check_reachable(host, int(port))
    with _sigterm_handler_restored():
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise LapilliError(
                f"the Ray cluster {address!r} cannot be joined: {' '.join(str(error).split())}"
            ) from None
    # Ray prints errors of its machines to stdout, and has no public option to prevent that.
    ray._private.worker._worker_logs_enabled = False
    return True


def _library() -> Any:
    try:
        import ray
    except ImportError:
        raise LapilliError(f"matches on many machines need Ray: {how_to_install('ray')}") from None
    return ray


def _check_reachable(host: str, port: int) -> None:
    """Raises LapilliError if no program listens at this host and port. Ray itself would try for minutes."""
    try:
        socket.create_connection((host, port), _REACH_S).close()
    except OSError as error:
        raise LapilliError(f"no Ray cluster is at {host}:{port}: {error.strerror or error}") from None


@contextmanager
def _sigterm_handler_restored() -> Iterator[None]:
    """Context manager that restores the process's SIGTERM handler at the end, because Ray installs its own handler."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _stderr_discarded() -> Iterator[None]:
    """Context manager that discards what this process writes to stderr until the end.

    While Ray disconnects, its threads print messages about cancelled calls. An environment
    variable could switch them off, but then Ray prints a line about the variable.
    """
    sys.stderr.flush()
    with open(os.devnull, "wb") as nowhere:
        kept = os.dup(_STDERR)
        os.dup2(nowhere.fileno(), _STDERR)
    try:
        yield
    finally:
        os.dup2(kept, _STDERR)
        os.close(kept)
