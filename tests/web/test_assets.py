"""Static files and compression, in this process."""

from __future__ import annotations

import asyncio
import gzip
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

import lapilli.site
from lapilli.site.http.assets import _BUNDLES, Assets, assets
from lapilli.site.http.compression import Compression, takes_gzip

LONG = "<p>a text that is worth to be compressed</p>" * 100
GZIP = {"Accept-Encoding": "gzip"}
OWN = GZIP | {"Sec-Fetch-Site": "same-origin"}


def ask(app: ASGIApp, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    """An answer whose body is as it was sent."""

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://here") as client:
            request = client.build_request(method, path, headers={"Accept-Encoding": ""} | headers)
            answer = await client.send(request, stream=True)
            answer._content = b"".join([part async for part in answer.aiter_raw()])
            return answer

    return asyncio.run(send())


class Sent:
    """An application that sends this response."""

    def __init__(self, made: Any) -> None:
        self.made = made

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.made()(scope, receive, send)


def mounted(files: dict[str, bytes]) -> tuple[Assets, ASGIApp]:
    made = Assets(files)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await made({**scope, "root_path": "/static"}, receive, send)

    return made, app


def test_a_file_is_kept_for_good_below_its_version_only() -> None:
    paths = ("site/frontend/static/a.css", "site/frontend/static/a.png", "b.css")
    made, app = mounted({path: LONG.encode() for path in paths})
    address = made.address("site/frontend/static/a.css")
    whole = ask(app, address)
    assert whole.content == LONG.encode()
    assert "immutable" in whole.headers["cache-control"]
    assert whole.headers["content-type"].startswith("text/css")
    packed = ask(app, address, **GZIP)
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.content) == LONG.encode()
    assert "content-encoding" not in ask(app, made.address("site/frontend/static/a.png"), **GZIP).headers
    for other in ("/static/site/frontend/static/a.css", "/static/0123456789abcdef/site/frontend/static/a.css"):
        checked = ask(app, other)
        assert (checked.content, checked.headers["cache-control"]) == (LONG.encode(), "no-cache")
    assert [ask(app, path).content for path in ("/static/b.css", made.address("b.css"))] == [LONG.encode()] * 2
    tag = whole.headers["etag"]
    assert ask(app, "/static/site/frontend/static/a.css", **{"If-None-Match": tag}).status_code == 304
    assert ask(app, address, "HEAD").content in (b"", LONG.encode())


def test_the_version_follows_every_file() -> None:
    one, two, three = ({"viewer/static/a.js": b"1"}, {"viewer/static/a.js": b"2"}, {"viewer/static/b.js": b"1"})
    assert len({Assets(files).version for files in (one, two, three)}) == 3


def test_modules_are_loaded_one_by_one_where_the_bundle_is_outdated() -> None:
    built = b'// Built by "npm run build" from x: hash 0\n'
    files = {"site/frontend/static/table/table.js": b"1", "site/frontend/built/pages.js": built}
    assert "site/frontend/static/table/table.js" in Assets(files).script("table/table")
    assert 'site/frontend/built/pages.js" data-script="table/table"' in assets().script("table/table")


def test_every_name_in_a_style_sheet_or_manifest_is_a_file() -> None:
    made = assets()
    for path, file in made._files.items():
        if path.endswith((".css", ".webmanifest")):
            for name in re.findall(r'(?:url\(|"src": )"([^":]+)"', file.content.decode()):
                assert f"{Path(path).parent}/{name}" in made._files, f"{path}: {name}"


def test_every_file_that_a_template_names_is_there() -> None:
    made = assets()
    templates = Path(lapilli.site.__file__).parent / "frontend" / "templates"
    texts = [file.read_text(encoding="utf-8") for file in templates.rglob("*.html")]
    named = {name for text in texts for name in re.findall(r'static\("([^"]+)"\)', text)}
    assert len(named) > 8
    assert named <= made._files.keys()
    scripts = {name for text in texts for name in re.findall(r'script\("([\w/-]+)"\)', text)}
    study = {name for name in scripts if name.startswith("study/")}
    for entry, expected in (("pages", scripts - study - _BUNDLES.keys()), ("study_pages", study)):
        text = made._files[f"site/frontend/static/{entry}.js"].content.decode()
        assert set(re.findall(r'import\("./([\w/-]+).js"\)', text)) == expected, f"{entry}.js lists its pages' scripts"


def test_the_fonts_are_small_and_free() -> None:
    fonts = {path: file for path, file in assets()._files.items() if path.startswith("site/frontend/static/fonts/")}
    assert sum(len(file.content) for path, file in fonts.items() if path.endswith(".woff2")) <= 60_000
    assert b"SIL OPEN FONT LICENSE" in fonts["site/frontend/static/fonts/OFL.txt"].content


def test_only_what_the_sites_own_pages_ask_for_is_compressed() -> None:
    app = Compression(Sent(lambda: HTMLResponse(LONG)))
    own = ask(app, "/", **OWN)
    assert gzip.decompress(own.content).decode() == LONG
    assert int(own.headers["content-length"]) == len(own.content) < len(LONG)
    assert "Accept-Encoding" in own.headers["vary"]
    typed = ask(app, "/", **GZIP, **{"Sec-Fetch-Site": "none"})
    assert typed.headers["content-encoding"] == "gzip"
    elsewhere: list[dict[str, str]] = [GZIP, {"Sec-Fetch-Site": "none"}]
    elsewhere += [GZIP | {"Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "none, cross-site", "")]
    for headers in elsewhere:
        answer = ask(app, "/", **headers)
        assert "content-encoding" not in answer.headers, headers
        assert answer.text == LONG


@pytest.mark.parametrize(
    "made",
    [
        lambda: HTMLResponse("<p>short</p>"),
        lambda: HTMLResponse(LONG, headers={"Set-Cookie": "a=b"}),
        lambda: HTMLResponse(LONG, headers={"Content-Encoding": "br"}),
        lambda: Response(LONG, media_type="image/png"),
        lambda: PlainTextResponse(LONG),
        lambda: StreamingResponse(iter([LONG, LONG]), media_type="text/html"),
    ],
)
def test_what_is_sent_as_it_is(made: Any) -> None:
    plain, asked = ask(Sent(made), "/"), ask(Compression(Sent(made)), "/", **OWN)
    assert asked.content == plain.content
    assert asked.headers.get("content-encoding", "") in ("", "br")


@pytest.mark.parametrize(
    ("sent", "takes"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("br", False),
        ("", False),
        ("x-gzip-y", False),
    ],
)
def test_who_takes_gzip(sent: str, takes: bool) -> None:
    assert takes_gzip(Headers({"accept-encoding": sent})) is takes
