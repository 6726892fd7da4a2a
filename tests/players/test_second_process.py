"""A second process compiles only where the caller allows it; where it does not, or fails, the first process does."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lapilli.search.threads import cores

PROGRAM = """
import os
import sys
from lapilli.players.engines.second_process import in_second_process
first = os.getpid()
def work():
    is_first = os.getpid() == first
    print("first" if is_first else "second", flush=True)
    if sys.argv[1] == "fails" and not is_first:
        sys.stderr.close()
        raise OSError
with in_second_process(work, lambda *keys: None, allowed=sys.argv[1] != "not"):
    pass
"""
SECOND = "second" if cores() > 1 else "first"


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [("allowed", [SECOND]), ("not", ["first"]), ("fails", [SECOND, "first"] if cores() > 1 else ["first"])],
)
def test_which_process_works(allowed: str, expected: list[str]) -> None:
    """In a process of its own: where other threads run, as in a test, none is started."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, allowed], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (expected, "")
