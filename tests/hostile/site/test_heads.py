"""Heads of requests that say two things, or name a host or an origin that is almost ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from lapilli.games import names
from web.client import PublicSite, Site, Visitor
from web.pressing import dial, heard, status_of


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Site]]:
    """One of one's own, and a public one."""
    folder = tmp_path_factory.mktemp("heads")
    made = {"own": Site(folder / "own.db"), "public": PublicSite(folder / "public.db", "--registration", "open")}
    for site in made.values():
        site.start()
    yield made
    for site in made.values():
        code, errors = site.stop()
        assert (code, "Traceback" in errors) == (0, False), errors


def said(site: Site, *lines: str, body: str = "") -> int:
    """The status of what is answered to a head of these lines."""
    text = "\r\n".join([*lines, "", body]).replace("{port}", str(site.port))
    with dial(site.port) as line:
        line.sendall(text.encode("latin-1"))
        line.settimeout(5)
        return status_of(line.recv(65536))


HOSTS = {
    "127.0.0.1:{port}": 200,
    "127.0.0.1": 200,
    "LOCALHOST:{port}": 200,
    "[::1]:{port}": 200,
    "127.0.0.1:{port}.evil": 403,
    "127.0.0.1:{port}.evil.example": 403,
    "127.0.0.1:8802@evil.example": 403,
    "127.0.0.1:": 403,
    "127.0.0.1:x": 403,
    "127.0.0.1:123456": 403,
    "127.0.0.1:-1": 403,
    "127.0.0.1:²": 403,
    "localhost.evil.example": 403,
    "evil.example:127.0.0.1": 403,
    "[::1]evil:{port}": 403,
    "[::1": 403,
    "": 403,
}


@pytest.mark.parametrize("host", HOSTS)
def test_a_site_of_ones_own_knows_its_name_to_the_last_letter(sites: dict[str, Site], host: str) -> None:
    assert said(sites["own"], "GET /play HTTP/1.1", f"Host: {host}") == HOSTS[host]


@pytest.mark.parametrize("kind", ["own", "public"])
def test_a_request_names_one_host(sites: dict[str, Site], kind: str) -> None:
    right, evil = "Host: 127.0.0.1:{port}", "Host: evil.example"
    for lines in ([right, evil], [evil, right], [right, right], []):
        assert said(sites[kind], "GET /play HTTP/1.1", *lines) in (400, 403), lines
    assert said(sites[kind], "GET /play HTTP/1.0") == 403


FORM = "POST /play HTTP/1.1", "Host: 127.0.0.1:{port}", "Connection: close"
OWN, EVIL = "Origin: http://127.0.0.1:{port}", "Origin: http://evil.example"
CROSS, SAME = "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-origin"


@pytest.mark.parametrize("kind", ["own", "public"])
@pytest.mark.parametrize(
    "lines", [(OWN, EVIL), (EVIL, OWN), (OWN, OWN), (OWN, SAME, CROSS), (OWN, CROSS, SAME), ("Origin: ", OWN), (SAME,)]
)
def test_a_request_has_one_origin(sites: dict[str, Site], kind: str, lines: tuple[str, ...]) -> None:
    assert said(sites[kind], *FORM, *lines, "Content-Length: 0") == 403
    assert said(sites[kind], *FORM, OWN, SAME, "Content-Length: 0") in (303, 400, 404)


SOCKET = (
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: " + "A" * 22 + "==",
)


@pytest.mark.parametrize("kind", ["own", "public"])
def test_a_socket_has_one_origin(sites: dict[str, Site], kind: str) -> None:
    site = sites[kind]
    with Visitor(site) as visitor:
        first = f"GET {visitor.lay(names()[0])}/live HTTP/1.1", "Host: 127.0.0.1:{port}", *SOCKET
    assert said(site, *first, OWN) == 101
    for lines in ((OWN, EVIL), (EVIL, OWN), (OWN, CROSS), ()):
        assert said(site, *first, *lines) in (400, 403), lines
    for more in ("Transfer-Encoding: chunked", "Content-Length: 3", "Content-Length: 3\r\nTransfer-Encoding: chunked"):
        assert said(site, *first, OWN, more) == 400, more


