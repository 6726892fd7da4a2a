"""Ends its lines as Windows does; two lines a turn."""

import os

while os.read(0, 65536):
    os.write(1, b"RAN\rDOM\r\nSECOND\r\n")
