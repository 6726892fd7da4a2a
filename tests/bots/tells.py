"""Answers with what it is asked for: "fds", "session", "blocked", or the value of an environment variable."""

import os
import signal

while question := os.read(0, 65536).decode().strip():
    if question == "fds":
        answer = str([fd for fd in range(256) if os.path.exists(f"/dev/fd/{fd}")])
    elif question == "session":
        answer = f"{os.getpid()} {os.getpgid(0)} {os.getsid(0)} {os.getcwd()}"
    elif question == "blocked":
        answer = str(signal.pthread_sigmask(signal.SIG_BLOCK, []))
    else:
        answer = os.environ.get(question, "")
    os.write(1, answer.encode() + b"\n")
