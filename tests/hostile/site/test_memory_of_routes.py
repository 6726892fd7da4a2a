"""What a body costs the site's memory: for every route that takes one, the largest and worst, several at once.

While they are sent, a body elsewhere stays incomplete, until the usual limit of its time.

Who adds a route adds a row to BODIES; a route without one fails `test_every_route_that_takes_a_body_is_here`.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from hostile.site.test_bodies import slow
from lapilli.core.protocol.protocol import Step, TurnReport
from lapilli.games import load, names
from lapilli.site.api.callers import new_token
from lapilli.site.app import create_app
from lapilli.site.http.connections.timeouts import Timeouts
from lapilli.site.runtime.settings import Public
from lapilli.site.study import positions
from lapilli.site.study.positions import MAX_TURNS, Kept, Place
from lapilli.store import Store
from web.client import WAIT, PublicSite, Visitor
from web.client import new_token as token_on_page
from web.pressing import MIB, Request, Watched, volley
from web.test_rights import API, ROUTES, Rights, Things, Who, routes_of, things
from web.writing import Author

__all__ = ["things"]

TIMES = 20
"""Bytes of memory for a byte that was sent, at most."""
SPARE = 24 * MIB
"""What the volley may take besides, whatever is sent: each of six threads has an arena of the C library's, in which it
makes an answer of up to a megabyte; the caches of positions and rules' objects fill; connections have buffers."""
HASHES = 2 * 64 * MIB
"""Two passwords are hashed at once, each in 64 MiB."""
ROUNDS = 4
FOR_GOOD = 8 * MIB
"""How much more is resident after the last body was sent twice more."""
AT_ONCE = 8
GAME = names()[0]
_NAMES = count(2)

Filler = Callable[[int], bytes]


