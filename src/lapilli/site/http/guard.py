"""Checks host, origin and size of every request, and adds security headers to every response."""

from __future__ import annotations

import re
from collections import Counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lapilli.site.http.limits import address_of
from lapilli.site.http.requested import Requested, requested
from lapilli.site.runtime.settings import Public

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""Value of the header Content-Security-Policy: pages contain no inline scripts or styles, load nothing from other
sites, and send nothing to other sites.
"""
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_CLOSING = {"Connection": "close"}
"""Header of the response to a request whose length is ambiguous. The server closes the connection, because it cannot
know where the next request begins.
"""
_ENCRYPTED = {"Strict-Transport-Security": "max-age=31536000"}
LOCAL = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?")
"""Pattern of Host headers that are accepted by a server which only this machine can reach."""
_READING = ("GET", "HEAD")
_OWN_SITE = {"same-origin", "none"}
"""Values of the header Sec-Fetch-Site in requests from this site's pages and from the browser's address bar."""
MAX_BODY = 4 * 2**20
"""Largest Content-Length of any request, in bytes; most pages accept far less."""
MAX_SOCKETS = 200
"""Largest number of open WebSockets of one client address, on a public site."""
_MAX_ADDRESS = 8192
"""Length limit of a path with its query string, in bytes."""
API = "/api/v1"
"""Path prefix of the API for programs. The API accepts only tokens, which no page sends by itself, and ignores cookies.
"""


class Guard:
    """Middleware that refuses requests from other sites' pages and requests with a wrong Host header, and that adds
    security headers to all responses.

    The Host header is checked because an attacker can make a host name of their own resolve to this machine.

    Args:
        app: the application.
        public: settings of a public site; None for a private site.
        hosts: pattern of the Host headers, in lower case, that a private site accepts.
    """

    def __init__(self, app: ASGIApp, public: Public | None = None, hosts: re.Pattern[str] = LOCAL) -> None:
        self._app, self._public, self._hosts = app, public, hosts
        is_encrypted = public is not None and public.is_encrypted
        self._headers = _HEADERS | (_ENCRYPTED if is_encrypted else {})
        self._sockets: Counter[str] = Counter()
        self._cookie_suffix = "; Secure" if is_encrypted else ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = self._public.origin if self._public is not None else ""
        is_read = scope.get("method", "GET") in _READING
        requested.set(Requested(scope["path"], scope.get("query_string", b""), origin, is_read))
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
        """Serves a WebSocket. If `problem` is not "", closes the WebSocket instead, with this text as the reason.

        A public site limits the number of open WebSockets of each client address.
        """
        address = address_of(HTTPConnection(scope)) if self._public is not None else ""
        if address and self._sockets[address] >= MAX_SOCKETS:
            problem = "too many pages are open already: close some"
        if problem:
            await send({"type": "websocket.close", "code": 1008, "reason": problem})
            return

        async def received() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive" or message.get("text") is not None:
                return message
            await send({"type": "websocket.close", "code": 1003, "reason": "only text messages are accepted"})
            return {"type": "websocket.disconnect", "code": 1003}

        self._sockets[address] += 1
        try:
            await self._app(scope, received, send)
        finally:
            self._sockets[address] -= 1
            if not self._sockets[address]:
                del self._sockets[address]

    def _finish_cookies(self, answer: MutableHeaders) -> None:
        """Adds "; Secure" to all cookies of a response if the site is encrypted.

        The code that sets a cookie therefore need not know whether the site is encrypted.
        """
        if self._cookie_suffix and "set-cookie" in answer:
            cookies = answer.getlist("set-cookie")
            del answer["set-cookie"]
            for cookie in cookies:
                answer.append("set-cookie", cookie if "; secure" in cookie.lower() else cookie + self._cookie_suffix)

    def _problem(self, scope: Scope, headers: Headers) -> tuple[int, str]:
        """Returns the HTTP status and the error message for a request that must be refused; 0 and "" for an accepted
        request.
        """
        if "transfer-encoding" in headers and ("content-length" in headers or scope.get("http_version") == "1.0"):
            return (
                400,
                "ambiguous length: send Content-Length or, in HTTP/1.1, Transfer-Encoding",
            )
        if problem := self._origin_problem(scope, headers):
            return 403, problem
        if len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"") > _MAX_ADDRESS:
            return 414, "that address is too long"
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or len(length) > 12 or int(length) > MAX_BODY:
            return 413, "the request is too large"
        return 0, ""

    def _origin_problem(self, scope: Scope, headers: Headers) -> str:
        """Returns the error message for a request with a wrong host or origin; "" if both are right."""
        if scope["path"] == "/healthz":  # health checks come from inside the network, with any host name
            return ""
        host = headers.get("host", "").lower()
        if len(headers.getlist("host")) != 1:
            return "a request must have exactly one Host header"
        if self._public is not None:
            if host != self._public.host:
                return "this site is not served under that host name"
            origin = self._public.origin
        else:
            if not self._hosts.fullmatch(host):
                local = "127.0.0.1 and localhost" if self._hosts is LOCAL else "the address that the command printed"
                return f"this site is served only as {local}"
            origin = f"http://{host}"
        if scope["type"] == "http" and scope["method"] in _READING:
            return ""
        if scope["type"] == "http" and scope["path"].startswith(f"{API}/"):
            return ""
        if headers.getlist("origin") != [origin] or not set(headers.getlist("sec-fetch-site")) <= _OWN_SITE:
            return "the request came from another site's page: use this site's pages"
        return ""
