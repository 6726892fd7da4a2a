"""Leaves a daemon (two forks, a session of its own) that holds the pipes open, and answers.

With an argument: "quiet" has the daemon close the pipes, "bare" leaves instead a child in another process group of
this session that has emptied its environment, "chain" a daemon that starts another every 5 ms (for 20 s: a test that
fails must not fill the machine).
"""

import os
import sys
import time

KIND = sys.argv[1] if len(sys.argv) > 1 else ""
ready, told = os.pipe()
if os.fork() == 0:
    if KIND == "bare":
        os.setpgid(0, 0)
        os.set_inheritable(told, True)
        os.execve("/bin/sh", ["sh", "-c", f"echo >&{told}; sleep 60"], {})
    os.setsid()
    if os.fork():
        os._exit(0)
    if KIND == "quiet":
        for fd in (0, 1, 2):
            os.close(fd)
    os.write(told, b".")
    end = time.monotonic() + 20
    while KIND == "chain" and time.monotonic() < end:
        time.sleep(0.005)
        if os.fork():
            os._exit(0)
        os.setsid()
    time.sleep(60)
    os._exit(0)
os.read(ready, 1)
while os.read(0, 65536):
    os.write(1, b"RANDOM\n")
