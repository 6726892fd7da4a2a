"""Uses so many megabytes of memory (second argument), itself or in a child's child (first), and then answers."""

import os
import sys
import time

HOW, MEGABYTES = sys.argv[1], int(sys.argv[2])
os.read(0, 65536)
done, says = os.pipe()
if HOW == "itself" or (os.fork() == 0 and os.fork() == 0):
    eaten = []
    for _ in range(MEGABYTES):
        eaten.append(b"x" * (1 << 20))
        time.sleep(0.002)
    os.write(says, b".")
    if HOW != "itself":
        time.sleep(60)
os.read(done, 1)
os.write(1, b"RANDOM\n")
os.read(0, 65536)
