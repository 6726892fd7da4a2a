"""Gives a whole reply and is gone."""

import os

os.read(0, 65536)
os.write(1, b"RANDOM\n")
