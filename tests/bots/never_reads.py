"""Sleeps, and does not read its input."""

import time

time.sleep(60)
