"""A second process compiles only where the caller allows it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lapilli.search.threads import cores

PROGRAM = """
import os
import sys
from lapilli.players.engines.second_process import in_second_process
ran, wrote = os.pipe()
with in_second_process(lambda: os.write(wrote, b"ran"), lambda *keys: None, allowed=sys.argv[1] == "allowed"):
    pass
os.close(wrote)
print(os.read(ran, 10).decode())
"""


@pytest.mark.parametrize(("allowed", "expected"), [("allowed", "ran" if cores() > 1 else ""), ("not", "")])
def test_a_second_process_runs_if_it_is_allowed(allowed: str, expected: str) -> None:
    """In a process of its own: where other threads run, as in a test, none is started."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, allowed], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == (expected, "")
