"""Files that released versions have written are read by this one, and say the same.

`make.py` writes the files of a version. The folders are those of all released versions; none is ever changed.
"""

from __future__ import annotations

import gzip
import sqlite3
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lapilli.core.search.policy import read_weights
from lapilli.envs.learning.datasets.dataset import load_dataset, summary
from lapilli.games import load
from lapilli.match.analysis import load_analysis
from lapilli.match.record import load_record
from lapilli.store import Store, tables
from released.make import EXPECTED, HERE, version
from released.records import found_in
from released.stores import GAME, NOW, content, reopened

VERSIONS = sorted(folder.name for folder in HERE.iterdir() if (folder / EXPECTED).exists())


@cache
def expected(release: str) -> dict[str, Any]:
    """What the version that wrote the files has read in them."""
    found: dict[str, Any] = msgspec.json.decode(gzip.decompress((HERE / release / EXPECTED).read_bytes()))
    return found


RECORDS = [(release, name) for release in VERSIONS for name in expected(release)["records"]]


@pytest.fixture(params=VERSIONS)
def release(request: pytest.FixtureRequest) -> str:
    version: str = request.param
    return version


@pytest.fixture
def file(release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of a version, at the time at which it was written."""
    monkeypatch.setattr("time.time", lambda: NOW)
    copied = tmp_path / "arena.db"
    copied.write_bytes(gzip.decompress((HERE / release / "arena.db.gz").read_bytes()))
    return copied


def as_json(value: Any) -> Any:
    """The same value, with lists in place of tuples."""
    return msgspec.json.decode(msgspec.json.encode(value))


def test_the_version_in_hand_has_its_files() -> None:
    """A release without files would leave nothing to hold later versions to."""
    assert version() in VERSIONS


def test_a_store_is_read_with_all_that_is_in_it(release: str, file: Path) -> None:
    for _ in range(2):  # the second time it has this version
        with Store.open(file, create=False) as store:
            found = content(store)
        for name, value in expected(release)["store"].items():
            assert found[name] == value, name
    with sqlite3.connect(file) as opened:
        assert opened.execute("SELECT version FROM lapilli_store").fetchone() == (tables.VERSION,)
    opened.close()


def test_the_same_command_goes_on_with_a_stored_comparison(release: str, file: Path) -> None:
    with Store.open(file, create=False) as store:
        named = {event.name: event.id for event in store.events()}
        assert reopened(store) == named["new against old"]


@pytest.mark.parametrize(("release", "name"), RECORDS)
def test_records_replay_to_the_same_positions_and_results(release: str, name: str) -> None:
    assert as_json(found_in(HERE / release / name)) == expected(release)["records"][name]


def test_an_analysis_belongs_to_its_record(release: str) -> None:
    folder = HERE / release
    analysis = load_analysis(folder / "analysed.analysis.json", load_record(folder / "analysed.json"))
    assert analysis.whole
    assert len(analysis.turns) > 10


def test_a_data_set_is_the_same(release: str) -> None:
    file = HERE / release / "dataset.npz"
    assert as_json(summary(file)._asdict()) == expected(release)["dataset"]
    examples = load_dataset(file).examples([0, 1])
    assert examples.policies.sum(axis=1) == pytest.approx([1, 1])


def test_weights_are_the_same(release: str) -> None:
    weights = read_weights(load(GAME), HERE / release / "weights.npz")
    assert [float(weight) for weight in weights if weight] == [
        weight for weight in expected(release)["weights"] if weight
    ]
