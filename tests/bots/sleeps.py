"""Thinks for as many milliseconds as its argument says, then answers."""

import os
import sys
import time

while os.read(0, 65536):
    time.sleep(int(sys.argv[1]) / 1000)
    os.write(1, b"RANDOM\n")
