"""Answers while a child writes to stderr without end."""

import os

if os.fork() == 0:
    while True:
        os.write(2, b"complaint\n" * 1000)
while os.read(0, 65536):
    os.write(1, b"RANDOM\n")
