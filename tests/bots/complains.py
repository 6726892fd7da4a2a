"""Writes to stderr before its reply: as many numbered lines as its first argument says."""

import os
import sys

while os.read(0, 65536):
    for number in range(int(sys.argv[1])):
        os.write(2, f"complaint {number} é\n".encode())
    os.write(1, b"RANDOM\n")
