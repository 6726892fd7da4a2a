"""The evaluation function of the alpha-beta search. Its values are in hundredths of a point."""

from __future__ import annotations

from typing import Any

from lapilli.games.pyramids.board import ALL_COLOURS
from lapilli.kernels.kernel import Position, kernel, popcount

WIN = 1_000_000
"""The value of a won game is WIN minus the number of the turn at its end, so that an early win has a higher value."""
SCALES = (130.0, 220.0)
"""Scale of values, by board. The expected score is the logistic function of value / scale. The numbers were fitted to
170 games of the search against itself. In these games, some turns were a beginner's turns."""
WEIGHTS = {"tempo": 90.0, "lead": 26.0, "ripe": 102.0, "colour": 54.0, "open": 48.0, "pair": 37.0}
"""Weights of the evaluation, in hundredths of a point:

- `tempo`: value of being the player to move.
- `lead`: value of one point of lead.
- `ripe`: additional value of one point of lead. It is multiplied by the share of all colours that the player with
  more colours has captured. (The game ends when a player has captured all colours.)
- `colour`: value of each colour of which the player has captured a piece.
- `open`: value of lacking only one piece for a further nest (a small, a medium and a large piece).
- `pair`: value of lacking only one piece for a further solid nest (a nest of one colour).

A logistic regression on the results of 600 games of the search against itself determined them."""
TEMPO, LEAD, RIPE, COLOUR, OPEN, PAIR = range(6)
LONG, _HURRY = 60, 20
"""After turn LONG, which few matches reach, each point of lead has an additional value. It grows with the number of
captured pieces and with the number of turns. Without it, the leading player might play turns without captures until the
turn limit, because they keep the lead, too. With a smaller _HURRY, the additional value is greater."""
_SHARES = 60
"""Denominator of the share of captured colours. It is divisible by 5 and 6, the boards' numbers of colours."""


@kernel
def value(n: Position, weights: Any) -> int:
    """Returns the value of a position for the player to move, in hundredths of a point.

    Args:
        n: the position, as a node of the search (`node.NODE`).
        weights: the values of WEIGHTS, as an array of integers.
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
    worth += max(0, int(n.turn) - LONG) * lead * int(n.captured) // _HURRY
    return worth + lead * (_SHARES * int(weights[LEAD]) + ripe * int(weights[RIPE])) // _SHARES
