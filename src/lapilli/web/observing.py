"""Every request gets a number, is counted, timed and written down."""

from __future__ import annotations

import asyncio
import os
import secrets
import time

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import PlainTextResponse, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lapilli.games.errors import StoreError
from lapilli.web.logs import log_request
from lapilli.web.metrics import CONTENT_TYPE, TOKEN_VARIABLE, Metrics, may_read
from lapilli.web.play.hall import hall_of

router = APIRouter()
_STORE_S = 5.0
"""For how long `/healthz` waits for the store."""


class Observer:
    """Counts and logs what passes. The route is told as it is written in the program, so that no key in an address is
    kept, and the number of routes is bounded."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, request_id = time.perf_counter(), secrets.token_hex(8)
        status = 500

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-Id"] = request_id
                route = _route(scope)
                self._metrics.latency.labels(route).observe(time.perf_counter() - started)
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            route, method = _route(scope), scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.requests.labels(route, method, str(status)).inc()
            log_request(request_id, method, route, status, started)


_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")


def _route(scope: Scope) -> str:
    route = scope.get("route")
    path = getattr(route, "path_format", None) or getattr(route, "path", "")
    return scope.get("root_path", "") + path if path else "none"


@router.get("/healthz")
async def healthz(request: Request) -> Response:
    """Whether the site can do its work: that its store answers."""
    try:
        await asyncio.wait_for(asyncio.to_thread(hall_of(request).store.site.matches.now), _STORE_S)
    except (StoreError, TimeoutError):
        return PlainTextResponse("the store does not answer\n", 503)
    return PlainTextResponse("ok\n")


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """The figures of this process."""
    client = request.client.host if request.client else ""
    if not may_read(client, request.headers.get("authorization", ""), os.environ.get(TOKEN_VARIABLE, "")):
        raise HTTPException(403, "The site's figures are for this machine, or for who bears their token.")
    figures: Metrics = request.app.state.metrics
    return Response(figures.text(hall_of(request)), media_type=CONTENT_TYPE)
