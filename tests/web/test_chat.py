"""What people write to each other at a table: who may, who reads it, and what owners do about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from lapilli.games import load, names
from web.client import Live, PublicSite, Site, Visitor
from web.test_table import PHONE, until

GAME = next(name for name in names() if load(name).searches)


def texts(live: Live) -> list[str]:
    return [line["text"] for line in live.chat]


def said(live: Live, text: str) -> None:
    """Writes a line, and waits until the page shows it."""
    before = len(live.chat)
    live.say("say", text=text)
    live.until(lambda: len(live.chat) > before)


def refused(live: Live, what: str, **more: Any) -> str:
    before = len(live.refusals)
    live.say(what, **more)
    live.until(lambda: len(live.refusals) > before)
    return live.refusals[-1]


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublicSite]:
    site = PublicSite(tmp_path_factory.mktemp("chat") / "site.db", "--registration", "open")
    site.start()
    yield site
    assert site.stop()[0] == 0


def test_players_and_watchers_read_only_one_another(public: PublicSite) -> None:
    with Visitor(public) as ada, Visitor(public) as grace, Visitor(public) as guest, Visitor(public) as other:
        ada.join("Ada", public.owner_link)
        grace.join("Grace")
        guest.lay(GAME)  # who has played here is known again
        table = ada.lay(GAME, opponent1="person")
        with ada.live(table) as first:
            grace.sit(f"{table}/seat/{first.now['links']['1']}")
            with grace.live(table) as second, guest.live(table) as watching, other.live(table) as also:
                said(first, "Hello, <b>Grace</b>\u202e\n!")
                second.until(lambda: second.chat)
                [line] = second.chat
                assert (line["name"], line["player"], line["own"]) == ("Ada", 0, False)
                assert line["text"] == "Hello, <b>Grace</b> !", "one line, without what turns the text round"
                assert first.chat[0]["own"]
                assert refused(watching, "say", text="Take N01!") == "sign in to write lines of your own"
                assert refused(also, "say", text="Good luck!") == "sign in to write"
                said(watching, "Good luck!")
                also.until(lambda: also.chat)
                assert also.chat[0]["player"] is None
                said(second, "Hi")
                assert texts(second) == ["Hello, <b>Grace</b> !", "Hi"], "nothing of those who watch"
                assert texts(also) == ["Good luck!"]
                assert refused(first, "say", text="\u200b \n") == "there is nothing to send"
                assert "at most 200" in refused(first, "say", text="x" * 201)
                _settled_by_owners(first, second, watching, grace, ada)
            with grace.live(table) as again:
                again.until(lambda: again.chat)
                assert texts(again) == ["Hello, <b>Grace</b> !", "Thank you!"], "the other line is deleted"


def _settled_by_owners(first: Live, second: Live, watching: Live, member: Visitor, owner: Visitor) -> None:
    first.until(lambda: "Hi" in texts(first))
    line = first.chat[-1]["id"]
    assert "no such line" in refused(second, "report", line=line), "her own"
    assert "no such line" in refused(first, "report", line=10**12)
    assert "no such line" in refused(watching, "report", line=line), "players' lines are not shown to who watches"
    first.say("report", line=line)
    said(first, "Thank you!")
    page = owner.http.get("/members/reports").text
    assert "<bdi>Hi</bdi>" in page
    assert "&lt;b&gt;Grace&lt;/b&gt;" in page, "what was written before is shown, and is text"
    assert member.http.get("/members/reports").status_code == 403
    assert owner.http.post(f"/members/reports/{line}/nothing").status_code == 404
    assert owner.http.post(f"/members/reports/{line}/remove").status_code == 303
    assert "Nobody has reported a message." in owner.http.get("/members/reports").text


def test_a_table_is_a_place_to_talk_in_a_browser(browser: Browser, site: Site) -> None:
    problems: list[str] = []
    pages: list[Page] = []
    for name, view in (("Ada", {"width": 1440, "height": 900}), ("Grace", PHONE)):
        page = browser.new_context(viewport=view).new_page()  # type: ignore[arg-type]
        page.on("pageerror", lambda error: problems.append(str(error)))
        if not pages:
            form: dict[str, str | float | bool] = {"game": GAME, "seat": "1", "opponent1": "person", "name": name}
            answer = page.context.request.post(
                f"{site.url}/play", form=form, headers={"Origin": site.url}, max_redirects=0
            )
            page.goto(site.url + answer.headers["location"])
            until(page, "!!window.lapilliTable?.shown")
        else:
            seat = pages[0].locator("#seats input").input_value()
            page.goto(seat)
            page.fill("input[name=name]", name)
            page.locator("main form button").first.click()
            until(page, "!!window.lapilliTable?.shown")
        pages.append(page)
    ada, grace = pages
    ada.click("[data-tab=chat]")
    ada.fill("#chat input", "Good evening <b>")
    ada.keyboard.press("Enter")
    until(grace, "document.querySelector('#status').textContent === 'Ada: Good evening <b>'")
    assert grace.evaluate("document.querySelector('[data-tab=chat]').textContent") == "Chat (1)"
    assert grace.inner_text("#help") == "? (1)"
    grace.click("#help")
    assert grace.evaluate("document.querySelector('[data-tab=chat]').textContent") == "Chat"
    box = grace.locator("#chat form").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= PHONE["height"], "the field is on the screen"
    grace.click(".phrases >> text=Good luck!")
    until(ada, "document.querySelectorAll('#chat li').length === 2")
    assert ada.inner_text("#chat li:last-child p") == "Grace Good luck!"
    ada.click("#chat li:last-child summary")
    ada.click("text=Hide what Grace writes")
    assert ada.locator("#chat li:last-child").is_hidden()
    grace.fill("#chat input", "Are you there?")
    grace.keyboard.press("Enter")
    until(ada, "document.querySelectorAll('#chat li').length === 3")
    assert ada.locator("#chat li:last-child").is_hidden()
    for page in pages:
        page.context.close()
    assert problems == []
