"""The tools for writing kernels: the `@kernel` decorator, bit operations and a small random generator.

A kernel is a module-level function with the decorator `@kernel`. Its arguments are numbers, NumPy records and arrays;
it returns numbers. Numba compiles a kernel at its first call and stores the machine code on disk, in a folder that
`lapilli.kernels.cache` chooses.

With NUMBA_DISABLE_JIT=1 all kernels are plain Python functions.
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
from numba.extending import intrinsic

from lapilli.kernels.cache import folder_of
from lapilli.kernels.compiler_choice import FAST, chosen_compiler, waiting_time
from lapilli.kernels.plain_compiler import plain_kernel

_config: Any = numba.config
JIT = not _config.DISABLE_JIT
IS_FAST = chosen_compiler() == FAST
CHANCE = -1
"""Value of `current_player` when chance decides: dice, tile draws, and automatic steps (one outcome, probability 1)."""
SIMULTANEOUS = -2
"""Value of `current_player` when all players decide at once."""
TERMINAL = -4
"""Value of `current_player` when the game is over. OpenSpiel uses the same numbers for these three cases."""

F = TypeVar("F", bound=Callable[..., Any])

# Type names for the arguments of kernels. They are for readers: the compiler infers the types itself.
Position: TypeAlias = Any
"""One position: a NumPy record of a game's dtype. By convention it is the first argument of a verb, named `p`."""
Batch: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
"""An array of positions (see `Position`)."""
Word: TypeAlias = Any
"""A set of cells of a board: an np.uint64 with one bit per cell."""
Ints: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
"""An array of 64-bit integers. In most cases it is an output: the kernel fills it."""
Rng: TypeAlias = "np.ndarray[Any, np.dtype[np.uint64]]"
"""The state of a random generator: an array of one np.uint64, which `new_random` returns."""
Static: TypeAlias = "tuple[Any, ...]"
"""A game's constant data, such as a map, as a tuple of arrays; () for most games. Verbs take them as last arguments."""


def kernel(function: F) -> F:
    """Decorator that compiles a function at its first call. The machine code is cached until a source file changes.

    The compiled function can be called from Python and from other kernels. It must refer to other kernels by global
    names of its module: a kernel that is passed as an argument or captured in a closure is compiled again in every
    process.
    """
    return _compiled(function, parallel=False)


def parallel_kernel(function: F) -> F:
    """Decorator for kernels during whose calls other Python threads can run, because a call releases the GIL.

    Otherwise, it is like the decorator `kernel`. A call takes a little longer. Two threads must not write to the same
    memory, except where the kernel's module says why this does no harm.
    """
    return _compiled(function, parallel=True)


def _compiled(function: F, parallel: bool) -> F:
    if not JIT:
        return function
    if not IS_FAST:
        return cast(F, plain_kernel(function, parallel, folder_of(function)))
    from lapilli.kernels.compiler import Kernel  # with another version of Numba it may not even load

    user_choice = _config.CACHE_DIR
    _config.CACHE_DIR = str(folder_of(function))
    try:
        return cast(F, Kernel(function, parallel))
    finally:
        _config.CACHE_DIR = user_choice


