"""Public pages open again without a network, and nothing of a signed-in person is kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from viewer.pages import until
from web.client import PublicSite, Visitor

GAME = "tictactoe"
KEPT = """(async () => {
    const found = [];
    for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys())
            found.push([new URL(request.url).pathname, await (await cache.match(request)).text()]);
    }
    return found;
})()"""


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A member of a public site, with a finished match."""
    site = PublicSite(tmp_path_factory.mktemp("public") / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as visitor:
        assert visitor.join("Adalovelace", site.owner_link).status_code == 303
        yield visitor
    site.stop()


@pytest.fixture
def context(browser: Browser, ada: Visitor) -> Iterator[BrowserContext]:
    made = browser.new_context(base_url=ada.site.url, service_workers="allow")
    ada.enter(made)
    yield made
    made.close()


def has(page: Page, path: str) -> None:
    """Waits until that page is kept."""
    until(page, f"caches.match({path!r}).then(Boolean)")


def test_a_page_that_was_open_opens_without_network(context: BrowserContext, ada: Visitor) -> None:
    table = ada.lay(GAME)
    with ada.live(table) as live:
        live.wait_for_turn()
        live.say("resign")
        live.until(lambda: live.now["outcome"])
    page, match = context.new_page(), table.replace("/t/", "/m/")
    for path in ("/", f"/rules/{GAME}", match):
        page.goto(path)
        has(page, path)
    page.goto("/account")
    expect(page.locator(".who")).to_have_text("Adalovelace")
    page.goto(table)
    context.set_offline(True)
    for path in ("/", f"/rules/{GAME}", match):
        page.goto(path)
        expect(page.locator(".offline")).to_contain_text("No connection to the site. This page is as it was on")
    page.wait_for_selector("#player:not([aria-busy])")
    page.goto("/account")
    expect(page.locator("h1")).to_have_text("No connection to the site")
    context.set_offline(False)
    page.goto("/")
    expect(page.locator(".offline")).to_have_count(0)
    kept = page.evaluate(KEPT)
    assert {path for path, _ in kept if not path.startswith(("/static/", "/films/"))} == {
        "/",
        "/offline",
        f"/rules/{GAME}",
        match,
    }
    assert not [path for path, text in kept if 'href="/account"' in text], "pages are kept as guests see them"
