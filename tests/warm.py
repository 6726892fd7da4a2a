"""Commands in processes that need not start from nothing.

`python -m lapilli` spends a second on loading before it does anything. Here one process loads everything once, and
forks itself for each command. What runs a command is still a process of its own, with its own streams, folder,
environment, signals, memory and exit code; only its modules were loaded before.

What a test says about loading itself, about a shell, or about memory, is asked of processes that start from nothing.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import resource
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, Protocol

_AT_LOADING = ("COLUMNS", "FORCE_COLOR", "LANG", "LAPILLI_GAMES", "NO_COLOR", "TERM")
_AT_LOADING_PREFIXES = ("LC_", "LD_", "NUMBA_", "PYTHON")
_NOT_AT_LOADING = ("PYTHONBREAKPOINT",)
"""Variables with such a prefix that count for nothing here. Ray sets this one in whatever process has used it."""
_CACHES = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME")
"""Variables that count while modules are loaded: with other ones, a process must start from nothing."""
AT_START: dict[str, str] = {}
"""The variables that tests begin with, before one of them changes any: `conftest.py` notes them."""
_LATE = (
    "lapilli.viewer",
    "lapilli.site.server",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
)
"""Modules that commands load only once they run."""
_MOST = 1 << 17
"""Bytes of a request, of which the environment takes most."""


class Running(Protocol):
    """A process, as `subprocess.Popen` has it."""

    pid: int
    returncode: Any

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int) -> None: ...
    def kill(self) -> None: ...


class WarmProcess:
    """A command that a `Warm` runs."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.pid = int(_heard(connection))
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Returns the exit code, as `subprocess` has it; None while the process runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the exit code. Raises `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            self._connection.settimeout(timeout)
            try:
                self.returncode = int(_heard(self._connection))
            except (BlockingIOError, TimeoutError):
                raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0) from None
            self._connection.close()
        return self.returncode

    def send_signal(self, sig: int) -> None:
        """Sends a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, sig)

    def kill(self) -> None:
        """Ends the process at once."""
        self.send_signal(signal.SIGKILL)


def _heard(connection: socket.socket) -> str:
    """What the other side says. Raises `RuntimeError` where it has ended."""
    if said := connection.recv(64):
        return said.decode()
    connection.close()
    raise RuntimeError("the process that commands are forked from has ended; its stderr says why")


class Warm:
    """A process that has loaded all commands, and forks itself for each that it is to run.

    Args:
        started_by: makes its command one that starts it otherwise, say as another user.
        environment: variables that it starts with; None for those of this process.
        modules: what it loads instead of all commands, for other programs than `lapilli`.
    """

    def __init__(
        self,
        started_by: Callable[[Sequence[str]], Sequence[str]] = list,
        environment: Mapping[str, str] | None = None,
        modules: Sequence[str] = (),
    ) -> None:
        self.environment = dict(environment or os.environ)
        self._control, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            started_by([sys.executable, str(Path(__file__).resolve()), str(its.fileno()), *modules]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=self.environment,
            pass_fds=[its.fileno()],
        )
        its.close()

    def fits(self, environment: Mapping[str, str]) -> bool:
        """Whether a process with these variables would have loaded the same as this one."""
        return _at_loading(environment) == _at_loading(self.environment)

    def start(
        self,
        words: Sequence[str],
        streams: tuple[int, int, int],
        environment: Mapping[str, str],
        cwd: Path | None = None,
        own_session: bool = False,
        spare: int | None = None,
        program: Path | None = None,
    ) -> WarmProcess:
        """Starts `lapilli WORDS`.

        Args:
            streams: descriptors of stdin, stdout and stderr; they stay open here.
            environment: all its variables. cwd: its folder; None for the one of this process when it started.
            own_session: whether it begins a session, as `subprocess.Popen(start_new_session=True)` does.
            spare: how many descriptors it may open at once; None for as many as this process may.
            program: a file with another program of Python's.
        """
        asked = {
            "words": list(words),
            "environment": dict(environment),
            "cwd": None if cwd is None else str(cwd),
            "own_session": own_session,
            "spare": spare,
            "program": None if program is None else str(program),
        }
        request = json.dumps(asked).encode()
        assert len(request) < _MOST
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            socket.send_fds(self._control, [request], [*streams, its.fileno()])
        return WarmProcess(ours)

    def close(self) -> None:
        """Ends it; commands that still run go on."""
        self._control.close()
        self._process.wait()


def _at_loading(environment: Mapping[str, str]) -> dict[str, str]:
    names = [name for name in environment if name in _AT_LOADING or name.startswith(_AT_LOADING_PREFIXES)]
    names = [name for name in names if name not in _NOT_AT_LOADING]
    cache = next((name for name in _CACHES if environment.get(name)), "")
    return {name: environment[name] for name in (*names, cache) if name}


@cache
def usual() -> Warm:
    """The one that tests share."""
    started = Warm(environment=AT_START)
    atexit.register(started.close)
    return started


def _load(modules: Sequence[str]) -> None:
    """Loads these modules, or what commands would load."""
    if modules:
        for name in modules:
            import_module(name)
    else:
        _load_commands()
    gc.collect()
    gc.freeze()  # what is shared with the forks is not written to, which would copy it


def _load_commands() -> None:
    import typer

    from lapilli.cli import app
    from lapilli.games import load, names
    from lapilli.kernels.kernel import JIT
    from lapilli.match import play_match
    from lapilli.players.engines.precompile import is_compiled

    group = typer.main.get_command(app)
    context = group.make_context("lapilli", [], resilient_parsing=True)
    for name in group.list_commands(context):  # type: ignore[attr-defined]
        group.get_command(context, name)  # type: ignore[attr-defined]
    for name in _LATE:
        import_module(name)
    for game in map(load, names()):
        if JIT and is_compiled(game):  # loads its machine code; nothing is compiled here
            play_match(game, ["random"] * game.players[0], seed=1)


def next_request(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Forks for each request; returns in the forks, with the request and the descriptors of its streams."""
    running: dict[int, tuple[int, socket.socket]] = {}  # by descriptor: the process, and who waits for it
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fd in running:
                    selector.unregister(key.fd)
                    os.close(key.fd)
                    pid, connection = running.pop(key.fd)
                    _tell(connection, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
                    connection.close()
                    continue
                data, descriptors, _, _ = socket.recv_fds(control, _MOST, 4)
                if not data:
                    raise SystemExit
                connection = socket.socket(fileno=descriptors.pop())
                if (pid := os.fork()) == 0:
                    for descriptor, (_, waiting) in running.items():
                        os.close(descriptor)
                        waiting.close()
                    connection.close()
                    control.close()
                    return json.loads(data), descriptors
                for descriptor in descriptors:
                    os.close(descriptor)
                _tell(connection, pid)
                ended = os.pidfd_open(pid)
                running[ended] = pid, connection
                selector.register(ended, selectors.EVENT_READ)


def _tell(connection: socket.socket, number: int) -> None:
    """Sends a number, unless nobody waits for it any more."""
    try:
        connection.send(str(number).encode())
    except BrokenPipeError:
        return


def take_over(request: dict[str, Any], descriptors: list[int]) -> None:
    """Makes this fork a process with the streams, folder, environment and limits that a request asks for."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin = open(0, encoding=sys.stdin.encoding, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding=sys.stdout.encoding, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, encoding=sys.stderr.encoding, errors="backslashreplace", closefd=False)  # noqa: SIM115
    if request["cwd"] is not None:
        os.chdir(request["cwd"])
    if request["own_session"]:
        os.setsid()
    if request["spare"] is not None:
        limit = max(map(int, os.listdir("/dev/fd"))) + request["spare"]
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    os.environ.clear()
    os.environ.update(request["environment"])
    signal.signal(signal.SIGINT, signal.default_int_handler)


def run_to_the_end(run: Callable[[], object]) -> NoReturn:
    """Calls this, and ends the process as Python would."""
    code = 0
    try:
        run()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1 if end.code else 0
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    # As multiprocessing ends its forks: to take down module by module takes longer than most commands.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _run(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """Does what `python -m lapilli`, or `python PROGRAM`, does, up to its end."""
    take_over(request, descriptors)
    program = request["program"]
    sys.argv = [program or "lapilli", *request["words"]]
    sys.path[0] = str(Path(program).parent) if program else os.getcwd()
    if program:
        run_to_the_end(lambda: runpy.run_path(program, run_name="__main__"))
    run_to_the_end(lambda: runpy.run_module("lapilli", run_name="__main__", alter_sys=True))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the tests, and they end this
    controlled = socket.socket(fileno=int(sys.argv[1]))
    controlled.set_inheritable(False)
    _load(sys.argv[2:])
    _run(*next_request(controlled))
