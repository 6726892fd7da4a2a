"""Makes the pictures of the site that README and docs show: python docs/site_pictures.py

Starts a site of its own, on a store of its own. Needs the dependency group `test`, Chromium and bubblewrap.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

from pictures import save

WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
SETTLED_MS = 1500
"""For how long what glides is waited for."""


def home(page: Page) -> None:
    """The first page."""
    page.goto("/")
    for board in page.locator("lapilli-board[data-game]").all():
        board.scroll_into_view_if_needed()  # each is loaded when it is seen
    games = page.locator("lapilli-board[data-game]").count()
    page.locator("lapilli-board[data-lives]").nth(games - 1).wait_for(state="attached")
    page.evaluate("scrollTo(0, 0)")


def bot(page: Page) -> None:
    """A starter that has played a match."""
    page.goto("/bots")
    page.get_by_label("Volcanoes", exact=True).check()
    page.get_by_label("Name").fill("Magma")
    page.get_by_role("button", name="Create bot").click()
    page.get_by_role("button", name="Play my code").click()
    page.wait_for_selector("lapilli-player:not([aria-busy])")
    page.locator("lapilli-player").press("End")
    page.locator("lapilli-player").press("ArrowLeft")


def puzzle(page: Page) -> None:
    """A puzzle, on a phone."""
    page.goto("/puzzles")
    page.get_by_label("Today's puzzles").locator("li a").first.click()
    page.wait_for_selector("#board:not([aria-busy])")


def analysis(page: Page) -> None:
    """The analysis board, thinking."""
    page.goto("/puzzles")
    page.get_by_label("Today's puzzles").locator("li a").last.click()
    page.get_by_role("link", name="Analyse this position").click()
    page.wait_for_selector("#board:not([aria-busy])")
    page.wait_for_timeout(6000)  # so that the engine has something to say


def shoot(browser: Browser, address: str, name: str, size: dict[str, int]) -> None:
    """One picture."""
    context = browser.new_context(base_url=address, viewport=size, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(120_000)
    globals()[name](page)
    page.wait_for_timeout(SETTLED_MS)
    save(page, f"site-{name}.png")
    context.close()


@contextmanager
def opened() -> Iterator[tuple[Browser, str]]:
    """Starts a site and a browser; yields the browser and the site's address."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        command = [sys.executable, "-m", "lapilli", "site", "--no-browser", "--port", "0"]
        with subprocess.Popen([*command, "--store", f"{folder}/site.db"], stdout=subprocess.PIPE, text=True) as site:
            try:
                assert site.stdout is not None
                found = re.search(r"http://\S+", site.stdout.readline())
                assert found is not None
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                yield browser, found[0]
                browser.close()
            finally:
                site.terminate()


def main() -> None:
    """Makes them all."""
    with opened() as (browser, address):
        for name, size in (("home", WIDE), ("bot", WIDE), ("analysis", WIDE), ("puzzle", PHONE)):
            shoot(browser, address, name, size)


if __name__ == "__main__":
    main()
