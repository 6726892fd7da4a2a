"""Which of the two compilers of kernels this process uses: the fast one or the plain one.

The fast one (`compiler`) builds on private names of Numba, so it is used only with the versions of Numba that it was
tested with. The plain one (`plain_compiler`) uses Numba's public interface alone. Both compile the same sources and
give the same results. The plain one takes about four times as long to compile, and some of its kernels are slower.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.metadata import version

VARIABLE = "LAPILLI_COMPILER"
"""Name of the environment variable that chooses the compiler."""
FAST, PLAIN = "fast", "plain"
"""Values of the environment variable, one for each compiler."""
TESTED_VERSIONS = ("0.68.0", "0.68.1")
"""The versions of Numba with which the fast compiler was tested."""


@cache
def chosen_compiler() -> str:
    """Returns FAST or PLAIN: the value of LAPILLI_COMPILER, or else FAST if the version of Numba is a tested one.

    Another value of the variable is reported on stderr and ignored.
    """
    wanted = os.environ.get(VARIABLE, "")
    if wanted in (FAST, PLAIN):
        return wanted
    if wanted:
        print(f"lapilli: {VARIABLE}={wanted} is ignored: choose {FAST} or {PLAIN}", file=sys.stderr)
    return FAST if is_tested() else PLAIN


def is_tested() -> bool:
    """Returns whether the fast compiler was tested with the installed version of Numba."""
    return version("numba") in TESTED_VERSIONS


def waiting_time() -> str:
    """Returns how long compiling takes, as words for a message. If it takes long, the words include the reason."""
    if chosen_compiler() == FAST:
        return "some seconds"
    why = "" if is_tested() else f", since the fast one was not tested with Numba {version('numba')}"
    return f"a minute or more with the plain compiler{why}"
