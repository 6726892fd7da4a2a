"""Passes a call of the command line to a resident process, or starts a resident process for the next call.

A resident process has loaded Lapilli already and waits for calls. This module imports nothing slow, because every call
of `lapilli referee` and `lapilli match` loads it.
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
"""Beginning of the message that a call has been started. The rest is the id of the process that runs the call."""
ENDED = b"ended "
"""Beginning of the message that a call has ended. The rest is the call's exit code."""
_SOON_S = 60.0
"""A call starts a resident process if the previous call was less than this time ago, in seconds."""
_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_MOST = 64
"""Maximum length of a message, in bytes."""
_CRASHED = 3
"""Exit code of a call if the process that ran the call was killed."""


def hand_over() -> int | None:
    """Lets a resident process run the command line of this process, and waits for the end of the command.

    The command has the standard streams, the current folder and the environment of this process.

    Returns:
        The command's exit code; None if no resident process has started the command. Then this process must run it.
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
    """Reads a message from the resident process, and returns its number: 7 for the message b"ended 7\\n".

    Returns None if the message does not begin with `kind`, or if the connection ends before the message is complete.
    """
    text = b""
    while not text.endswith(b"\n") and len(text) < _MOST:
        read = connection.recv(1)
        if not read:
            return None
        text += read
    return int(text.removeprefix(kind)) if text.startswith(kind) else None


def _forward_signals(process: int) -> None:
    """Sets signal handlers that forward signals such as Ctrl-C to the process that runs the command.

    Without them, these signals would end this process, but not the command. `process`: id of the process that runs the
    command. This process ends only after it.
    """

    def forward(number: int, frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(process, number)

    for number in _FORWARDED:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, forward)


def start_for_next_call() -> None:
    """Starts a resident process, which can run later calls, if this call came shortly after another call.

    In that case, more calls are likely.
    """
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
