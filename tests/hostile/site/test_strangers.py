"""Two members, a guest and the owner of a public site: what each may read of the others' work, what their bots see,
and what is left of somebody who leaves."""

from __future__ import annotations

import base64
import gzip
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from lapilli.games import load, names
from lapilli.players.sandbox.sandbox import why_no_sandbox
from lapilli.site.people.identity.names import DELETED_BOT
from lapilli.site.people.identity.people import holder_of
from lapilli.store import Store
from web.client import PASSWORD, WAIT, PublicSite, Visitor, new_token
from web.test_bots import FIRST, GAME, PROBES, VARIED
from web.writing import Author

pytestmark = pytest.mark.skipif(bool(why_no_sandbox()), reason="there is no bubblewrap")
SECRET = "the secret of my bot"
TALKS = FIRST.replace("    print", f"    sys.stderr.write({SECRET!r})\n    print")


class Strangers(NamedTuple):
    """Who is on the site: its owner, two members, and somebody without an account."""

    site: PublicSite
    owner: Visitor
    grace: Visitor
    eve: Visitor
    guest: Visitor


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strangers]:
    site = PublicSite(tmp_path_factory.mktemp("strangers") / "site.db", "--registration", "open")
    site.start()
    with ExitStack() as closing:
        owner, grace, eve, guest = (closing.enter_context(Visitor(site)) for _ in range(4))
        assert owner.join("Ada", site.owner_link).status_code == 303
        assert grace.join("Grace").status_code == 303
        assert eve.join("Eve").status_code == 303
        yield Strangers(site, owner, grace, eve, guest)
    code, errors = site.stop()
    assert (code, "Traceback" in errors) == (0, False), errors


def entered(author: Author, code: str = TALKS) -> str:
    """Enters a talking bot in its league; the address of a match that it played there."""
    assert author.does("submit", author.save(code))["state"] == "done"
    until = time.monotonic() + 2 * WAIT
    while not (place := author.http.get(f"{author.path}/league").json())["matches"]:
        assert time.monotonic() < until
        time.sleep(0.2)
    page = author.http.get(f"/leagues/{GAME}/bots/{place['number']}").text
    found = re.search(rf'href="(/leagues/{GAME}/matches/\d+)"', page)
    assert found is not None
    return found[1]


def test_work_is_its_authors_and_the_owners(strangers: Strangers) -> None:
    author, spy = Author(strangers.grace, "private"), Author(strangers.eve, "peeps")
    version = author.save(TALKS)
    trial = author.does("play", version)["id"]
    assert SECRET in author.said(trial)
    paths = [
        "",
        "/versions/1",
        f"/versions/{version}",
        f"/trials/{trial}",
        f"/trials/{trial}/film",
        "/league",
        "/comparisons",
    ]
    for path in paths:
        asked = [who.http.get(author.path + path).status_code for who in strangers[1:]]
        assert asked == [200, 200, 404, 401], path
    cookie = "; ".join(f"{name}={value}" for name, value in strangers.eve.http.cookies.items())
    live = f"{strangers.site.url.replace('http', 'ws')}{author.path}/trials/{trial}/live"
    with pytest.raises(InvalidStatus):
        connect(live, origin=Origin(strangers.site.url), additional_headers={"Cookie": cookie}, proxy=None)
    for path in ("/code", "/trials", f"/trials/{trial}/stop", "/delete"):
        asked = [who.http.post(author.path + path, content="{}").status_code for who in strangers[3:]]
        assert asked == [404, 401], path
    assert author.code(version) == TALKS, "nothing has changed"
    usual = {"kind": "play", "version": 1, "opponent": "random", "seat": 0, "seed": 7}
    bot_id = author.path.removeprefix("/bots/")
    for more in ({"opponent": f"bot:{bot_id}"}, {"kind": "rerun", "trial": trial, "turn": 1}):
        asked_for = usual | more if "opponent" in more else {"version": 1} | more
        assert strangers.eve.http.post(f"{spy.path}/trials", json=asked_for).status_code == 400, more
    assert strangers.eve.http.get(f"{spy.path}/trials/{trial}").status_code == 404, "by way of another bot"
    battle = entered(author)
    shown = [SECRET in film_on(who.http.get(battle).text) for who in strangers[1:]]
    assert shown == [True, True, False, False]
    for who in strangers[3:]:
        for page in ("/bots", "/leagues", f"/leagues/{GAME}", "/"):
            text = who.http.get(page).text
            assert bot_id not in text
            assert SECRET not in text


FAILS = f"""import sys
asked = 0
while sys.stdin.readline().strip():
    moves = input().split()
    asked += 1
    if asked == 2:
        raise OSError({SECRET!r})
    print(moves[0], flush=True)
"""
"""Ends in the second turn of each match, and says a secret."""


