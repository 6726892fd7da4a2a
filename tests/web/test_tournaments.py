"""Tournaments on a site in a process of its own: pages, API, `lapilli connect`, and a server that is killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from looks.looking import FAULTS
from players.conftest import need_sandbox
from store.conftest import Server, running
from web.client import WAIT, People, PublicSite, Visitor, new_token
from web.writing import Author

GAME = "tictactoe"


class Fair(NamedTuple):
    """A site with two members, a guest, and a program of the second member."""

    site: PublicSite
    ada: Visitor
    grace: Visitor
    guest: Visitor
    program: httpx.Client
    token: str


@pytest.fixture(scope="module")
def fair(people: People) -> Iterator[Fair]:
    token = new_token(people.grace, "Rover", "read", "play")
    address, headers = f"{people.site.url}/api/v1", {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=address, headers=headers, timeout=WAIT, trust_env=False) as program:
        yield Fair(*people, program, token)


def make(visitor: Visitor, **form: str) -> str:
    """Makes a tournament; the path of its page."""
    usual = {"game": GAME, "kind": "swiss", "time": "10+5", "least": "2", "length": "3", "bots": "yes"}
    answer = visitor.http.post("/tournaments", data=usual | form)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["address"])


def act(visitor: Visitor, path: str, change: str, **form: str) -> str:
    """Does something with a tournament; "" or what stands in the way."""
    answer = visitor.http.post(f"{path}/{change}", data=form)
    return "" if answer.status_code == 200 else str(answer.json()["problem"])


def now(visitor: Visitor, path: str) -> dict[str, Any]:
    answer = visitor.http.get(f"{path}/now")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


def until(visitor: Visitor, path: str, holds: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """How the tournament stands as soon as that holds."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        shown = now(visitor, path)
        if holds(shown):
            return shown
        time.sleep(0.1)
    raise AssertionError(shown)


def end(fair: Fair, path: str) -> None:
    assert act(fair.ada, path, "cancel") == ""


def test_a_tournament_is_made_joined_and_started(fair: Fair) -> None:
    path = make(fair.ada, name="Spring cup", rated="yes")
    assert "Spring cup" in fair.guest.http.get("/tournaments").text
    assert "Spring cup" in fair.grace.http.get("/lobby").text
    assert "Spring cup" in fair.guest.http.get(path).text
    assert fair.guest.http.post(f"{path}/join").status_code == 401
    assert act(fair.ada, path, "join") == ""
    assert act(fair.ada, path, "join") == "you take part already"
    assert act(fair.grace, path, "start") == "only the organiser of this tournament can do that"
    assert act(fair.ada, path, "start") == "1 more player is needed"
    assert act(fair.grace, path, "join") == ""
    assert act(fair.grace, path, "leave") == ""
    assert act(fair.grace, path, "join") == ""
    assert fair.ada.http.post(f"{path}/dance").status_code == 404
    shown = now(fair.guest, path)
    assert [row["name"] for row in shown["rows"]] == ["Ada", "Grace"]
    assert (shown["own"], shown["isOrganiser"], shown["playing"]) == (None, False, 2)
    assert act(fair.ada, path, "start") == ""
    table = until(fair.ada, path, lambda shown: shown["table"])["table"]
    assert now(fair.grace, path)["table"] == table
    assert now(fair.guest, path)["table"] == ""
    with fair.ada.live(f"/t/{table}") as first, fair.grace.live(f"/t/{table}") as second:
        assert first.now["tournament"] == path.removeprefix("/tournaments/")
        assert not first.now["hints"]
        first.say("resign")
        for live in (first, second):
            live.until(lambda: live.now["outcome"])  # noqa: B023
        first.say("rematch")
        first.until(lambda: first.refusals)
        assert first.refusals == ["the tournament decides who plays next"]
    shown = until(fair.guest, path, lambda shown: not shown["rows"][0]["table"])
    assert [(row["name"], row["numbers"][0]) for row in shown["rows"]] == [("Grace", "1"), ("Ada", "0")]
    same = fair.guest.http.get(f"{path}/now?seen={shown['version']}").json()
    assert "rows" not in same
    until(fair.guest, path, lambda shown: shown["state"] == "over")  # the two have met: there is no further round
    assert now(fair.guest, path)["podium"] == [1, 0]
    assert act(fair.ada, path, "cancel") == "this tournament is over"


@pytest.mark.parametrize(
    "form", [{"kind": "x"}, {"time": "none"}, {"least": "9", "most": "4"}, {"length": "5.5"}, {"starts": "1"}]
)
def test_odd_tournaments_are_refused_in_a_line(fair: Fair, form: dict[str, str]) -> None:
    usual = {"game": GAME, "kind": "swiss", "time": "10+5"}
    answer = fair.grace.http.post("/tournaments", data=usual | form)
    assert answer.status_code == 400
    assert len(answer.json()["problem"]) < 160


