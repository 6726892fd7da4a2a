"""A clock that kernels can read. Searches use it to stop in time."""

from __future__ import annotations

import time
from typing import Any

from numba import types

from lapilli.kernels.kernel import JIT, Ints, kernel

_MONOTONIC = time.CLOCK_MONOTONIC
_clock_gettime: Any
if JIT:
    _clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.CPointer(types.int64)))
else:

    def _clock_gettime(_clock: int, scratch: Any) -> int:
        scratch._arr[0], scratch._arr[1] = divmod(time.clock_gettime_ns(_MONOTONIC), 1_000_000_000)
        return 0


@kernel
def now_ns(scratch: Ints) -> int:
    """Returns the time of `time.monotonic_ns`, in nanoseconds. One call takes about 30 ns.

    Args:
        scratch: array of two integers, which the call overwrites.
    """
    _clock_gettime(_MONOTONIC, scratch.ctypes)
    now: int = scratch[0] * 1_000_000_000 + scratch[1]
    return now
