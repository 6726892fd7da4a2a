"""Every route of a public site: who may use it, tried without rights, with another's, and with what is no request.

Who adds a route adds a row to ROUTES; a route without one fails `test_every_route_is_here`.
"""

from __future__ import annotations

import http.client
import secrets
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from starlette.requests import HTTPConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from lapilli.games import names
from lapilli.site.api.models import MAX_BODY as MAX_ASKED
from lapilli.site.api.models import MAX_UPLOAD as MAX_SENT
from lapilli.site.app import create_app
from lapilli.site.http.guard import MAX_BODY
from lapilli.site.people.identity.people import Role, person_of
from lapilli.site.runtime.settings import Public
from lapilli.site.study.analysis import MAX_UPLOAD
from lapilli.site.study.positions import MAX_PLACE
from lapilli.site.study.saving import MAX_STUDY
from lapilli.store import MAX_CODE, Store
from web.client import WAIT, PublicSite, Visitor, new_token
from web.writing import Author


class Who(IntEnum):
    """Who may use a route; those after may as well."""

    GUEST = 0
    MEMBER = 1
    OWNER = 2


class Rights(NamedTuple):
    """A route's row.

    Attributes:
        who: may use it. path: one that it answers to, with what it needs filled in from `Things`.
        takes: how many bytes of a body it reads; 0: it does not look at one.
        scope: of the token that a program bears, where only programs may use it; "" where people do.
    """

    who: Who
    path: str
    takes: int = 0
    scope: str = ""


