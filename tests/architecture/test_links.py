"""Links between the files of the repository lead to files and headings that are there; each page is in the menu, and
short enough to be read in one go.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MADE = ROOT / "docs" / "index.md"
"""Leads to pages that are made when the documentation is built; `test_pages.py` builds it."""
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").rglob("*.md")]
PAGES.remove(MADE)
MADE_PAGES = ("reference/commands.md", "reference/examples.md", "games/", "contribute/")
"""Beginnings of the names of pages that are not written in `docs`."""
MOST_WORDS = 1500
"""Words of a page that people read, which is no reference."""
MOST_LINES, LARGEST_TOUR = 120, 3_000_000
"""Lines of the README, and bytes of its moving picture."""
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


def tables(text: str) -> list[list[str]]:
    """Returns the tables of a page, each as a list of its lines. Code blocks are left out."""
    parts = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL).split("\n\n")
    found = ([line.strip() for line in part.splitlines() if line.startswith("|")] for part in parts)
    return [lines for lines in found if lines]


def test_rows_of_tables_are_lines() -> None:
    """Each row is a line of its own, with as many cells as the head of its table: browsers leave out further cells."""
    wrong = list[str]()
    for page in PAGES:
        for head, *rows in tables(page.read_text(encoding="utf-8")):
            bars = [re.sub(r"`[^`]*`|\\\|", "", line).count("|") for line in (head, *rows)]
            wrong += [
                f"{page.name}: {row[:60]}"
                for row, count in zip(rows, bars[1:], strict=True)
                if count != bars[0] or row[-1] != "|"
            ]
    assert wrong == []


def test_there_are_links() -> None:
    assert sum(len(LINK.findall(page.read_text(encoding="utf-8"))) for page in PAGES) > 50


def menu() -> dict[str, list[str]]:
    """The pages of the documentation's menu, by the menu's parts."""
    told = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    parts = (part for entry in told["project"]["nav"] for part in entry.items())
    return {name: [file for page in pages for file in page.values()] for name, pages in parts}


def test_each_page_is_in_the_menu_once() -> None:
    docs = ROOT / "docs"
    named = [file for files in menu().values() for file in files if not file.startswith(MADE_PAGES)]
    assert sorted(named) == sorted(str(page.relative_to(docs)) for page in docs.rglob("*.md"))


def test_pages_are_short() -> None:
    read = [file for part in ("Start", "Guides", "Explanation", "Contribute") for file in menu()[part]]
    places = {file: ROOT / "docs" / file.replace("contribute/", "../") for file in read}
    lengths = {file: len(place.read_text(encoding="utf-8").split()) for file, place in places.items()}
    assert {file: words for file, words in lengths.items() if words > MOST_WORDS} == {}


def test_the_readme_is_read_in_one_go() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    (tour,) = re.findall(r"\((docs/[^)]*\.gif)\)", text)
    assert (ROOT / tour).stat().st_size <= LARGEST_TOUR
