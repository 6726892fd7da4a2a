"""Somebody joins, and looks after members, in a real Chromium: on a phone and a desk, light and dark."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from web.client import PASSWORD, PublicSite

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"


def check(page: Page) -> None:
    """Nothing is wider than the window, and axe-core finds nothing."""
    page.wait_for_load_state()  # a click only waits until the next page has begun
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(({violations}) => violations)")
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], page.url


@pytest.mark.parametrize(("width", "height", "scheme"), [(1440, 900, "dark"), (390, 844, "light")])
def test_from_the_first_link_to_a_member(
    browser: Browser, tmp_path: Path, width: int, height: int, scheme: str
) -> None:
    if not AXE.exists():
        if os.environ.get("CI"):
            pytest.fail("axe-core is missing: .ci/run installs it")
        pytest.skip("axe-core is not here (npm ci)")
    site = PublicSite(tmp_path / "site.db")
    site.start()
    size = {"width": width, "height": height}

    def new_page() -> Page:
        context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
        return context.new_page()

    owner, member = new_page(), new_page()
    owner.goto(site.owner_link)
    assert "You become the owner of this site." in owner.inner_text("main")
    check(owner)
    create_account(owner, "Ada")
    assert "Welcome, Ada" in owner.inner_text("main")
    owner.click("header .who")
    owner.click("text=Members")
    owner.click("text=Create link >> nth=0")
    link = owner.input_value("[readonly]")
    copy_link(owner)
    member.goto(link)
    assert "Ada invites you." in member.inner_text("main")
    create_account(member, "ADA")
    assert re.search("Ada invites you.*looks like it", member.inner_text("main"), re.DOTALL)
    create_account(member, "Grace")
    assert member.inner_text("header .who") == "Grace"
    member.click("header .who")
    member.click("text=Delete account")
    check(member)
    member.goto(f"{site.url}/members")
    check(member)
    owner.goto(f"{site.url}/members")
    for summary in owner.locator("summary:visible").all():
        summary.click()
    check(owner)
    member.goto(f"{site.url}/account")
    member.click("text=Sign out")
    member.click("header .who")
    check(member)
    member.fill("[name=name]", "grace")
    member.fill("[name=password]", "another word")
    member.click(".sheet button")
    check(member)
    member.fill("[name=password]", PASSWORD)
    member.click(".sheet button")
    assert member.inner_text("header .who") == "Grace"
    for page in (owner, member):
        page.context.close()
    assert site.stop()[0] == 0


def create_account(page: Page, name: str) -> None:
    """Fills in the form of a new account and sends it."""
    page.fill("[name=name]", name)
    page.fill("[name=password]", PASSWORD)
    page.click('button:text("Create account")')


def copy_link(page: Page) -> None:
    """Copies a link to an invitation."""
    page.click("text=Copy the link")
    page.wait_for_selector("[data-copies]:text('Copied')")
