"""What pages weigh on the wire, counted by a real browser: their bytes, and the requests before a board stands."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from lapilli.games import names
from web.client import Site, Visitor
from web.test_browser import WAIT, until
from web.writing import Author

KB = 1000


class Weight(NamedTuple):
    size: int
    requests: list[str]


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1440, "height": 900})
    made.set_default_timeout(1000 * WAIT)
    yield made
    made.close()


def weigh(page: Page, address: str, stands: str) -> Weight:
    """Goes to an address, and waits until that holds and nothing is loaded any more."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    sizes: list[float] = []
    requests: list[str] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    session.on("Network.requestWillBeSent", lambda event: requests.append(event["request"]["url"]))
    page.goto(address)
    until(page, stands)
    sent = [url for url in requests if not url.startswith("data:")]
    page.wait_for_load_state("networkidle")
    session.detach()
    return Weight(round(sum(sizes)), sent)


def wait_for_films(site: Site) -> None:
    """Waits until all games are compiled. Before that, the page asks for films more than once."""
    with Visitor(site) as ada:
        for game in names():
            end = time.monotonic() + WAIT
            while (film := ada.http.get(f"/films/{game}")).headers.get("Lapilli-Compiled") != "100":
                assert time.monotonic() < end, film.text[:200]
                time.sleep(0.05)


def test_the_first_page_is_light_and_the_second_time_lighter(context: BrowserContext, site: Site) -> None:
    wait_for_films(site)
    all_live = f"document.querySelectorAll('[data-lives]').length === {len(names())}"
    first = weigh(context.new_page(), site.url, all_live)
    assert first.size <= 150 * KB
    assert len(first.requests) <= 5 + len(names()), first.requests  # page, styles, script, two fonts, films
    second = weigh(context.new_page(), site.url, all_live)
    assert second.size <= 20 * KB


def test_films_are_loaded_when_their_boards_are_seen(context: BrowserContext, site: Site) -> None:
    wait_for_films(site)
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    seen = weigh(page, site.url, "document.querySelectorAll('[data-lives]').length > 0")
    assert len(seen.requests) <= 6, seen.requests
    page.mouse.wheel(0, 20_000)
    until(page, "document.querySelectorAll('[data-lives]').length > 1")


def test_a_table_stands_after_six_requests(context: BrowserContext, site: Site) -> None:
    page = context.new_page()
    page.goto(f"{site.url}/play?game={names()[0]}&opponent=random")
    page.click("form button")
    page.wait_for_selector("#board:not([aria-busy])")
    address = page.url
    context.clear_cookies()
    stranger = context.browser
    assert stranger is not None
    fresh = stranger.new_context()
    table = weigh(fresh.new_page(), address, "!document.querySelector('#board').hasAttribute('aria-busy')")
    fresh.close()
    assert len(table.requests) <= 6, table.requests
    assert table.size <= 150 * KB


def test_the_editor_loads_one_language(context: BrowserContext, site: Site) -> None:
    with Visitor(site) as ada:
        address = site.url + Author(ada, "light").path
    editor = "document.querySelector('lapilli-editor')"
    coloured = f"{editor}.root.querySelectorAll('.cm-line span').length > 0"
    assert weigh(context.new_page(), address, coloured).size <= 300 * KB
