"""Answers with things that no game understands."""

import os

ANSWERS = [b"\x1b[31mwhat?\x1b[0m\t\x00;DROP TABLE\n", b"\n", b"    \n", "Ω≈ç√∫\n".encode()]
turn = 0
while os.read(0, 65536):
    os.write(1, ANSWERS[turn % len(ANSWERS)])
    turn += 1
