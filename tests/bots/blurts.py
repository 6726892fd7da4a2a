"""Gives a whole reply and is gone without reading a word."""

import os

os.write(1, b"RANDOM\n")
