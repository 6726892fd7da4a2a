"""The application: routes of pages, the WebSocket of a table, and what guards them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as StarletteHTTPException

from lapilli.arena.store import Store
from lapilli.games.errors import LapilliError, StoreError
from lapilli.viewer.theme import rules
from lapilli.web import live, pages
from lapilli.web.engines import Engines
from lapilli.web.guard import Guard
from lapilli.web.hall import Hall
from lapilli.web.rendering import problem


def create_app(store: Store) -> FastAPI:
    """The site on that store."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        hall = app.state.hall = Hall(store, Engines())
        try:
            yield
        finally:
            hall.close()

    app = FastAPI(title="Lapilli", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.add_middleware(Guard)
    for floor in ("viewer", "web"):
        folder = Path(str(resources.files(f"lapilli.{floor}") / "static"))
        app.mount(f"/static/{floor}/static", StaticFiles(directory=folder), name=floor)
    app.include_router(pages.router)
    app.include_router(live.router)

    @app.get("/healthz")
    async def healthz() -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    @app.get("/static/theme.css")
    async def theme() -> Response:
        return Response(rules(marks=True), media_type="text/css", headers={"Cache-Control": "max-age=300"})

    @app.exception_handler(LapilliError)
    async def refused(request: Request, error: LapilliError) -> Response:
        return problem(request, 503 if isinstance(error, StoreError) else 400, str(error))

    @app.exception_handler(StarletteHTTPException)
    async def failed(request: Request, error: StarletteHTTPException) -> Response:
        told = {404: "There is no such page.", 405: "That page cannot be used like this."}
        return problem(request, error.status_code, told.get(error.status_code, error.detail))

    @app.exception_handler(404)
    async def missing(request: Request, error: HTTPException) -> Response:
        is_told = error.detail != "Not Found"
        return problem(request, 404, error.detail if is_told else "There is no such page.")

    return app
