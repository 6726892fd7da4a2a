"""The read-only web application of the live pages: events, their matches, and films of matches."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException

from lapilli.core.errors import LapilliError, StoreTrouble
from lapilli.site.arena.pages import router
from lapilli.site.arena.reading import ArenaReader
from lapilli.site.arena.rendering import shown
from lapilli.site.http.assets import assets
from lapilli.site.http.compression import Compression
from lapilli.site.http.errors import headers_of, message_for_visitors
from lapilli.site.http.guard import LOCAL, Guard
from lapilli.store import Store

_ADDRESS = r"[0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9a-f:.]+\]|localhost"
"""Pattern of Host headers with an IP address or `localhost`. It is safe to accept such headers: if an attacker makes a
host name of their own resolve to this machine, browsers send that host name in the header.
"""


def hosts_of(host: str, own_name: str) -> re.Pattern[str]:
    """Returns a pattern of the Host headers that a server at this address accepts.

    Args:
        host: the IP address or host name at which the server listens.
        own_name: this machine's host name.
    """
    try:
        is_local = ip_address(host).is_loopback
    except ValueError:
        is_local = host == "localhost"
    if is_local:
        return LOCAL
    names = "|".join(re.escape(name.lower()) for name in {host, own_name} if name)
    return re.compile(rf"({_ADDRESS}|{names})(:[0-9]{{1,5}})?")


def create_arena_app(store: Store, hosts: re.Pattern[str] = LOCAL) -> FastAPI:
    """Returns the web application with the live pages of a store's events.

    Args:
        store: the store.
        hosts: pattern of accepted Host headers, see `hosts_of`.
    """
    reader = ArenaReader(store)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await asyncio.to_thread(reader.close)

    app = FastAPI(title="Lapilli", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.reader = reader
    app.add_middleware(Compression)
    app.add_middleware(Guard, hosts=hosts)
    app.mount("/static", assets(), name="static")
    app.include_router(router)
    _add_arena_problems(app)
    return app


def _add_arena_problems(app: FastAPI) -> None:
    """Adds handlers that turn exceptions into error pages or, for a page's script, into one line of text."""

    def problem(request: Request, status: int, text: str) -> Response:
        if request.url.path.endswith("/live"):
            return PlainTextResponse(text, status)
        return shown("problem", status, text=text)

    @app.exception_handler(LapilliError)
    async def refused(request: Request, error: LapilliError) -> Response:
        is_trouble = isinstance(error, StoreTrouble)
        text = message_for_visitors(error)
        answer = problem(request, 503 if is_trouble else 404, text[:1].upper() + text[1:])
        answer.headers.update(headers_of(error))
        return answer

    @app.exception_handler(StarletteHTTPException)
    async def failed(request: Request, error: StarletteHTTPException) -> Response:
        usual = {404: "There is no such page.", 405: "These pages can only be read."}
        return problem(request, error.status_code, usual.get(error.status_code, str(error.detail)))

    @app.exception_handler(RequestValidationError)
    async def misaddressed(request: Request, error: RequestValidationError) -> Response:
        return problem(request, 404, "There is no such page.")
