"""Closes its stdin at once, or after some turns (first argument), and lives on."""

import os
import sys
import time

for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 0):
    os.read(0, 65536)
    os.write(1, b"RANDOM\n")
os.close(0)
time.sleep(60)
