"""The pages' modules that need no page: their tests lie in `tests/scripts` and run in Node, without a browser."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"


def test_modules_in_node() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not on this machine (Debian: apt-get install nodejs)")
    files = sorted(map(str, SCRIPTS.glob("*.test.js")))
    assert files
    done = subprocess.run([node, "--test", *files], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
