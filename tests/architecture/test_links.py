"""Links between the files of the repository lead to files and headings that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MADE = ROOT / "docs" / "index.md"
"""Leads to pages that are made when the documentation is built; `test_pages.py` builds it."""
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").rglob("*.md")]
PAGES.remove(MADE)
LINK = re.compile(r"(?:\]\(|src=\")([^)\s\"]+)")


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings, as forges make them."""
    titles: list[str] = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        file, _, heading = link.partition("#")
        if "://" not in link:
            target = (page.parent / file) if file else page
            assert target.exists(), link
            assert not heading or heading in headings(target), link


def test_there_are_links() -> None:
    assert sum(len(LINK.findall(page.read_text(encoding="utf-8"))) for page in PAGES) > 50
