"""Hands a call of the command line over to a resident process, or starts one for the next call.

Nothing slow is imported here: it costs every call of the referee.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from types import FrameType

from lapilli.resident.socket_path import VARIABLE, socket_path

STARTED = b"started "
"""Beginning of the message that a call was taken over; the number of the process follows."""
ENDED = b"ended "
"""Beginning of the message that the call has ended; its exit code follows."""
_SOON_S = 60.0
"""A resident process is started if a call comes this soon after another one, in seconds."""
_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_MOST = 64
"""Maximum length of a message, in bytes."""
_CRASHED = 3
"""Exit code if the process that took the call over was killed."""


def hand_over() -> int | None:
    """Lets a resident process answer this process's call, with its streams, folder and environment.

    Returns:
        The exit code; None if there is no resident process, so that this process must answer the call itself.
    """
    path = None if os.environ.get(VARIABLE) == "0" else socket_path()
    if path is None or not os.path.exists(path):
        return None
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(path)
            package = sys.modules["__main__"].__package__
            call = {"argv": sys.argv, "package": package, "folder": os.getcwd(), "environment": dict(os.environ)}
            text = json.dumps(call).encode()
            connection.sendall(len(text).to_bytes(4, "big"))
            socket.send_fds(connection, [text[:1]], [0, 1, 2])
            connection.sendall(text[1:])
            started = _message(connection, STARTED)
        except OSError:
            return None
        if started is None:
            return None
        _forward_signals(started)
        ended = None
        with suppress(OSError):
            ended = _message(connection, ENDED)
    return _CRASHED if ended is None else ended


def _message(connection: socket.socket, kind: bytes) -> int | None:
    """Reads a message, which ends with a line break, and returns its number; None if the connection ends before."""
    text = b""
    while not text.endswith(b"\n") and len(text) < _MOST:
        read = connection.recv(1)
        if not read:
            return None
        text += read
    return int(text.removeprefix(kind)) if text.startswith(kind) else None


def _forward_signals(process: int) -> None:
    """Sends each signal that would end this process to the process that answers the call; its end ends this one."""

    def forward(number: int, frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(process, number)

    for number in _FORWARDED:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, forward)


def start_for_next_call() -> None:
    """Starts a resident process if a call has come shortly before this one: then more of them will come."""
    path = None if os.environ.get(VARIABLE) == "0" else socket_path()
    if path is None or os.path.exists(path):
        return
    last = f"{path}.last"
    try:
        is_soon = time.time() - os.stat(last).st_mtime < _SOON_S
    except OSError:
        is_soon = False
    with suppress(OSError):
        with open(last, "wb"):
            os.utime(last)
        if is_soon:
            _start(path)


def _start(path: str) -> None:
    before = [word for word in sys.orig_argv[1 : -len(sys.argv)] if word not in ("-m", "-c")]
    nowhere = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0)
    streams = [nowhere, *((os.POSIX_SPAWN_DUP2, 0, number) for number in (1, 2))]
    words = [sys.executable, *before, "-P", "-m", "lapilli.resident.server", path]
    os.posix_spawn(sys.executable, words, os.environ, file_actions=streams)