LENGTHS = {
    "both": ("Content-Length: 4", "Transfer-Encoding: chunked"),
    "both, the other way round": ("Transfer-Encoding: chunked", "Content-Length: 4"),
    "both, in odd letters": ("content-LENGTH: 4", "TRANSFER-encoding: CHUNKED"),
    "two lengths": ("Content-Length: 4", "Content-Length: 5"),
    "two encodings": ("Transfer-Encoding: gzip, chunked",),
    "an unknown one": ("Transfer-Encoding: identity",),
    "one that is none": ("Transfer-Encoding: xchunked", "Content-Length: 4"),
}


@pytest.mark.parametrize("kind", ["own", "public"])
@pytest.mark.parametrize("path", ["/play", "/api/v1/challenges", "/analyse/at", "/healthz"])
@pytest.mark.parametrize("lengths", LENGTHS)
def test_a_request_says_in_one_way_how_long_it_is(sites: dict[str, Site], kind: str, path: str, lengths: str) -> None:
    """Else a proxy and the site may differ about where the next request begins. What follows is not read."""
    smuggled = "0\r\n\r\nGET /play HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
    with dial(sites[kind].port) as line:
        lines = f"POST {path} HTTP/1.1", "Host: 127.0.0.1:{port}", OWN, *LENGTHS[lengths]
        text = "\r\n".join([*lines, "", smuggled]).replace("{port}", str(sites[kind].port))
        line.sendall(text.encode())
        line.settimeout(5)
        answer = heard(line)
    assert status_of(answer) in (400, 501)
    assert answer.count(b"HTTP/1.1 ") == 1, "the second one was answered, too"


@pytest.mark.parametrize("kind", ["own", "public"])
def test_an_old_request_has_no_encoding(sites: dict[str, Site], kind: str) -> None:
    lines = "POST /play HTTP/1.0", "Host: 127.0.0.1:{port}", OWN, "Transfer-Encoding: chunked"
    assert said(sites[kind], *lines, body="0\r\n\r\n") == 400


@pytest.mark.parametrize("kind", ["own", "public"])
@pytest.mark.parametrize("size", [20_500, 1 << 20, 8 << 20])
def test_a_head_has_so_many_bytes_and_no_more(sites: dict[str, Site], kind: str, size: int) -> None:
    """In one header or in many."""
    for more in (b"X: " + b"x" * size, b"\r\n".join([b"X: " + b"x" * 100] * (size // 100)), b"X" * size):
        with dial(sites[kind].port) as line:
            try:
                line.sendall(b"GET /play HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n\r\n" % (sites[kind].port, more))
            except OSError:
                continue  # it hung up before all was sent
            assert status_of(heard(line)) in (0, 400)
    assert said(sites[kind], "GET /healthz HTTP/1.1", "Host: x") == 200


def test_behind_tls_a_guest_is_known_by_a_cookie_that_no_other_name_can_set(tmp_path: Path) -> None:
    """A cookie of the old name counts for nothing, and is removed where a new one is set."""
    own = "https://play.example.org"
    reached = ("--url", own, "--behind-proxy", "127.0.0.1")
    site = PublicSite(tmp_path / "site.db", "--registration", "open", reached=reached)
    site.start()
    form = {"game": names()[0], "opponent1": "person"}
    with httpx.Client(base_url=site.url, headers={"Host": "play.example.org", "Origin": own}, trust_env=False) as http:

        def lay(cookie: str) -> list[str]:
            answer = http.post("/play", data=form, headers={"Cookie": cookie})
            assert answer.status_code == 303
            http.cookies.clear()
            return answer.headers.get_list("set-cookie")

        known = "A" * 32
        made, removed = lay(f"lapilli_visitor={known}")
        assert made.startswith("__Host-lapilli_visitor=")
        assert known not in made
        assert removed.startswith('lapilli_visitor="";')
        assert "Max-Age=0" in removed
        for cookie in (made, removed):
            assert "; Secure" in cookie
            assert "; HttpOnly" in cookie
            assert "; Path=/" in cookie
            assert "Domain" not in cookie
        (kept,) = lay(f"__Host-lapilli_visitor={known}; lapilli_visitor={'B' * 32}")[:1]
        assert kept.startswith(f"__Host-lapilli_visitor={known};")
    assert site.stop()[0] == 0


def test_without_tls_browsers_take_no_such_name(sites: dict[str, Site]) -> None:
    for site in sites.values():
        with Visitor(site) as visitor:
            visitor.lay(names()[0])
            assert [one for one in visitor.http.cookies if one.endswith("_visitor")] == ["lapilli_visitor"]
