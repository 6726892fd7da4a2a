"""Reads a game's balanced openings from `openings.csv` in its data folder."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib.resources.abc import Traversable

from lapilli.core.errors import SetupError
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup

FILE = "openings.csv"
KEYS = ("players", "variant", "league")
"""Setup keys that may be columns of the file. An opening may be used only with a setup that has the same values as the
opening's line. An empty value fits all setups."""
MEASURED = ("number", "playouts", "engine")
"""Columns that this module ignores. `tests/openings.py`, which searches for balanced openings, writes them."""

Row = Mapping[str, str]


def read_openings(folder: Traversable) -> tuple[Row, ...]:
    """Returns a game's openings, the lines of `openings.csv` in its data folder; empty if there is no file.

    An opening is a mapping from the names of the columns to strings. The column `position` contains the position
    notation.

    Raises:
        SetupError: the file has unexpected columns, a row has too few or too many values, or a quotation mark is
            missing.
    """
    file = folder / FILE
    if not file.is_file():
        return ()
    reader = csv.DictReader(file.read_text(encoding="utf-8").splitlines(), strict=True)
    known = {"position", *KEYS, *MEASURED}
    names = reader.fieldnames or ()
    if "position" not in names or not known.issuperset(names):
        raise SetupError(
            f"{file}: expected the column position and any of {', '.join((*KEYS, *MEASURED))}, not {quoted(names)}"
        )
    try:
        rows = tuple(reader)
    except csv.Error as error:
        raise SetupError(f"{file}: {error}") from None
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise SetupError(f"{file}, line {number}: expected {len(names)} columns")
    return rows


def is_for(row: Row, setup: Setup) -> bool:
    """Returns whether an opening (`row`) may be used with a setup whose defaults are filled in.

    The opening's columns `players`, `variant` and `league` must each be empty or equal to the setup's value.
    """
    return all(row.get(key, "") in ("", str(getattr(setup, key))) for key in KEYS)
