"""Programs in processes that need not load the compiler.

`python -c` with a program that compiles a kernel spends nine tenths of its second on loading Numba and on the start of
the compiler. Here one process has loaded Numba, has compiled a function of its own, and forks itself for each program.
Nothing of Lapilli is loaded before the fork: what it does while it is loaded, each program does by itself, in a process
with its own streams, environment, memory and exit code.

What a test says about loading Numba itself is asked of processes that start from nothing.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

from warm import Warm, WarmProcess, next_request, run_to_the_end, take_over

_HERE = Path(__file__).resolve()


class WarmCompiler(Warm):
    """A process that has loaded the compiler, and forks itself for each program that it is to run."""

    def __init__(self) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA_"))}
        self.environment = kept | {"NUMBA_DISABLE_JIT": "0"}
        self._control, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", str(_HERE), str(its.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=self.environment,
            pass_fds=[its.fileno()],
        )
        its.close()


@cache
def usual() -> WarmCompiler:
    """The one that tests share."""
    started = WarmCompiler()
    atexit.register(started.close)
    return started


class Program:
    """`python -W error -c CODE` in a process of its own.

    Args:
        environment: all its variables.
    """

    def __init__(self, code: str, environment: Mapping[str, str]) -> None:
        self._code = code
        self._out, self._err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")  # noqa: SIM115
        with open(os.devnull) as nothing:
            streams = nothing.fileno(), self._out.fileno(), self._err.fileno()
            self.process: WarmProcess = usual().start([code], streams, environment, Path.cwd())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._out.close()
        self._err.close()

    def done(self, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """Waits for its end; what it wrote."""
        code = self.process.wait(timeout)
        for written in (self._out, self._err):
            written.seek(0)
        return subprocess.CompletedProcess([self._code], code, self._out.read(), self._err.read())


def run_program(code: str, environment: Mapping[str, str], timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """Runs `python -W error -c CODE`. Raises AssertionError where it fails."""
    with Program(code, environment) as program:
        done = program.done(timeout)
    assert done.returncode == 0, done.stderr
    return done


def _load() -> None:
    """Loads the compiler, by compiling what is nobody's."""
    import numba

    numba.njit(lambda number: number + 1)(1)
    gc.collect()
    gc.freeze()


def _run(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """Does what `python -W error -c` does, up to its end."""
    import numba

    take_over(request, descriptors)
    numba.config.reload_config()
    sys.argv = ["-c"]
    sys.path[:0] = ["", *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    assert not any(name.partition(".")[0] == "lapilli" for name in sys.modules)
    code = request["words"][0]
    run_to_the_end(lambda: exec(compile(code, "<string>", "exec"), {"__name__": "__main__"}))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the tests, and they end this
    controlled = socket.socket(fileno=int(sys.argv[1]))
    controlled.set_inheritable(False)
    sys.path.remove(str(_HERE.parent))  # programs do not see the modules of tests
    _load()
    _run(*next_request(controlled))
