"""Answers nonsense, and then uses up a core."""

import os

os.read(0, 65536)
os.write(1, b"nonsense\n")
while True:
    pass