def test_a_member_has_three_at_most(fair: Fair) -> None:
    paths = [make(fair.grace) for _ in range(3)]
    answer = fair.grace.http.post("/tournaments", data={"game": GAME, "kind": "swiss", "time": "10+5"})
    assert answer.json()["problem"].startswith("you organise 3 tournaments already")
    for path in paths:
        assert act(fair.grace, path, "cancel") == ""
    assert now(fair.grace, paths[0])["state"] == "cancelled"


def test_a_program_makes_joins_and_reads(fair: Fair) -> None:
    made = fair.program.post("/tournaments", json={"game": GAME, "kind": "arena", "clock": "3+2", "length": 10})
    assert made.status_code == 201, made.text
    facts = made.json()
    path = f"/tournaments/{facts['id']}"
    assert (facts["state"], facts["players"], facts["joined"]) == ("open", 0, False)
    assert fair.program.post(f"{path}/join").json() == {"ok": True}
    assert fair.program.post(f"{path}/join").status_code == 409
    [listed] = [one for one in fair.program.get("/tournaments").json() if one["id"] == facts["id"]]
    assert (listed["joined"], listed["players"], listed["most"], listed["clock"]) == (True, 1, 16, "3+2")
    assert fair.program.get(path).json()["standings"][0]["kind"] == "program"
    assert fair.program.post(f"{path}/leave").status_code == 200
    assert fair.program.post(f"{path}/cancel").status_code == 200
    for answer, status in (
        (fair.program.get("/tournaments/none"), 404),
        (fair.program.post("/tournaments/none/join"), 404),
        (fair.program.post(f"{path}/dance"), 422),
        (fair.program.post("/tournaments", json={"game": "chess", "kind": "swiss", "clock": "3+2"}), 404),
        (fair.program.post("/tournaments", json={"game": GAME, "kind": "x", "clock": "3+2"}), 422),
        (fair.program.post("/tournaments", json={"game": GAME, "kind": "swiss", "clock": "none"}), 422),
    ):
        assert answer.status_code == status, answer.text
        assert len(answer.json()["detail"].splitlines()) == 1
    people = make(fair.ada, bots="")
    assert fair.program.post(f"/tournaments/{people.rpartition('/')[2]}/join").json()["detail"].endswith("people only")
    end(fair, people)


