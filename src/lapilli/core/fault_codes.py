"""Numbers by which a position's record stores why a player is out: each stands for a Termination."""

from __future__ import annotations

from lapilli.core.outcome import Termination

_TERMINATIONS = tuple(Termination)
CODES = len(_TERMINATIONS)
"""Number of codes: they run from `base` to `base + CODES - 1`."""


def code_of(termination: Termination, base: int = 1) -> int:
    """Returns the number that a record stores.

    Codes count from `base`; smaller numbers are free for the game's own use.
    """
    return base + _TERMINATIONS.index(termination)


def termination_of(code: int, base: int = 1) -> Termination:
    """Returns the Termination of a code: the reverse of `code_of`."""
    return _TERMINATIONS[code - base]
