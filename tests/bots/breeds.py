"""Starts processes until it may start no more, or has so many (first argument), and answers how many there are, itself
included."""

import os
import sys
import time

os.read(0, 65536)
number = 1
try:
    while number < int(sys.argv[1]):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        number += 1
except BlockingIOError:
    pass
os.write(1, b"%d\n" % number)
os.read(0, 65536)
