"""Bodies that come slowly, not at all, or many at once; and connections whose other side does not read.

The site is a process of its own, with shorter time limits than usual; `test_memory_of_routes.py` waits for the usual
one.
"""

from __future__ import annotations

import json
import re
import select
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import product
from typing import NamedTuple

import pytest

from hostile.site.test_requests import frame
from lapilli.games import names
from lapilli.site.http.bodies import MAX_HELD, MAX_OPEN
from lapilli.site.http.connections.timeouts import MAX_WAITING
from web.client import WAIT, PublicSite, Visitor, new_token
from web.pressing import MIB, Request, Watched, ask, dial, heard, served, status_of

HEAD_S, BODY_S, LINGER_S, STALLED_S = 1.0, 1.5, 0.5, 1.0
FEW = 6
"""Descriptors that may come and go besides: of the store, of a request under way."""


class Quick(NamedTuple):
    """A public site that does not wait long."""

    port: int
    process: Watched
    token: str
    table: str


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Quick]:
    store = tmp_path_factory.mktemp("quick") / "site.db"
    with served(store, HEAD_S, BODY_S, LINGER_S, STALLED_S) as (port, pid):
        site = PublicSite(store)
        site.port = port
        with Visitor(site) as member:
            assert member.join("Grace").status_code == 303
            token, table = new_token(member, "bodies", "play", "bots"), member.lay(names()[0])
        yield Quick(port, Watched(pid), token, table)


def _is_well(port: int) -> bool:
    return status_of(ask(port, Request("/healthz", method="GET"))) == 200


def slow(port: int, request: Request, sent: bytes = b"") -> tuple[int, float]:
    """A request whose body stays incomplete: its status, and after how many seconds the connection was closed."""
    with dial(port, request.address) as line:
        start = time.monotonic()
        line.sendall(request.head(port, 4000).replace(b"Connection: close\r\n", b"") + sent)
        return status_of(heard(line)), time.monotonic() - start


JSON = {"Content-Type": "application/json"}
SLOW = {
    "a form": Request("/sign-in"),
    "JSON": Request("/analyse/at"),
    "a record": Request("/analyse/record"),
    "a route that reads nothing": Request("/sign-out"),
    "no such page": Request("/nothing"),
    "programs": Request("/api/v1/challenges", headers=dict(JSON)),
    "programs' bots": Request("/api/v1/bots", headers=dict(JSON)),
    "programs without a token": Request("/api/v1/challenges", headers=dict(JSON)),
}


SENT = {"nothing": b"", "a part": b'{"game":'}


@pytest.fixture(scope="module")
def ends(quick: Quick) -> dict[tuple[str, str], tuple[int, float]]:
    """How each of them ends with each part sent: all at once, since each waits for its limit."""
    for kind, request in SLOW.items():
        if "programs" in kind and "without" not in kind:
            request.headers["Authorization"] = f"Bearer {quick.token}"
    asked = list(product(SLOW, SENT))
    with ThreadPoolExecutor(len(asked)) as threads:
        found = threads.map(lambda one: slow(quick.port, SLOW[one[0]], SENT[one[1]]), asked)
        return dict(zip(asked, found, strict=True))


@pytest.mark.parametrize("kind", SLOW)
@pytest.mark.parametrize("sent", SENT)
def test_every_body_has_a_time_limit(ends: dict[tuple[str, str], tuple[int, float]], kind: str, sent: str) -> None:
    status, took = ends[kind, sent]
    assert status == {"a route that reads nothing": 303, "no such page": 404, "programs without a token": 401}.get(
        kind, 408
    )
    assert BODY_S - 0.1 < took < BODY_S + LINGER_S + 3


def test_a_body_that_comes_in_drops_ends_with_the_same_limit(quick: Quick) -> None:
    """After the answer, too, which a page may give before the body is there."""
    for path in ("/analyse/at", "/nothing", "/api/v1/bots"):
        with dial(quick.port) as line:
            start, got = time.monotonic(), b""
            line.sendall(Request(path).head(quick.port, 100_000).replace(b"Connection: close\r\n", b""))
            line.settimeout(0.05)
            try:
                while time.monotonic() < start + WAIT:
                    line.sendall(b"x")
                    try:
                        part = line.recv(65536)
                    except TimeoutError:
                        continue
                    if not part:
                        break
                    got += part
            except ConnectionError:
                pass
            assert BODY_S - 0.1 < time.monotonic() - start < BODY_S + LINGER_S + 3, path
            assert status_of(got) in (401, 404, 408)


def test_without_a_token_a_program_is_answered_by_its_head(quick: Quick) -> None:
    """Nothing of its body is read, whatever it says of its length: 200 such requests hold next to nothing, and end."""
    assert quick.process.settled(64) <= 64
    before, open_before = quick.process.resident, quick.process.descriptors
    with ExitStack() as held:
        lines, start = [], time.monotonic()
        for number in range(200):
            request = Request("/api/v1/bots", headers=dict(JSON), address=f"127.0.8.{1 + number % 50}")
            line = held.enter_context(dial(quick.port, request.address))
            line.sendall(request.head(quick.port, MIB).replace(b"Connection: close\r\n", b"") + b"[" * 300_000)
            lines.append(line)
        statuses = {status_of(line.recv(200)) for line in lines}
        answered = time.monotonic() - start
        resident = quick.process.resident
        assert statuses <= {401, 429}
        assert 401 in statuses
        assert resident - before < 32 * MIB
        assert quick.process.settled(open_before + FEW, BODY_S + LINGER_S + 10) <= open_before + FEW
    assert answered < 30
    assert _is_well(quick.port)


