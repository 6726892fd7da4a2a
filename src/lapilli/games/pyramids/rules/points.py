"""Computes the score of a player's captured pieces."""

from __future__ import annotations

import numpy as np

from lapilli.games.pyramids.board import CELLS, KIND, NONE, ONE
from lapilli.kernels.kernel import Position, kernel


@kernel
def score(p: Position, player: int) -> int:
    """Returns a player's points for captured pieces, grouped in the way that gives the most points.

    A solid nest (small, medium and large piece of one colour) has 7 points, a mixed nest (three sizes, not of one
    colour) 5, any other piece 1. With T pieces, m pieces of the rarest size and A possible solid nests, the maximum is
    T + 2m + 2A. This is true because m nests can always be made, whatever A is, so as many nests as possible should be
    solid.
    """
    counts = NONE  # three bits per kind
    total = 0
    piece = int(p.top[CELLS + player])
    while piece > 0:
        counts += ONE << np.uint64(3 * int(KIND[piece]))
        total += 1
        piece = int(p.below[piece])
    solid = 0
    smalls = 0
    mediums = 0
    larges = 0
    while counts != NONE:
        small = int(counts & np.uint64(7))
        medium = int((counts >> np.uint64(3)) & np.uint64(7))
        large = int((counts >> np.uint64(6)) & np.uint64(7))
        counts >>= np.uint64(9)
        solid += min(small, medium, large)
        smalls += small
        mediums += medium
        larges += large
    return total + 2 * min(smalls, mediums, larges) + 2 * solid