def test_a_connected_bot_plays_a_whole_tournament(fair: Fair) -> None:
    """Against a level, which the site plays itself."""
    path = make(fair.ada, kind="knock-out")
    assert act(fair.ada, path, "level", engine="random") == ""
    command = [sys.executable, "-m", "lapilli", "connect", fair.site.url, "--tournament", fair.site.url + path]
    client = subprocess.Popen(
        [*command, "--bot", f"{sys.executable} -m lapilli bot {GAME} random"],
        env=os.environ | {"LAPILLI_TOKEN": fair.token, "NO_PROXY": "*"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        until(fair.ada, path, lambda shown: shown["playing"] == 2)
        assert act(fair.ada, path, "start") == ""
        shown = until(fair.ada, path, lambda shown: shown["state"] == "over")
    finally:
        client.send_signal(signal.SIGINT)
        said, _ = client.communicate(timeout=WAIT)
    assert "Joined the tournament" in said
    assert len(shown["matches"]) >= 2
    assert all(match["points"] for match in shown["matches"])
    assert {row["kind"] for row in shown["rows"]} == {"level", "program"}


def levels_play(visitor: Visitor, **form: str) -> str:
    """A tournament of built-in opponents that has begun; its path."""
    path = make(visitor, **form)
    for engine in ("random", "best"):
        act(visitor, path, "level", engine=engine)
    assert now(visitor, path)["playing"] >= 2
    assert act(visitor, path, "start") == ""
    return path


def test_a_killed_server_goes_on(tmp_path: Path) -> None:
    site = PublicSite(tmp_path / "site" / "site.db", "--registration", "open")
    site.folder.mkdir()
    site.start()
    with Visitor(site) as ada:
        assert ada.join("Ada", site.owner_link).status_code == 303
        path = levels_play(ada, kind="knock-out")
        until(ada, path, lambda shown: shown["round"] == 1)
        site.stop(signal.SIGKILL)
        site.start()
        shown = until(ada, path, lambda shown: shown["state"] == "over")
        assert len(shown["podium"]) >= 2
        assert all(match["points"] for match in shown["matches"])
    assert site.stop()[0] == 0


@pytest.fixture(scope="module")
def database() -> Iterator[Server]:
    yield from running()


def test_of_two_processes_one_pairs_and_the_other_takes_over(database: Server, tmp_path: Path) -> None:
    where = database.new_place()
    sites = [PublicSite(where, "--registration", "open", folder=tmp_path / name) for name in ("one", "other")]
    for site in sites:
        site.folder.mkdir()
        site.start()
    one, other = sites
    with Visitor(one) as ada, Visitor(other) as there:
        assert ada.join("Ada", other.owner_link).status_code == 303  # the later link is the one that is valid
        assert there.sign_in("Ada").status_code == 303
        first, second = levels_play(ada, kind="knock-out"), make(there, kind="arena", length="10")
        until(there, first, lambda shown: shown["round"] == 1)
        one.stop(signal.SIGKILL)
        shown = until(there, first, lambda shown: shown["state"] == "over")
        assert all(match["points"] for match in shown["matches"])
        assert act(there, second, "cancel") == ""
    assert other.stop()[0] == 0


# -- in a browser


def opened(fair: Fair, visitor: Visitor, browser: Browser, path: str, *, phone: bool = False) -> Page:
    size = (390, 844) if phone else (1440, 900)
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, has_touch=phone, is_mobile=phone, reduced_motion="reduce"
    )
    visitor.enter(context)
    page = context.new_page()
    page.goto(fair.site.url + path)
    return page


def faults(page: Page) -> list[str]:
    """What is wrong with a page, without its header, which all pages have."""
    page.evaluate("document.querySelector('body > header').hidden = true")
    found: list[str] = page.evaluate(FAULTS)
    return found


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_people_play_a_tournament_in_their_browsers(fair: Fair, browser: Browser, phone: bool) -> None:
    form = opened(fair, fair.ada, browser, "/tournaments/new", phone=phone)
    form.get_by_label("Knock-out").check()
    expect(form.locator("#lengths")).to_be_hidden()
    form.get_by_label("Round robin").check()
    form.check(f"[name=game][value={GAME}]")
    form.select_option("#when", "0")
    form.get_by_text("More options").click()
    form.fill("[name=least]", "3")
    form.fill("[name=most]", "2")
    form.click("button.button")
    expect(form.locator("#state")).to_contain_text("2 to 24 players")
    form.fill("[name=least]", "2")
    form.fill("[name=name]", "Autumn cup")
    assert faults(form) == []
    form.click("button.button")
    form.wait_for_url(re.compile("/tournaments/(?!new)"))
    ada = form
    path = ada.url.removeprefix(fair.site.url)
    expect(ada.locator("#state")).to_contain_text("0 of 2 players")
    ada.get_by_role("button", name="Join").click()
    expect(ada.locator("#standings")).to_contain_text("Ada")
    ada.get_by_role("button", name="Start now").click()
    expect(ada.locator("#problem")).to_have_text("1 more player is needed")
    grace = opened(fair, fair.grace, browser, path, phone=phone)
    grace.get_by_role("button", name="Join").click()
    expect(grace.get_by_role("button", name="Leave")).to_be_visible()
    guest = opened(fair, fair.guest, browser, path, phone=phone)
    expect(guest.get_by_role("link", name="Sign in to join")).to_be_visible()
    assert [faults(page) for page in (ada, grace, guest)] == [[], [], []]
    ada.get_by_role("button", name="Start now").click()
    for page in (ada, grace):
        page.wait_for_url("**/t/*")  # both are led to their table
    expect(guest.locator("#matches")).to_contain_text("playing")
    if phone:
        grace.locator("#menu").click()
    grace.get_by_role("button", name="Resign").click()
    grace.get_by_role("button", name="Really resign?").click()
    back = ada.get_by_role("link", name="To the tournament")
    expect(back).to_be_visible()
    expect(ada.get_by_role("button", name="Rematch")).to_be_hidden()
    back.click()
    ada.wait_for_url(f"**{path}")
    expect(ada.locator("#state")).to_have_text("Ada wins")
    expect(ada.locator("#podium .place-1")).to_contain_text("Ada")
    expect(ada.locator("#mine li")).to_have_count(1)
    assert faults(ada) == []
    for page in (ada, grace, guest):
        page.context.close()


def test_only_owners_cancel_what_has_begun(fair: Fair, browser: Browser) -> None:
    path = levels_play(fair.grace, kind="arena", length="10")
    until(fair.grace, path, lambda shown: shown["state"] == "running")
    for visitor, may_cancel in ((fair.grace, False), (fair.ada, True)):
        page = opened(fair, visitor, browser, path)
        expect(page.locator("#state")).to_contain_text("Ends in")
        expect(page.get_by_role("button", name="Cancel")).to_be_visible(visible=may_cancel)
        page.context.close()
    end(fair, path)


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_a_bot_is_entered_on_the_tournaments_page(fair: Fair, browser: Browser, phone: bool) -> None:
    need_sandbox()
    name = f"entered-{'phone' if phone else 'desktop'}"
    path = make(fair.ada, kind="arena", length="10")
    Author(fair.grace, name)
    page = opened(fair, fair.grace, browser, path, phone=phone)
    page.get_by_label("Enter a bot of yours").select_option(label=f"{name} · version 1")
    page.get_by_role("button", name="Enter this bot").click()
    expect(page.locator("#standings")).to_contain_text(name)
    expect(page.locator("#entered")).to_contain_text("version 1")
    assert faults(page) == []
    page.get_by_role("button", name="Withdraw").click()
    page.get_by_role("button", name="Really withdraw?").click()
    expect(page.locator("#entered")).to_be_hidden()
    expect(page.locator("#standings")).not_to_contain_text(name)
    assert act(fair.ada, path, "cancel") == ""
    page.context.close()
