"""A fuzzer of forms, of what pages' scripts send, and of WebSockets.

LAPILLI_FUZZ_SECONDS: how long all fuzzers take together (45 by default; these two take two thirds of that).
LAPILLI_FUZZ_SEED: what they begin with; try others, too.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect
from websockets.typing import Origin

from hostile.site.test_requests import FRAMES, frame
from lapilli.games import names
from web.client import Visitor
from web.fuzzing import SECONDS, SEED, Steady
from web.pressing import MIB, Request, ask, dial, status_of
from web.test_rights import ROUTES, Rights, Things, Who, things

__all__ = ["things"]

KEPT_OUT = {"POST /sign-out", "POST /members/withdraw"}
"""They would end what the others need."""
HTTP = {name: rights for name, rights in ROUTES.items() if not name.startswith(("SOCKET", "MOUNT"))}
METHODS = ("GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "X")
ODD: tuple[Any, ...] = (
    *("", "0", "-1", "1", "2", "9" * 30, "1e999", "null", "true", "x" * 3000, "\0", "\ud800", "\u202e", "🦄"),
    *("../../etc/passwd", "' OR 1=1 --", "<script>", "{{7*7}}", "%00", "%s%n", "\r\nX: y", "bot:", "member:", "level1"),
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**63,
        2**64,
        -(2**63) - 1,
        1e308,
        [],
        {},
        [[]],
        [None],
        {"": ""},
        ["x"] * 99,
    ),
)
FIELDS = (
    *("game", "variant", "league", "time", "seat", "opponent1", "opponent2", "name", "password", "invitation", "next"),
    *("new", "old", "role", "play", "read", "bots", "language", "moves", "setup", "given", "actions", "whole", "only"),
    *("player", "reply", "best", "kind", "version", "opponent", "seed", "trial", "turn", "other", "against", "players"),
    *("format", "turns", "outcome", "position", "match", "start", "over", "most"),
)
DO = ("pick", "undo", "commit", "hint", "take-back", "resign", "draw", "rematch", "x")
ENDLESS = "POST /analyse/think"
"""A route whose answer goes on as long as somebody reads it. The fuzzer reads its first bytes."""


class Maker:
    """Makes requests, by chance.

    Args:
        things: what is really there.
    """

    def __init__(self, chance: Random, things: Things) -> None:
        self.chance, self._things = chance, things
        self._real = (*names(), "random", "anybody", "person", "python", "none", "lot", "play", "rerun", "submit")
        self._number = 0

    def request(self) -> tuple[str, Request]:
        """A route's name, and a request for it or for one like it."""
        name = self.chance.choice([one for one in HTTP if one not in KEPT_OUT])
        method = name.split()[0] if self.chance.random() < 0.9 else self.chance.choice(METHODS)
        headers = {"Content-Type": self.chance.choice(("application/json", "application/x-www-form-urlencoded", "x"))}
        who = self.chance.choice([Who.GUEST, Who.MEMBER, HTTP[name].who])
        if who is not Who.GUEST:
            cookies = self._things.people[who].http.cookies
            headers["Cookie"] = "; ".join(f"{key}={value}" for key, value in cookies.items())
        if self.chance.random() < 0.1:
            headers[self.chance.choice(("Accept", "Range", "Expect", "If-None-Match", "Cookie", "X-Forwarded-For"))] = (
                "x"
            )
        self._number += 1
        address = f"127.2.{self._number // 20 % 250}.{1 + self._number // 5000 % 250}"
        return name, Request(self._path(HTTP[name]), self._body(), method, headers, address)

    def _path(self, rights: Rights) -> str:
        real = {
            key: self._odd_text() if self.chance.random() < 0.2 else part for key, part in self._things.paths.items()
        }
        path = rights.path.format(**{key: quote(part, safe="", errors="replace") for key, part in real.items()})
        if self.chance.random() < 0.3:
            asked = urlencode([(self._key(), self._odd_text()) for _ in range(3)], errors="replace")
            path += ("&" if "?" in path else "?") + asked
        return path[:9000]

    def _body(self) -> bytes:
        kind = self.chance.random()
        if kind < 0.4:
            fields = [(self._key(), self._odd_text()) for _ in range(self.chance.randrange(8))]
            return urlencode(fields, errors="replace").encode()
        if kind < 0.85:
            made = {self._key(): self._value(2) for _ in range(self.chance.randrange(6))}
            made |= {"game": self.chance.choice(names())} if self.chance.random() < 0.8 else {}
            return self._torn(json.dumps(made).encode())
        return self.chance.randbytes(self.chance.choice((0, 1, 100, 5000)))

    def _torn(self, body: bytes) -> bytes:
        if self.chance.random() < 0.85 or not body:
            return body
        at = self.chance.randrange(len(body))
        return body[:at] + self.chance.choice((b"", b"\xff", b'"', b"[" * 2000)) + body[at + 1 :]

    def _key(self) -> str:
        return self.chance.choice(FIELDS)

    def _value(self, depth: int) -> Any:
        kind = self.chance.random()
        if kind < 0.3:
            return self.chance.choice(self._real)
        if kind < 0.7 or not depth:
            return self.chance.choice(ODD)
        if kind < 0.85:
            return [self._value(depth - 1) for _ in range(self.chance.randrange(5))]
        return {self._key(): self._value(depth - 1) for _ in range(self.chance.randrange(4))}

    def _odd_text(self) -> str:
        return str(self.chance.choice(self._real if self.chance.random() < 0.4 else ODD))

    def message(self, turn: int) -> str | bytes:
        """What a page may say at a table, or not."""
        kind = self.chance.random()
        if kind < 0.6:
            number = self.chance.choice((0, 1, 2, 3, self.chance.randrange(500)))
            return json.dumps({"do": self.chance.choice(DO[:4]), "turn": turn, "action": number})
        if kind < 0.85:
            made = {"do": self.chance.choice(DO), self._key(): self._value(1), "turn": self.chance.choice(ODD)}
            return json.dumps(made)[:1500]
        return self.chance.choice(
            (self.chance.randbytes(20), "{", "[]", "null", "x" * 2000, '{"do":"draw","agrees":true}')
        )


