"""The site in a process of its own, as people start it, on a store that is theirs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from web.client import Site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One for all tests of a file."""
    started = Site(tmp_path_factory.mktemp("site") / "site.db")
    started.start()
    yield started
    started.stop()


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Site]:
    """One that a test may kill."""
    started = Site(tmp_path / "site.db")
    started.start()
    yield started
    started.stop()
