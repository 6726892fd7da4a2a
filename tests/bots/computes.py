"""Uses between LOW and HIGH milliseconds of processor time for each answer: computes.py LOW HIGH [HOW].

nice: as one that steps back behind others. crowd: beside eight processes of its own that want the same processor.
"""

import os
import random
import sys
import time

low, high = map(float, sys.argv[1:3])
how = sys.argv[3] if len(sys.argv) > 3 else ""
if how == "nice":
    os.nice(15)
if how == "crowd":
    for _ in range(8):
        if os.fork() == 0:
            while os.getppid() != 1:
                pass
            os._exit(0)
while os.read(0, 65536):
    until = time.process_time() + random.uniform(low, high) / 1000
    while time.process_time() < until:
        pass
    os.write(1, b"RANDOM\n")
