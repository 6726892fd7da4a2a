"""The site's pages in all windows and both themes: nothing is cut, covered, too pale, or too small for a finger.

A run looks at some pages, others each day; `cd tests; python -m looks` looks at all.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from looks.looking import browsing, looked_at, opened, windows
from looks.places import GROUPS, member, places
from selection import today
from web.client import Visitor

DAYS = 4
"""After so many days, each page was looked at."""


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    with member(tmp_path_factory.mktemp("public")) as joined:
        yield joined


@pytest.mark.parametrize("group", GROUPS)
def test_pages_look_right(browser: Browser, visitor: Visitor, group: str) -> None:
    chosen = [place for number, place in enumerate(places(visitor, group)) if number % DAYS == today() % DAYS]
    faults = []
    for touched in (False, True):
        with browsing(browser, visitor, touched) as context:
            for place in chosen:
                with opened(context, place) as page:
                    for window in windows(touched):
                        faults += [f"{place.name}, {window}: {fault}" for fault in looked_at(page, window)]
    assert faults == []
