"""Compresses the pages and data that the site sends."""

from __future__ import annotations

import asyncio
import gzip

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TYPES = ("text/html", "application/json")
"""Types of responses that are compressed. Static files are compressed elsewhere, only once."""
_LEAST = 1000
"""Size from which a response is compressed, in bytes."""
_LARGE = 32_768
"""Size from which a response is compressed in another thread, so that other requests need not wait, in bytes."""
_LEVEL = 6
_OWN_REQUESTS = ("same-origin", "none")
"""Values of the header Sec-Fetch-Site that browsers send with requests of this site's pages and of the address bar."""


class Compression:
    """Middleware that compresses responses by gzip.

    Compression can reveal secrets (the attack BREACH): a compressed page is shorter if a text occurs in it twice.
    Suppose that a page contains a secret and also a text that an attacker chooses, and that the attacker sees the
    lengths of encrypted responses. Then the attacker can guess the secret piece by piece. For this, the attacker's own
    page must make the victim's browser send many requests, which browsers mark as coming from another site (header
    Sec-Fetch-Site). Therefore this class compresses only responses to requests with the mark of this site's own pages,
    and no responses that set cookies. Pages contain no anti-forgery tokens, a usual target of BREACH: the class Guard
    checks the origin of requests instead.

    Args:
        app: the application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _may_compress(scope):
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def sent(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_compressible(message):
                start = message  # sent later: the next message shows whether the body comes in one piece
                return
            if start is not None:
                first, start = start, None
                if message["type"] == "http.response.body" and not message.get("more_body", False):
                    first, message = await _compressed(first, message)
                await send(first)
            await send(message)

        await self._app(scope, receive, sent)


def takes_gzip(headers: Headers) -> bool:
    """Returns whether the sender of a request with these headers accepts responses compressed by gzip."""
    for offer in headers.get("accept-encoding", "").lower().split(","):
        name, _, quality = offer.replace(" ", "").partition(";q=")
        if name in ("gzip", "*"):
            return quality.strip("0.") != "" or not quality
    return False


def _may_compress(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return scope["method"] != "HEAD" and headers.get("sec-fetch-site") in _OWN_REQUESTS and takes_gzip(headers)


def _is_compressible(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    is_plain = "content-encoding" not in headers and "set-cookie" not in headers
    return is_plain and headers.get("content-type", "").startswith(_TYPES)


async def _compressed(start: Message, body: Message) -> tuple[Message, Message]:
    """Compresses a response if its body is large enough, and returns its two messages: headers and body.

    `start`, `body`: the two messages of the response before compression.
    """
    content: bytes = body.get("body", b"")
    headers = MutableHeaders(scope=start)
    headers.add_vary_header("Accept-Encoding")
    headers.add_vary_header("Sec-Fetch-Site")
    if len(content) < _LEAST:
        return start, body
    if len(content) < _LARGE:
        packed = gzip.compress(content, _LEVEL, mtime=0)
    else:
        packed = await asyncio.to_thread(gzip.compress, content, _LEVEL, mtime=0)
    headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(packed))
    return start, {**body, "body": packed}
