"""What kernels are made with: the compiler's door, bit tricks, and a small random generator.

A kernel is a module-level function under `@kernel`: integers, NumPy records and arrays in, integers out. Numba compiles
it at its first call and keeps the machine code on disk, in a folder that `lapilli.kernels.cache` names.

With NUMBA_DISABLE_JIT=1 everything here is plain Python.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.core import event
from numba.core.extending import intrinsic

from lapilli.kernels.cache import folder_of
from lapilli.kernels.compiler import Kernel

_config: Any = numba.config
JIT = not _config.DISABLE_JIT
CHANCE = -1
"""`current_player` when nobody decides: dice, tile draws, and automatic steps (one outcome of probability 1)."""
SIMULTANEOUS = -2
"""`current_player` when all players decide at once."""
TERMINAL = -4
"""`current_player` when the game is over. The three numbers are OpenSpiel's."""

F = TypeVar("F", bound=Callable[..., Any])

# What kernels are handed, for readers: the compiler finds out for itself, and a field of a record is whatever it is.
Position: TypeAlias = Any
"""One position: a record of a game's dtype, by convention the first argument, `p`."""
Batch: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
"""An array of positions."""
Word: TypeAlias = Any
"""64 bits, np.uint64: a set of cells."""
Ints: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
"""An array of integers, mostly one to be filled."""
Rng: TypeAlias = "np.ndarray[Any, np.dtype[np.uint64]]"
"""A random generator's state, see `new_random`."""
World: TypeAlias = "tuple[Any, ...]"
"""What never changes in a game and is no part of its positions: arrays that its verbs are handed last. Mostly ()."""


def kernel(function: F) -> F:
    """Compiles a function of integers, records and arrays, with a disk cache that follows every callee's source.

    The compiled function may be called from Python and from other kernels, and must name other kernels at module
    level: one passed as an argument or captured in a closure is compiled anew in every process.
    """
    return _compiled(function, parallel=False)


def parallel_kernel(function: F) -> F:
    """A kernel that lets other threads of Python's run while it does. It takes a little longer to call, and whoever
    calls it sees to it that no two threads write to the same place."""
    return _compiled(function, parallel=True)


def _compiled(function: F, parallel: bool) -> F:
    if not JIT:
        return function
    user_choice = _config.CACHE_DIR
    _config.CACHE_DIR = str(folder_of(function))
    try:
        return cast(F, Kernel(function, parallel))
    finally:
        _config.CACHE_DIR = user_choice


def record_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The dtype of a game's positions: every field on its natural alignment, a whole number of 64-bit words in all.

    Where that leaves room there are fields of padding (`padding_0`, …), which nobody writes, so that they stay zero:
    equality is over the bytes. On a GPU a packed record would be read byte by byte.
    """
    laid: list[tuple[Any, ...]] = []
    size = 0

    def pad(alignment: int) -> None:
        nonlocal size
        if gap := -size % alignment:
            laid.append((f"padding_{len(laid)}", np.uint8, gap))
            size += gap

    for field in fields:
        kind = np.dtype(field[1:] if len(field) > 2 else field[1])
        pad(kind.alignment)
        laid.append(field)
        size += kind.itemsize
    pad(8)
    dtype = np.dtype(laid, align=True)
    return dtype if JIT else np.dtype((np.record, dtype))  # the slower one has attributes in plain Python, too


class _Listener(event.Listener):  # type: ignore[misc]
    """Hears of every kernel that is compiled: tells the user once why a first call takes a while, and counts how long.

    Meanwhile no garbage is collected: the compiler leaves next to none, and looking for it takes a tenth of its time.
    """

    heard: Callable[[Any], None] | None = None
    announced = False
    seconds = 0.0
    _began = 0.0
    _depth = 0
    _collects = True

    def on_start(self, happened: Any) -> None:
        if self._depth == 0:
            self._began = perf_counter()
            self._collects = gc.isenabled()
            gc.disable()
        self._depth += 1
        function = happened.data["dispatcher"].py_func
        if not getattr(function, "__module__", "").startswith("lapilli."):
            return
        if self.heard is not None:
            self.heard(function)
        elif not self.announced:
            self.announced = True
            print(ANNOUNCEMENT, file=sys.stderr)

    def on_end(self, happened: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += perf_counter() - self._began
            if self._collects:
                gc.enable()


ANNOUNCEMENT = (
    "lapilli: compiling kernels for this machine, once; this takes some seconds (or beforehand: lapilli compile) …"
)
_listener = _Listener()
if JIT:
    event.register("numba:compile", _listener)


@contextmanager
def heard_compiling(hear: Callable[[Any], None]) -> Iterator[None]:
    """Inside, `hear` is told each function that is compiled (some twice), instead of an announcement to the user."""
    _listener.heard = hear
    try:
        yield
    finally:
        _listener.heard = None


def compile_seconds() -> float:
    """How long this process has spent compiling kernels: time that is nobody's thinking."""
    return _listener.seconds


# -------------------------------------------------------------------------------------------- bits

if JIT:

    def _count_ones(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    def _count_trailing_zeros(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    @intrinsic
    def _popcount(typing: Any, word: Any) -> Any:
        return types.int64(types.uint64), _count_ones

    @intrinsic
    def _lowest(typing: Any, word: Any) -> Any:
        return types.int64(types.uint64), _count_trailing_zeros

    @kernel
    def popcount(word: Any) -> int:
        """How many bits of a 64-bit word are set."""
        return _popcount(np.uint64(word))  # type: ignore[call-arg]

    @kernel
    def lowest(word: Any) -> int:
        """The index of the lowest set bit; 64 for an empty word."""
        return _lowest(np.uint64(word))  # type: ignore[call-arg]

else:

    def popcount(word: Any) -> int:
        """How many bits of a 64-bit word are set."""
        return int(word).bit_count()

    def lowest(word: Any) -> int:
        """The index of the lowest set bit; 64 for an empty word."""
        word = int(word)
        return (word & -word).bit_length() - 1 if word else 64


# ------------------------------------------------------------------------------------------ random
# xorshift64* would need a wrapping product, which plain Python warns of; xorshift64 needs shifts alone, and its upper
# half passes what playouts ask of it. The state is an array of one np.uint64, never zero.


def new_random(seed: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A generator for kernels: same seed, same numbers, on every platform."""
    state = np.array([(seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) % 2**64 or 1], np.uint64)
    for _ in range(8):
        random_word(state)
    return state


@kernel
def random_word(state: Any) -> Any:
    """The next 64 bits."""
    word = state[0]
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    state[0] = word
    return word


@kernel
def random_below(state: Any, bound: int) -> Any:
    """A 64-bit signed integer in [0, bound), bound up to 2^31; the bias is below bound / 2^32."""
    return np.int64(((random_word(state) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))
