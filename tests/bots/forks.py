"""Leaves a child in its process group that holds the pipes open, answers some turns (first argument), and exits."""

import os
import sys
import time

if os.fork() == 0:
    time.sleep(60)
    os._exit(0)
for _ in range(int(sys.argv[1])):
    os.read(0, 65536)
    os.write(1, b"RANDOM\n")
