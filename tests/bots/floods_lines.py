"""Writes lines without end."""

import os

while True:
    os.write(1, b"RANDOM\n" * 1000)
