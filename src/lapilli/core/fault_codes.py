"""How a position's record keeps why somebody is out: a small number that stands for a Termination."""

from __future__ import annotations

from lapilli.core.outcome import Termination

_TERMINATIONS = tuple(Termination)
CODES = len(_TERMINATIONS)
"""How many codes there are: from `base` to `base + CODES - 1`."""


def code_of(termination: Termination, base: int = 1) -> int:
    """The number that a record keeps; codes count from `base`, numbers below it are the game's own."""
    return base + _TERMINATIONS.index(termination)


def termination_of(code: int, base: int = 1) -> Termination:
    """The reverse of `code_of`."""
    return _TERMINATIONS[code - base]
