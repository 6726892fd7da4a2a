"""Answers while a child writes to stderr without end; the first words come before the first answer."""

import os

begun, begins = os.pipe()
if os.fork() == 0:
    os.write(2, b"complaint\n" * 1000)
    os.write(begins, b".")
    while True:
        os.write(2, b"complaint\n" * 1000)
os.read(begun, 1)
while os.read(0, 65536):
    os.write(1, b"RANDOM\n")
