"""What owners do about people: suspensions, new names, and the log of it; and how chat is switched off."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from playwright.sync_api import Browser, expect
from websockets.exceptions import ConnectionClosed

from lapilli.store import Account, Store
from web.client import WAIT, PublicSite, Visitor, new_token
from web.test_table import until

GAME = "tictactoe"


class Court(NamedTuple):
    """A site with its owner, two members, and a program of one of them."""

    site: PublicSite
    owner: Visitor
    eve: Visitor
    grace: Visitor
    program: httpx.Client


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    site = PublicSite(tmp_path_factory.mktemp("public") / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as owner, Visitor(site) as eve, Visitor(site) as grace:
        assert owner.join("Ada", site.owner_link).status_code == 303
        assert eve.join("Eve").status_code == 303
        assert grace.join("Grace").status_code == 303
        headers = {"Authorization": f"Bearer {new_token(eve, 'Rover', 'read', 'play')}"}
        with httpx.Client(base_url=f"{site.url}/api/v1", headers=headers, timeout=WAIT, trust_env=False) as program:
            yield Court(site, owner, eve, grace, program)
    assert site.stop()[0] == 0


def account(court: Court, name: str) -> Account:
    with Store.open(court.site.store) as store:
        found = store.site.people.named(name.casefold())
    assert found is not None
    return found


def change(court: Court, who: str, what: str, **form: str) -> httpx.Response:
    return court.owner.http.post(f"/members/{account(court, who).id}/{what}", data=form)


def test_suspended_people_look_but_do_not_play(court: Court) -> None:
    table = court.eve.lay(GAME, opponent1="person", time="10+5")
    with court.eve.live(table) as first:
        court.grace.sit(f"{table}/seat/{first.now['links']['1']}")
        first.until(lambda: first.now.get("draft"))
        assert court.eve.http.post("/lobby/seeks", data={"game": GAME, "time": "10+5"}).status_code == 201
        assert change(court, "Eve", "suspend", days="3", reason="Insults <b>\u202e people").status_code == 303
        assert court.grace.http.get("/lobby/now").json()["offers"] == [], "her offers are gone"
    reason = "Insults &lt;b&gt; people"
    page = court.eve.http.get("/").text
    assert "Your account is suspended until" in page
    assert reason in page
    with court.eve.live(table) as first:
        said: dict[str, dict[str, Any]] = {
            "pick": {"turn": 1, "action": 0},
            "say": {"text": "Hello!"},
            "draw": {"agrees": True},
        }
        for what, more in said.items():
            before = len(first.refusals)
            first.say(what, **more)
            first.until(lambda: len(first.refusals) > before)  # noqa: B023
        assert all("suspended until" in text for text in first.refusals)
        first.say("resign")
        first.until(lambda: first.now["outcome"])
    html = {"Accept": "text/html"}
    for path, form in (
        ("/play", {"game": GAME, "opponent1": "random"}),
        ("/lobby/seeks", {"game": GAME, "time": "10+5"}),
        (f"{table}/seat/x", {}),
        ("/bots", {"game": GAME}),
    ):
        answer = court.eve.http.post(path, data=form, headers=html)
        assert (answer.status_code, reason in answer.text) == (403, True), path
    assert "suspended" in court.eve.http.post("/lobby/seeks", data={}).json()["problem"]
    assert court.program.get("/tables").status_code == 200
    asked = {"game": GAME, "opponents": ["random"]}
    for path, body in (("/challenges", asked), ("/seeks", {"game": GAME}), (f"/tables/{table[3:]}/resign", {})):
        answer = court.program.post(path, json=body)
        assert (answer.status_code, "suspended" in answer.json()["detail"]) == (403, True)
    assert court.eve.http.post("/account/sign-out-everywhere").status_code == 303, "the own account stays hers"
    assert court.eve.sign_in("Eve").status_code == 303
    assert change(court, "Eve", "restore").status_code == 303
    assert court.program.post("/challenges", json=asked).status_code == 201
    assert "suspended" not in court.eve.http.get("/").text


def test_a_suspension_reaches_an_open_page(court: Court) -> None:
    table = court.grace.lay(GAME)
    with court.grace.live(table) as live:
        live.wait_for_turn()
        assert change(court, "Grace", "suspend", days="1", reason="Cheats").status_code == 303
        with pytest.raises(ConnectionClosed) as closed:
            live.play_turn(random.Random(1))
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1013, "the page connects again"
    assert change(court, "Grace", "restore").status_code == 303


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"days": "0", "reason": "x"}, "1 to 3,650 days"),
        ({"days": "9999", "reason": "x"}, "1 to 3,650 days"),
        ({"days": "x", "reason": "x"}, "1 to 3,650 days"),
        ({"days": "1", "reason": "\u200b "}, "Write a reason"),
    ],
)
def test_what_is_no_suspension_is_refused(court: Court, form: dict[str, str], problem: str) -> None:
    answer = change(court, "Eve", "suspend", **form)
    assert (answer.status_code, problem in answer.text) == (400, True)


def test_owners_are_not_suspended(court: Court) -> None:
    answer = change(court, "Ada", "suspend", days="1", reason="x")
    assert (answer.status_code, "An owner cannot be suspended" in answer.text) == (400, True)


def test_who_becomes_an_owner_is_no_longer_suspended(court: Court) -> None:
    """Else nobody could end the suspension, not even another owner."""
    assert change(court, "Eve", "suspend", days="1", reason="x").status_code == 303
    assert change(court, "Eve", "role", role="owner").status_code == 303
    assert account(court, "Eve").suspended == 0
    assert court.eve.http.post("/lobby/seeks/x/withdraw").status_code == 404
    assert change(court, "Eve", "role", role="member").status_code == 303


def test_a_new_name_holds_everywhere(court: Court) -> None:
    table = court.eve.lay(GAME)
    with court.eve.live(table) as live:
        live.until(lambda: live.now.get("draft"))
        live.say("resign")
        live.until(lambda: live.now["outcome"])
    assert change(court, "Eve", "name", name="Ada").status_code == 400, "it is taken"
    assert change(court, "Eve", "name", name="Evelyn").status_code == 303
    assert court.eve.record(table).player_names[0] == "Evelyn"
    assert change(court, "Evelyn", "name", name="Eve").status_code == 303


def test_reports_lead_to_the_writer_and_owners_see_what_owners_did(court: Court) -> None:
    table = court.eve.lay(GAME, opponent1="person")
    with court.eve.live(table) as first:
        court.grace.sit(f"{table}/seat/{first.now['links']['1']}")
        with court.grace.live(table) as second:
            first.say("say", text="Something rude")
            second.until(lambda: second.chat)
            second.say("report", line=second.chat[0]["id"])
            page, end = "", time.monotonic() + WAIT
            while "Something rude" not in page:
                assert time.monotonic() < end, page
                page = court.owner.http.get("/members/reports").text
    assert '<a href="/members?name=Eve">' in page
    assert court.owner.http.post(f"/members/reports/{second.chat[0]['id']}/remove").status_code == 303
    change(court, "Eve", "suspend", days="1", reason="Rude")
    change(court, "Eve", "restore")
    log = court.owner.http.get("/members/log").text
    for words in ("deleted a reported message of", "Something rude", "suspended", ": Rude", "ended the suspension of"):
        assert words in log
    assert court.grace.http.get("/members/log").status_code == 403


def test_a_site_without_chat(tmp_path: Path) -> None:
    site = PublicSite(tmp_path / "site.db", "--no-chat")
    site.start()
    with Visitor(site) as ada:
        ada.join("Ada", site.owner_link)
        with ada.live(ada.lay(GAME)) as live:
            live.say("say", text="Hello!")
            live.until(lambda: live.refusals)
            assert live.refusals == ["this site has no chat"]
    assert site.stop()[0] == 0


def test_chat_can_be_switched_off_at_a_table(court: Court, browser: Browser) -> None:
    table = court.eve.lay(GAME, opponent1="person")
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    court.eve.enter(context)
    page = context.new_page()
    page.goto(court.site.url + table)
    until(page, "!!window.lapilliTable?.shown")
    page.click("[data-tab=chat]")
    page.click("#chat .phrases button >> nth=0")
    expect(page.locator("#chat li")).to_have_count(1)
    page.click("text=Switch chat off here")
    expect(page.locator("#chat form")).to_be_hidden()
    page.reload()
    until(page, "!!window.lapilliTable?.shown")
    page.click("[data-tab=chat]")
    expect(page.locator("#chat .phrases")).to_be_hidden()
    page.click("text=Switch chat on here")
    expect(page.locator("#chat form")).to_be_visible()
    context.close()