FORM = 4096
TURN = 16_384
ROUTES = {
    "GET /": Rights(Who.GUEST, "/"),
    "GET /healthz": Rights(Who.GUEST, "/healthz"),
    "GET /worker.js": Rights(Who.GUEST, "/worker.js"),
    "GET /offline": Rights(Who.GUEST, "/offline"),
    "MOUNT /static": Rights(Who.GUEST, "/static/site/frontend/static/site.css"),
    "GET /films/{game}": Rights(Who.GUEST, "/films/{game}"),
    "GET /play": Rights(Who.GUEST, "/play"),
    "GET /play/ready/{game}": Rights(Who.GUEST, "/play/ready/{game}"),
    "POST /play": Rights(Who.GUEST, "/play", FORM),
    "GET /t/{table_id}": Rights(Who.GUEST, "/t/{table}"),
    "GET /t/{table_id}/seat/{key}": Rights(Who.GUEST, "/t/{table}/seat/{key}"),
    "POST /t/{table_id}/seat/{key}": Rights(Who.GUEST, "/t/{table}/seat/{key}", FORM),
    "POST /t/{table_id}/cancel": Rights(Who.GUEST, "/t/none/cancel"),
    "POST /t/{table_id}/decline": Rights(Who.MEMBER, "/t/{table}/decline"),
    "GET /t/{table_id}/past": Rights(Who.GUEST, "/t/{table}/past"),
    "SOCKET /t/{table_id}/live": Rights(Who.GUEST, "/t/{table}/live"),
    "GET /m/{table_id}": Rights(Who.GUEST, "/m/{table}"),
    "GET /m/{table_id}.json": Rights(Who.GUEST, "/m/{table}.json"),
    "GET /sign-in": Rights(Who.GUEST, "/sign-in"),
    "POST /sign-in": Rights(Who.GUEST, "/sign-in", FORM),
    "GET /sign-up": Rights(Who.GUEST, "/sign-up"),
    "POST /sign-up": Rights(Who.GUEST, "/sign-up", FORM),
    "POST /sign-out": Rights(Who.GUEST, "/sign-out"),
    "GET /new-password": Rights(Who.GUEST, "/new-password"),
    "POST /new-password": Rights(Who.GUEST, "/new-password", FORM),
    "GET /account": Rights(Who.MEMBER, "/account"),
    "POST /account/{change}": Rights(Who.MEMBER, "/account/name", FORM),
    "GET /account/data.zip": Rights(Who.MEMBER, "/account/data.zip"),
    "GET /matches": Rights(Who.MEMBER, "/matches"),
    "GET /matches/next": Rights(Who.MEMBER, "/matches/next"),
    "GET /matches/waiting": Rights(Who.MEMBER, "/matches/waiting"),
    "POST /matches/vacation": Rights(Who.MEMBER, "/matches/vacation", FORM),
    "POST /matches/vacation/end": Rights(Who.MEMBER, "/matches/vacation/end"),
    "GET /people": Rights(Who.GUEST, "/people"),
    "GET /people/{name}": Rights(Who.GUEST, "/people/{person}"),
    "GET /lobby": Rights(Who.MEMBER, "/lobby"),
    "GET /lobby/now": Rights(Who.MEMBER, "/lobby/now"),
    "POST /lobby/seeks": Rights(Who.MEMBER, "/lobby/seeks", FORM),
    "POST /lobby/seeks/{seek_id}/accept": Rights(Who.MEMBER, "/lobby/seeks/none/accept"),
    "POST /lobby/seeks/{seek_id}/withdraw": Rights(Who.MEMBER, "/lobby/seeks/none/withdraw"),
    "GET /tournaments": Rights(Who.GUEST, "/tournaments"),
    "GET /tournaments/new": Rights(Who.MEMBER, "/tournaments/new"),
    "POST /tournaments": Rights(Who.MEMBER, "/tournaments", FORM),
    "GET /tournaments/{tournament_id}": Rights(Who.GUEST, "/tournaments/{tournament}"),
    "GET /tournaments/{tournament_id}/now": Rights(Who.GUEST, "/tournaments/{tournament}/now"),
    "POST /tournaments/{tournament_id}/{change}": Rights(Who.MEMBER, "/tournaments/{tournament}/join", FORM),
    "GET /account/tokens": Rights(Who.MEMBER, "/account/tokens"),
    "POST /account/tokens": Rights(Who.MEMBER, "/account/tokens", FORM),
    "POST /account/tokens/{token_id}/revoke": Rights(Who.MEMBER, "/account/tokens/none/revoke"),
    "GET /members": Rights(Who.OWNER, "/members"),
    "GET /members/log": Rights(Who.OWNER, "/members/log"),
    "GET /mail": Rights(Who.MEMBER, "/mail"),
    "POST /mail": Rights(Who.MEMBER, "/mail", FORM),
    "POST /mail/remove": Rights(Who.MEMBER, "/mail/remove"),
    "GET /mail/confirm": Rights(Who.GUEST, "/mail/confirm"),
    "POST /mail/confirm": Rights(Who.GUEST, "/mail/confirm", FORM),
    "GET /mail/stop": Rights(Who.GUEST, "/mail/stop"),
    "POST /mail/stop": Rights(Who.GUEST, "/mail/stop", FORM),
    "GET /members/reports": Rights(Who.OWNER, "/members/reports"),
    "POST /members/reports/{line}/{change}": Rights(Who.OWNER, "/members/reports/1/keep"),
    "POST /members/invite": Rights(Who.OWNER, "/members/invite", FORM),
    "POST /members/withdraw": Rights(Who.OWNER, "/members/withdraw"),
    "POST /members/{account_id}/{change}": Rights(Who.OWNER, "/members/{account}/role", FORM),
    "GET /metrics": Rights(Who.GUEST, "/metrics"),  # of this machine, or with a token: see test_processes
    "GET /api/docs": Rights(Who.GUEST, "/api/docs"),
    "GET /analyse": Rights(Who.GUEST, "/analyse?game={game}"),
    "POST /analyse/at": Rights(Who.GUEST, "/analyse/at", MAX_PLACE),
    "POST /analyse/openings": Rights(Who.GUEST, "/analyse/openings", MAX_PLACE),
    "POST /analyse/record": Rights(Who.GUEST, "/analyse/record", MAX_UPLOAD),
    "POST /analyse/review": Rights(Who.GUEST, "/analyse/review", MAX_PLACE),
    "POST /analyse/think": Rights(Who.GUEST, "/analyse/think", MAX_PLACE),
    "POST /analyse/answer": Rights(Who.GUEST, "/analyse/answer", MAX_PLACE),
    "GET /studies": Rights(Who.MEMBER, "/studies"),
    "POST /studies": Rights(Who.MEMBER, "/studies", MAX_STUDY),
    "GET /studies/{study_id}": Rights(Who.GUEST, "/studies/{study}"),
    "POST /studies/{study_id}": Rights(Who.MEMBER, "/studies/{study}", MAX_STUDY),
    "GET /studies/{study_id}/now": Rights(Who.GUEST, "/studies/{study}/now"),
    "POST /studies/{study_id}/at": Rights(Who.MEMBER, "/studies/{study}/at", 256),
    "POST /studies/{study_id}/delete": Rights(Who.MEMBER, "/studies/none/delete"),
    "GET /m/{table_id}/mistakes": Rights(Who.GUEST, "/m/{table}/mistakes"),
    "POST /m/{table_id}/mistakes": Rights(Who.GUEST, "/m/{table}/mistakes"),
    "GET /puzzles": Rights(Who.GUEST, "/puzzles"),
    "GET /puzzles/{name}": Rights(Who.GUEST, "/puzzles/{game}"),
    "GET /puzzles/{name}/{puzzle}": Rights(Who.GUEST, "/puzzles/{game}/{puzzle}"),
    "POST /puzzles/{name}/{puzzle}": Rights(Who.GUEST, "/puzzles/{game}/{puzzle}", TURN),
    "GET /learn": Rights(Who.GUEST, "/learn"),
    "GET /learn/{name}": Rights(Who.GUEST, "/learn/{game}"),
    "POST /learn/{name}/{number}": Rights(Who.GUEST, "/learn/{game}/0", TURN),
    "GET /rules/{name}": Rights(Who.GUEST, "/rules/{game}"),
    "GET /leagues": Rights(Who.GUEST, "/leagues"),
    "GET /leagues/{name}": Rights(Who.GUEST, "/leagues/{game}"),
    "GET /leagues/{name}/bots/{number}": Rights(Who.GUEST, "/leagues/{game}/bots/{number}"),
    "GET /leagues/{name}/matches/{match_id}": Rights(Who.GUEST, "/leagues/{game}/matches/{number}"),
    "GET /bots": Rights(Who.MEMBER, "/bots"),
    "POST /bots": Rights(Who.MEMBER, "/bots", FORM),
    "GET /bots/{bot_id}": Rights(Who.MEMBER, "/bots/{bot}"),
    "POST /bots/{bot_id}/code": Rights(Who.MEMBER, "/bots/{bot}/code", MAX_CODE),
    "GET /bots/{bot_id}/versions/{number}": Rights(Who.MEMBER, "/bots/{bot}/versions/{number}"),
    "GET /bots/{bot_id}/league": Rights(Who.MEMBER, "/bots/{bot}/league"),
    "GET /bots/{bot_id}/comparisons": Rights(Who.MEMBER, "/bots/{bot}/comparisons"),
    "POST /bots/{bot_id}/delete": Rights(Who.MEMBER, "/bots/none/delete"),
    "POST /bots/{bot_id}/trials": Rights(Who.MEMBER, "/bots/{bot}/trials", 2048),
    "GET /bots/{bot_id}/trials/{trial_id}": Rights(Who.MEMBER, "/bots/{bot}/trials/{trial}"),
    "GET /bots/{bot_id}/trials/{trial_id}/film": Rights(Who.MEMBER, "/bots/{bot}/trials/{trial}/film"),
    "SOCKET /bots/{bot_id}/trials/{trial_id}/live": Rights(Who.MEMBER, "/bots/{bot}/trials/{trial}/live"),
    "POST /bots/{bot_id}/trials/{trial_id}/stop": Rights(Who.MEMBER, "/bots/{bot}/trials/{trial}/stop"),
}
API = {
    "GET /openapi.json": Rights(Who.GUEST, "/openapi.json"),
    "HEAD /openapi.json": Rights(Who.GUEST, "/openapi.json"),
    "GET /account": Rights(Who.MEMBER, "/account", scope="read"),
    "GET /games": Rights(Who.MEMBER, "/games", scope="read"),
    "GET /events": Rights(Who.MEMBER, "/events", scope="play"),
    "POST /challenges": Rights(Who.MEMBER, "/challenges", MAX_ASKED, "play"),
    "POST /tables/{table_id}/accept": Rights(Who.MEMBER, "/tables/{table}/accept", scope="play"),
    "POST /tables/{table_id}/decline": Rights(Who.MEMBER, "/tables/{table}/decline", scope="play"),
    "GET /tables": Rights(Who.MEMBER, "/tables", scope="read"),
    "GET /matches": Rights(Who.MEMBER, "/matches", scope="play"),
    "GET /tables/{table_id}": Rights(Who.MEMBER, "/tables/{table}", scope="read"),
    "GET /tables/{table_id}/record": Rights(Who.MEMBER, "/tables/{table}/record", scope="read"),
    "GET /tables/{table_id}/stream": Rights(Who.MEMBER, "/tables/{table}/stream", scope="read"),
    "POST /tables/{table_id}/answers": Rights(Who.MEMBER, "/tables/{table}/answers", MAX_ASKED, "play"),
    "POST /tables/{table_id}/resign": Rights(Who.MEMBER, "/tables/{table}/resign", scope="play"),
    "POST /tables/{table_id}/draw": Rights(Who.MEMBER, "/tables/{table}/draw", MAX_ASKED, "play"),
    "GET /seeks": Rights(Who.MEMBER, "/seeks", scope="read"),
    "POST /seeks": Rights(Who.MEMBER, "/seeks", MAX_ASKED, "play"),
    "POST /seeks/{seek_id}/accept": Rights(Who.MEMBER, "/seeks/none/accept", scope="play"),
    "DELETE /seeks/{seek_id}": Rights(Who.MEMBER, "/seeks/none", scope="play"),
    "GET /tournaments": Rights(Who.MEMBER, "/tournaments", scope="read"),
    "POST /tournaments": Rights(Who.MEMBER, "/tournaments", MAX_ASKED, "play"),
    "GET /tournaments/{tournament_id}": Rights(Who.MEMBER, "/tournaments/{tournament}", scope="read"),
    "POST /tournaments/{tournament_id}/{change}": Rights(Who.MEMBER, "/tournaments/{tournament}/leave", scope="play"),
    "GET /leaderboards/{game}": Rights(Who.MEMBER, "/leaderboards/{game}", scope="read"),
    "GET /people/{name}": Rights(Who.MEMBER, "/people/{person}", scope="read"),
    "GET /people/{name}/curve": Rights(Who.MEMBER, "/people/{person}/curve?game={game}", scope="read"),
    "GET /people/{name}/matches": Rights(Who.MEMBER, "/people/{person}/matches", scope="read"),
    "GET /bots": Rights(Who.MEMBER, "/bots", scope="bots"),
    "POST /bots": Rights(Who.MEMBER, "/bots", MAX_SENT, "bots"),
    "GET /bots/{bot_id}": Rights(Who.MEMBER, "/bots/{bot}", scope="bots"),
    "POST /bots/{bot_id}/versions": Rights(Who.MEMBER, "/bots/{bot}/versions", MAX_SENT, "bots"),
    "POST /bots/{bot_id}/submit": Rights(Who.MEMBER, "/bots/{bot}/submit", MAX_SENT, "bots"),
    "GET /bots/{bot_id}/trials/{trial_id}": Rights(Who.MEMBER, "/bots/{bot}/trials/{trial}", scope="bots"),
    "GET /bots/{bot_id}/league": Rights(Who.MEMBER, "/bots/{bot}/league", scope="bots"),
}
"""The same under /api/v1, where cookies say nothing."""
SENDING = {name: rights for name, rights in ROUTES.items() if name.split()[0] not in ("GET", "MOUNT", "SOCKET")}


