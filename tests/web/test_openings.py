"""The openings on the analysis board: what engines and people have played, and how it is played on."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from lapilli.core.api import Game
from lapilli.core.content.first_turns import FIRST_TURNS
from lapilli.core.errors import LapilliError
from lapilli.games import load, names
from lapilli.match import play_match
from lapilli.site.live.results.first_turns import site_turns
from viewer.pages import until
from web.client import Site, Visitor

GAMES = [name for name in names() if load(name).first_turns()]


def ask(visitor: Visitor, **place: Any) -> Any:
    answer = visitor.http.post("/analyse/openings", content=json.dumps(place))
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("game", names())
def test_turns_of_engines_and_of_this_site_are_counted(site: Site, game: str) -> None:
    with Visitor(site) as visitor:
        told = visitor.http.post("/analyse/at", content=json.dumps({"game": game, "whole": True})).json()
        assert told["openings"] is (game in GAMES)
        found = ask(visitor, game=game)
        if game not in GAMES:
            assert found == {"player": -1, "origin": [0, 0], "engines": [], "site": []}
            return
        assert found["player"] == told["asked"][0]
        counts = [sum(row["results"]) for row in found["engines"]]
        assert counts == sorted(counts, reverse=True)
        assert 0 < sum(counts) <= found["origin"][0]
        for row in found["engines"]:
            after = visitor.http.post("/analyse/at", content=json.dumps({"game": game, "moves": [row["reply"]]})).json()
            assert after["told"][0] == row["words"][0], "the turn can be played"
            assert row["ways"]
        best = found["engines"][0]["reply"]
        assert ask(visitor, game=game, moves=[best])["player"] == 1 - found["player"]


def resigned(visitor: Visitor, game: str, turns: int) -> str:
    """Plays so many turns against random play, and resigns; the first turn."""
    table = visitor.lay(game, opponent1="random")
    with visitor.live(table) as live:
        for _ in range(turns):
            assert live.wait_for_turn()
            live.play_turn(Random(1))
        assert live.wait_for_turn()
        live.say("resign")
        live.until(lambda: live.now["outcome"])
    record = visitor.record(table)
    return record.turns[0].action or "" if turns else ""


@pytest.mark.parametrize("game", GAMES[-1:])
def test_matches_on_this_site_are_counted_when_they_are_over(site: Site, game: str) -> None:
    with Visitor(site) as visitor:
        before = ask(visitor, game=game)["site"]
        resigned(visitor, game, 0)
        assert ask(visitor, game=game)["site"] == before == [], "nobody has played"
        first = resigned(visitor, game, 1)
        (row,) = ask(visitor, game=game)["site"]
        assert row["results"] == [0, 0, 1]
        following = ask(visitor, game=game, moves=[first])
        assert [row["results"] for row in following["site"]] == [[1, 0, 0]]
        assert len(row["ways"]) > 0


def test_a_match_is_stored_even_if_a_file_of_its_game_is_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    record = play_match(GAMES[0], ["random", "random"], seed=1)
    assert len(site_turns(record, {0, 1})) == FIRST_TURNS
    assert site_turns(record, {0}) == []

    def damaged(*_: object) -> None:
        raise LapilliError("not valid")

    monkeypatch.setattr(Game, "first_turns", damaged)
    assert site_turns(record, {0, 1}) == []


@pytest.mark.parametrize("game", GAMES[-1:])
def test_a_turn_is_shown_and_played_from_the_panel(browser: Browser, site: Site, game: str) -> None:
    with Visitor(site) as visitor:
        best = ask(visitor, game=game)["engines"][0]
    context = browser.new_context(base_url=site.url, viewport={"width": 390, "height": 844}, has_touch=True)
    page: Page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"/analyse?game={game}")
    until(page, "!document.querySelector('#board').matches('[aria-busy]')")
    page.uncheck("#engine input")
    middle = "document.querySelector('#board').getBoundingClientRect().top"
    place = page.evaluate(middle)
    page.click("#views [value=openings]")
    row = page.locator("#openings .line").first
    row.hover()
    assert page.evaluate("document.querySelector('#board').dots.concat(document.querySelector('#board').arrows).length")
    page.mouse.move(0, 0)
    assert not page.evaluate(
        "document.querySelector('#board').dots.length + document.querySelector('#board').arrows.length"
    )
    row.click()
    until(page, f"lapilliAnalysis.at.move === {json.dumps(best['reply'])}")
    until(page, "lapilliAnalysis.openings.found?.player === 1")
    page.click("#openings button[value=site]")
    page.reload()
    until(page, "document.querySelector('#openings [value=site]').getAttribute('aria-pressed') === 'true'")
    assert page.evaluate("document.querySelector('#panel').dataset.shows === 'openings'"), "the browser remembers it"
    page.evaluate("scrollTo(0, 0)")
    assert page.evaluate(middle) == place
    assert problems == []
    context.close()
