"""Answers, writes 5000 bytes too many and then one byte a millisecond, as often as its argument says; with a second
argument no more than once."""

import os
import sys
import time

while os.read(0, 65536):
    os.write(1, b"RANDOM\n" + b"more\n" * 1000)
    for _ in range(int(sys.argv[1])):
        time.sleep(0.001)
        os.write(1, b"\n")
    if sys.argv[2:]:
        time.sleep(60)
