"""The kernels without the compiler."""

from __future__ import annotations

import os
import subprocess
import sys

import goldens


def printed_either_way(program: str) -> str:
    """What a program prints, which must be the same with the compiler and in plain Python, warnings being errors."""
    compiled, plain = (_printed(program, disabled) for disabled in "01")
    assert compiled == plain
    return compiled


def _printed(program: str, disabled: str) -> str:
    path = os.pathsep.join([str(goldens.TESTS), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": path}
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
