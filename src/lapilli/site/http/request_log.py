"""Gives each request an id, and counts, times and logs it. Also serves `/healthz` and `/metrics`."""

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
from lapilli.site.http.logs import log_request
from lapilli.site.http.metrics import CONTENT_TYPE, TOKEN_VARIABLE, Metrics, may_read
from lapilli.site.site import CurrentSite
from lapilli.store import Store

router = APIRouter()
_LOG = logging.getLogger("lapilli.site")
_STORE_S, _MOMENT_S = 5.0, 1.0
"""Time limit for the store's reply to `/healthz`, and how long a result is reused; in seconds."""


class Observer:
    """Middleware that counts, times and logs requests.

    It records a request's route as it is declared in the code, not its path. So no secret key in a path is stored, and
    the number of different routes stays limited.
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
    """Health check: whether the store can be written to. Anybody may ask for it, so the store is tried at most once a
    second.

    Args:
        store: the site's store.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, asyncio.Lock()
        self._looked, self._is_well = -_MOMENT_S, True

    async def is_well(self) -> bool:
        """Returns whether the store could be written to, as of at most a second ago."""
        async with self._lock:
            if time.monotonic() - self._looked >= _MOMENT_S:
                self._is_well = await self._look()
                self._looked = time.monotonic()
            return self._is_well

    async def _look(self) -> bool:
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
    """Returns this process's metrics."""
    is_forwarded = "x-forwarded-for" in request.headers  # a proxy could pass on a local address that its client made up
    client = request.client.host if request.client and not is_forwarded else ""
    if not may_read(client, request.headers.get("authorization", ""), os.environ.get(TOKEN_VARIABLE, "")):
        raise HTTPException(403, "The site's figures are for this machine, or for who bears their token.")
    return Response(site.metrics.text(site), media_type=CONTENT_TYPE)
