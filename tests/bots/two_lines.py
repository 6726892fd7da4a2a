"""Answers with two lines, with a pause between them; with the argument "once" the second never comes."""

import os
import sys
import time

while os.read(0, 65536):
    os.write(1, b"FIRST\n")
    time.sleep(0.01)
    if sys.argv[1:] != ["once"]:
        os.write(1, b"SECOND\n")