def _repeated(part: bytes, begin: bytes = b"[", end: bytes = b"]") -> Filler:
    def fill(size: int) -> bytes:
        number = max(1, (size - len(begin) - len(end) + 1) // (len(part) + 1))
        return begin + b",".join([part] * number) + end

    return fill


def _keys(size: int) -> bytes:
    return b"{" + b",".join(b'"%x":0' % number for number in range(size // 10)) + b"}"


def _moves(size: int) -> bytes:
    """What issue 27 tells of: as many turns as may be, each as long as fits."""
    turn = b'"%s"' % (b"x" * max(1, size // MAX_TURNS - 3))
    return _repeated(turn)(min(size, MAX_TURNS * (len(turn) + 1) + 1))


JSON: dict[str, Filler] = {
    "one long text": lambda size: b'"' + b"x" * (size - 2) + b'"',
    "a text of wide characters": lambda size: '"🦄'.encode() + b"x" * (size - 6) + b'"',
    "escapes": lambda size: b'"' + rb"\u1234" * ((size - 2) // 6) + b'"',
    "many turns": _moves,
    "short texts": _repeated(b'"ab"'),
    "empty lists": _repeated(b"[]"),
    "empty objects": _repeated(b"{}"),
    "numbers": _repeated(b"1000"),
    "keys": _keys,
    "deep": lambda size: b"[" * size,
    "a number": lambda size: b"9" * size,
    "a text without an end": lambda size: b'"' + rb"\"" * ((size - 2) // 2),
}
FORM: dict[str, Filler] = {
    "one long field": lambda size: b"x" * size,
    "percent": lambda size: b"%41" * (size // 3),
    "fields": lambda size: b"x" + b"&a=b" * (size // 4 - 1),
}
TEXT: dict[str, Filler] = {
    "letters": lambda size: b"x" * size,
    "lines": lambda size: b"\n" * size,
    "wide": lambda size: "🦄".encode() * (size // 4),
}
RECORD = b'{"format":"lapilli-record/1","game":"%s",' % GAME.encode()


class Bodies(NamedTuple):
    """A route's row.

    Attributes:
        around: what stands before and after what fills a body: each is tried with each of `fillers`.
        works: bytes that the route's work takes, whatever is sent.
    """

    around: tuple[tuple[bytes, bytes], ...]
    fillers: dict[str, Filler]
    works: int = 0


NONE = Bodies((), {})
"""For a route that reads no body."""
PLACE = b'{"game":"%s",' % GAME.encode()


def _form(*fields: bytes, works: int = 0) -> Bodies:
    return Bodies(tuple((b"%s=" % field, b"") for field in fields), FORM, works)


def _json(*around: tuple[bytes, bytes]) -> Bodies:
    return Bodies(around, JSON)


PLACES = (PLACE + b'"moves":', b"}"), (PLACE + b'"setup":{"position":', b"}}"), (PLACE + b'"setup":{"x":', b"}}")
STUDY = (
    (b'{"name":', b"}"),
    (b'{"name":"x","access":"link","game":"%s","content":{"setup":{},"nodes":' % GAME.encode(), b"}}"),
    (b'{"name":"x","access":"link","game":"%s","content":{"nodes":[],"setup":{"x":' % GAME.encode(), b"}}}"),
)
BODIES = {
    "POST /play": _form(b"name", b"game"),
    "POST /t/{table_id}/seat/{key}": _form(b"name"),
    "POST /t/{table_id}/cancel": NONE,
    "POST /t/{table_id}/decline": NONE,
    "POST /sign-in": _form(b"name", b"name=x&password", works=HASHES),
    "POST /sign-up": _form(b"name", b"name=xyz&password", b"invitation", works=HASHES),
    "POST /sign-out": NONE,
    "POST /new-password": _form(b"invitation"),
    "POST /account/{change}": _form(b"name", b"password", works=HASHES),
    "POST /lobby/seeks": _form(b"game", b"game=x&time", b"low"),
    "POST /lobby/seeks/{seek_id}/accept": NONE,
    "POST /lobby/seeks/{seek_id}/withdraw": NONE,
    "POST /matches/vacation": _form(b"days"),
    "POST /matches/vacation/end": NONE,
    "POST /tournaments": _form(b"name", b"game", b"kind=swiss&least"),
    "POST /tournaments/{tournament_id}/{change}": _form(b"engine"),
    "POST /account/tokens": _form(b"name", b"play=yes&name"),
    "POST /account/tokens/{token_id}/revoke": NONE,
    "POST /mail": _form(b"address"),
    "POST /mail/remove": NONE,
    "POST /mail/confirm": _form(b"token"),
    "POST /mail/stop": _form(b"account", b"proof"),
    "POST /members/invite": _form(b"role"),
    "POST /members/withdraw": NONE,
    "POST /members/reports/{line}/{change}": NONE,
    "POST /members/{account_id}/{change}": _form(b"role"),
    "POST /analyse/at": _json(
        (b"", b""), *PLACES, (PLACE + b'"given":', b"}"), (PLACE + b'"whole":true,"actions":', b"}")
    ),
    "POST /analyse/record": _json(
        (RECORD + b'"turns":', b"}"),
        (RECORD + b'"players":', b"}"),
        (RECORD + b'"setup":{"x":', b"}}"),
        (RECORD + b'"turns":[{"turn":1,"player":0,"action":"x","notes":', b"}]}"),
        (RECORD + b'"turns":[{"turn":1,"player":0,"message":', b"}]}"),
    ),
    "POST /analyse/openings": _json(*PLACES),
    "POST /analyse/think": _json(*PLACES),
    "POST /analyse/review": _json(*PLACES),
    "POST /analyse/answer": _json(*PLACES, (PLACE + b'"player":0,"best":"x","reply":', b"}")),
    "POST /studies": _json(*STUDY),
    "POST /studies/{study_id}": _json(*STUDY),
    "POST /studies/{study_id}/at": _json((b"", b""), (b'{"at":', b"}")),
    "POST /studies/{study_id}/delete": NONE,
    "POST /m/{table_id}/mistakes": NONE,
    "POST /puzzles/{name}/{puzzle}": _json((b'{"reply":', b"}")),
    "POST /learn/{name}/{number}": _json((b'{"reply":', b"}")),
    "POST /bots": _form(b"name", b"game"),
    "POST /bots/{bot_id}/code": Bodies(((b"", b""),), TEXT),
    "POST /bots/{bot_id}/delete": NONE,
    "POST /bots/{bot_id}/trials": _json((b'{"kind":"play","version":1,"seat":0,"seed":1,"opponent":', b"}")),
    "POST /bots/{bot_id}/trials/{trial_id}/stop": NONE,
    "POST /api/v1/challenges": _json(
        (b"", b""), (PLACE + b'"opponents":', b"}"), (PLACE + b'"opponents":["random"],"x":', b"}")
    ),
    "POST /api/v1/seeks": _json((b"", b""), (PLACE + b'"clock":', b"}")),
    "POST /api/v1/seeks/{seek_id}/accept": NONE,
    "DELETE /api/v1/seeks/{seek_id}": NONE,
    "POST /api/v1/tournaments": _json((b"", b""), (PLACE + b'"kind":"swiss","clock":"10+5","name":', b"}")),
    "POST /api/v1/tournaments/{tournament_id}/{change}": NONE,
    "POST /api/v1/tables/{table_id}/accept": NONE,
    "POST /api/v1/tables/{table_id}/decline": NONE,
    "POST /api/v1/tables/{table_id}/answers": _json((b'{"turn":1,"text":', b"}")),
    "POST /api/v1/tables/{table_id}/resign": NONE,
    "POST /api/v1/tables/{table_id}/draw": _json((b'{"agrees":', b"}")),
    "POST /api/v1/bots": _json((b'{"game":"x","language":"python","name":"x","code":', b"}")),
    "POST /api/v1/bots/{bot_id}/versions": _json((b'{"code":', b"}")),
    "POST /api/v1/bots/{bot_id}/submit": _json((b'{"version":', b"}")),
}
TAKING = [name for name, bodies in BODIES.items() if bodies.fillers]


def test_every_route_that_takes_a_body_is_here(tmp_path: Path) -> None:
    with Store.open(tmp_path / "site.db") as store:
        found = list(routes_of(create_app(store, Public("http://example.org", b"x" * 32))))
    assert sorted(one for one in found if not one.startswith(("GET", "HEAD", "MOUNT", "SOCKET"))) == sorted(BODIES)
    for name, bodies in BODIES.items():
        assert bool(bodies.fillers) == bool(_rights(name).takes), name


def test_two_turns_never_have_one_key() -> None:
    """Half a character is none that can be sent, and must not stand for another turn either."""
    moves = ["?", "\ufffd", "\ud800", "\ud801", "\udc80"]
    assert len({positions._keys(Place(game=GAME, setup={"seed": 1}, moves=[move]))[-1] for move in moves}) == len(moves)


def test_positions_that_are_cached_have_a_size_in_all() -> None:
    """Whatever a position holds, and also where one key is kept twice."""
    game, cache = load(GAME), Kept(most=1000, most_bytes=50_000)
    state = game.new_initial_state(seed=1)
    long = TurnReport(1, actions={0: "x" * 3000})
    for number in range(300):
        cache.keep(b"%d" % (number // 2), (state.clone(), [Step(state, long)] if number % 3 else []))
        assert cache.bytes <= 50_000
    assert 2 < len(cache) < 30
    cache.keep(b"huge", (state, [Step(state, TurnReport(1, actions={0: "x" * 60_000}))]))
    assert (len(cache), cache.bytes) == (0, 0), "one that does not fit is not kept"


def _rights(name: str) -> Rights:
    is_for_programs = "/api/v1/" in name
    rights = API[name.replace("/api/v1", "")] if is_for_programs else ROUTES[name]
    return rights._replace(path="/api/v1" + rights.path) if is_for_programs else rights


class Usual:
    """A site as everybody starts it, where a program's body stays incomplete.

    Attributes:
        waits: the answer that comes, if nobody has asked for it yet.
    """

    def __init__(self, site: PublicSite, threads: ThreadPoolExecutor) -> None:
        self.site, self._threads = site, threads
        with Visitor(site) as member:
            assert member.join("Grace").status_code == 303
            bearer = {"Authorization": f"Bearer {token_on_page(member, 'usual', 'play')}"}
        self._request = Request("/api/v1/challenges", headers={"Content-Type": "application/json"} | bearer)
        self.waits: Future[tuple[int, float]] | None = self._begin()

    def _begin(self) -> Future[tuple[int, float]]:
        return self._threads.submit(slow, self.site.port, self._request, b"{")

    def answer(self) -> tuple[int, float]:
        """The status, and after how many seconds it came: of what was sent long ago, or of what is sent anew now."""
        asked, self.waits = self.waits or self._begin(), None
        return asked.result()


@pytest.fixture(scope="module", autouse=True)
def usual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Usual]:
    """It waits beside the other tests of this file, which take as long."""
    site = PublicSite(tmp_path_factory.mktemp("usual") / "site.db", "--registration", "open")
    site.start()
    with ThreadPoolExecutor(1) as threads:
        found = Usual(site, threads)
        yield found
        if found.waits is not None:  # the test of it was not chosen: nobody waits for it
            site.stop(signal.SIGKILL)
            return
        code, errors = site.stop()
    assert (code, "Traceback" in errors) == (0, False), errors


class Sender:
    """Sends bodies to one route, never too often: a guest from an address for each volley, a program with a token for
    each, a member with an account for a few.
    """

    def __init__(self, things: Things, name: str) -> None:
        self._things, self._rights, self._site = things, _rights(name), things.site
        self._is_json = BODIES[name].fillers is JSON
        self._paths, self._cookies = dict(things.paths), things.people[self._rights.who].http.cookies
        self._volleys = 0

    def _join(self) -> None:
        member = Visitor(self._site)
        member.http = httpx.Client(
            base_url=self._site.url,
            headers={"Origin": self._site.url},
            transport=httpx.HTTPTransport(local_address=_address()),
            timeout=WAIT,
        )
        with member:
            assert member.join(f"m{next(_NAMES)}").status_code == 303
            self._paths["bot"] = Author(member, f"pressed{next(_NAMES)}").path.removeprefix("/bots/")
            self._cookies = member.http.cookies

    def _token(self) -> str:
        token, who = new_token(), self._rights.scope
        with Store.open(self._site.store) as store:
            owner = next(one.id for one in store.site.people.listed() if one.name == "Grace")
            for old in store.site.tokens.listed(owner):
                if old.name.startswith("pressing "):
                    store.site.tokens.revoke(owner, old.id)
            number = next(_NAMES)
            store.site.tokens.add(token, f"pressing{number}", owner, f"pressing {number}", [who])
        return token

    def request(self, body: bytes) -> Request:
        """The next one, from somebody who has not asked too often."""
        headers = {"Content-Type": "application/json" if self._is_json else "application/x-www-form-urlencoded"}
        if self._rights.scope:
            headers["Authorization"] = f"Bearer {self._token()}"
        elif self._rights.who is not Who.GUEST:
            if self._rights.who is Who.MEMBER and self._volleys % 4 == 0:
                self._join()
            self._volleys += 1
            headers["Cookie"] = "; ".join(f"{key}={value}" for key, value in self._cookies.items())
        return Request(self._rights.path.format(**self._paths), body, headers=headers, address=_address())

    def send(self, request: Request) -> list[int]:
        """Sends it several times at once; the statuses."""
        return volley(self._site.port, [request] * AT_ONCE)


def _address() -> str:
    """One of this machine's own that nobody has used yet."""
    number = next(_NAMES)
    return f"127.1.{number // 250}.{1 + number % 250}"


def _bodies(name: str) -> Iterator[tuple[str, bytes]]:
    """The worst bodies for a route, each as long as it takes."""
    most = _rights(name).takes
    for before, after in BODIES[name].around:
        for kind, fill in BODIES[name].fillers.items():
            body = before + fill(most - len(before) - len(after)) + after
            assert len(body) <= most
            yield f"{before.decode()}…{kind}", body


@pytest.mark.parametrize("name", TAKING)
def test_a_body_costs_at_most_twenty_times_its_length(things: Things, name: str) -> None:
    assert things.site.process is not None
    process, sender = Watched(things.site.process.pid), Sender(things, name)
    works, is_form = BODIES[name].works, BODIES[name].fillers is FORM
    _, body = next(_bodies(name))
    sender.send(sender.request(body))  # warm: modules are loaded, threads started
    before = process.resident
    for kind, body in _bodies(name):
        request = sender.request(body)
        process.forget_peak()
        statuses = sender.send(request)
        grown = process.peak - before
        assert all(0 < status < 500 for status in statuses), (kind, statuses)
        assert is_form or min(statuses) != 429, f"{kind}: none of them was looked at"
        assert grown <= TIMES * AT_ONCE * len(body) + SPARE + works, f"{kind}: {grown / MIB:.1f} MiB"
    assert any(_stays_as_it_is(process, sender, body) for _ in range(ROUNDS)), "it grows with every request"


def _stays_as_it_is(process: Watched, sender: Sender, body: bytes) -> bool:
    """Whether two more volleys leave the process as large as it was. What a thread's allocator keeps for its next
    request may come in any round; a leak comes in each of them."""
    before = process.resident
    for _ in range(2):
        sender.send(sender.request(body))
    return process.resident - before <= FOR_GOOD


def test_the_usual_limit_is_thirty_seconds(usual: Usual) -> None:
    """In real time: on a site as everybody starts it, a program's body."""
    status, took = usual.answer()
    assert status == 408
    assert Timeouts().body_s == 30
    assert 29.5 < took < 40
