"""Answers, and then writes as many bytes too many as its argument says."""

import os
import sys

while os.read(0, 65536):
    rest = b"RANDOM\n" + b"more\n" * (int(sys.argv[1]) // 5)
    while rest:
        rest = rest[os.write(1, rest) :]
