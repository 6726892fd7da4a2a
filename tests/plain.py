"""The kernels without the compiler."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout

import goldens
from lapilli.kernels.kernel import JIT


def printed_either_way(program: str) -> str:
    """What a program prints, which must be the same with the compiler and in plain Python, warnings being errors."""
    compiled = _printed_here(program) if JIT else _printed(program, "0")
    assert compiled == printed_plainly(program)
    return compiled


def printed_plainly(program: str) -> str:
    """What a program prints in plain Python, warnings being errors."""
    return _printed(program, "1")


def _printed_here(program: str) -> str:
    """Runs it in this process, which has most kernels loaded; pytest makes warnings errors."""
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


def _printed(program: str, disabled: str) -> str:
    path = os.pathsep.join([str(goldens.TESTS), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": path}
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
