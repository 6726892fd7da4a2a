"""The resident process: `python -m lapilli.resident.server SOCKET` runs calls until none has come for a while.

A call is a command line with the caller's standard streams, current folder and environment. The resident process loads
the program once, and also the machine code of each game that a call names. For each call it forks, and the fork runs
the command with the caller's streams, folder and environment.
"""

from __future__ import annotations

import fcntl
import gc
import io
import json
import os
import signal
import socket
import struct
import sys
import threading
import traceback
from contextlib import suppress
from typing import Any, NoReturn

from lapilli.cli import main, preload
from lapilli.core.errors import LapilliError
from lapilli.games import load, names
from lapilli.kernels.cache import cache_base
from lapilli.match import play_match
from lapilli.players.engines.precompile import is_compiled
from lapilli.resident.client import ENDED, STARTED

_IDLE_S = 30.0
"""The resident process ends when no call has come for this time, in seconds."""
_ANSWER_S = 5.0
"""Time limit for each read of a call from a caller's connection, in seconds."""
_MOST = 16 * 1024 * 1024
"""Maximum size of a call, in bytes."""


def serve(path: str, idle_s: float = _IDLE_S) -> None:
    """Runs the calls that arrive at the socket `path`, until no call has come for `idle_s` seconds.

    Returns immediately if another resident process already uses this socket.
    """
    with open(f"{path}.lock", "wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return
        with suppress(FileNotFoundError):
            os.unlink(path)
        preload("referee", ["game", "0", "player"])
        preload("match", ["game", "player"])
        cache_base()  # if it is a temporary folder, it must be this process's, since calls end without removing it
        sources = _sources()  # before a call can come: what is changed from then on is noticed
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            try:
                listener.listen(64)
                _answer_calls(listener, idle_s, sources)
            finally:
                for file in (path, f"{path}.last"):
                    with suppress(FileNotFoundError):
                        os.unlink(file)


def _answer_calls(listener: socket.socket, idle_s: float, sources: dict[str, int]) -> None:
    ready: set[str] = set()
    children: set[int] = set()
    listener.settimeout(idle_s)
    while True:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            children = {child for child in children if not os.waitpid(child, os.WNOHANG)[0]}
            if not children:
                return
            continue
        children = {child for child in children if not os.waitpid(child, os.WNOHANG)[0]}
        with connection:
            if any(_changed_at(file) != at for file, at in sources.items()):  # the caller runs the new program
                return
            call = _read_call(connection)
            if call is None:
                continue
            words, streams = call
            if _prepare(words["argv"], ready):
                sources = _sources()
            child = os.fork()
            if child == 0:
                listener.close()
                _become(connection, words, streams)
            children.add(child)
            for stream in streams:
                os.close(stream)


def _sources() -> dict[str, int]:
    """Returns the source files of all loaded modules of Lapilli, each with the time of its last change, in ns."""
    modules = [module for name, module in list(sys.modules.items()) if name.split(".")[0] == "lapilli"]
    files = [file for module in modules if (file := getattr(module, "__file__", None))]
    return {file: _changed_at(file) for file in files}


def _changed_at(file: str) -> int:
    """Returns the time of a file's last change, in nanoseconds; 0 if the file does not exist."""
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return 0


def _read_call(connection: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Reads a call from a caller's connection. Returns None if the caller is another user, or sends no valid call.

    Returns:
        A dictionary with the keys "argv", "package", "folder" and "environment", and the file descriptors of the
        caller's stdin, stdout and stderr.
    """
    connection.settimeout(_ANSWER_S)
    streams: list[int] = []
    try:
        if hasattr(socket, "SO_PEERCRED"):
            size = struct.calcsize("3i")
            _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
            if user != os.getuid():
                return None
        length = int.from_bytes(_read(connection, 4), "big")
        text, streams, _, _ = socket.recv_fds(connection, 1, 3)
        if length <= _MOST and len(streams) == 3:
            call = json.loads(text + _read(connection, length - 1))
            connection.settimeout(None)
            return call, streams
    except (OSError, ValueError):
        pass
    for stream in streams:
        os.close(stream)
    return None


def _read(connection: socket.socket, length: int) -> bytes:
    parts = b""
    while len(parts) < length:
        part = connection.recv(min(length - len(parts), 1 << 16))
        if not part:
            raise OSError("the caller has gone")
        parts += part
    return parts


def _prepare(words: list[str], ready: set[str]) -> bool:
    """Loads the machine code of each game whose name is in a call's command line, by playing a random match.

    A game whose code is not on disk is skipped, because compiling takes too long.

    Args:
        words: the words of the command line.
        ready: names of the games whose code is loaded already. Games that are loaded now are added.

    Returns:
        Whether the code of a game was loaded now.
    """
    found = [load(name) for name in sorted(set(words) & set(names()) - ready)]
    found = [game for game in found if is_compiled(game)]
    for game in found:
        ready.add(game.name)
        with suppress(LapilliError):
            play_match(game, ["random"] * game.players[0], seed=0)
    if found:
        gc.collect()
        gc.freeze()
    return bool(found)


def _become(connection: socket.socket, call: dict[str, Any], streams: list[int]) -> NoReturn:
    """Runs a call in this fork with the caller's streams, folder and environment, and then ends the fork.

    Sends the messages STARTED and ENDED to the caller. `streams`: the descriptors of stdin, stdout and stderr.
    """
    code = 1
    try:
        connection.sendall(b"%s%d\n" % (STARTED, os.getpid()))
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(io.FileIO(0, "r", closefd=False)),
            io.TextIOWrapper(io.FileIO(1, "w", closefd=False), line_buffering=os.isatty(1)),
            io.TextIOWrapper(io.FileIO(2, "w", closefd=False), line_buffering=True, errors="backslashreplace"),
        )
        os.environ.clear()
        os.environ.update(call["environment"])
        os.chdir(call["folder"])
        sys.argv[:] = call["argv"]
        sys.modules["__main__"].__package__ = call["package"]  # the program's name in messages depends on it
        threading.Thread(target=_end_with_caller, args=(connection,), daemon=True).start()
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except BaseException:
            traceback.print_exc()
        for output in (sys.stdout, sys.stderr):
            with suppress(OSError):
                output.flush()
        connection.sendall(b"%s%d\n" % (ENDED, code))
    finally:
        os._exit(code)


def _end_with_caller(connection: socket.socket) -> None:
    """Waits until the caller's process has ended. Then ends this process with SIGTERM, which acts like Ctrl-C."""
    with suppress(OSError):
        connection.recv(1)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    gc.disable()
    os.chdir("/")
    if os.getpid() != os.getsid(0):  # Ctrl-C in the caller's terminal must not end this process
        os.setsid()
    os.closerange(3, 1 << 16)  # files inherited from the caller: a tool may wait until they are closed
    serve(sys.argv[1], *map(float, sys.argv[2:]))
