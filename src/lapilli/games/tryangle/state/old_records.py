"""Reads records of positions in the form that they had until November 2026, such as those in stored pickles."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.tryangle.board import MAX_HOUSES, MAX_QUEUE, MAX_TRIANGLES
from lapilli.games.tryangle.rules.geometry import table_of
from lapilli.games.tryangle.rules.position import TRYANGLE, enter_triangle, find_open, set_triangle
from lapilli.kernels.kernel import record_dtype

OLD_TRYANGLE = record_dtype(
    [
        ("paths", np.uint64, MAX_HOUSES),
        ("queue", np.int64, (2, MAX_QUEUE)),
        ("spent", np.uint64, (2, 2)),
        ("units", np.int32, (2, MAX_HOUSES)),
        ("remaining", np.int32, (2, MAX_HOUSES)),
        ("score", np.int32, 2),
        ("x", np.int16, MAX_HOUSES),
        ("y", np.int16, MAX_HOUSES),
        ("turn", np.int16),
        ("corners", np.int8, (MAX_TRIANGLES, 3)),
        ("owner", np.int8, MAX_TRIANGLES),
        ("owner_at_start", np.int8, MAX_TRIANGLES),
        ("may", np.int8, MAX_TRIANGLES),  # by triangle: the sum of 1 for player 0 and 2 for player 1
        ("queued", np.int8, 2),
        ("done", np.int8, 2),
        ("left", np.int8, 2),
        ("houses", np.int8),
        ("triangles", np.int8),
        ("league", np.int8),
        ("over", np.int8),
    ]
)
_SETS = ("owner", "owner_at_start", "may")
"""Fields of old records whose contents are sets of triangles today."""


def convert_old(data: bytes) -> Any:
    """Converts an old position to an array of one record in today's format. `data`: the bytes of the old record."""
    old, array = np.frombuffer(data, OLD_TRYANGLE)[0], np.zeros(1, TRYANGLE)
    record = array[0]
    for name in OLD_TRYANGLE.fields or ():
        if name not in _SETS and not name.startswith("padding"):
            record[name] = old[name]
    if record["over"]:
        record["remaining"] = record["units"]
    find_open(record, table_of(record))
    for triangle in range(int(old["triangles"])):
        enter_triangle(record, triangle)
        set_triangle(record, triangle, *(int(old[name][triangle]) for name in _SETS))
    record["rebuilt"] = 1
    return array
