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
"""Setup keys that may be columns: a row is for setups that have its value, or for all where it has none."""
MEASURED = ("number", "playouts", "engine")
"""Columns that play no part here: see `tests/openings.py`, which writes them."""

Row = Mapping[str, str]


def read_openings(folder: Traversable) -> tuple[Row, ...]:
    """The rows of the file in a game's folder, each a position notation by the name `position` and what else the file
    says of it; none where there is no file. Raises SetupError where its columns are not those."""
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
    """Whether the opening of this row is one for a completed setup, as far as the columns of KEYS say."""
    return all(row.get(key, "") in ("", str(getattr(setup, key))) for key in KEYS)
