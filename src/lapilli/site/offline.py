"""The service worker, and the page that it shows without a network for pages that it does not have."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from lapilli.site.http.assets import assets
from lapilli.site.http.rendering import rendered

router = APIRouter(default_response_class=HTMLResponse)
_WORKER = "site/static/offline/worker.js"


@router.get("/worker.js")
async def worker() -> Response:
    """Sends the service worker's script. At this address, it is responsible for all pages."""
    headers = {"Cache-Control": "no-cache"}
    return Response(assets().content(_WORKER), media_type="text/javascript; charset=utf-8", headers=headers)


@router.get("/offline")
async def offline() -> Response:
    """Shows the page for visitors without a network."""
    return rendered("offline")
