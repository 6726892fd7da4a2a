"""The record of a position, KINGDOMINO, and the constants that its fields contain."""

from __future__ import annotations

import numpy as np

from lapilli.kernels.kernel import record_dtype

KINGDOMINO = record_dtype(
    [
        ("land", np.uint64, (4, 8)),  # by player: masks of the six terrains, then of the low and high bits of crowns
        ("pile", np.uint64),  # bit n: tile n is not drawn yet
        ("lots", np.int64),  # state of the java.util.Random that draws the tiles; OPEN: the caller draws them
        ("turns", np.int32),  # number of finished referee turns
        ("score", np.int16, 4),  # by player: the sum of the zones' values
        ("box", np.int8, (4, 4)),  # by player: left, right, top, bottom of the territory, relative to the castle
        ("play_tile", np.int8, 4),  # row in play: the tiles to place in this round; 0 in the first round
        ("play_owner", np.int8, 4),  # players who picked these tiles; NOBODY: not picked
        ("pick_tile", np.int8, 4),  # row to pick, ascending; 0: not drawn yet, or no tile because it is the last round
        ("pick_owner", np.int8, 4),  # players who have picked these tiles; NOBODY: not picked yet
        ("left", np.int8, 4),  # by player: code of the fault for which the player left (`fault_codes.code_of`), or 0
        ("players", np.int8),
        ("extent", np.int8),
        ("lot", np.int8),
        ("rounds", np.int8),
        ("options", np.int8),  # WOOD, MIDDLE_KINGDOM, HARMONY
        ("this_round", np.int8),  # from 1
        ("slot", np.int8),  # index of the turn within the round, from 0
        ("phase", np.int8),
    ]
)

DRAW, PUT, PICK, OVER = range(4)
NOBODY = -1
OPEN = -1
WOOD, MIDDLE_KINGDOM, HARMONY = 1, 2, 4
