"""Begins a line, and stalls; or exits, with the argument "exit"."""

import os
import sys
import time

os.read(0, 65536)
os.write(1, b"RAND")
if sys.argv[1:] != ["exit"]:
    time.sleep(60)
