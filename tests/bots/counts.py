"""Answers with the number of bytes up to the end of the line, once it has read them all."""

import sys

for line in sys.stdin.buffer:
    print(len(line), flush=True)
