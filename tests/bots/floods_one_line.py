"""Writes one line without end."""

import os

while True:
    os.write(1, b"RANDOM " * 1000)