def record_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """Returns the dtype of a game's positions.

    Every field has its natural alignment, and the size is a whole number of 64-bit words. Alignment matters on a GPU,
    which would read a record without gaps byte by byte. Each gap becomes a field (`padding_0`, …). Nothing writes to
    these fields, so they stay zero and positions can be compared by their bytes.

    Args:
        fields: the fields as NumPy expects them: name, type and, for an array, its shape.
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
    return dtype if JIT else np.dtype((np.record, dtype))  # slower, but plain Python can read fields as attributes


class _Listener(event.Listener):  # type: ignore[misc]
    """Listener that Numba calls before and after it compiles a function, to measure and announce compiling.

    Before the first kernel, the listener prints an announcement (that compiling takes a while), unless `callback` is
    set. It also turns off garbage collection during compilation: the compiler produces almost no garbage, and searching
    for garbage takes a tenth of the time.

    Attributes:
        callback: called with each kernel that is compiled; None to print the announcement instead.
        announced: whether the announcement was printed.
        seconds: total time spent compiling, in seconds.
    """

    callback: Callable[[Any], None] | None = None
    announced = False
    seconds = 0.0
    _began = 0.0
    _depth = 0
    _collects = True

    def on_start(self, occurrence: Any) -> None:
        if self._depth == 0:
            self._began = perf_counter()
            self._collects = gc.isenabled()
            gc.disable()
        self._depth += 1
        function = occurrence.data["dispatcher"].py_func
        if not getattr(function, "__module__", "").startswith("lapilli."):
            return
        if self.callback is not None:
            self.callback(function)
        elif not self.announced:
            self.announced = True
            print(
                "lapilli: compiling code that is used for the first time on this machine; this takes "
                f"{waiting_time()} …",
                file=sys.stderr,
            )

    def on_end(self, occurrence: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += perf_counter() - self._began
            if self._collects:
                gc.enable()


_listener = _Listener()
if JIT:
    event.register("numba:compile", _listener)


@contextmanager
def compile_callback(callback: Callable[[Any], None]) -> Iterator[None]:
    """Context manager that calls `callback` with each kernel that is compiled within it, for example to show progress.

    Meanwhile, the usual announcement about compiling is not printed. If a kernel is compiled both to machine code and
    to a code part, `callback` is called twice with this kernel.
    """
    _listener.callback = callback
    try:
        yield
    finally:
        _listener.callback = None


def compile_seconds() -> float:
    """Returns the total time that this process has spent compiling, in seconds.

    The clock of a match subtracts this time from a player's reply time.
    """
    return _listener.seconds


# -------------------------------------------------------------------------------------------- bits

if JIT:

    def _count_ones(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    def _count_trailing_zeros(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    @intrinsic  # type: ignore[untyped-decorator]
    def _popcount(typing: Any, word: Any) -> Any:
        return types.int64(types.uint64), _count_ones

    @intrinsic  # type: ignore[untyped-decorator]
    def _lowest(typing: Any, word: Any) -> Any:
        return types.int64(types.uint64), _count_trailing_zeros

    @kernel
    def popcount(word: Any) -> int:
        """Returns the number of set bits of a 64-bit word."""
        return _popcount(np.uint64(word))  # type: ignore[no-any-return]

    @kernel
    def lowest(word: Any) -> int:
        """Returns the index of the lowest set bit of a 64-bit word; 64 if no bit is set."""
        return _lowest(np.uint64(word))  # type: ignore[no-any-return]

else:

    def popcount(word: Any) -> int:
        """Returns the number of set bits of a 64-bit word."""
        return int(word).bit_count()

    def lowest(word: Any) -> int:
        """Returns the index of the lowest set bit of a 64-bit word; 64 if no bit is set."""
        word = int(word)
        return (word & -word).bit_length() - 1 if word else 64


# ------------------------------------------------------------------------------------------ random
# The generator is xorshift64, which needs only shifts. Its upper 32 bits are random enough for playouts. The better
# xorshift64* needs a product modulo 2^64. If kernels are plain Python functions, NumPy warns when such a product
# overflows. For the same reason, `seed_random` computes seed * factor + summand, modulo 2^64, in halves of 32 bits.
# The state is an array of one np.uint64 that is never zero.

_HALF, _LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)
_FACTOR_HIGH, _FACTOR_LOW = np.uint64(0x9E3779B9), np.uint64(0x7F4A7C15)
_ADDED_HIGH, _ADDED_LOW = np.uint64(0x2545F491), np.uint64(0x4F6CDD1D)


def new_random(seed: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Returns the state of a new random generator for kernels, an array of one np.uint64.

    The same seed, any integer, gives the same numbers on every platform.
    """
    state = np.empty(1, np.uint64)
    seed_random(state, np.uint64(seed % 2**64))
    return state


@kernel
def seed_random(state: Any, seed: Any) -> None:
    """Sets a generator to the state that `new_random` returns for this seed, an np.uint64."""
    low = (seed & _LOW_HALF) * _FACTOR_LOW
    high = (
        (low >> _HALF) + ((seed >> _HALF) * _FACTOR_LOW & _LOW_HALF) + ((seed & _LOW_HALF) * _FACTOR_HIGH & _LOW_HALF)
    )
    low = (low & _LOW_HALF) + _ADDED_LOW
    high = high + _ADDED_HIGH + (low >> _HALF) & _LOW_HALF
    word = high << _HALF | low & _LOW_HALF
    state[0] = word if word else np.uint64(1)
    for _ in range(8):
        random_word(state)


@kernel
def random_word(state: Any) -> Any:
    """Returns 64 random bits (np.uint64) from the generator with this state, and changes the state."""
    word = state[0]
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    state[0] = word
    return word


@kernel
def random_below(state: Any, bound: int) -> Any:
    """Returns a random int64 in [0, bound), almost uniform (bias below bound / 2^32). `bound`: at most 2^31."""
    return np.int64(((random_word(state) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@kernel
def random_unit(state: Any) -> float:
    """Returns a random float64 in [0, 1), a multiple of 2^-53."""
    return float(random_word(state) >> np.uint64(11)) / 9007199254740992.0


@kernel
def random_seed(state: Any) -> int:
    """Returns a random seed from 0 to 2^62 - 1, for another generator."""
    return np.int64(random_word(state) >> np.uint64(2))  # type: ignore[return-value]
