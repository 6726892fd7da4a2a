"""Middleware that counts, times and logs all requests, and the routes `/healthz` and `/metrics`."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import time

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import PlainTextResponse, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lapilli.core.errors import StoreError
from lapilli.site.http.monitoring.logs import log_request
from lapilli.site.http.monitoring.metrics import CONTENT_TYPE, TOKEN_VARIABLE, Metrics, may_read
from lapilli.site.runtime.site import CurrentSite
from lapilli.store import Store

router = APIRouter()
_LOG = logging.getLogger("lapilli.site")
_STORE_S, _MOMENT_S = 5.0, 1.0
"""`_STORE_S`: time limit of the health check. `_MOMENT_S`: time for which its result is reused. Both in seconds."""


class Observer:
    """Middleware that gives each request an id, counts requests, measures their time, and logs them.

    Metrics and log contain the route as declared in the code, such as `/t/{table_id}`, instead of the request's path.
    Therefore they contain no secret key of a path, and the number of different values stays small.

    Args:
        app: the application.
        metrics: the metrics to update.
    """

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


class Pulse:
    """Checks the health of the site: whether the store can be written to.

    Anybody may request the check, so this class writes to the store at most once a second.

    Args:
        store: the site's store.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, asyncio.Lock()
        self._checked_at, self._is_well = -_MOMENT_S, True

    async def is_well(self) -> bool:
        """Returns whether the store can be written to; the result may be up to a second old."""
        async with self._lock:
            if time.monotonic() - self._checked_at >= _MOMENT_S:
                self._is_well = await self._check()
                self._checked_at = time.monotonic()
            return self._is_well

    async def _check(self) -> bool:
        try:
            await asyncio.wait_for(asyncio.to_thread(self._store.site.health.check), _STORE_S)
        except (StoreError, TimeoutError) as error:
            _LOG.warning("the store cannot be written to: %s", error or "no answer")
            return False
        return True


@router.get("/healthz")
async def healthz(site: CurrentSite) -> Response:
    """Reports whether the store can be written to."""
    if await site.pulse.is_well():
        return PlainTextResponse("ok\n")
    return PlainTextResponse("the store cannot be written to\n", 503)


@router.get("/metrics")
async def metrics(request: Request, site: CurrentSite) -> Response:
    """Sends the metrics of this process to clients that may read them, see `may_read`."""
    is_forwarded = "x-forwarded-for" in request.headers  # a proxy could pass on a local address that its client made up
    client = request.client.host if request.client and not is_forwarded else ""
    if not may_read(client, request.headers.get("authorization", ""), os.environ.get(TOKEN_VARIABLE, "")):
        raise HTTPException(403, "Metrics can be read from this machine only, or with their token.")
    return Response(site.metrics.text(site), media_type=CONTENT_TYPE)