class Things(NamedTuple):
    """What there is on the site that is tried.

    Attributes:
        people: by role, somebody signed in. paths: what stands for the names in braces.
        tokens: of a member's programs, by scope.
    """

    site: PublicSite
    people: dict[Who, Visitor]
    paths: dict[str, str]
    tokens: dict[str, str]

    def send(self, name: str, who: Who, **more: Any) -> httpx.Response:
        return self.people[who].http.request(name.split()[0], ROUTES[name].path.format(**self.paths), **more)

    def say(self, sent: bytes) -> bytes:
        """What comes back for that."""
        heard = b""
        with (
            suppress(ConnectionResetError, BrokenPipeError),
            socket.create_connection(("127.0.0.1", self.site.port), timeout=20) as line,
        ):
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
            while part := line.recv(65536):
                heard += part
        return heard


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Things]:
    site = PublicSite(tmp_path_factory.mktemp("public") / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as guest, Visitor(site) as member, Visitor(site) as owner:
        assert owner.join("Ada", site.owner_link).status_code == 303
        assert member.join("Grace").status_code == 303
        table = owner.lay(names()[0], opponent1="person")
        with owner.live(table) as live:
            key = live.now["links"]["1"]
        with Store.open(site.store) as store:
            account = next(one.id for one in store.site.people.listed() if one.name == "Ada")
        puzzle = guest.http.get(f"/puzzles/{names()[0]}").headers["location"].rpartition("/")[2]
        author = Author(member, "rights")
        paths = {
            "table": table.removeprefix("/t/"),
            "key": key,
            "account": account,
            "person": "Grace",
            "game": names()[0],
        }
        paths |= {"puzzle": puzzle, "number": "1", "bot": author.path.removeprefix("/bots/")}
        paths["trial"] = author.begin("play", 1)
        content = {"setup": {}, "nodes": [[-1, "", ""]]}
        study = {"name": "Rights", "access": "link", "game": names()[0], "content": content}
        paths["study"] = member.http.post("/studies", json=study).json()["id"]
        made = owner.http.post("/tournaments", data={"game": names()[0], "kind": "swiss", "time": "10+5"})
        paths["tournament"] = made.json()["address"].removeprefix("/tournaments/")
        tokens = {scope: new_token(member, scope, scope) for scope in ("read", "play", "bots")}
        yield Things(site, {Who.GUEST: guest, Who.MEMBER: member, Who.OWNER: owner}, paths, tokens)
    code, errors = site.stop()
    assert code == 0
    assert "ASGI application" not in errors, errors[errors.index("ASGI application") :][:5000]


def routes_of(router: Any, before: str = "") -> Iterator[str]:
    """Method and path of each route, also of routers within."""
    for route in router.routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from routes_of(inner, before + getattr(route.include_context, "prefix", ""))
        elif hasattr(route, "methods"):
            yield from (f"{method} {before}{route.path}" for method in sorted(route.methods))
        else:
            kind = "MOUNT" if type(route).__name__ == "Mount" else "SOCKET"
            if route.path == "/api/v1":
                yield from routes_of(route.app, before + route.path)
            else:
                yield f"{kind} {before}{route.path}"


def test_every_route_is_here(tmp_path: Path) -> None:
    with Store.open(tmp_path / "site.db") as store:
        found = list(routes_of(create_app(store, Public("http://example.org", b"x" * 32))))
    programs = [name.replace(" ", " /api/v1") for name in API]
    assert sorted(found) == sorted([*ROUTES, *programs])


@pytest.mark.parametrize("name", [name for name in ROUTES if not name.startswith("SOCKET")])
def test_who_has_no_right_is_sent_away(things: Things, name: str) -> None:
    rights = ROUTES[name]
    for who in [Who.GUEST] if name == "POST /sign-out" else Who:  # others need to stay signed in
        if name.startswith(("MOUNT", "GET")):
            path = rights.path.format(**things.paths)
            status = things.people[who].http.get(path).status_code
        else:
            status = things.send(name, who, content=b"x" * (rights.takes + 1)).status_code
        if who >= rights.who:
            assert status not in (401, 403), who
            assert status < 500, who
        else:
            assert status == (401 if who is Who.GUEST else 403), who


@pytest.mark.parametrize("name", API)
def test_programs_need_a_token_that_is_for_it(things: Things, name: str) -> None:
    rights, method = API[name], name.split()[0]
    cookies = dict(things.people[Who.OWNER].http.cookies)
    # An address of its own: one address may only try so many times without a token.
    transport = httpx.HTTPTransport(local_address=f"127.0.1.{1 + list(API).index(name)}")
    with httpx.Client(base_url=f"{things.site.url}/api/v1", timeout=WAIT, transport=transport) as http:

        def status(scope: str, cookies: dict[str, str] | None = None, **more: Any) -> int:
            headers = {"Authorization": f"Bearer {things.tokens[scope]}"} if scope else {}
            if cookies:
                headers["Cookie"] = "; ".join(f"{key}={value}" for key, value in cookies.items())
            with http.stream(method, rights.path.format(**things.paths), headers=headers, **more) as answer:
                return answer.status_code

        if not rights.scope:
            assert status("") == 200
            return
        assert status("", cookies) == 401, "who is signed in is nobody here"
        for scope in things.tokens:
            found = status(scope)
            assert (found == 403) == (scope != rights.scope), scope
            assert found < 500
            assert found not in (401, 429)
        if rights.takes:
            assert status(rights.scope, content=b"x" * (rights.takes + 1)) == 413
            for body in (b"", b"{", b"\xff", b"[" * 5000, b'{"more": 1}', b"null"):
                assert status(rights.scope, content=body) == 422, body


@pytest.mark.parametrize("name", SENDING)
def test_what_is_too_long_or_none_is_refused_in_a_line(things: Things, name: str) -> None:
    rights = SENDING[name]
    if name == "POST /sign-out":
        return  # it reads nothing, and would end what others need
    taking = {"Content-Type": "application/x-www-form-urlencoded"}
    if rights.takes:
        answer = things.send(name, rights.who, content=b"a=" + b"x" * rights.takes, headers=taking)
        assert answer.status_code == 413
        assert "too large" in answer.text
        parts = (b"x" * 1000 for _ in range(rights.takes // 1000 + 2))
        assert things.send(name, rights.who, content=parts, headers=taking).status_code == 413, "without a length"
        readable = b"a", b"&".join(b"a%d=" % n for n in range(30))
        is_text = name == "POST /bots/{bot_id}/code"  # whatever it says
        for body in (b"\xff\xfe=\x00", b"a=\xed\xa0\x80", *(() if is_text else readable)):
            status = things.send(name, rights.who, content=body, headers=taking).status_code
            assert 400 <= status < 500, (body, status)
    said = ["Content-Length: " + length for length in (str(MAX_BODY + 1), "9" * 40, "x")]
    path, host = rights.path.format(**things.paths), f"127.0.0.1:{things.site.port}"
    for length in said:
        head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{length}\r\n\r\n"
        assert things.say(head.encode()).startswith((b"HTTP/1.1 413", b"HTTP/1.1 400"))


@pytest.mark.parametrize("name", SENDING)
def test_no_other_site_sends_forms(things: Things, name: str) -> None:
    """Nor one of another scheme or port, nor a page of unknown origin, nor an old browser that says nothing."""
    own = things.site.url
    elsewhere: list[dict[str, str]] = [
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": own.replace("http:", "https:")},
        {"Origin": own + "0"},
        {"Origin": own, "Sec-Fetch-Site": "cross-site"},
        {"Origin": own, "Sec-Fetch-Site": "same-site"},
    ]
    for headers in elsewhere:
        assert things.send(name, Who.OWNER, content=b"", headers=headers).status_code == 403, headers
    path = ROUTES[name].path.format(**things.paths)
    cookie = "; ".join(f"{key}={value}" for key, value in things.people[Who.OWNER].http.cookies.items())
    assert httpx.post(own + path, headers={"Cookie": cookie}, trust_env=False).status_code == 403


@pytest.mark.parametrize("name", [name for name in ROUTES if "{" in name and name.startswith("GET")])
def test_paths_of_any_kind_are_only_not_found(things: Things, name: str) -> None:
    for odd in ("%00", "%ff%fe", "..%2f..%2fetc%2fpasswd", "%E2%80%AE", "x" * 900, "'%20or%201=1--", "%F0%9F%A6%84"):
        path = ROUTES[name].path.format(**dict.fromkeys(things.paths, odd))
        answer = things.people[Who.OWNER].http.get(path)
        assert answer.status_code in (400, 404), odd
        assert "Traceback" not in answer.text
    assert things.people[Who.OWNER].http.get(path + "x" * 9000).status_code == 414


def test_who_was_not_looked_up_is_a_guest(tmp_path: Path) -> None:
    """Paths that are the same for all are not looked up; should a page come to stand there, nobody owns it."""
    with Store.open(tmp_path / "site.db") as store:
        for public, role in ((Public("http://example.org", b"x" * 32), Role.GUEST), (None, Role.OWNER)):
            scope = {"type": "http", "app": create_app(store, public), "headers": []}
            assert person_of(HTTPConnection(scope)).role is role


def test_sockets_are_for_pages_of_this_site(things: Things) -> None:
    url = things.site.url.replace("http", "ws")
    for name, rights in ROUTES.items():
        if name.startswith("SOCKET"):
            path = url + rights.path.format(**things.paths)
            for origin in (Origin("http://evil.example"), None, Origin(things.site.url + "0")):
                with pytest.raises(InvalidStatus), connect(path, origin=origin, proxy=None):
                    pass


def test_a_match_is_shown_to_its_author_and_the_owner_alone(things: Things) -> None:
    rights, url = ROUTES["SOCKET /bots/{bot_id}/trials/{trial_id}/live"], things.site.url.replace("http", "ws")
    path = rights.path.format(**things.paths)
    odd = [rights.path.format(**dict.fromkeys(things.paths, one)) for one in ("%00", "x" * 900, "..%2f")]
    for who in Who:
        cookie = "; ".join(f"{key}={value}" for key, value in things.people[who].http.cookies.items())
        said: dict[str, Any] = {"origin": Origin(things.site.url), "additional_headers": {"Cookie": cookie}}
        for one in odd if who >= rights.who else [path, *odd]:
            with pytest.raises(InvalidStatus), connect(url + one, proxy=None, **said):
                pass
        if who >= rights.who:
            with connect(url + path, proxy=None, **said) as line, suppress(ConnectionClosed):
                line.send("x" * 100_000)  # whoever says anything is let go
                while line.recv(timeout=WAIT):
                    pass
    assert httpx.get(f"{things.site.url}/healthz", trust_env=False).text == "ok\n"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "", "127.0.0.1:{port}.evil.example"])
def test_it_answers_to_its_own_name(things: Things, host: str) -> None:
    said = {"Host": host.format(port=things.site.port)}
    assert httpx.get(things.site.url, headers=said, trust_env=False).status_code == 403
    assert httpx.get(f"{things.site.url}/healthz", headers=said, trust_env=False).text == "ok\n"


def test_nobody_is_believed_to_come_from_elsewhere(things: Things) -> None:
    """Without a proxy what a request says of its way is not heard: else nobody would ever ask too often."""
    with Visitor(things.site) as eve:
        statuses = [
            eve.http.post(
                "/sign-up",
                data={"name": f"n{secrets.token_hex(4)}", "password": "long enough"},
                headers={"X-Forwarded-For": f"192.0.2.{number}", "X-Forwarded-Proto": "https"},
            ).status_code
            for number in range(8)
        ]
    assert 303 in statuses
    assert statuses[-1] == 429


RAW = (
    b"\x00\x01\x02\x03\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET  HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {host}\r\nX: " + b"x" * 70_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {host}\r\n" + b"".join(b"X%d: x\r\n" % n for n in range(9000)) + b"\r\n",
    b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"POST /play HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: -1\r\n\r\n",
    b"POST /play HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"POST /play HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /t/{table}/live HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 99\r\nSec-WebSocket-Key: x\r\n\r\n",
)


@pytest.mark.parametrize("number", range(len(RAW)))
def test_what_is_no_request_is_refused_or_dropped(things: Things, number: int) -> None:
    host = f"127.0.0.1:{things.site.port}".encode()
    sent = RAW[number].replace(b"{host}", host).replace(b"{table}", things.paths["table"].encode())
    heard = things.say(sent)
    assert not heard.startswith((b"HTTP/1.1 2", b"HTTP/1.1 5"))
    assert httpx.get(f"{things.site.url}/healthz", trust_env=False).text == "ok\n"


def test_cookies_of_odd_characters_are_nobodys(things: Things) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", things.site.port, timeout=20)) as line:
        line.request("GET", "/", headers={"Cookie": "lapilli_session=\xff\xfe; lapilli_visitor=\x01"})
        answer = line.getresponse()
        assert (answer.status, b"Sign in" in answer.read()) == (200, True)
