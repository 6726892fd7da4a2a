"""Whole matches by the keyboard alone, in Chromium."""

from __future__ import annotations

from playwright.sync_api import Browser

from lapilli.games import names
from lapilli.match import verify
from selection import today
from web.by_keys import match_by_keys
from web.client import Site, Visitor


def test_a_whole_match_by_keys(browser: Browser, site: Site) -> None:
    """Of another game each day."""
    game = names()[today() % len(names())]
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{site.url}/play?game={game}&opponent=random")
    page.select_option("select[name=seat]", "1")
    page.press("form button:not([type=button])", "Enter")
    page.wait_for_selector("#board:not([aria-busy])")
    match_by_keys(page.evaluate, page.keyboard.press)
    with Visitor(site) as visitor:
        record = visitor.record(page.url.removeprefix(site.url))
    assert verify(record) is not None
    assert not [entry for entry in record.turns if entry.fault], "it ended by the rules"
    assert problems == []
    context.close()
