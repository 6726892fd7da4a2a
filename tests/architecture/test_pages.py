"""The documentation's pages are built without a warning, and everything they load is beside them."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from lapilli.core.content.tutorials import read_tutorial
from lapilli.games import load

ROOT = Path(__file__).resolve().parents[2]
LOADED = re.compile(r"""<(?:script|img|link|iframe)\b[^>]*?(?:src|href)="([^"#?]+)""")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the pages."""
    if importlib.util.find_spec("zensical") is None:
        if os.environ.get("CI"):
            pytest.fail("Zensical is missing: the dependency group docs has it")
        pytest.skip("Zensical is not installed (pip install --group docs)")
    own = tmp_path_factory.mktemp("docs") / "lapilli"
    shutil.copytree(ROOT / "docs", own / "docs")
    for file in (ROOT / "zensical.toml", *ROOT.glob("*.md")):
        shutil.copy(file, own)
    (own / "src").symlink_to(ROOT / "src")
    words = [sys.executable, str(own / "docs" / "build.py")]
    environment = {name: value for name, value in os.environ.items() if name != "LAPILLI_GAMES"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return own / "build" / "docs"


def test_all_that_pages_load_is_beside_them(built: Path) -> None:
    missing = []
    for page in set(built.rglob("*.html")) - {built / "404.html"}:  # is shown at any address
        for link in LOADED.findall(page.read_text(encoding="utf-8")):
            outside = re.match(r"[a-z]+:|//", link)
            if (outside and not link.startswith("data:")) or not (outside or (page.parent / link).exists()):
                missing.append((page.name, link))
    assert missing == []


def test_a_games_page_has_rules_advice_and_strengths(built: Path) -> None:
    for match in (built / "games").glob("*-match.html"):
        name = match.name.removesuffix("-match.html")
        page = (built / "games" / f"{name}.html").read_text(encoding="utf-8")
        places = [page.index(f'id="{heading}"') for heading in ("advice", "how-strong-the-opponents-are", "a-match")]
        assert places == sorted(places)
        assert page.count("<td>Master</td>") == 1
        assert page[places[0] : places[1]].count("<li>") == len(read_tutorial(load(name).content).notes) > 0


def test_pages_of_the_root_lead_to_the_other_pages(built: Path) -> None:
    page = (built / "contribute" / "CONTRIBUTING.html").read_text(encoding="utf-8")
    for link in ("../architecture.html", "../adding-a-search.html", "SECURITY.html"):
        assert f'href="{link}"' in page, link
    assert 'href="contribute/SECURITY.html"' in (built / "defences.html").read_text(encoding="utf-8")


def test_the_search_works_in_pages_that_are_opened_from_a_folder(built: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((built / "index.html").as_uri())
    page.click(".md-search__button")
    page.keyboard.type("take back")
    page.get_by_text(re.compile(r"^[0-9]+ results?$")).wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"file:.*/site\.html"))
    page.close()