def test_a_comparison_tells_nothing_of_anothers_bot_but_how_it_fared(strangers: Strangers) -> None:
    other, own = Author(strangers.grace, "fragile"), Author(strangers.eve, "curious")
    assert "fragile" not in strangers.eve.http.get(own.path).text
    refused = strangers.eve.http.post(
        f"{own.path}/trials", json={"kind": "compare", "version": 1, "against": "code:fragile"}
    )
    assert refused.status_code == 400, "it is in no league"
    battle = entered(other, FAILS)
    assert 'value="code:fragile"' in strangers.eve.http.get(own.path).text

    def told(trial: str) -> str:
        paths = f"{own.path}/trials/{trial}", f"{own.path}/comparisons", own.path
        return "".join(strangers.eve.http.get(path).text for path in paths)

    table = strangers.eve.lay(GAME, opponent1="code:fragile")
    found = own.compares(own.save(VARIED), against="code:fragile")
    assert (found["state"], found["told"]["verdict"]) == ("done", "better"), found
    assert found["told"]["sentence"].startswith("Version 2 is better than fragile of the league (")
    assert [one["name"] for one in found["told"]["players"]] == ["curious v2"]
    shown = told(found["id"])
    for secret in (SECRET, "OSError", 'bot.py"', other.path.removeprefix("/bots/"), "exited", "Grace"):
        assert secret not in shown.replace('"file": "bot.py"', ""), secret
    with Store.open(strangers.site.store) as store:
        store.site.bots.submit(other.path.removeprefix("/bots/"), other.save(f"def {SECRET}(:\n"))
    broken = own.does("compare", 2, against="code:fragile")
    assert (broken["state"], "does not start here" in broken["told"]["problem"]) == ("failed", True)
    assert broken["told"]["step"] == "meeting", "it is not the own text that does not compile"
    assert SECRET not in told(broken["id"])
    assert strangers.grace.http.post(f"{other.path}/delete").status_code == 303
    shown = told(found["id"])
    assert f"Version 2 is better than {DELETED_BOT} (" in shown
    assert "fragile" not in shown
    for page in (f"/leagues/{GAME}", battle, "/", table):
        text = strangers.eve.http.get(page).text
        assert "fragile" not in text + (film_on(text) if page == battle else ""), page
    with strangers.eve.live(table) as live:
        assert live.hello["look"]["players"][1]["name"] == DELETED_BOT


def film_on(page: str) -> str:
    """The film that a page has in it."""
    found = re.search(r'<script id="film"[^>]*>([^<]+)<', page)
    assert found is not None
    return gzip.decompress(base64.b64decode(found[1])).decode()


def test_tokens_are_ones_own(strangers: Strangers) -> None:
    token = new_token(strangers.grace, "Graces program", "read")
    page = strangers.grace.http.get("/account/tokens").text
    revoke = re.search(r"/account/tokens/[\w-]+/revoke", page)
    assert revoke is not None
    for who, status in ((strangers.owner, 404), (strangers.eve, 404), (strangers.guest, 401)):
        assert who.http.post(revoke[0]).status_code == status
        assert "Graces program" not in who.http.get("/account/tokens").text
    assert account(strangers.site, token).json()["name"] == "Graces program"


