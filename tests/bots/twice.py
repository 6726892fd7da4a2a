"""Answers every question twice."""

import os

while os.read(0, 65536):
    os.write(1, b"RANDOM\nRANDOM\n")
