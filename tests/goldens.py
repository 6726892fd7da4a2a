"""Where the original referees' traces lie: the sample kept here, and all of them where the project's sources are."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent
EVERYTHING = TESTS.parent.parent / "shared" / "golden"


def folder(game: str) -> Path:
    """The folder of `game`'s traces: all of them where they are at hand, else the sample."""
    return EVERYTHING if EVERYTHING.is_dir() else TESTS / "games" / game / "golden"


def lines(game: str, file: str) -> Iterator[dict[str, Any]]:
    with gzip.open(folder(game) / file, "rt", encoding="utf-8") as text:
        for line in text:
            yield json.loads(line)


def document(game: str, file: str) -> Any:
    return json.loads((folder(game) / file).read_text(encoding="utf-8"))
