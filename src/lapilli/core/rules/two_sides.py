"""What games of two sides, one of which wins, share."""

from __future__ import annotations

from typing import Any

from lapilli.kernels.kernel import kernel


@kernel
def write_values(winner: int, out: Any) -> None:
    """The verb `values` where a player, 0 or 1, has won; zeros for another number, which stands for nobody."""
    out[0] = out[1] = 0.0
    if winner == 0 or winner == 1:
        out[winner], out[1 - winner] = 1.0, -1.0
