"""Notes beside the board in somebody's first matches: one a turn, can be closed for ever, none in rated matches."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from lapilli.core.api import Setup
from lapilli.games import load, names
from lapilli.site.live.table.plan import Seat, TablePlan
from lapilli.site.live.table.played_match import PlayedMatch
from viewer.pages import until
from web.client import Site, Visitor
from web.test_browser import click_turn

GAME = next(name for name in names() if load(name).moments is not None)
LIT = "lapilliTable.board.shadowRoot.querySelectorAll('.marked .outline.noted').length"


@pytest.fixture
def context(browser: Browser, site: Site) -> Iterator[BrowserContext]:
    made = browser.new_context(
        base_url=site.url, viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    yield made
    made.close()


def sit(page: Page, game: str = GAME) -> None:
    page.goto(f"/play?game={game}&opponent=random")
    page.select_option("select[name=seat]", "1")
    page.press("form button:not([type=button])", "Enter")
    until(page, "window.lapilliTable?.now?.draft && !lapilliTable.showing.isBusy")


def test_a_beginner_reads_a_note_a_turn(context: BrowserContext) -> None:
    page = context.new_page()
    sit(page)
    note = page.locator("#note")
    expect(note).to_be_visible()
    first = note.locator("p").inner_text()
    assert page.evaluate(LIT) > 0, "its places are lit"
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.evaluate("document.querySelector('aside #note') !== null"), "in a wide window it lies beside the board"
    click_turn(page)
    until(page, "lapilliTable.now.draft && !lapilliTable.showing.isBusy")
    if note.is_visible():
        assert note.locator("p").inner_text() != first
    page.evaluate("lapilliTable.notes.turn = 0; localStorage.removeItem('lapilli-notes'); lapilliTable.settle()")
    expect(note).to_be_visible()
    note.get_by_role("button", name="Got it").click()
    expect(note).to_be_hidden()
    assert page.evaluate(LIT) == 0
    for matches in range(3):
        sit(page)
        assert note.is_visible() == (matches < 2), "in the first three matches"


def test_a_note_does_not_turn_the_board(context: BrowserContext) -> None:
    page = context.new_page()
    sit(page, "tryangle")
    turned = []
    for height in range(700, 860, 20):
        page.set_viewport_size({"width": 390, "height": height})
        for is_hidden in (False, True):
            page.evaluate("isHidden => document.querySelector('#note').hidden = isHidden", is_hidden)
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            turned.append(page.evaluate("lapilliTable.board.isTurned"))
    assert turned[::2] == turned[1::2]
    assert set(turned) == {False, True}, "at some of these heights it is turned, at others it is not"


def test_no_more_notes(context: BrowserContext) -> None:
    page = context.new_page()
    sit(page)
    page.get_by_role("button", name="No more notes").click()
    for _ in range(2):
        expect(page.locator("#note")).to_be_hidden()
        sit(page)


def test_notes_are_of_the_player_to_move_alone(site: Site) -> None:
    with Visitor(site) as visitor, visitor.live(visitor.lay(GAME)) as live:
        assert live.wait_for_turn()
        assert live.draft["notes"]
        live.say_of_turn("pick", action=random.Random(1).choice(live.draft["choices"])[0])
        assert not live.now.get("draft", {}).get("labels") or live.draft["notes"] == []


@pytest.mark.parametrize("rated", [False, True])
def test_rated_matches_have_no_notes(rated: bool) -> None:
    game = load(GAME)
    seats = [Seat(name="Ada", holder="a"), Seat(name="Grace", holder="b")]
    match = PlayedMatch(TablePlan(GAME, game.complete(Setup(seed=1)).to_dict(), seats, rated=rated))
    assert bool(match.shown_draft(match.asked[0]).notes) == (not rated)
