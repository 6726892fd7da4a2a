"""The application: routes of pages, the WebSocket of a table, and what guards them."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as StarletteHTTPException

from lapilli.core.errors import LapilliError
from lapilli.site import pages
from lapilli.site.accounts import pages as account_pages
from lapilli.site.accounts.accounts import Accounts
from lapilli.site.accounts.sessions import Sessions
from lapilli.site.api import account
from lapilli.site.api.routes import create_api
from lapilli.site.editor import bots, comparing, leagues, showing, trials
from lapilli.site.http import request_log
from lapilli.site.http.bodies import Bodies
from lapilli.site.http.guard import PROGRAMS, Guard
from lapilli.site.http.limits import Buckets
from lapilli.site.http.metrics import Metrics
from lapilli.site.http.rendering import problem
from lapilli.site.http.request_log import Observer, Pulse
from lapilli.site.http.timeouts import Patience
from lapilli.site.http.troubles import headers_of, status_of, told
from lapilli.site.live import live
from lapilli.site.live.engines import Engines
from lapilli.site.live.hall import Hall
from lapilli.site.settings import Public
from lapilli.site.study import analysing, learning, mistakes, puzzles
from lapilli.site.workshop.lanes import Workshop
from lapilli.store import Store
from lapilli.viewer.theme import rules


def create_app(
    store: Store, public: Public | None = None, ray: str | None = None, patience: Patience | None = None
) -> FastAPI:
    """The site on that store.

    Args:
        public: what one with accounts was told; None for one of one's own.
        ray: the address of a Ray cluster that plays what is compared and rated; None: this machine does.
        patience: time limits of what is sent; None for the usual ones.
    """
    patience = patience or Patience()
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        hall = app.state.hall = Hall(store, Engines(waited=metrics.waited.observe), metrics, public is not None)
        workshop = app.state.workshop = Workshop(store, ray)
        try:
            await hall.start()
            gc.freeze()  # what is there from the beginning need not be looked through, neither now nor again and again
            yield
        finally:
            hall.close()
            await asyncio.to_thread(hall.services.lodgings.close)
            await asyncio.to_thread(workshop.close)
            await hall.leave()

    app = FastAPI(title="Lapilli", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.metrics = metrics
    app.add_middleware(Bodies, patience=patience, applies=lambda path: not path.startswith(PROGRAMS))
    app.state.public, app.state.buckets, app.state.pulse = public, Buckets(), Pulse(store)
    if public is not None:
        app.state.accounts = Accounts(store, public, app.state.buckets)
        app.add_middleware(Sessions, accounts=app.state.accounts)
    app.add_middleware(Guard, public=public)
    app.add_middleware(Observer, metrics=metrics)
    for floor in ("viewer", "site"):
        folder = Path(str(resources.files(f"lapilli.{floor}") / "static"))
        app.mount(f"/static/{floor}/static", StaticFiles(directory=folder), name=floor)
    app.include_router(pages.router)
    app.include_router(live.router)
    for room in (
        request_log,
        account,
        analysing,
        mistakes,
        puzzles,
        learning,
        bots,
        comparing,
        trials,
        showing,
        leagues,
    ):
        app.include_router(room.router)
    if public is not None:
        app.include_router(account_pages.router)  # after those whose addresses begin as its own do
    api = app.state.api = create_api(patience)
    api.state = app.state
    app.mount("/api/v1", api)

    @app.get("/static/theme.css")
    async def theme() -> Response:
        return Response(rules(marks=True), media_type="text/css", headers={"Cache-Control": "max-age=300"})

    @app.exception_handler(LapilliError)
    async def refused(request: Request, error: LapilliError) -> Response:
        answer = problem(request, status_of(error), told(error))
        answer.headers.update(headers_of(error))
        return answer

    @app.exception_handler(StarletteHTTPException)
    async def failed(request: Request, error: StarletteHTTPException) -> Response:
        usual = {404: "There is no such page.", 405: "That page cannot be used like this."}
        answer = problem(request, error.status_code, usual.get(error.status_code, error.detail))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(RequestValidationError)
    async def misaddressed(request: Request, error: RequestValidationError) -> Response:
        return problem(request, 404, "There is no such page.")

    @app.exception_handler(404)
    async def missing(request: Request, error: HTTPException) -> Response:
        is_told = error.detail != "Not Found"
        return problem(request, 404, error.detail if is_told else "There is no such page.")

    return app
