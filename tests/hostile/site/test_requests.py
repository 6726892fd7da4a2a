"""A public site among those who mean it ill: who dawdles, sends broken frames, or takes names that deceive."""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from lapilli.games import names
from lapilli.site.http import forms, guard
from lapilli.site.http.connections import timeouts
from lapilli.site.runtime.settings import Public
from web.client import PASSWORD, PublicSite, Site, Visitor


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublicSite]:
    site = PublicSite(tmp_path_factory.mktemp("public") / "site.db", "--registration", "open")
    site.start()
    yield site
    code, errors = site.stop()
    assert (code, "Traceback" in errors) == (0, False), errors


@pytest.fixture(scope="module")
def table(public: PublicSite) -> str:
    """One for all, since nobody may have many."""
    with Visitor(public) as ada:
        return ada.lay(names()[0])


def is_well(site: Site) -> bool:
    return httpx.get(f"{site.url}/healthz", trust_env=False).text == "ok\n"


HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"
DAWDLERS = {
    "nothing": [],
    "letter by letter": [b"G", b"E", b"T", b" ", b"/", b" ", b"H", b"T", b"T", b"P"] * 3,
    "a header now and then": [b"GET / HTTP/1.1\r\n", *(b"X%d: x\r\n" % number for number in range(30))],
    "half a body": [HEAD + b"half"],
    "a second request": [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HT"],
}


@pytest.mark.parametrize("kind", DAWDLERS)
def test_who_dawdles_is_let_go(kind: str) -> None:
    """With a shorter patience than the site's, or this would take half a minute."""

    async def answer(request: Request) -> Response:
        return PlainTextResponse(str(len(await forms.body_of(request, 100))))

    app = Starlette(routes=[Route("/", answer, methods=["GET", "POST"])])
    http, _ = timeouts.protocols(timeouts.Timeouts(head_s=0.4, body_s=0.3, linger_s=0.1))
    config = uvicorn.Config(app, http=http, log_level="error", lifespan="off", timeout_keep_alive=1)

    async def dawdle() -> float:
        server = uvicorn.Server(config)
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            serving = asyncio.create_task(server.serve([listening]))
            while not server.started:
                await asyncio.sleep(0.01)
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            start = time.monotonic()
            reading = asyncio.create_task(reader.read())
            for part in [*DAWDLERS[kind], b""]:
                if reading.done():
                    break
                with suppress(ConnectionError):
                    writer.write(part)
                    await writer.drain()
                await asyncio.sleep(0.05)
            with suppress(ConnectionError):
                await asyncio.wait_for(reading, 10)
            took = time.monotonic() - start
            writer.close()
            server.should_exit = True
            await serving
        return took

    assert 0.3 < asyncio.run(dawdle()) < 3


def frame(code: int, content: bytes, masked: bool = True, final: bool = True) -> bytes:
    """A WebSocket's, as nobody's library would make it."""
    length = len(content)
    size = bytes([length]) if length < 126 else b"\x7e" + length.to_bytes(2) if length < 2**16 else b"\x7f"
    size = size if length < 2**16 else size + length.to_bytes(8)
    mask = bytes([size[0] | (0x80 if masked else 0)]) + size[1:] + (b"\0\0\0\0" if masked else b"")
    return bytes([(0x80 if final else 0) | code]) + mask + content


FRAMES = {
    "not masked": frame(1, b"{}", masked=False),
    "of no kind": frame(5, b"x"),
    "reserved bits": b"\xf1\x80\0\0\0\0",
    "no UTF-8": frame(1, b"\xff\xfe\xfd"),
    "binary": frame(2, b"\0\xff" * 10),
    "too long": frame(1, b"x" * 70_000),
    "a length of 2**63": b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0",
    "continued without a beginning": frame(0, b"x"),
    "parts without an end": frame(1, b"x", final=False) + frame(0, b"x" * 500, final=False) * 20,
    "a long ping": frame(9, b"x" * 200),
    "many pings": frame(9, b"x") * 2000,
    "a close of one byte": frame(8, b"x"),
    "a close of no code": frame(8, b"\x00\x01"),
    "deep JSON": frame(1, b"[" * 900),
    "half characters": frame(1, b'{"do": "\\ud800"}'),
    "noise": os.urandom(4096),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_broken_frames_end_their_own_connection_alone(public: PublicSite, table: str, kind: str) -> None:
    with (
        Visitor(public) as ada,
        ada.live(table) as watching,
        socket.create_connection(("127.0.0.1", public.port), timeout=20) as line,
    ):
        host = f"127.0.0.1:{public.port}"
        line.sendall(
            f"GET {table}/live HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}\r\n\r\n".encode()
        )
        assert line.recv(65536).startswith(b"HTTP/1.1 101")
        with suppress(OSError):  # it may have hung up by then
            line.sendall(FRAMES[kind])
            line.shutdown(socket.SHUT_WR)
            while line.recv(65536):
                pass
        watching.say("rematch")
        watching.until(lambda: watching.refusals)
    assert is_well(public)


@pytest.mark.parametrize(
    "path",
    [
        "/static/site/frontend/static/../app.py",
        "/static/site/frontend/static/%2e%2e/app.py",
        "/static/site/frontend/static/..%2fapp.py",
        "/static/site/frontend/static/..%5capp.py",
        "/static/site/frontend/static/%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2fetc/passwd",
        "/static/site/frontend/static//etc/passwd",
        "/static/site/frontend/static/%00",
        "/static/site/frontend/static/site.css%00.js",
        "/static/site/frontend/static/%ff%fe",
        "/static/site/frontend/static/",
        "/static/site/frontend/templates/base.html",
        "/static/viewer/static/" + "../" * 40 + "etc/passwd",
        "//evil.example/%2f..",
        "/..;/members",
        "/%C0%AE%C0%AE/",
    ],
)
def test_no_path_leads_out(public: PublicSite, path: str) -> None:
    with socket.create_connection(("127.0.0.1", public.port), timeout=20) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{public.port}\r\nConnection: close\r\n\r\n".encode())
        heard = b""
        while part := line.recv(65536):
            heard += part
    assert heard.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400")), heard[:100]
    for secret in (b"root:", b"create_app", b"{% block"):
        assert secret not in heard


NAMES = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
    "\u202eadA\u202c",
    "A\u200bd\u200ba",
    "🦄👩‍👩‍👧‍👦",
    "Z\u0321\u0322\u0323\u0324\u0325\u0326\u0327",
    "\ufdfd" * 30,
    "\x1b[31mred",
    "' OR 1=1 --",
    "a\r\nSet-Cookie: b=c",
)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_inert_and_read_as_they_are_written(public: PublicSite, name: str) -> None:
    with Visitor(public) as ada:
        form = {"game": names()[0], "opponent1": "person", "name": name}
        answer = ada.http.post("/play", data=form, headers={"X-Test": "1"})
        assert answer.status_code == 303
        assert "b=c" not in str(answer.headers)
        pages = [ada.http.get("/").text, ada.http.get("/sign-in", params={"next": name}).text]
        wrong = ada.http.post("/sign-in", data={"name": name, "password": name})
        assert wrong.status_code in (401, 429)
        with ada.live(answer.headers["location"]) as live:
            shown = live.hello["look"]["players"]
    for page in [*pages, wrong.text]:
        for bad in ("<script>alert", "<img src=x", "\u202e", "\u200b", "\x1b", ">49<"):
            assert bad not in page
    assert any("(guest)" in player["name"] for player in shown)


def test_an_address_has_so_many_sockets_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that end make room."""
    monkeypatch.setattr(guard, "MAX_SOCKETS", 3)
    origin = "http://play.example.org"
    headers = [(b"host", b"play.example.org"), (b"origin", origin.encode())]

    async def knock() -> list[str]:
        end = asyncio.Event()

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await send({"type": "websocket.accept"})
            await end.wait()

        guarded = guard.Guard(app, Public(origin, b"x" * 32))

        async def come(address: str) -> str:
            scope = {"type": "websocket", "path": "/", "headers": headers, "client": (address, 1)}
            heard: asyncio.Queue[Message] = asyncio.Queue()
            coming.append(asyncio.create_task(guarded(scope, heard.get, heard.put)))
            return str((await heard.get())["type"]).removeprefix("websocket.")

        coming: list[asyncio.Task[None]] = []
        first = [await come("192.0.2.1") for _ in range(5)] + [await come("192.0.2.2")]
        end.set()
        await asyncio.gather(*coming)
        return [*first, await come("192.0.2.1")]

    assert asyncio.run(knock()) == ["accept", "accept", "accept", "close", "close", "accept", "accept"]


def test_who_lays_too_many_tables_waits(tmp_path: Path) -> None:
    """A guest by address, whatever cookies are thrown away; a member by account."""
    site = PublicSite(tmp_path / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as ada:
        assert ada.join("Ada").status_code == 303
        for _ in range(100):
            answer = httpx.post(
                f"{site.url}/play",
                data={"game": names()[0], "opponent1": "random"},
                headers={"Origin": site.url},
                trust_env=False,
            )
            if answer.status_code != 303:
                break
        assert answer.status_code == 429
        assert 1 <= int(answer.headers["retry-after"]) <= 3
        assert "Too many requests" in answer.text
        assert ada.lay(names()[0])
    assert site.stop()[0] == 0


def test_behind_a_proxy_its_word_is_taken(tmp_path: Path) -> None:
    """And cookies are for encrypted connections alone."""
    own = "https://play.example.org"
    reached = ("--url", own, "--behind-proxy", "127.0.0.1")
    site = PublicSite(tmp_path / "site.db", "--registration", "open", reached=reached)
    site.start()
    headers = {"Host": "play.example.org", "Origin": own}
    with httpx.Client(base_url=site.url, headers=headers, trust_env=False) as proxy:
        statuses = []
        for number in range(8):
            form = {"name": f"member{number}x", "password": PASSWORD}
            answer = proxy.post("/sign-up", data=form, headers={"X-Forwarded-For": f"192.0.2.{number}"})
            statuses.append(answer.status_code)
        assert statuses == [303] * 8, "each from an address of its own"
        cookies = answer.headers.get_list("set-cookie")
        assert all(cookie.startswith("__Host-lapilli_") for cookie in cookies)
        assert all("; Secure" in cookie and "Domain" not in cookie for cookie in cookies)
        assert "max-age" in answer.headers["strict-transport-security"]
        laid = proxy.post("/play", data={"game": names()[0], "opponent1": "random"}, headers={"Cookie": ""})
        assert laid.headers["set-cookie"].startswith("__Host-lapilli_visitor=")
        assert "; Secure" in laid.headers["set-cookie"]
        token = cookies[0].partition("=")[2].partition(";")[0]
        for name, status in (("__Host-lapilli_session", 200), ("lapilli_session", 401)):
            assert proxy.get("/account", headers={"Cookie": f"{name}={token}"}).status_code == status
        assert proxy.post("/play", headers={"Origin": "http://play.example.org"}).status_code == 403
    assert site.stop()[0] == 0
