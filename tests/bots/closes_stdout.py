"""Closes its stdout when it is asked, and lives on."""

import os
import time

os.read(0, 65536)
os.close(1)
time.sleep(60)
