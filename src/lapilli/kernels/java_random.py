"""A reimplementation of java.util.Random, which the games' original referees use for their maps and RANDOM moves.

The numbers are exactly those of Java. The Java API documentation specifies the generator: it is linear congruential,
with a state of 48 bits and state' = (state * 0x5DEECE66D + 0xB) mod 2^48. Each random number consists of the topmost
bits of one or two new states. The functions take and return the state as an integer. So a position can store the state
in its record, and kernels can draw numbers. The class `JavaRandom` wraps these functions for use from Python.
"""

from __future__ import annotations

from lapilli.kernels.kernel import kernel

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = (1 << 48) - 1


@kernel
def scramble(seed: int) -> int:
    """Returns the first state (48 bits) of a generator for a seed (a 64-bit signed integer)."""
    return (seed ^ _MULTIPLIER) & _MASK


@kernel
def advance(state: int) -> int:
    """Returns the state after `state`. (Java's `next(n)` returns the topmost n of the 48 bits of this new state.)"""
    return (int(state) * _MULTIPLIER + _INCREMENT) & _MASK  # int: in plain Python a NumPy integer overflows


@kernel
def next_int(state: int, bound: int) -> tuple[int, int]:
    """Returns the new state and a uniform random integer in [0, bound). `bound` is from 1 to 2^31 - 1."""
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
    """Returns the new state and a uniform random number in [0, 1) with 53 random bits."""
    first = advance(state)
    second = advance(first)
    return second, ((first >> 22 << 27) + (second >> 21)) * (1.0 / (1 << 53))


class JavaRandom:
    """A random generator like `new java.util.Random(seed)`.

    >>> JavaRandom(0).next_int(80)
    0
    """

    def __init__(self, seed: int) -> None:
        self.state = scramble(seed)

    def next_int(self, bound: int) -> int:
        """Returns the next integer in [0, bound), as Java's nextInt(bound)."""
        self.state, value = next_int(self.state, bound)
        return value

    def next_int32(self) -> int:
        """Returns the next 32-bit signed integer, as Java's nextInt()."""
        self.state = advance(self.state)
        drawn = self.state >> 16
        return drawn - (1 << 32) if drawn >= 1 << 31 else drawn

    def next_long(self) -> int:
        """Returns the next 64-bit signed integer, as Java's nextLong(). As in Java, some values never occur."""
        high, low = self.next_int32(), self.next_int32()
        return ((high << 32) + low + (1 << 63)) % (1 << 64) - (1 << 63)

    def next_double(self) -> float:
        """Returns the next number in [0, 1), as Java's nextDouble()."""
        self.state, value = next_double(self.state)
        return value
