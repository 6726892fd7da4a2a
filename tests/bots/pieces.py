"""Writes its reply byte by byte."""

import os
import time

while os.read(0, 65536):
    for byte in b"RANDOM\n":
        os.write(1, bytes([byte]))
        time.sleep(0.002)
