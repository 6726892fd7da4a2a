"""What every request passes: from where it comes, and what its answer allows a page."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_READING = ("GET", "HEAD")


class Guard:
    """Refuses what another site's page sends, and names that are not this machine's (a stranger's name may be made to
    point here); sets the headers of all answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        problem = _problem(scope, headers)
        if problem and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": problem})
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    answer.setdefault(name, value)
            await send(message)

        app = PlainTextResponse(f"{problem}\n", 403) if problem else self._app
        await app(scope, receive, sent)


def _problem(scope: Scope, headers: Headers) -> str:
    """What is wrong with where a request comes from; empty where nothing is."""
    host = headers.get("host", "")
    if host.rsplit(":", 1)[0] not in _HOSTS and host not in _HOSTS:
        return "this site answers to 127.0.0.1 and localhost alone"
    if scope["type"] == "http" and scope["method"] in _READING:
        return ""
    origin = headers.get("origin", "")
    if urlsplit(origin).netloc != host:
        return "that came from another site's page: use the site's own"
    return ""
