"""Writes files as this version of Lapilli stores them: cd tests; python -m released.make

Run it for each release, right before the version is published, and commit the folder with the version's name. (Until
then, remove the folder first to write it again.) Later versions must read these files; `test_released.py` tests it.
Never write the files of a published version again.
"""

from __future__ import annotations

import gzip
import sqlite3
import tempfile
import tomllib
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import numpy as np

from lapilli.core.api import Setup
from lapilli.core.search.policy import policy_of, write_weights
from lapilli.envs.learning.datasets.making import make_dataset
from lapilli.envs.learning.datasets.playing import Plan
from lapilli.games import load
from lapilli.match import Record
from lapilli.match.analyser import Analyser
from lapilli.search.budget import Budget
from lapilli.store import Store
from released.records import found_in, played, write_records
from released.stores import GAME, NOW, content, empty_tables, fill

HERE = Path(__file__).resolve().parent
PLAN = Plan(game=GAME, player="uct:nodes=20", matches=2, seed=7)
EXPECTED = "expected.json.gz"
"""Name of the file that says what a program must read in the others."""


def version() -> str:
    """The version in `pyproject.toml`."""
    with (HERE.parents[1] / "pyproject.toml").open("rb") as file:
        found: str = tomllib.load(file)["project"]["version"]
    return found


def main() -> None:
    folder = HERE / version()
    folder.mkdir()
    write_records(folder)
    expected: dict[str, Any] = {
        "records": {file.name: found_in(file) for file in sorted(folder.iterdir())},
        "store": _write_store(folder, [played(GAME, Setup(seed=seed)) for seed in (1, 2)]),
        "dataset": make_dataset(PLAN, folder / "dataset.npz", map)._asdict(),
        "weights": _write_weights(folder),
    }
    _write_analysis(folder, played(GAME, Setup(seed=3)))
    packed = gzip.compress(msgspec.json.format(msgspec.json.encode(expected), indent=1), 9, mtime=0)
    (folder / EXPECTED).write_bytes(packed)
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"Wrote {len(list(folder.iterdir()))} files, {size / 1024:.0f} KiB, to {folder}.")


def _write_store(folder: Path, matches: list[Record]) -> dict[str, Any]:
    """Writes a store as a compressed SQLite file; what a program reads in it."""
    with tempfile.TemporaryDirectory() as place, patch("time.time", lambda: NOW):
        file = Path(place) / "arena.db"
        with Store.open(file) as store:
            fill(store, matches)
            assert not empty_tables(store), empty_tables(store)
            found = content(store)
        with sqlite3.connect(file) as opened:
            opened.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        opened.close()
        (folder / "arena.db.gz").write_bytes(gzip.compress(file.read_bytes(), 9, mtime=0))
    return found


def _write_weights(folder: Path) -> list[float]:
    """Writes weights that are 0 but for a few; these few."""
    game = load(GAME)
    weights = np.zeros(policy_of(game).patterns, np.float32)
    weights[::20_000] = np.arange(len(weights[::20_000])) / 8
    with (folder / "weights.npz").open("wb") as file:
        write_weights(file, game, weights)
    return [float(weight) for weight in weights[::20_000]]


def _write_analysis(folder: Path, record: Record) -> None:
    record.save(folder / "analysed.json")
    analyser = Analyser(record, "uct", Budget(nodes=50))
    for _ in analyser.analyse():
        pass
    analyser.analysis.save(folder / "analysed.analysis.json")


if __name__ == "__main__":
    main()
