"""Answers with bytes that are not UTF-8, on both outputs."""

import os

while os.read(0, 65536):
    os.write(2, b"\xff\xfe\n")
    os.write(1, b"N\xff1\n")
