"""Answers with one line of as many bytes as its argument says."""

import os
import sys

while os.read(0, 65536):
    rest = b"x" * int(sys.argv[1]) + b"\n"
    while rest:
        rest = rest[os.write(1, rest) :]