def account(site: PublicSite, token: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.get(f"{site.url}/api/v1/account", headers=headers, timeout=WAIT, trust_env=False)


def test_a_members_bot_sees_neither_the_server_nor_anothers(strangers: Strangers) -> None:
    victim, spy, site = Author(strangers.grace, "hidden"), Author(strangers.eve, "looks"), strangers.site
    assert victim.does("play", victim.save(TALKS + "# hidden\n"))["state"] == "done"
    builds = site.file.with_suffix(".builds")
    assert list(builds.iterdir())
    code = PROBES.format(store=str(site.store), folder=str(site.file.parent), builds=str(builds), port=site.port)
    played = spy.does("play", spy.save(code))
    told = dict(line.rsplit(" could", 1) for line in spy.said(played["id"]).split("\n") if " could" in line)
    del told["store's folder"]  # in it lies its own build, and it sees that alone
    hidden = ["store", "others' builds", "writes at home", "processes", "server", "network", "secrets"]
    assert told == dict.fromkeys(hidden, " not")


def test_a_member_is_asked_to_play(strangers: Strangers) -> None:
    site, grace, eve = strangers.site, strangers.grace, strangers.eve
    tokens = [
        new_token(who, f"challenger {number}", "play") for number, who in enumerate((grace, eve, strangers.owner))
    ]

    def asks(number: int, path: str, **body: object) -> httpx.Response:
        headers = {"Authorization": f"Bearer {tokens[number]}"}
        return httpx.post(f"{site.url}/api/v1{path}", headers=headers, json=body, timeout=WAIT, trust_env=False)

    def challenge() -> str:
        laid = asks(0, "/challenges", game=GAME, opponents=["member:eVe"], seat="1")
        assert laid.status_code == 201, laid.text
        return str(laid.json()["id"])

    assert asks(0, "/challenges", game=GAME, opponents=["member:Nobody"]).status_code == 404
    table = challenge()
    seat = re.search(rf'href="(/t/{table}/seat/[\w-]+)"', eve.http.get("/").text)
    assert seat is not None
    for who in (strangers.owner, grace, strangers.guest):
        assert seat[1] not in who.http.get("/").text
        assert who.http.get(seat[1]).status_code == 403
        assert who.http.post(seat[1], data={"name": "x"}).status_code == 403
        assert who.http.post(f"/t/{table}/decline").status_code in (400, 401)
    eve.sit(seat[1])
    assert seat[1] not in eve.http.get("/").text
    with eve.live(f"/t/{table}") as live:
        assert live.hello["seat"] == 1
    declined, taken = challenge(), challenge()
    assert eve.http.post(f"/t/{declined}/decline").status_code == 303
    assert f"/t/{declined}/seat" not in eve.http.get("/").text
    assert asks(2, f"/tables/{taken}/accept").status_code == 409, "it is kept for another"
    assert asks(1, f"/tables/{taken}/accept").status_code == 200, "by a program of hers"


def test_a_program_does_not_pass_for_a_member(strangers: Strangers) -> None:
    """A token may have any name, that of a member included. Pages say that a program plays."""
    site, grace, eve = strangers.site, strangers.grace, strangers.eve
    headers = {"Authorization": f"Bearer {new_token(eve, 'Ada', 'play')}"}

    def asks(path: str, **body: object) -> str:
        made = httpx.post(f"{site.url}/api/v1{path}", headers=headers, json=body, timeout=WAIT, trust_env=False)
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    table = asks("/challenges", game=GAME, opponents=["member:Grace"], seat="1")
    home = grace.http.get("/").text
    invitation = re.search(rf'href="(/t/{table}/seat/[\w-]+)"', home)
    assert invitation is not None
    for page in (home, grace.http.get(invitation[1]).text):
        assert "Ada (program)" in page
        assert not re.search(r"\bAda\b(?! \(program\))", page)
    with grace.live(f"/t/{table}") as live:
        assert live.hello["look"]["players"][0]["name"] == "Ada (program)"
    seek = asks("/seeks", game=GAME)
    [offer] = [one for one in grace.http.get("/lobby/now").json()["offers"] if one["id"] == seek]
    assert offer["name"] == "Ada (program)"


def test_who_leaves_leaves_nothing_but_matches(strangers: Strangers) -> None:
    site, others = strangers.site, strangers.eve
    with Visitor(site) as hopper:
        assert hopper.join("Hopper").status_code == 303
        token = new_token(hopper, "Hoppers program", "read", "play")
        author, own = Author(hopper, "cobol"), TALKS + "# mine alone\n"
        battle = entered(author, own)
        trial = author.does("play", author.save(own))["id"]
        other = next(name for name in names() if name != GAME)
        puzzle = hopper.http.get(f"/puzzles/{other}").headers["location"]
        assert hopper.http.post(puzzle, json={"reply": ""}).status_code == 200
        bears = {"Authorization": f"Bearer {token}"}
        table = {"game": GAME, "opponents": ["person"]}
        laid = httpx.post(f"{site.url}/api/v1/challenges", headers=bears, json=table, timeout=WAIT, trust_env=False)
        assert laid.status_code == 201
        with Store.open(site.store) as store:
            account_id = next(one.id for one in store.site.people.listed() if one.name == "Hopper")
            assert store.site.puzzles.tried(holder_of(account_id))
            copies = [Path(one.folder) for one in store.leaderboard(event_of(store)) if one.contestant.name == "cobol"]
        assert copies[0].exists()
        assert hopper.http.post("/account/delete", data={"password": PASSWORD}).status_code == 303
    assert account(site, token).status_code == 401
    with Store.open(site.store) as store:
        assert store.site.tokens.named("Hoppers program") is None
        assert store.site.tokens.listed(account_id) == []
        assert store.site.bots.owned(account_id) == []
        assert store.site.bots.get(author.path.removeprefix("/bots/")) is None
        assert store.site.bots.version(author.path.removeprefix("/bots/"), 1) is None
        assert store.site.trials.get(trial) is None
        assert store.site.puzzles.tried(holder_of(account_id)) == {}
        entries = store.leaderboard(event_of(store), withdrawn=True)
        assert "cobol" not in str(entries)
        gone = [one for one in entries if one.contestant.name == DELETED_BOT]
        assert {one.withdrawn is not None for one in gone} == {True}
        assert "Hoppers program" not in str(store.site.matches.get(laid.json()["id"]))
    assert not copies[0].exists()
    built = [path for path in site.file.with_suffix(".builds").rglob("bot.py") if "mine alone" in path.read_text()]
    assert built == []
    page = others.http.get(battle).text
    shown = page + film_on(page)
    assert DELETED_BOT in shown
    assert "cobol" not in shown
    assert "cobol" not in others.http.get(f"/leagues/{GAME}").text
    again = others.http.post("/bots", data={"game": GAME, "name": "Deleted", "language": "python"})
    assert again.status_code == 400, "the place of who has left is nobody's"
    assert load(GAME).title in page


def event_of(store: Store) -> int:
    """The league's."""
    return next(event.id for event in store.events(most=10) if event.name == f"site-{GAME}")
