"""What games of two sides, one of which wins, have in common."""

from __future__ import annotations

from typing import Any

from lapilli.kernels.kernel import kernel


@kernel
def write_values(winner: int, out: Any) -> None:
    """Implements the verb `values`: writes +1 for the winner and -1 for the other player, or zeros if nobody has won.

    Args:
        winner: the player who has won, 0 or 1; any other number means that nobody has.
        out: the array to fill.
    """
    out[0] = out[1] = 0.0
    if winner == 0 or winner == 1:
        out[winner], out[1 - winner] = 1.0, -1.0
