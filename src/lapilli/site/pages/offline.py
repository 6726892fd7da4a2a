"""The script of the service worker, and the page that it shows if the browser is offline and the wanted page not
cached.
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from lapilli.site.http.assets import assets
from lapilli.site.http.rendering import rendered

router = APIRouter(default_response_class=HTMLResponse)
_WORKER = "site/frontend/static/offline/worker.js"


@router.get("/worker.js")
async def worker() -> Response:
    """Sends the service worker's script. Because this address is at the top of the site, the worker serves all
    pages.
    """
    headers = {"Cache-Control": "no-cache"}
    return Response(assets().content(_WORKER), media_type="text/javascript; charset=utf-8", headers=headers)


@router.get("/offline")
async def offline() -> Response:
    """Shows the page for browsers that are offline."""
    return rendered("offline")
