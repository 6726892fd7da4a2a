"""What every request passes: from where it comes, and what its answer allows a page."""

from __future__ import annotations

import re
from collections import Counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lapilli.site.http.limits import address_of
from lapilli.site.settings import Public

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""No script or style stands in a page; nothing comes from elsewhere, nothing goes there."""
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_CLOSING = {"Connection": "close"}
"""For a request whose end is in doubt: what follows it on the connection is not read."""
_ENCRYPTED = {"Strict-Transport-Security": "max-age=31536000"}
_LOCAL = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?")
"""What a browser on this machine calls a site that this machine alone reaches."""
_READING = ("GET", "HEAD")
_OURSELVES = {"same-origin", "none"}
"""What browsers say of a request that a page of ours makes, or the person at the browser."""
MAX_BODY = 4 * 2**20
"""Bytes that may come in at once, whatever they are for; most pages take far less."""
MAX_SOCKETS = 200
"""WebSockets that an address may have open at once, on a public site."""
_MAX_ADDRESS = 8192
"""Bytes of a path and what follows it."""
PROGRAMS = "/api/v1/"
"""Where programs ask: by a token alone, which no page sends by itself; cookies say nothing there."""


class Guard:
    """Refuses what another site's page sends, and names that are not this site's (a stranger's name may be made to
    point here); sets the headers of all answers.

    Args:
        public: what a site with accounts was told; None for one that this machine alone reaches.
    """

    def __init__(self, app: ASGIApp, public: Public | None = None) -> None:
        self._app, self._public = app, public
        is_encrypted = public is not None and public.is_encrypted
        self._headers = _HEADERS | (_ENCRYPTED if is_encrypted else {})
        self._sockets: Counter[str] = Counter()
        self._ending = "; Secure" if is_encrypted else ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        status, problem = self._problem(scope, headers)
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send, problem)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    answer.setdefault(name, value)
                self._finish_cookies(answer)
            await send(message)

        refusal = PlainTextResponse(f"{problem}\n", status, _CLOSING if status == 400 else None)
        app = refusal if problem else self._app
        await app(scope, receive, sent)

    async def _socket(self, scope: Scope, receive: Receive, send: Send, problem: str) -> None:
        """A WebSocket, of which an address may have so many on a public site."""
        who = address_of(HTTPConnection(scope)) if self._public is not None else ""
        if who and self._sockets[who] >= MAX_SOCKETS:
            problem = "that many pages are open already"
        if problem:
            await send({"type": "websocket.close", "code": 1008, "reason": problem})
            return

        async def received() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive" or message.get("text") is not None:
                return message
            await send({"type": "websocket.close", "code": 1003, "reason": "text is spoken here"})
            return {"type": "websocket.disconnect", "code": 1003}

        self._sockets[who] += 1
        try:
            await self._app(scope, received, send)
        finally:
            self._sockets[who] -= 1
            if not self._sockets[who]:
                del self._sockets[who]

    def _finish_cookies(self, answer: MutableHeaders) -> None:
        """Whoever sets a cookie need not know whether the site is encrypted."""
        if self._ending and "set-cookie" in answer:
            cookies = answer.getlist("set-cookie")
            del answer["set-cookie"]
            for cookie in cookies:
                answer.append("set-cookie", cookie if "; secure" in cookie.lower() else cookie + self._ending)

    def _problem(self, scope: Scope, headers: Headers) -> tuple[int, str]:
        """What is wrong with a request, and the status that says so; empty where nothing is."""
        if "transfer-encoding" in headers and ("content-length" in headers or scope.get("http_version") == "1.0"):
            return 400, "that says in two ways how long it is"
        if problem := self._misaddressed(scope, headers):
            return 403, problem
        if len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"") > _MAX_ADDRESS:
            return 414, "that address is too long"
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or len(length) > 12 or int(length) > MAX_BODY:
            return 413, "that is too much"
        return 0, ""

    def _misaddressed(self, scope: Scope, headers: Headers) -> str:
        """What is wrong with where a request comes from and goes to; empty where nothing is."""
        if scope["path"] == "/healthz":  # it is asked for from within
            return ""
        host = headers.get("host", "").lower()
        if len(headers.getlist("host")) != 1:
            return "a request names one host"
        if self._public is not None:
            if host != self._public.host:
                return "this site does not answer to that name"
            origin = self._public.origin
        else:
            if not _LOCAL.fullmatch(host):
                return "this site answers to 127.0.0.1 and localhost alone"
            origin = f"http://{host}"
        if scope["type"] == "http" and scope["method"] in _READING:
            return ""
        if scope["type"] == "http" and scope["path"].startswith(PROGRAMS):
            return ""
        if headers.getlist("origin") != [origin] or not set(headers.getlist("sec-fetch-site")) <= _OURSELVES:
            return "that came from another site's page: use the site's own"
        return ""
