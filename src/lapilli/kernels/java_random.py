"""java.util.Random to the bit: the original referees draw their maps and RANDOM moves with it.

The generator is specified in the Java API documentation of `java.util.Random`: 48 bits of linear congruence,
state' = (state * 0x5DEECE66D + 0xB) mod 2^48, of which each call hands out the topmost bits. The functions work on
the bare state, so that a position can keep it in its record and a kernel can draw from it; `JavaRandom` is the
pleasant face.
"""

from __future__ import annotations

from lapilli.kernels.kernel import kernel

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = (1 << 48) - 1


@kernel
def scramble(seed: int) -> int:
    """The state of a new generator with this seed (any 64-bit signed integer)."""
    return (seed ^ _MULTIPLIER) & _MASK


@kernel
def advance(state: int) -> int:
    """The next state. Its topmost n of 48 bits are what `next(n)` hands out."""
    return (int(state) * _MULTIPLIER + _INCREMENT) & _MASK  # int: a record's NumPy integer would overflow in Python


@kernel
def next_int(state: int, bound: int) -> tuple[int, int]:
    """(new state, an integer uniform in [0, bound)); bound from 1 to 2^31 - 1."""
    state = advance(state)
    drawn = state >> 17
    if bound & (bound - 1) == 0:
        return state, (bound * drawn) >> 31
    value = drawn % bound
    while drawn - value + (bound - 1) >= 1 << 31:
        state = advance(state)
        drawn = state >> 17
        value = drawn % bound
    return state, value


@kernel
def next_double(state: int) -> tuple[int, float]:
    """(new state, a number uniform in [0, 1) with 53 random bits)."""
    first = advance(state)
    second = advance(first)
    return second, ((first >> 22 << 27) + (second >> 21)) * (1.0 / (1 << 53))


class JavaRandom:
    """`new java.util.Random(seed)`.

    >>> JavaRandom(0).next_int(80)
    0
    """

    def __init__(self, seed: int) -> None:
        self.state = scramble(seed)

    def next_int(self, bound: int) -> int:
        """nextInt(bound)."""
        self.state, value = next_int(self.state, bound)
        return value

    def next_int32(self) -> int:
        """nextInt(): any 32-bit signed integer."""
        self.state = advance(self.state)
        drawn = self.state >> 16
        return drawn - (1 << 32) if drawn >= 1 << 31 else drawn

    def next_long(self) -> int:
        """nextLong(): any 64-bit signed integer the generator can make."""
        high, low = self.next_int32(), self.next_int32()
        return ((high << 32) + low + (1 << 63)) % (1 << 64) - (1 << 63)

    def next_double(self) -> float:
        """nextDouble()."""
        self.state, value = next_double(self.state)
        return value
