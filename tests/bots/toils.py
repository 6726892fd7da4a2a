"""Answers, and computes all the time (for 30 s: a test that fails must not fill the machine), as its argument says:

in a "thread"; in a "child"; in a child with a "session" of its own; in a "daemon", whose parent is gone; in a "brood"
of ever new children; in two children that "wake" each other, and it, should somebody be stopped. Where it says
"handles", it has handlers for signals that stop and continue, and computes in a thread.
"""

import os
import signal
import sys
import threading
import time

HOW = sys.argv[1]
END = time.monotonic() + 30


def toil(seconds=30, step=lambda: None):
    end = min(time.monotonic() + seconds, END)
    while time.monotonic() < end:
        step()
    os._exit(0)


def wake(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            continue


def breed():
    while time.monotonic() < END:
        pid = os.fork()
        if not pid:
            toil(0.002)
        os.waitpid(pid, 0)
    os._exit(0)


if HOW == "handles":
    for number in (signal.SIGTSTP, signal.SIGCONT, signal.SIGTTIN):
        signal.signal(number, lambda *_: None)
if HOW in ("thread", "handles"):
    threading.Thread(target=toil, daemon=True).start()
elif os.fork() == 0:
    if HOW in ("session", "daemon"):
        os.setsid()
    if HOW == "brood":
        breed()
    if HOW == "wake":
        others = [os.getppid(), os.getpid()]
        pid = os.fork()
        toil(30, lambda: wake([*others, pid] if pid else others))
    if HOW == "daemon" and os.fork():
        os._exit(0)
    toil()
if HOW == "daemon":
    os.wait()
while os.read(0, 65536):
    os.write(1, b"RANDOM\n")
