"""Reads all and says nothing; some turns (first argument) it answers first."""

import os
import sys

for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 0):
    os.read(0, 65536)
    os.write(1, b"RANDOM\n")
while os.read(0, 65536):
    pass
