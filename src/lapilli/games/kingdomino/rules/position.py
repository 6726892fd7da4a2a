"""The record of a position, KINGDOMINO, and the constants that its fields contain."""

from __future__ import annotations

import numpy as np

from lapilli.kernels.kernel import record_dtype

KINGDOMINO = record_dtype(
    [
        ("land", np.uint64, (4, 8)),  # by player: squares of each terrain, then low and high bits of crowns
        ("pile", np.uint64),  # bit n: tile n is not drawn yet
        ("lots", np.int64),  # state of the java.util.Random that draws tiles; OPEN: the caller draws
        ("turns", np.int32),  # number of finished referee turns
        ("score", np.int16, 4),  # by player: the sum of the zones' values
        ("box", np.int8, (4, 4)),  # by player: left, right, top, bottom of its territory; the castle is at 0
        ("play_tile", np.int8, 4),  # 0: none, in the first round
        ("play_owner", np.int8, 4),  # NOBODY: not picked
        ("pick_tile", np.int8, 4),  # ascending; 0: not drawn yet, or the last round
        ("pick_owner", np.int8, 4),
        ("left", np.int8, 4),  # by player: 0, or why it left the game (`fault_codes.code_of`)
        ("players", np.int8),
        ("extent", np.int8),
        ("lot", np.int8),
        ("rounds", np.int8),
        ("options", np.int8),  # WOOD, MIDDLE_KINGDOM, HARMONY
        ("this_round", np.int8),  # from 1
        ("slot", np.int8),  # from 0
        ("phase", np.int8),
    ]
)

DRAW, PUT, PICK, OVER = range(4)
NOBODY = -1
OPEN = -1
WOOD, MIDDLE_KINGDOM, HARMONY = 1, 2, 4
