"""The site in Firefox: a whole match, by keyboard and by mouse, and no page with a script error."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator

import pytest

import firefox as firefoxes
from lapilli.games import load, names
from lapilli.match import verify
from web.by_keys import match_by_keys
from web.client import Site, Visitor

GAME = names()[0]
BOARD = "document.querySelector('lapilli-board, lapilli-player')"
MIDDLE = """((key) => {
    const box = lapilliTable.board.sight.rectOf(key);
    return [box.x + box.width / 2, box.y + box.height / 2];
})"""
CLICKED = 3
"""Turns that are played by mouse."""


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[firefoxes.Firefox]:
    """One Firefox for all tests of a file."""
    if firefoxes.program() is None:
        if os.environ.get("CI"):
            pytest.fail("Firefox is missing: .ci/run installs it")
        pytest.skip("Firefox is not on this machine (Debian: apt-get install firefox-esr)")
    with firefoxes.Firefox(tmp_path_factory.mktemp("firefox")) as started:
        yield started


def pages(game: str, over: str) -> list[str]:
    """Addresses of pages of a game: those with scripts, and a few without."""
    places = ["/", "/learn", "/puzzles", f"/puzzles/{game}", f"/learn/{game}", f"/rules/{game}", f"/play?game={game}"]
    return [*places, "/bots", "/leagues", f"/analyse?game={game}", over, over.replace("/t/", "/m/")]


def test_a_whole_match_by_mouse_and_keyboard(firefox: firefoxes.Firefox, site: Site) -> None:
    firefox.resize(1280, 800)
    firefox.goto(f"{site.url}/play?game={GAME}&opponent=random")
    firefox.evaluate("(document.querySelector('select[name=seat]').value = '1')")
    firefox.click_on(".go .button")
    firefox.until(f"location.pathname.startsWith('/t/') && {BOARD} && !{BOARD}.matches('[aria-busy]')")
    for _ in range(CLICKED):
        click_turn(firefox)
    match_by_keys(firefox.evaluate, firefox.press)
    firefox.until("!document.querySelector('#review').hidden")
    table = firefox.evaluate("location.pathname")
    with Visitor(site) as visitor:
        record = visitor.record(table)
    assert verify(record) is not None
    assert not [entry for entry in record.turns if entry.fault], "it ended by the rules"
    assert firefox.problems == []


def click_turn(firefox: firefoxes.Firefox) -> None:
    """A whole turn by mouse; of what may be chosen, the first each time."""
    firefox.until("lapilliTable.now?.draft && !lapilliTable.showing.isBusy")
    turn = firefox.evaluate("lapilliTable.now.turn")
    stands = "JSON.stringify([lapilliTable.now.turn, lapilliTable.now.draft?.labels, lapilliTable.board.walk?.path])"
    while firefox.evaluate("lapilliTable.now.turn") == turn:
        before = firefox.evaluate(stands)
        targets = firefox.evaluate("lapilliTable.board.walk?.keys() ?? []")
        if targets:
            firefox.click(*firefox.evaluate(f"{MIDDLE}({json.dumps(targets[0])})"))
        elif firefox.evaluate("lapilliTable.now.draft?.complete ?? false"):
            firefox.click_on("#commit")
        firefox.until(f"{stands} !== {json.dumps(before)}")


def test_a_page_that_is_left_early_reports_no_fault(firefox: firefoxes.Firefox, site: Site) -> None:
    """Also of the service worker, which must not answer for what a page that was left had asked for."""
    firefox.goto(site.url)
    firefox.until("navigator.serviceWorker.controller")
    for turn in range(40):
        firefox.leave_for(site.url + ("/", f"/rules/{GAME}", "/learn")[turn % 3])
        time.sleep(turn % 8 / 50)
    firefox.goto(site.url)
    assert firefox.problems == []


@pytest.mark.parametrize("game", [name for name in names() if load(name).moments is not None])
def test_pages_have_no_script_errors(firefox: firefoxes.Firefox, site: Site, game: str) -> None:
    """Each page in a desktop's window, and in a phone's."""
    with Visitor(site) as visitor:
        table = visitor.lay(game)
        with visitor.live(table) as live:
            live.wait_for_turn()
            live.say("resign")
            live.until(lambda: live.now["outcome"])
    for path in pages(game, table):
        for width, height in ((1280, 800), (390, 844)):
            firefox.resize(width, height)
            firefox.goto(site.url + path)
            firefox.until(f"!{BOARD}?.matches('[aria-busy]')")
            wide = firefox.evaluate("document.scrollingElement.scrollWidth - innerWidth")
            assert wide <= 1, f"{path} is wider than a window of {width} pixels"
            assert firefox.problems == [], path
