"""Accounts on a public site: joining, signing in and out, members, leaving."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from lapilli.games import load, names
from lapilli.match import verify
from lapilli.store import Store
from web.client import PASSWORD, PublicSite, Visitor

SESSION = "lapilli_session"


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublicSite]:
    """By invitation; Ada owns it."""
    site = PublicSite(tmp_path_factory.mktemp("public") / "site.db")
    site.start()
    with Visitor(site) as ada:
        assert ada.join("Ada", site.owner_link).status_code == 303
    yield site
    code, errors = site.stop()
    assert (code, "ASGI application" in errors) == (0, False), errors


@pytest.fixture
def ada(public: PublicSite) -> Iterator[Visitor]:
    with Visitor(public) as visitor:
        assert visitor.sign_in("ada").status_code == 303
        yield visitor


@pytest.fixture
def grace(public: PublicSite, ada: Visitor) -> Iterator[Visitor]:
    """A member, made for one test."""
    with Visitor(public) as visitor:
        assert visitor.join("Grace", link_of(ada.http.post("/members/invite", data={"role": "member"}))).is_redirect
        yield visitor
        with Store.open(public.store) as store:
            found = store.site.people.named("grace")
        if found is not None:
            ada.http.post(f"/members/{found.id}/remove")


def link_of(answer: httpx.Response) -> str:
    return answer.text.partition('<input value="')[2].partition('"')[0]


def token_of(visitor: Visitor) -> str:
    return str(visitor.http.cookies[SESSION])


def account_id(public: PublicSite, name: str) -> str:
    with Store.open(public.store) as store:
        found = store.site.people.named(name)
    assert found is not None
    return found.id


def test_nobody_joins_without_an_invitation(public: PublicSite, ada: Visitor) -> None:
    with Visitor(public) as eve:
        assert eve.http.get("/sign-up").status_code == 400
        assert "need an invitation" in eve.join("Eve").text
        assert "is no longer valid" in eve.join("Eve", public.owner_link).text, "it was Ada's"
        link = link_of(ada.http.post("/members/invite", data={"role": "member"}))
        for name, password, said in (
            ("E", PASSWORD, "2 to 20"),
            ("еve", PASSWORD, "2 to 20"),  # the first letter is Cyrillic
            ("Eve<b>", PASSWORD, "2 to 20"),
            ("deleted", PASSWORD, "reserved for the site"),
            ("A-D_A", PASSWORD, "looks like it"),
            ("Eve", "short", "8 to 128 characters"),
            ("Eve", "x" * 129, "8 to 128 characters"),
            ("EveEveEve", "eve-eve-eve", "differ from the name"),
            ("Eve", "Qwertyui", "one of the most common"),
        ):
            answer = eve.join(name, link, password)
            assert (answer.status_code, said in answer.text) == (400, True), (name, answer.text)
        form = eve.http.get("/sign-up", params={"invitation": link.partition("invitation=")[2]}).text
        assert "Letters a to z, digits" in form.partition('name="name"')[2]
        address = eve.join("Eve", link).headers["location"]
        assert "Welcome, <bdi>Eve</bdi>" in eve.http.get(address).text
        assert "Eve" in eve.http.get("/").text
        assert eve.http.get("/members").status_code == 403
        assert "is no longer valid" in eve.join("Eve2", link).text
    assert ada.http.post(f"/members/{account_id(public, 'eve')}/remove").status_code == 303


def test_a_session_is_a_secret_that_ends(public: PublicSite, grace: Visitor) -> None:
    answer = grace.sign_in("GRACE")
    cookie = answer.headers.get_list("set-cookie")[0].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    first = token_of(grace)
    assert grace.sign_in("grace").status_code == 303
    assert token_of(grace) != first, "a new one each time"
    with Visitor(public) as thief:
        thief.http.cookies.set(SESSION, first)
        assert thief.http.get("/account").status_code == 401, "the one before has ended"
        last = token_of(grace)
        thief.http.cookies.set(SESSION, last, domain="127.0.0.1", path="/")
        assert "Grace" in thief.http.get("/account").text
        assert grace.http.post("/sign-out").status_code == 303
        assert SESSION not in grace.http.cookies
        assert thief.http.get("/account").status_code == 401
    stored = public.file.read_bytes() + public.file.with_name("site.db-wal").read_bytes()
    assert PASSWORD.encode() not in stored
    assert last.encode() not in stored
    assert b"$argon2id$" in stored


def test_after_signing_in_one_goes_on_where_one_was(public: PublicSite) -> None:
    with Visitor(public) as ada:
        answer = ada.http.get("/account")
        assert answer.status_code == 401
        assert 'href="/sign-in?next=%2Faccount"' in answer.text
        for given, taken in (("/members", "/members"), ("//evil.example", "/"), ("/\\evil.example", "/"), ("x", "/")):
            form = {"name": "ada", "password": PASSWORD, "next": given}
            assert ada.http.post("/sign-in", data=form).headers["location"] == taken
            assert f'name="next" value="{taken}"' in ada.http.get("/sign-in", params={"next": given}).text


def test_who_guesses_waits_and_learns_nothing(tmp_path: Path) -> None:
    site = PublicSite(tmp_path / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as ada, Visitor(site) as eve:
        assert ada.join("Ada").status_code == 303
        heard = []
        for name in ("ada", "nobody"):
            answers = [eve.sign_in(name, f"guess {number}") for number in range(7)]
            heard.append([(answer.status_code, answer.text.replace(name, "NAME")) for answer in answers])
            waits = [int(answer.headers["retry-after"]) for answer in answers if answer.status_code == 429]
            assert waits
            assert all(0 < wait <= 4 for wait in waits)
        assert heard[0] == heard[1], "whether there is such an account"
        assert [status for status, _ in heard[0]] == [401] * 6 + [429]
        site.stop(signal.SIGKILL)
        site.start()
        while (answer := eve.sign_in("ada", "another guess")).status_code == 429:
            time.sleep(0.2)
        assert answer.status_code == 401
        assert eve.sign_in("ADA").status_code == 429, "the right one, too; and a restart forgets nothing"
        assert ada.sign_in("ada").status_code == 303, "in a browser where she was signed in nobody keeps her waiting"
    assert site.stop()[0] == 0


def test_seats_follow_the_account_and_guests_are_marked(public: PublicSite, grace: Visitor) -> None:
    game = names()[0]
    table = grace.lay(game, name="somebody else", opponent1="person")
    with Visitor(public) as other, Visitor(public) as guest:
        assert other.sign_in("grace").status_code == 303
        with other.live(table) as live:
            assert live.hello["seat"] == 0
            guest.sit(f"{table}/seat/{live.now['links']['1']}", "Grace\u202e\u200b")
            live.until(lambda: not live.now["open"])
            seats = [player["name"] for player in live.hello["look"]["players"]]
            assert seats == ["Grace", "Grace (guest)"]
            with guest.live(table) as watching:
                assert watching.hello["seat"] == 1
            live.say("resign")
    with Visitor(public) as stranger, stranger.live(table) as live:
        assert live.hello["seat"] is None


def test_open_pages_end_with_the_session(public: PublicSite, grace: Visitor) -> None:
    table = grace.lay(names()[0])
    with Visitor(public) as elsewhere, grace.live(table) as live:
        assert elsewhere.sign_in("grace").status_code == 303
        assert elsewhere.http.post("/account/sign-out-everywhere").headers["location"] == "/sign-in"
        with pytest.raises(ConnectionClosed) as closed:
            live.until(lambda: False)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4401
    with grace.live(table) as live:
        assert live.hello["seat"] is None, "a guest, by now"


def test_a_session_that_another_process_ended_cannot_act(public: PublicSite, grace: Visitor) -> None:
    table = grace.lay(names()[0])
    with grace.live(table) as live:
        assert live.wait_for_turn()
        with Store.open(public.store) as store:
            store.site.people.end_all(account_id(public, "grace"))
        live.say("resign")
        with pytest.raises(ConnectionClosed):
            live.until(lambda: live.now["outcome"])


def test_name_and_password_are_changed_by_who_knows_the_password(public: PublicSite, grace: Visitor) -> None:
    change = grace.http.post
    assert change("/account/name", data={"name": "Hopper", "password": "wrong one"}).status_code == 400
    assert change("/account/name", data={"name": "adA", "password": PASSWORD}).status_code == 400
    assert change("/account/name", data={"name": "GRACE", "password": PASSWORD}).status_code == 303
    assert "GRACE" in grace.http.get("/").text
    with Visitor(public) as elsewhere:
        assert elsewhere.sign_in("grace").status_code == 303
        form = {"password": PASSWORD, "new": "another horse"}
        assert change("/account/password", data=form | {"new": "short"}).status_code == 400
        assert change("/account/password", data=form).status_code == 303
        assert grace.http.get("/account").status_code == 200
        assert elsewhere.http.get("/account").status_code == 401
        assert elsewhere.sign_in("grace").status_code == 401
        assert elsewhere.sign_in("grace", "another horse").status_code == 303
    assert change("/account/nothing", data=form).status_code == 404


def test_who_leaves_is_forgotten_and_the_matches_stay(public: PublicSite, grace: Visitor) -> None:
    game = next(name for name in names() if len(load(name).new_initial_state(seed=1).asked()) == 1)
    played, going = grace.lay(game), grace.lay(game)
    with grace.live(played) as live:
        assert live.wait_for_turn()
        live.play_turn(random.Random(1))
        live.say("resign")
        live.until(lambda: live.now["outcome"])
    assert grace.record(played).players[0].name == "Grace"
    with Visitor(public) as watcher, watcher.live(going) as watching:
        assert grace.http.post("/account/delete", data={"password": "wrong one"}).status_code == 400
        assert grace.http.post("/account/delete", data={"password": PASSWORD}).headers["location"] == "/"
        watching.until(lambda: watching.hello["look"]["players"][0]["name"] == "deleted")
        record = watcher.record(played)
        assert record.players[0].name == "deleted"
        assert verify(record) is not None
        page = watcher.http.get("/").text.replace("Grace (guest)", "")  # a guest of another test
        assert "Grace" not in page
        assert watcher.http.get(played.replace("/t/", "/m/")).status_code == 200
    assert grace.sign_in("grace").status_code == 401
    with grace.live(going) as live:
        assert live.hello["seat"] is None
    with Store.open(public.store) as store:
        for table in (played, going):
            stored = store.site.matches.get(table.removeprefix("/t/"))
            assert "Grace" not in str(stored.plan if stored else "Grace")


def test_owners_rule_members_but_there_is_always_one(public: PublicSite, ada: Visitor, grace: Visitor) -> None:
    theirs, own = f"/members/{account_id(public, 'grace')}", f"/members/{account_id(public, 'ada')}"
    for path in (f"{own}/role", f"{own}/remove", f"{theirs}/role", "/members/invite", "/members/withdraw"):
        assert grace.http.post(path, data={"role": "owner"}).status_code == 403
    assert "only owner" in ada.http.post("/account/delete", data={"password": PASSWORD}).text
    assert ada.http.post(f"{own}/role", data={"role": "member"}).status_code == 400
    assert ada.http.post(f"{theirs}/role", data={"role": "emperor"}).status_code == 400
    assert ada.http.post(f"{theirs}/role", data={"role": "owner"}).status_code == 303
    assert grace.http.get("/members").status_code == 200, "at once"
    assert grace.http.post(f"{theirs}/role", data={"role": "member"}).status_code == 303
    assert grace.http.get("/members").status_code == 403
    page = ada.http.get("/members", params={"name": "gr"}).text
    assert "<bdi>Grace</bdi>" in page
    assert "<bdi>Ada</bdi>" not in page
    link = link_of(ada.http.post(f"{theirs}/link"))
    with Visitor(public) as elsewhere:
        form = {"invitation": link.partition("invitation=")[2], "password": "a new password"}
        assert elsewhere.http.get(link.removeprefix(public.url)).status_code == 200
        assert "for something else" in elsewhere.http.get("/new-password").text
        assert elsewhere.join("Mallory", link).status_code == 400
        assert elsewhere.http.post("/new-password", data=form).headers["location"] == "/account"
        assert grace.http.get("/account").status_code == 401, "who was signed in is out"
        assert elsewhere.http.post("/new-password", data=form).status_code == 400
        unused = link_of(ada.http.post("/members/invite", data={"role": "member"}))
        assert ada.http.post("/members/withdraw").status_code == 303
        assert elsewhere.join("Mallory", unused).status_code == 400
    assert ada.http.post(f"{theirs}/remove").status_code == 303
    assert ada.http.post(f"{theirs}/remove").status_code == 404
