"""Answers before it reads a question."""

import os

while True:
    os.write(1, b"RANDOM\n")
    if not os.read(0, 65536):
        break
