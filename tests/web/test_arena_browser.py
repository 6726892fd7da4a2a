"""`lapilli arena serve` in a process of its own, and its pages in a real Chromium."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from arena.filled import fill
from lapilli.store import Event, EventKind, Store, worker_name
from lapilli.store.results import MatchResult
from store.made import contestants, result
from web.client import Site
from web.test_browser import AXE, People

SPRT = {"elo0": 0.0, "elo1": 40.0, "alpha": 0.05, "beta": 0.05, "model": "logistic"}
PATHS = (
    "/",
    "/events/1",
    "/events/2",
    "/events/3",
    "/events/4",
    "/events/5",
    "/events/1/matches?lost_by=1",
    "/nothing",
)


class ArenaSite(Site):
    """`lapilli arena serve` in a process of its own."""

    def words(self) -> list[str]:
        return ["arena", "serve", "--store", str(self.store), "--port", str(self.port)]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArenaSite]:
    """Events 1 to 4 as in `fill`, and 5, a comparison with a test."""
    file = tmp_path_factory.mktemp("arena") / "arena.db"
    fill(file)
    with Store.open(file) as store:
        store.note_event(1, "with the new evaluation")
        store.add_results(comparison_with_test(store, "new against old").id, [played(number) for number in range(60)])
    served = ArenaSite(file)
    served.start()
    yield served
    assert served.stop() == (0, ""), "Ctrl-C is how it ends"


@pytest.fixture
def people(browser: Browser, arena: ArenaSite) -> Iterator[People]:
    made = People(browser, arena)
    yield made
    for context in made.contexts:
        context.close()
    assert [one for one in made.problems if "404" not in one] == []


def comparison_with_test(store: Store, name: str) -> Event:
    event = store.open_event(EventKind.COMPARISON, name, "volcanoes", {"seed": name}, contestants(2))
    store.plan_event(event.id, {"games": None, "sprt": SPRT})
    return event


def played(number: int) -> MatchResult:
    """A match unlike the others."""
    return msgspec.structs.replace(result(number), moves=str(number))


def axe(page: Page) -> list[object]:
    if not AXE.exists():
        assert not os.environ.get("CI"), "axe-core is missing: .ci/run installs it"
        return []
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(({violations}) => violations)")
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


def test_a_running_event_updates_by_itself(people: People, arena: ArenaSite) -> None:
    page = people.person("phone")
    with Store.open(arena.file) as store:
        event = comparison_with_test(store, "running")
        worker = worker_name()
        page.goto(f"{arena.url}/")
        row = page.locator("tr", has=page.get_by_role("link", name="running"))
        expect(row).to_contain_text("not over yet")
        claimed = store.claim_next(event.id, 40, worker, 600.0)
        expect(row).to_contain_text("● running")
        row.get_by_role("link").click()
        expect(page.locator(".facts").first).to_contain_text("● running")
        expect(page.locator(".sentence")).to_have_text("Nothing has been played yet.")
        page.evaluate("window.stays = true")
        store.add_results(event.id, [played(number) for number in claimed[:20]])
        expect(page.locator(".facts").first).to_contain_text("20 matches")
        expect(page.get_by_role("heading", name="Elo as the pairs came")).to_be_visible()
        expect(page.get_by_role("heading", name="The test as the pairs came")).to_be_visible()
        region = page.locator(".scroll:has(.contestants)")
        region.focus()
        region.evaluate("region => { region.scrollLeft = 60; }")
        store.add_results(event.id, [played(number) for number in claimed[20:]])
        expect(page.locator(".facts").first).to_contain_text("40 matches")
        expect(page.locator("table.contestants tbody td").first).to_have_text("40")
        assert region.evaluate("region => region === document.activeElement && region.scrollLeft") == 60
        store.finish(event.id, "bot 0 is better.")
        expect(page.locator(".sentence")).to_have_text("bot 0 is better.")
        expect(page.locator(".facts").first).to_contain_text("over 20")
        assert page.evaluate("window.stays"), "it was not loaded again"
        store.delete_event(event.id)
        expect(page.locator("#connection")).to_contain_text("There is no event")


def test_a_lost_match_is_one_click_from_its_film(people: People, arena: ArenaSite) -> None:
    page = people.person()
    page.goto(f"{arena.url}/events/3")
    page.locator("table.matches a").first.click()
    page.wait_for_selector("#player:not([aria-busy])")
    page.get_by_role("link", name="Event 3").click()
    expect(page.locator("h1")).to_have_text("spring cup")
    page.get_by_role("link", name="All matches of this event").click()
    expect(page.locator("table.matches tbody tr")).to_have_count(6)


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("path", PATHS)
def test_axe_finds_nothing_and_nothing_sticks_out(people: People, arena: ArenaSite, path: str, size: str) -> None:
    page = people.person(size, bypass_csp=True)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{arena.url}{path}")
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_scripts_everything_is_there(people: People, arena: ArenaSite) -> None:
    page = people.person(java_script_enabled=False)
    page.goto(f"{arena.url}/events/5")
    expect(page.locator("svg.chart")).to_have_count(2)
    assert page.locator("meta[http-equiv=refresh]").count() == 1, "the browser loads it again"


def test_a_lost_connection_is_told_and_found_again(browser: Browser, tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        comparison_with_test(store, "new against old")
    served = ArenaSite(tmp_path / "arena.db")
    served.start()
    people = People(browser, served)
    try:
        page = people.person()
        page.goto(served.url)
        assert served.stop()[0] == 0
        expect(page.locator("#connection")).to_have_text("No connection. Trying again …")
        served.start()
        expect(page.locator("#connection")).to_have_text("", timeout=40_000)
    finally:
        for context in people.contexts:
            context.close()
        served.stop()
