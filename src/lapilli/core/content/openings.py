"""A game's balanced openings: data in its folder, in `openings.csv`."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib.resources.abc import Traversable

from lapilli.core.errors import SetupError
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup

FILE = "openings.csv"
KEYS = ("players", "variant", "league")
"""Setup keys that may be columns. A row is for setups with the column's value, or for all setups if that is empty."""
MEASURED = ("number", "playouts", "engine")
"""Columns that are ignored here: see `tests/openings.py`, which writes them."""

Row = Mapping[str, str]


def read_openings(folder: Traversable) -> tuple[Row, ...]:
    """Returns the rows of the file in a game's folder; none if there is no file.

    Each row has a position notation in the column `position`, and the values of the other columns.

    Raises:
        SetupError: the columns are not the expected ones.
    """
    file = folder / FILE
    if not file.is_file():
        return ()
    reader = csv.DictReader(file.read_text(encoding="utf-8").splitlines(), strict=True)
    known = {"position", *KEYS, *MEASURED}
    names = reader.fieldnames or ()
    if "position" not in names or not known.issuperset(names):
        raise SetupError(
            f"{file}: columns are position and any of {', '.join((*KEYS, *MEASURED))}, not {quoted(names)}"
        )
    rows = tuple(reader)
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise SetupError(f"{file}, line {number}: expected {len(names)} columns")
    return rows


def is_for(row: Row, setup: Setup) -> bool:
    """Returns whether the opening in this row suits a completed setup, according to the columns of KEYS."""
    return all(row.get(key, "") in ("", str(getattr(setup, key))) for key in KEYS)