def _answered(lines: list[socket.socket], number: int) -> list[socket.socket]:
    """Those that have an answer to read: once so many have, at the latest long before a body is late."""
    end = time.monotonic() + BODY_S / 3
    while len(found := select.select(lines, [], [], 0)[0]) < number and time.monotonic() < end:
        time.sleep(0.01)
    return found


def test_an_address_has_so_many_bodies_open_and_no_more(quick: Quick) -> None:
    """Whoever asks from elsewhere is not in the way of anybody; once they are over there is room again.

    Which ones are refused is the site's: requests that come at the same moment need not be read in their order.
    """
    address = "127.0.9.1"
    with ExitStack() as held:
        lines = []
        for _ in range(MAX_OPEN + 10):
            line = held.enter_context(dial(quick.port, address))
            line.sendall(Request("/analyse/at").head(quick.port, 5000).replace(b"Connection: close\r\n", b""))
            lines.append(line)
        assert len(_answered(lines, 10)) == 10
        assert status_of(ask(quick.port, Request("/analyse/at", b"{}", address="127.0.9.2"))) == 400
        assert [status_of(line.recv(4096)) for line in _answered(lines, 11)] == [429] * 10
    time.sleep(0.2)
    assert status_of(ask(quick.port, Request("/analyse/at", b"{}", address=address))) == 400


def test_an_address_has_so_many_bytes_held_and_no_more(quick: Quick) -> None:
    """Of bodies that are still coming."""
    address, each = "127.0.9.3", 4 * MIB - 100
    with ExitStack() as held:
        lines = []
        for _ in range(MAX_HELD // each + 3):
            line = held.enter_context(dial(quick.port, address))
            line.sendall(Request("/analyse/record").head(quick.port, 4 * MIB).replace(b"Connection: close\r\n", b""))
            line.sendall(b" " * each)
            lines.append(line)
        statuses = [status_of(line.recv(4096)) for line in lines]
    assert statuses.count(408) <= MAX_HELD // each
    assert set(statuses) == {408, 429}


def _opened(quick: Quick, held: ExitStack) -> socket.socket:
    """A table's WebSocket, by hand."""
    line = held.enter_context(dial(quick.port))
    more = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    key = {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    line.sendall(Request(f"{quick.table}/live", method="GET", headers=more | key).head(quick.port))
    assert line.recv(4096).startswith(b"HTTP/1.1 101")
    return line


FLOODS = {
    "short messages": frame(1, b"x") * 200_000,
    "parts without an end": frame(1, b"x", final=False) + frame(0, b"", final=False) * 200_000,
    "pings that nobody answers": frame(9, b"x" * 120) * 60_000,
}


@pytest.mark.parametrize("kind", FLOODS)
def test_what_a_socket_has_not_read_yet_is_bounded(quick: Quick, kind: str) -> None:
    """A flood from each of twenty pages; nobody reads what comes back."""
    flood, pages = FLOODS[kind], 20
    assert len(flood) / 8 > 100 * MAX_WAITING
    before, open_before = quick.process.resident, quick.process.settled(64)
    quick.process.forget_peak()
    with ExitStack() as held:
        lines = [_opened(quick, held) for _ in range(pages)]
        for line in lines:
            line.settimeout(2)
            try:
                line.sendall(flood)
            except OSError:  # it was closed, or nobody takes more
                continue
        grown = quick.process.peak - before
        assert grown < pages * MIB + 16 * MIB, f"{grown / MIB:.1f} MiB"
        assert quick.process.settled(open_before + FEW, STALLED_S + 10) <= open_before + FEW, "closed by the site"
    assert _is_well(quick.port)


def test_who_does_not_read_an_answer_is_let_go(quick: Quick) -> None:
    """Answers that fill the connection's buffers."""
    open_before = quick.process.settled(64)
    with ExitStack() as held:
        for _ in range(20):
            line = held.enter_context(dial(quick.port))
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            get = Request("/static/viewer/static/board.js", method="GET").head(quick.port)
            line.sendall(get.replace(b"Connection: close\r\n", b"") * 150)
        time.sleep(0.3)
        assert quick.process.settled(open_before + FEW, 30) <= open_before + FEW
    assert _is_well(quick.port)


def test_five_hundred_slow_connections_do_not_keep_others_waiting(quick: Quick) -> None:
    """Half heads, half bodies and silence, from fifty addresses."""
    open_before = quick.process.settled(64)
    with ExitStack() as held:
        for number in range(500):
            line = held.enter_context(dial(quick.port, f"127.0.10.{1 + number % 50}"))
            half = Request("/analyse/at").head(quick.port, 5000).replace(b"Connection: close\r\n", b"")
            line.sendall((b"", half[:40], half + b"{")[number % 3])
        start = time.monotonic()
        assert _is_well(quick.port)
        assert time.monotonic() - start < 5
        assert quick.process.settled(open_before + FEW, 30) <= open_before + FEW


def test_a_proper_request_is_none_the_slower_for_it(quick: Quick) -> None:
    """A large one, in pieces, within the limit; and two on one connection."""
    body = json.dumps({"game": names()[0], "given": ["x" * 100_000]}).encode()
    with dial(quick.port) as line:
        for _ in range(2):
            head = Request("/analyse/at").head(quick.port, len(body)).replace(b"Connection: close\r\n", b"")
            line.sendall(head)
            for at in range(0, len(body), 20_000):
                line.sendall(body[at : at + 20_000])
                time.sleep(0.05)
            got = line.recv(65536)
            assert status_of(got) == 400
            length = re.search(rb"content-length: (\d+)", got)
            assert length is not None
            while len(got.partition(b"\r\n\r\n")[2]) < int(length[1]):
                got += line.recv(65536)
