"""The lobby: offers, quick pairing, who is there; for people on the page, and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from playwright.sync_api import Browser, expect

from web.client import WAIT, People, PublicSite, Visitor, new_token

GAME = "tictactoe"


class Room(NamedTuple):
    """A site with two members, a guest, and a program of the first member."""

    site: PublicSite
    ada: Visitor
    grace: Visitor
    guest: Visitor
    program: httpx.Client


@pytest.fixture(scope="module")
def room(people: People) -> Iterator[Room]:
    headers = {"Authorization": f"Bearer {new_token(people.ada, 'Rover', 'read', 'play')}"}
    address = f"{people.site.url}/api/v1"
    with httpx.Client(base_url=address, headers=headers, timeout=WAIT, trust_env=False) as program:
        yield Room(*people, program)


def seek(visitor: Visitor, **form: str) -> httpx.Response:
    return visitor.http.post("/lobby/seeks", data={"game": GAME, "time": "10+5"} | form)


def now(visitor: Visitor) -> dict[str, Any]:
    answer = visitor.http.get("/lobby/now")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


def test_two_in_a_hurry_are_paired(room: Room) -> None:
    assert room.guest.http.get("/lobby").status_code == 401
    assert "Find an opponent" in room.ada.http.get("/lobby").text
    assert seek(room.ada, quick="yes", rated="yes").status_code == 201
    assert now(room.ada)["table"] == ""
    assert seek(room.grace, quick="yes", rated="yes").status_code == 201
    table = now(room.grace)["table"]
    assert table
    for _ in range(2):
        assert now(room.ada)["table"] == table, "another tab may have asked before, or the answer was lost"
    assert now(room.grace)["offers"] == []
    with room.ada.live(f"/t/{table}") as live:
        assert now(room.ada)["table"] == "", "she is at the table, and may come back to the lobby"
        assert live.now["rated"]
        assert live.now["open"] == []
        assert {player["name"] for player in live.hello["look"]["players"]} == {"Ada", "Grace"}


def test_an_offer_is_seen_accepted_and_for_some_only(room: Room) -> None:
    assert seek(room.ada, low="9000").status_code == 201
    [offer] = now(room.grace)["offers"]
    assert (offer["name"], offer["limits"], offer["own"]) == ("Ada", "9000 to 10000", False)
    path = f"/lobby/seeks/{offer['id']}"
    answer = room.grace.http.post(f"{path}/accept")
    assert (answer.status_code, answer.json()["problem"].startswith("this offer is for ratings")) == (400, True)
    assert room.ada.http.post(f"{path}/accept").json() == {"problem": "this offer is your own"}
    assert room.grace.http.post(f"{path}/withdraw").status_code == 404
    assert room.ada.http.post(f"{path}/withdraw").status_code == 200
    assert seek(room.ada).status_code == 201
    [offer] = now(room.grace)["offers"]
    table = room.grace.http.post(f"/lobby/seeks/{offer['id']}/accept").json()["table"]
    assert now(room.ada)["table"] == table
    with room.ada.live(f"/t/{table}"):
        assert now(room.ada)["table"] == ""
    assert room.grace.http.post(f"/lobby/seeks/{offer['id']}/accept").status_code == 400


@pytest.mark.parametrize(
    "form", [{"time": "blitz"}, {"low": "1200", "high": "1100"}, {"low": "-1"}, {"rated": "yes", "time": "none"}]
)
def test_odd_offers_are_refused_in_a_line(room: Room, form: dict[str, str]) -> None:
    answer = seek(room.ada, **form)
    assert answer.status_code == 400
    assert len(answer.json()["problem"]) < 120


def test_programs_seek_and_accept(room: Room) -> None:
    room.ada.http.get("/lobby/now")
    made = room.program.post("/seeks", json={"game": GAME, "clock": "10+5", "rated": True}).json()
    assert made["own"]
    [offer] = now(room.grace)["offers"]
    assert offer["name"] == "Rover (program)"
    answer = room.ada.http.post(f"/lobby/seeks/{offer['id']}/accept")
    assert answer.json() == {"problem": "this offer is your own"}, "of her own program, and rated"
    table = room.grace.http.post(f"/lobby/seeks/{offer['id']}/accept").json()["table"]
    assert room.program.get("/seeks").json() == []
    facts = room.program.get(f"/tables/{table}").json()
    assert {player["kind"] for player in facts["players"]} == {"person", "program"}
    assert seek(room.grace).status_code == 201
    [theirs] = room.program.get("/seeks").json()
    accepted = room.program.post(f"/seeks/{theirs['id']}/accept")
    assert accepted.status_code == 201
    with room.grace.live(accepted.json()["address"]):
        assert now(room.grace)["table"] == ""
        assert "Grace" in now(room.grace)["playing"]
    assert room.program.post("/seeks", json={"game": GAME}).status_code == 201
    [own] = [one for one in room.program.get("/seeks").json() if one["own"]]
    assert room.program.delete(f"/seeks/{own['id']}").status_code == 200
    assert room.program.delete(f"/seeks/{own['id']}").status_code == 404


def test_who_is_there_is_named(room: Room) -> None:
    room.ada.http.get("/lobby/now")
    for _ in range(200):
        if now(room.grace)["online"] == ["Ada", "Grace"]:
            break
        room.ada.http.get("/lobby/now")
    assert now(room.grace)["online"] == ["Ada", "Grace"]


def test_the_page_says_what_stands_in_the_way(room: Room, browser: Browser) -> None:
    context = browser.new_context()
    room.ada.enter(context)
    page = context.new_page()
    page.clock.install()
    page.goto(f"{room.site.url}/lobby")
    state = page.locator("#state")
    expect(state).not_to_have_text("Connecting …")
    with page.expect_response("**/lobby/now"):  # now that she is there herself, the lobby stays as it is
        page.clock.run_for(2000)
    usual = state.inner_text()

    page.route("**/lobby/now", lambda route: route.abort())
    page.clock.run_for(2000)
    expect(state).to_contain_text("The connection is lost")
    page.unroute("**/lobby/now")
    page.clock.run_for(2000)
    expect(state).to_have_text(usual)

    page.route("**/lobby/seeks", lambda route: route.fulfill(status=400, json={"problem": "not now"}))
    page.click("button[name=quick]")
    expect(state).to_have_text("not now")
    before = page.locator("#offers li").count()
    offer = seek(room.grace).json()["id"]
    page.clock.run_for(2000)
    expect(page.locator("#offers li")).to_have_count(before + 1)
    assert state.inner_text() == "not now", "the lobby has changed, and the answer is still to be read"
    room.grace.http.post(f"/lobby/seeks/{offer}/withdraw")
    context.close()


def test_nobody_floods_the_lobby(room: Room) -> None:
    answers = [seek(room.ada) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 400, 400, 400]
    assert len(now(room.grace)["offers"]) == 3
