"""Rated matches on a public site: who may play them, what is refused there, and what is shown at the end."""

from __future__ import annotations

import random
import re
import signal
import time
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect

from lapilli.store import Store
from web.client import PASSWORD, WAIT, Live, People, Visitor, new_token

GAME = "tictactoe"
CHANGE = re.compile(r"^[\d,]+ → [\d,]+\? \([+−]\d+\)$")


def rated_table(people: People, **form: str) -> str:
    return people.ada.lay(GAME, **{"opponent1": "person", "time": "10+5", "rated": "yes"} | form)


def seat_of(live: Live, table: str) -> str:
    return f"{table}/seat/{live.now['links']['1']}"


def link(people: People, table: str) -> str:
    with people.ada.live(table) as live:
        key: str = live.now["links"]["1"]
    return key


def play(people: People, table: str, turns: int) -> list[dict[str, Any]]:
    """Both play some turns, then Ada resigns; what both see then."""
    chance = random.Random(2)
    with people.ada.live(table) as first:
        people.grace.sit(seat_of(first, table))
        with people.grace.live(table) as second:
            for turn in range(1, turns + 1):
                playing = (first, second)[(turn - 1) % 2]
                playing.until(lambda: playing.now["turn"] == turn and playing.now.get("draft"))  # noqa: B023
                playing.play_turn(chance)
            first.until(lambda: first.now["turn"] == turns + 1 and first.now.get("draft"))
            first.say("resign")
            for live in (first, second):
                live.until(lambda: live.now["outcome"])  # noqa: B023
            return [first.now, second.now]


def test_a_rated_match_changes_ratings_and_says_so(people: People) -> None:
    table = rated_table(people)
    invitation = people.grace.http.get(f"{table}/seat/{link(people, table)}").text
    assert "<b>Rated:</b>" in invitation
    assert "Clock: 10 min + 5 s a turn for each player." in invitation
    now, other = play(people, table, 2)
    changes = now["ratings"]
    assert changes == other["ratings"]
    assert set(changes) == {"0", "1"}
    assert all(CHANGE.match(text) for text in changes.values()), changes
    assert "(−" in changes["0"]
    page = people.guest.http.get(table.replace("/t/", "/m/")).text
    assert all(text in page for text in changes.values())
    with people.guest.live(table) as watching:
        assert watching.now["ratings"] == changes, "also for who comes later"


def test_a_match_in_which_somebody_has_not_played_does_not_count(people: People) -> None:
    table = rated_table(people)
    with people.ada.live(table) as first:
        people.grace.sit(seat_of(first, table))
        first.until(lambda: first.now.get("draft"))
        first.say("resign")
        first.until(lambda: first.now["outcome"])
        assert first.now["rated"]
        assert first.now["ratings"] == {}


def test_nothing_is_taken_back_and_nobody_is_helped(people: People) -> None:
    table = rated_table(people)
    people.grace.sit(f"{table}/seat/{link(people, table)}")
    with people.ada.live(table) as live:
        live.until(lambda: live.now.get("draft"))
        assert not live.now["hints"]
        assert not live.now["helps"]
        live.say("take-back")
        live.until(lambda: live.refusals)
        live.say("hint", turn=live.now["turn"])
        live.until(lambda: len(live.refusals) == 2)
        assert live.refusals == [
            "the match is rated: turns cannot be taken back",
            "the match is rated: there are no hints",
        ]


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"time": "none"}, "needs a clock"),
        ({"opponent1": "random"}, "no measured strength"),
        ({"opponent1": "level99"}, "opponent"),
    ],
)
def test_what_cannot_be_rated_is_refused_in_a_line(people: People, form: dict[str, str], reason: str) -> None:
    given = {"game": GAME, "seat": "1", "opponent1": "person", "time": "10+5", "rated": "yes"} | form
    answer = people.ada.http.post("/play", data=given)
    assert answer.status_code == 400
    assert reason in answer.text


