"""The site in a process of its own, as people start it, on a store that is theirs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from web.client import People, PublicSite, Site, Visitor


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


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    """Two members and a guest of a public site, for all tests of a file."""
    site = PublicSite(tmp_path_factory.mktemp("public") / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as ada, Visitor(site) as grace, Visitor(site) as guest:
        assert ada.join("Ada", site.owner_link).status_code == 303
        assert grace.join("Grace").status_code == 303
        yield People(site, ada, grace, guest)
    code, errors = site.stop()
    assert (code, "Traceback" in errors) == (0, False), errors
