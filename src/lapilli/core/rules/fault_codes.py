"""Integer codes of Terminations. A position's record stores such a code as the reason why a player left the game."""

from __future__ import annotations

from lapilli.core.rules.outcome import Termination

_TERMINATIONS = tuple(Termination)
CODES = len(_TERMINATIONS)
"""Number of codes. They are the integers from `base` to `base + CODES - 1`; `base` is an argument of `code_of`."""


def code_of(termination: Termination, base: int = 1) -> int:
    """Returns the integer code that a position's record stores for a Termination.

    The lowest code is `base`. A game can use smaller numbers for its own purposes. Most games use 0 for a player who is
    not out.
    """
    return base + _TERMINATIONS.index(termination)


def termination_of(code: int, base: int = 1) -> Termination:
    """Returns the Termination with this code: the inverse of `code_of`, with the same `base`."""
    return _TERMINATIONS[code - base]
