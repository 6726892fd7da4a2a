"""What a position is worth, in hundredths of a point."""

from __future__ import annotations

from typing import Any

from lapilli.games.pyramids.board import ALL_COLOURS
from lapilli.kernels.kernel import Position, kernel, popcount

WIN = 1_000_000
"""The value of a won game, less a little for each turn that was needed."""
SCALES = (130.0, 220.0)
"""By board: the expected score is the logistic function of value / this, as fitted to 170 games of the search against
itself with some beginners' turns."""
WEIGHTS = {"tempo": 90.0, "lead": 26.0, "ripe": 102.0, "colour": 54.0, "open": 48.0, "pair": 37.0}
"""What it is worth, in hundredths of a point: to be on the move; a point of the lead, and as much more as the side that
has more colours has of all, the end of the game being as near; a colour; that but one piece is missing to a further
nest, to a further solid nest.

They come from a logistic regression on the results of 600 games of the search against itself."""
TEMPO, LEAD, RIPE, COLOUR, OPEN, PAIR = range(6)
_SHARES = 60
"""A number that both boards' numbers of colours divide."""


@kernel
def value(n: Position, weights: Any) -> int:
    """What a node is worth to the player to move.

    Args:
        weights: an array of those of WEIGHTS.
    """
    lead = int(n.points[n.player]) - int(n.points[1 - n.player])
    if n.over:
        if lead == 0:
            return 0
        won = WIN - int(n.turn)
        return won if lead > 0 else -won
    mine = int(n.player)
    own = popcount(n.colours[mine])
    others = popcount(n.colours[1 - mine])
    worth = int(weights[TEMPO]) + int(weights[COLOUR]) * (own - others)
    worth += int(weights[OPEN]) * (int(n.open[mine]) - int(n.open[1 - mine]))
    worth += int(weights[PAIR]) * (int(n.pairs[mine]) - int(n.pairs[1 - mine]))
    ripe = _SHARES * max(own, others) // popcount(ALL_COLOURS[n.board])
    return worth + lead * (_SHARES * int(weights[LEAD]) + ripe * int(weights[RIPE])) // _SHARES
