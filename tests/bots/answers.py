"""Behaves: one reply a turn."""

import os
import sys

REPLY = (sys.argv[1] if len(sys.argv) > 1 else "RANDOM").encode() + b"\n"
while os.read(0, 65536):
    os.write(1, REPLY)
