"""The web application: routes of pages, the WebSocket of a table, and the middleware around them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.requests import HTTPConnection

from lapilli.core.errors import LapilliError
from lapilli.games import load, names
from lapilli.site.api import account
from lapilli.site.api.routes import create_api
from lapilli.site.bots.editor import bots, comparisons, leagues, replays, trials
from lapilli.site.bots.workshop.queue import Workshop
from lapilli.site.http.assets import assets
from lapilli.site.http.bodies import Bodies
from lapilli.site.http.compression import Compression
from lapilli.site.http.connections.timeouts import Timeouts
from lapilli.site.http.errors import close_socket, headers_of, message_for_visitors, status_of
from lapilli.site.http.guard import API, Guard
from lapilli.site.http.limits import Buckets
from lapilli.site.http.monitoring import request_log
from lapilli.site.http.monitoring.metrics import Metrics
from lapilli.site.http.monitoring.request_log import Observer, Pulse
from lapilli.site.http.rendering import problem
from lapilli.site.live import socket
from lapilli.site.live.drivers.engines import Engines
from lapilli.site.live.services import TableServices
from lapilli.site.live.tables import Tables
from lapilli.site.live.tournaments import pages as tournament_pages
from lapilli.site.live.tournaments.director import TournamentDirector
from lapilli.site.pages import home, lobby, offline, own_matches, play, table
from lapilli.site.pages.showcase import Showcase
from lapilli.site.people.accounts import members
from lapilli.site.people.accounts import pages as account_pages
from lapilli.site.people.accounts.accounts import Accounts
from lapilli.site.people.accounts.sessions import Sessions
from lapilli.site.people.lobby import requests as lobby_requests
from lapilli.site.people.lobby.lobby import Lobby
from lapilli.site.people.mail import pages as mail_pages
from lapilli.site.people.mail.mailer import Mailer
from lapilli.site.people.profiles import pages as people_pages
from lapilli.site.runtime.compilation import Compilation
from lapilli.site.runtime.settings import Public
from lapilli.site.runtime.site import Site
from lapilli.site.study import analysis, mistakes, openings, puzzles, saving, tutorials
from lapilli.site.study.analysis_workers import AnalysisWorkers
from lapilli.store import Store


def build_site(
    store: Store,
    public: Public | None = None,
    ray: str | None = None,
    analysis_threads: int | None = None,
    has_chat: bool = True,
) -> Site:
    """Creates a site and all its parts, but does not start them.

    Args:
        store: the database.
        public: settings of a public site with accounts; None for a private site.
        ray: address of a Ray cluster that plays the matches of comparisons and leagues; None for this machine.
        analysis_threads: number of threads of each analysis; None for the cores that are free.
        has_chat: whether people may write to each other at tables.
    """
    metrics, buckets = Metrics(), Buckets()
    engines = Engines(waited=metrics.waited.observe)
    compilation = Compilation(load(name) for name in names())
    services = TableServices.on(store, engines, compilation, metrics, has_chat)
    tables = Tables(services, has_guests=public is not None)
    return Site(
        store=store,
        public=public,
        accounts=None if public is None else Accounts(store, public, buckets),
        buckets=buckets,
        metrics=metrics,
        pulse=Pulse(store),
        tables=tables,
        compilation=compilation,
        engines=engines,
        bot_pool=services.bot_pool,
        analysis=AnalysisWorkers(),
        showcase=Showcase(store, compilation),
        lobby=Lobby(store, tables),
        tournaments=TournamentDirector(store, tables),
        workshop=Workshop(store, ray),
        mailer=None if public is None or public.mail is None else Mailer(store, public, public.mail),
        analysis_threads=analysis_threads,
    )


def create_app(
    store: Store,
    public: Public | None = None,
    ray: str | None = None,
    timeouts: Timeouts | None = None,
    analysis_threads: int | None = None,
    has_chat: bool = True,
) -> FastAPI:
    """Returns the web application for a store.

    Args:
        store: the database.
        public: settings of a public site with accounts; None for a private site.
        ray: address of a Ray cluster that plays the matches of comparisons and leagues; None for this machine.
        timeouts: time limits for receiving requests; None for the default limits.
        analysis_threads: number of threads of each analysis; None for the cores that are free.
        has_chat: whether people may write to each other at tables.
    """
    timeouts = timeouts or Timeouts()
    site = build_site(store, public, ray, analysis_threads, has_chat)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await site.start()
        try:
            yield
        finally:
            await site.close()

    app = FastAPI(title="Lapilli", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.site = site
    app.add_middleware(Bodies, timeouts=timeouts, applies=lambda path: not path.startswith(f"{API}/"))
    if site.accounts is not None:
        app.add_middleware(Sessions, accounts=site.accounts)
    app.add_middleware(Compression)
    app.add_middleware(Guard, public=public)
    app.add_middleware(Observer, metrics=site.metrics)
    _add_pages(app, site)
    api = app.state.api = create_api(timeouts)
    api.state = app.state
    app.mount(API, api)
    _add_error_pages(app)
    return app


def _add_pages(app: FastAPI, site: Site) -> None:
    """Adds the routes of all pages, and the static files that pages load."""
    app.mount("/static", assets(), name="static")
    app.include_router(home.router)
    app.include_router(play.router)
    app.include_router(table.router)
    app.include_router(offline.router)
    app.include_router(own_matches.router)
    app.include_router(socket.router)
    for routes in (
        request_log,
        account,
        analysis,
        openings,
        saving,
        mistakes,
        puzzles,
        tutorials,
        bots,
        comparisons,
        trials,
        replays,
        leagues,
    ):
        app.include_router(routes.router)
    if site.public is not None:
        app.include_router(people_pages.router)
        app.include_router(lobby.router)
        app.include_router(lobby_requests.router)
        app.include_router(mail_pages.router)
        app.include_router(tournament_pages.router)
        app.include_router(members.router)
        app.include_router(account_pages.router)  # last: /account/{change} also matches /account/tokens


def _form_of(connection: HTTPConnection) -> str:
    """Returns the address of the page from which a form was sent, without scheme and host; "" if there is none.

    Browsers send this address only to the same site (`Referrer-Policy`).
    """
    if connection.scope.get("method") != "POST":
        return ""
    sent_from = urlsplit(connection.headers.get("referer", ""))
    if sent_from.netloc != connection.headers.get("host", "") or not sent_from.path.startswith("/"):
        return ""
    path = f"/{sent_from.path.lstrip('/')}"  # two slashes would begin another host's address
    return f"{path}?{sent_from.query}" if sent_from.query else path


def _add_error_pages(app: FastAPI) -> None:
    """Adds handlers that turn exceptions into error pages. In a WebSocket, the exception closes the connection."""

    @app.exception_handler(LapilliError)
    async def refused(connection: HTTPConnection, error: LapilliError) -> Response | None:
        if isinstance(connection, WebSocket):
            await close_socket(connection, status_of(error), message_for_visitors(error))
            return None
        answer = problem(status_of(error), message_for_visitors(error), _form_of(connection))
        answer.headers.update(headers_of(error))
        return answer

    @app.exception_handler(StarletteHTTPException)
    async def failed(connection: HTTPConnection, error: StarletteHTTPException) -> Response | None:
        if isinstance(connection, WebSocket):
            await close_socket(connection, error.status_code, error.detail)
            return None
        general = {"Not Found": "There is no such page.", "Method Not Allowed": "That page cannot be used like this."}
        answer = problem(error.status_code, general.get(error.detail, error.detail))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(RequestValidationError)
    async def misaddressed(request: Request, error: RequestValidationError) -> Response:
        return problem(404, "There is no such page.")
