"""Kernels for games of two players in which one player wins."""

from __future__ import annotations

from typing import Any

from lapilli.kernels.kernel import kernel


@kernel
def write_values(winner: int, out: Any) -> None:
    """Writes the players' utilities: +1 for the winner and -1 for the other player, or zeros if nobody has won.

    A game's verb `values` can call this.

    Args:
        winner: the winner, 0 or 1; any other number if nobody has won.
        out: array to fill, of two floats.
    """
    out[0] = out[1] = 0.0
    if winner == 0 or winner == 1:
        out[winner], out[1 - winner] = 1.0, -1.0
