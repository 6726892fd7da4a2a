"""Checks on every request, such as its host and origin, and security headers on every response."""

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
"""Value of Content-Security-Policy: no scripts or styles inside a page, nothing loaded from other sites, and nothing
sent to them.
"""
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_CLOSING = {"Connection": "close"}
"""Header of the response to a request whose length is ambiguous: nothing after it on the connection is read."""
_ENCRYPTED = {"Strict-Transport-Security": "max-age=31536000"}
_LOCAL = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?")
"""Values of the Host header that a site for this machine alone accepts."""
_READING = ("GET", "HEAD")
_OURSELVES = {"same-origin", "none"}
"""Values of Sec-Fetch-Site when one of this site's pages sends the request, or the user does so directly."""
MAX_BODY = 4 * 2**20
"""Largest Content-Length of any request, in bytes; most pages accept far less."""
MAX_SOCKETS = 200
"""Number of WebSockets that one client address may have open at once, on a public site."""
_MAX_ADDRESS = 8192
"""Length limit of a path with its query string, in bytes."""
PROGRAMS = "/api/v1/"
"""Path of the API for programs. Requests there are authorised by a token alone, which no page sends by itself; cookies
are ignored.
"""


class Guard:
    """Middleware that refuses requests sent by other sites' pages, and requests for a host name that is not this
    site's; it also sets the headers of all responses.

    The host name is checked because an attacker can make a name of their own resolve to this machine.

    Args:
        public: settings of a public site with accounts; None for a site that only this machine can reach.
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
        """Serves a WebSocket. On a public site, the number of open ones for each client address is limited."""
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
        """Adds "; Secure" to all cookies of a response if the site is encrypted, so that code that sets a cookie need
        not know.
        """
        if self._ending and "set-cookie" in answer:
            cookies = answer.getlist("set-cookie")
            del answer["set-cookie"]
            for cookie in cookies:
                answer.append("set-cookie", cookie if "; secure" in cookie.lower() else cookie + self._ending)

    def _problem(self, scope: Scope, headers: Headers) -> tuple[int, str]:
        """Returns the HTTP status and the message of what is wrong with a request; 0 and "" if nothing is."""
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
        """Returns what is wrong with the host or the origin of a request; "" if nothing is."""
        if scope["path"] == "/healthz":  # health checks come from inside, with any host name
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
