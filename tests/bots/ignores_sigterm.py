"""Answers, and ignores all signals that can be ignored."""

import os
import signal

for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"):
    signal.signal(signal.Signals[name], signal.SIG_IGN)
while os.read(0, 65536):
    os.write(1, b"RANDOM\n")
