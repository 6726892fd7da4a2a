"""A site that is a stranger's: what `lapilli connect` is sent is counted as it comes, and what is odd is one line."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler

import pytest

from cli.running import refused, run
from lapilli.cli.web import api_client
from lapilli.core.errors import LapilliError
from lapilli.players.spec import PlayerSpec

MOST_SENT = 900 << 20
MOST_HELD_KB = 200 << 10
PART = b"x" * (1 << 20)
MEASURED = """
import sys
from pathlib import Path
from lapilli.__main__ import main
try:
    main()
finally:
    print(Path("/proc/self/status").read_text())
"""
Answer = Callable[["Stranger"], None]


class Stranger(BaseHTTPRequestHandler):
    """Answers a path by what the server has for it, else as a site does that knows the token."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.close_connection = True
        with suppress(OSError):  # the client has seen enough
            for path, answer in self.server.answers.items():  # type: ignore[attr-defined]
                if self.path.endswith(path):
                    answer(self)
                    return
            self.begin()
            self.wfile.write(b'{"name": "ada"}')

    def begin(self, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Connection": "close", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Nothing is written."""


def endless(begin: bytes = b"", part: bytes = PART, status: int = 200, **headers: str) -> Answer:
    """Sends one line without an end."""

    def answer(stranger: Stranger) -> None:
        stranger.begin(status, **headers)
        stranger.wfile.write(begin)
        for _ in range(MOST_SENT // len(PART)):
            stranger.wfile.write(part)

    return answer


def sent(data: bytes, status: int = 200, **headers: str) -> Answer:
    def answer(stranger: Stranger) -> None:
        stranger.begin(status, **headers)
        stranger.wfile.write(data)

    return answer


def in_chunks(stranger: Stranger) -> None:
    """As uvicorn sends streams."""
    stranger.begin(Transfer_Encoding="chunked")
    for _ in range(MOST_SENT // len(PART)):
        stranger.wfile.write(b"%x\r\n%s\r\n" % (len(PART), PART))


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, answers: dict[str, Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Stranger)
        self.answers = answers


@contextmanager
def site(answers: dict[str, Answer]) -> Iterator[str]:
    with Server(answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


DIRECT = {"no_proxy": "127.0.0.1"}


def words(url: str) -> list[str]:
    return ["connect", url, "--bot", f"{sys.executable} -c pass", "--token", "t"]


def measured(url: str) -> tuple[int, str, int]:
    """The exit code, what it says on stderr, and its largest size in kB."""
    command, environment = [sys.executable, "-c", MEASURED, *words(url)], os.environ | DIRECT
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    peak = re.search(r"^VmHWM:\s+(\d+) kB$", done.stdout, re.MULTILINE)
    assert peak is not None, done.stderr
    return done.returncode, done.stderr, int(peak[1])


ENDLESS: dict[str, dict[str, Answer]] = {
    "a line of the stream": {"/events": endless()},
    "a line after a good one": {"/events": endless(b'{"type": "hello", "id": "1", "game": "x"}\n{"type": "')},
    "a line in chunks": {"/events": in_chunks},
    "an answer": {"/account": endless(b'{"name": "')},
    "an error": {"/account": endless(b'{"detail": "', status=403)},
    "an error of the stream": {"/events": endless(status=404)},
    "a redirection": {"/events": endless(status=302, Location="/x")},
    "a packed line": {"/events": endless(gzip.compress(b"x" * (1 << 28)), b"", Content_Encoding="gzip")},
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_site_that_never_stops_takes_no_memory_and_is_one_line(name: str) -> None:
    began = time.monotonic()
    with site(ENDLESS[name]) as url:
        code, said, peak = measured(url)
    assert (code, said.count("\n")) == (2, 1), said
    assert "is this the address of a Lapilli site?" in said
    assert peak < MOST_HELD_KB
    assert time.monotonic() - began < 60


ODD = {
    "nested": b"[" * 200_000,
    "no object": b"[1]",
    "without a type": b'{"id": 1}',
    "without an id": b'{"type": "challenge"}',
    "no players": b'{"type": "start", "id": {}, "game": ""}',
    "no text": b"\xff\xfe\x00",
    "a long number": b'{"id": ' + b"9" * 100_000 + b"}",
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_line_is_one_line(name: str) -> None:
    with site({"/events": sent(ODD[name] + b"\n")}) as url:
        said = run(*words(url), code=2, env=DIRECT).stderr
    assert said == "lapilli: the response is invalid; is this the address of a Lapilli site?\n"


def test_a_refusal_is_passed_on_in_one_short_line() -> None:
    with site({"/account": sent(json.dumps({"detail": "no\n" * 5000}).encode(), 403)}) as url:
        said = refused(*words(url), env=DIRECT)
    assert said.startswith("lapilli: no no no")
    assert len(said) < 300


def test_who_hears_nothing_says_so_and_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events come at the second time."""
    asked = threading.Event()

    def late(stranger: Stranger) -> None:
        if asked.is_set():
            stranger.begin(404)
        else:
            asked.set()
            time.sleep(0.5)

    monkeypatch.setenv("no_proxy", DIRECT["no_proxy"])
    monkeypatch.setattr(api_client, "_SILENCE_S", 0.2)
    monkeypatch.setattr(api_client, "_FIRST_DELAY_S", 0.01)
    said: list[str] = []
    with site({"/events": late}) as url, pytest.raises(LapilliError):
        asyncio.run(api_client.Remote(url, "t", PlayerSpec(command=("true",)), report=said.append).play())
    assert said[1:] == ["The site does not answer, perhaps because it is busy; connecting again …"]


def test_a_challenge_is_accepted_only_while_a_slot_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """A match that was accepted takes its slot before it begins."""
    posted: list[str] = []

    async def post(remote: api_client.Remote, path: str, **body: object) -> bool:
        posted.append(path)
        return path != "/tables/gone/accept"

    async def wait(remote: api_client.Remote, event: object) -> None:
        await ended.wait()

    async def asked() -> None:
        remote = api_client.Remote("http://x", "t", PlayerSpec(command=("true",)), at_once=1, report=said.append)
        for table in ("gone", "one", "one", "two"):
            await remote._handle({"type": "challenge", "id": table, "game": "volcanoes"})
        await remote._handle({"type": "start", "id": "one", "game": "volcanoes", "players": []})
        await remote._handle({"type": "challenge", "id": "three", "game": "volcanoes"})
        ended.set()
        await asyncio.gather(*remote._matches.values())
        await asyncio.sleep(0)
        await remote._handle({"type": "challenge", "id": "four", "game": "volcanoes"})

    said: list[str] = []
    ended = asyncio.Event()
    monkeypatch.setattr(api_client.Remote, "_post", post)
    monkeypatch.setattr(api_client.Remote, "_play", wait)
    asyncio.run(asked())
    verbs = [path.removeprefix("/tables/") for path in posted]
    assert verbs == ["gone/accept", "one/accept", "two/decline", "three/decline", "four/accept"]
    assert len(said) == 2
