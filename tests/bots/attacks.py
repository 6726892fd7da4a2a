"""Does what its first argument says to what it can see, and answers whether it could.

Its second argument is a word by which it knows its victims' command lines, or a path, or a port.
"""

import ctypes
import os
import pathlib
import signal
import socket
import sys
import termios

HOW, WHAT = sys.argv[1:]


def pids(file):
    """Other processes that have WHAT in this file of theirs; of its own sandbox it knows without."""
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as words, open(f"/proc/{name}/{file}", "rb") as looked_at:
                is_own = file == "cmdline" and b"attacks.py" in words.read()
                if name != str(os.getpid()) and not is_own and WHAT.encode() in looked_at.read():
                    yield int(name)
        except (OSError, ValueError):
            continue


def signal_others(number):
    found = list(pids("cmdline"))
    for pid in found:
        os.kill(pid, number)
    return bool(found)


def open_pipe(number, text):
    for pid in pids("cmdline"):
        fd = os.open(f"/proc/{pid}/fd/{number}", os.O_RDWR | os.O_NONBLOCK)
        return os.write(fd, text) == len(text)
    return False


def write(data, times):
    with open(WHAT, "wb") as file:
        return sum(file.write(data) for _ in range(times)) == times * len(data)


def turn_echo_off():
    with open(WHAT, "rb+", buffering=0) as terminal:
        modes = termios.tcgetattr(terminal)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(terminal, termios.TCSANOW, modes)
        return True


def make_namespace():
    return ctypes.CDLL(None).unshare(0x10000000) == 0


ATTACKS = {
    "rise": make_namespace,
    "kill": lambda: signal_others(signal.SIGKILL),
    "stop": lambda: signal_others(signal.SIGSTOP),
    "rob": lambda: open_pipe(0, b""),
    "speak": lambda: open_pipe(1, b"forged\n"),
    "spy": lambda: any(pids("environ")),
    "read": lambda: bool(pathlib.Path(WHAT).read_bytes()),
    "write": lambda: write(b"here I was", 1),
    "fill": lambda: write(bytes(1 << 20), 100),
    "echo": turn_echo_off,
    "call": lambda: bool(socket.create_connection(("127.0.0.1", int(WHAT)), 2)),
}
while os.read(0, 65536):
    try:
        could = ATTACKS[HOW]()
    except OSError:
        could = False
    os.write(1, b"could\n" if could else b"could not\n")
