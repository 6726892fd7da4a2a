"""The site of the tests of pages serves these tests, too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from store.conftest import Server, running
from web.conftest import own_site, site

__all__ = ["own_site", "site"]


@pytest.fixture(scope="session")
def database() -> Iterator[Server]:
    """A PostgreSQL server for all of them: each takes a new place in it."""
    yield from running()