def _is_well(things: Things) -> bool:
    return status_of(ask(things.site.port, Request("/healthz", method="GET"))) == 200


def _going_on(steady: Steady, seconds: float, steps: int = 12) -> Iterator[None]:
    """As often as fits into the time; twelve times in it is looked how the site does."""
    for _ in range(steps):
        end = time.monotonic() + seconds / steps
        while time.monotonic() < end:
            yield
        steady.look()


def _steady(things: Things) -> Steady:
    assert things.site.process is not None
    return Steady(things.site.process.pid)


def test_whatever_pages_send_the_site_stays_well(things: Things) -> None:
    maker, statuses, failed = Maker(Random(SEED), things), Counter[int](), list[str]()
    steady = _steady(things)
    for _ in _going_on(steady, SECONDS / 3):
        name, request = maker.request()
        try:
            status = status_of(ask(things.site.port, request, 1 if name == ENDLESS else MIB))
        except TimeoutError:
            status = 0
        statuses[status] += 1
        if not 0 < status < 500:
            failed.append(f"{status}: {name} {request}")
    told = f"LAPILLI_FUZZ_SEED={SEED}, {dict(statuses)}"
    print(told)
    assert not failed, "\n".join([told, *(one[:2000] for one in failed[:10])])
    assert {200, 303, 400, 401, 404} <= set(statuses), told
    assert _is_well(things)
    steady.check(told)


def _lay(member: Visitor, game: str) -> str:
    """A new table's address. Whoever has laid many just now, as a fuzzer has, is asked to wait."""
    give_up = time.monotonic() + 60
    while True:
        answer = member.http.post("/play", data={"game": game, "seat": "1", "opponent1": "random", "name": "Ada"})
        if answer.status_code == 303:
            return answer.headers["location"]
        assert answer.status_code == 429, answer.text
        assert time.monotonic() < give_up
        time.sleep(1)


def test_whatever_sockets_send_the_site_stays_well(things: Things) -> None:
    """Messages at a table of each game, by somebody who sits there; broken frames; and a match somebody looks at."""
    maker, said, ended = Maker(Random(SEED + 1), things), 0, Counter[str]()
    member, port, steady = things.people[Who.MEMBER], things.site.port, _steady(things)
    tables = [_lay(member, name) for name in names()]
    trial = ROUTES["SOCKET /bots/{bot_id}/trials/{trial_id}/live"].path.format(**things.paths)
    for _ in _going_on(steady, SECONDS / 3):
        path = maker.chance.choice([*(f"{table}/live" for table in tables), trial])
        try:
            with _page(member, path) as line:
                for _ in range(maker.chance.randrange(1, 40)):
                    line.send(maker.message(maker.chance.randrange(1, 4)))
                    said += 1
                    with suppress(TimeoutError):
                        line.recv(timeout=0.001)
            ended["well"] += 1
        except (WebSocketException, OSError) as error:
            ended[type(error).__name__] += 1
        if maker.chance.random() < 0.3:
            _tear(port, tables[0], maker)
    told = f"LAPILLI_FUZZ_SEED={SEED}, {said} messages, {dict(ended)}"
    print(told)
    assert said > 50
    assert ended["well"] > 0
    assert _is_well(things), told
    steady.check(told)
    with _page(member, f"{tables[0]}/live") as line:
        assert line.recv(timeout=20)


def _page(member: Visitor, path: str) -> Any:
    """A WebSocket of a page."""
    cookie = "; ".join(f"{name}={value}" for name, value in member.http.cookies.items())
    url = member.site.url.replace("http", "ws") + path
    return connect(
        url, additional_headers={"Cookie": cookie}, origin=Origin(member.site.url), proxy=None, close_timeout=1
    )


def _tear(port: int, table: str, maker: Maker) -> None:
    """Frames of no library's making, one of them torn."""
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    request = Request(f"{table}/live", method="GET", headers=upgrade | {"Sec-WebSocket-Key": "A" * 22 + "=="})
    with suppress(OSError), dial(port, timeout=2) as line:
        line.sendall(request.head(port))
        line.recv(4096)
        for _ in range(5):
            sent = maker.chance.choice([*FRAMES.values(), frame(1, b'{"do":"rematch"}'), maker.chance.randbytes(50)])
            line.sendall(sent[: maker.chance.choice((len(sent), maker.chance.randrange(len(sent) + 1)))])