def test_a_refused_form_leads_back_to_itself(people: People) -> None:
    http, host = people.ada.http, people.ada.site.url
    form = {"game": GAME, "seat": "1", "opponent1": "person", "time": "none", "rated": "yes"}
    for sent_from, back in [
        (f"{host}/play?game={GAME}", f"/play?game={GAME}"),
        (f"{host}//elsewhere.test/play", "/elsewhere.test/play"),
        ("https://elsewhere.test/play", None),
        ("", None),
    ]:
        page = http.post("/play", data=form, headers={"referer": sent_from}).text
        assert "a rated match needs a clock" in page
        found = re.findall(r'<a class="button" href="([^"]*)">Back to the form', page)
        assert found == ([back] if back else [])


def test_the_form_leads_to_what_can_be_played(people: People, browser: Browser) -> None:
    """A rated match gets a clock, and only sides are offered that so many players have."""
    context = browser.new_context()
    people.ada.enter(context)
    page = context.new_page()
    page.goto(f"{people.site.url}/play?game=kingdomino")
    sides = page.locator("select[name=seat] option:not(:disabled)")
    expect(sides).to_have_count(3)  # random, and one for each of two players
    page.click("summary:has-text('More options')")
    page.select_option("select[name=opponent2]", "person")
    expect(sides).to_have_count(4)
    page.select_option("select[name=seat]", "3")
    page.select_option("select[name=opponent2]", "")
    expect(page.locator("select[name=seat]")).to_have_value("lot")
    clock, rated = page.locator("select[name=time]"), page.locator("[name=rated]")
    rated.check()
    expect(clock).to_have_value("10+5")
    clock.select_option("none")
    expect(rated).not_to_be_checked()
    context.close()


def test_the_form_remembers_what_was_chosen_last(people: People, browser: Browser) -> None:
    context = browser.new_context()
    people.ada.enter(context)
    page = context.new_page()
    page.goto(f"{people.site.url}/play?game=kingdomino")
    page.check("[name=opponent1][value=person]")
    page.select_option("select[name=time]", "3+2")
    page.select_option("select[name=seat]", "2")
    page.click("summary:has-text('More options')")
    page.select_option("select[name=variant]", index=1)
    page.click("form.table-form button.button")
    page.wait_for_url("**/t/*")
    page.goto(f"{people.site.url}/play?game=kingdomino")
    expect(page.locator("[name=opponent1][value=person]")).to_be_checked()
    expect(page.locator("select[name=time]")).to_have_value("3+2")
    expect(page.locator("select[name=seat]")).to_have_value("2")
    assert page.evaluate("document.querySelector('select[name=variant]').selectedIndex") == 1
    page.goto(f"{people.site.url}/play?game=kingdomino&opponent=anybody")
    expect(page.locator("[name=opponent1][value=anybody]")).to_be_checked()
    context.close()


def test_guests_and_ones_own_programs_do_not_sit_at_rated_tables(people: People) -> None:
    given = {"game": GAME, "seat": "1", "opponent1": "person", "time": "10+5", "rated": "yes"}
    answer = people.guest.http.post("/play", data=given)
    assert (answer.status_code, "sign in first" in answer.text) == (400, True)
    table = rated_table(people, opponent1="anybody")
    seat = f"{table}/seat/{link(people, table)}"
    answer = people.guest.http.post(seat, data={"name": "Eve"})
    assert (answer.status_code, "guests have no rating" in answer.text) == (400, True)
    token = new_token(people.ada, "Ada's own", "play", "read")
    with httpx.Client(
        base_url=f"{people.site.url}/api/v1",
        headers={"Authorization": f"Bearer {token}"},
        timeout=WAIT,
        trust_env=False,
    ) as program:
        answer = program.post(f"/tables/{table.removeprefix('/t/')}/accept")
        assert (answer.status_code, "has one seat" in answer.text) == (409, True), answer.text
        assert program.get(f"/tables/{table.removeprefix('/t/')}").json()["rated"] is True
        asked = {"game": GAME, "opponents": ["member:Ada"], "clock": "10+5", "rated": True}
        answer = program.post("/challenges", json=asked)
        assert (answer.status_code, "has one seat" in answer.text) == (409, True), answer.text
    people.grace.sit(seat)
    assert people.grace.http.post(seat).status_code == 303, "a second click is no second seat"


def test_a_member_who_is_invited_to_a_rated_match_takes_the_seat(people: People) -> None:
    token = new_token(people.ada, "Ada's challenger", "play")
    asked = {"game": GAME, "opponents": ["member:Grace"], "clock": "10+5", "rated": True, "seat": "1"}
    headers = {"Authorization": f"Bearer {token}"}
    answer = people.guest.http.post("/api/v1/challenges", json=asked, headers=headers)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    people.grace.sit(made["links"]["1"])
    with people.grace.live(made["address"]) as live:
        assert live.now["open"] == []


def test_members_challenge_each_other_from_their_profiles(people: People) -> None:
    assert 'value="member:Grace"' in people.ada.http.get("/people/Grace").text
    assert 'value="member:' not in people.grace.http.get("/people/Grace").text
    assert 'value="member:' not in people.guest.http.get("/people/Grace").text
    form = {"opponent1": "member:Grace", "time": "10+5", "rated": "yes"}
    table = people.ada.lay(GAME, **form)
    assert "<bdi>Ada</bdi> invites you to play" in people.grace.http.get("/").text
    assert people.grace.http.post(f"{table}/decline").status_code == 303
    assert "invites you to play" not in people.grace.http.get("/").text
    assert people.ada.http.post(f"{table}/cancel").status_code == 303
    for visitor, name in ((people.guest, "Grace"), (people.ada, "Ada"), (people.ada, "Nobody")):
        answer = visitor.http.post("/play", data=form | {"game": GAME, "opponent1": f"member:{name}"})
        assert "choose another member" in answer.text


def test_a_match_that_ended_while_the_site_was_killed_counts_once(people: People) -> None:
    """Its clock falls after the start, although nobody looks at it."""
    table = people.ada.lay(GAME, opponent1="person", time="3+2", rated="yes", seat="1")
    with ExitStack() as stack:
        first = stack.enter_context(people.ada.live(table))
        people.grace.sit(seat_of(first, table))
        second = stack.enter_context(people.grace.live(table))
        for playing in (first, second):
            playing.until(lambda: playing.now.get("draft"))  # noqa: B023
            playing.play_turn(random.Random(1))
    people.site.stop(signal.SIGKILL)
    with Store.open(people.site.store) as store:
        table_id = table.removeprefix("/t/")

        def nearly_out(plan: dict[str, object]) -> None:
            plan["control"] = {"seconds": 0.2, "increment": None}

        store.site.matches.amend(table_id, nearly_out)
    people.site.start()
    with Store.open(people.site.store) as store:
        while not (changes := store.site.ratings.changes(table_id)):
            time.sleep(0.05)
        assert [change.player for change in changes] == [0, 1]


def test_who_signs_up_by_a_friends_link_takes_the_seat(people: People) -> None:
    table = rated_table(people)
    seat = f"{table}/seat/{link(people, table)}"
    with Visitor(people.site) as linus:

        def follow(path: str, word: str) -> str:
            (found,) = re.findall(rf'<a [^>]*href="([^"]+)"[^>]*>{word}</a>', linus.http.get(path).text)
            return str(found)

        assert 'name="name"' not in linus.http.get(seat).text, "a guest cannot join a rated match"
        assert follow(seat, "Sign in") == follow(seat, "Sign in to join"), "at the top of every page, too"
        sign_up = follow(follow(seat, "Sign in to join"), "Create one")
        form = dict(re.findall(r'name="(\w+)" (?:[^>]*)value="([^"]*)"', linus.http.get(sign_up).text))
        refused = linus.http.post("/sign-up", data=form | {"name": "Linus", "password": "short"})
        assert f'name="next" value="{seat}"' in refused.text, "also after a password that is too short"
        assert f'have an account? <a href="{follow(seat, "Sign in")}"' in linus.http.get(sign_up).text
        answer = linus.http.post("/sign-up", data=form | {"name": "Linus", "password": PASSWORD})
        assert answer.headers["location"] == seat
        linus.sit(seat)
        assert linus.http.post("/sign-out").status_code == 303
        assert follow("/", "Sign in") == "/sign-in"
        assert follow("/sign-in", "Create one") == "/sign-up"
        elsewhere = {"name": "Marie", "password": PASSWORD, "next": "//evil.example"}
        assert linus.http.post("/sign-up", data=elsewhere).headers["location"] == "/"
