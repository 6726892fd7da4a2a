"""Defines `Site`: the object with everything that the requests of one process share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from lapilli.search.threads import free_threads
from lapilli.site.runtime.installed import log_missing

if TYPE_CHECKING:
    from lapilli.site.bots.workshop.queue import Workshop
    from lapilli.site.http.limits import Buckets
    from lapilli.site.http.monitoring.metrics import Metrics
    from lapilli.site.http.monitoring.request_log import Pulse
    from lapilli.site.live.drivers.bot_pool import BotPool
    from lapilli.site.live.drivers.engines import Engines
    from lapilli.site.live.tables import Tables
    from lapilli.site.live.tournaments.director import TournamentDirector
    from lapilli.site.pages.showcase import Showcase
    from lapilli.site.people.accounts.accounts import Accounts
    from lapilli.site.people.lobby.lobby import Lobby
    from lapilli.site.people.mail.mailer import Mailer
    from lapilli.site.runtime.compilation import Compilation
    from lapilli.site.runtime.settings import Public
    from lapilli.site.study.analysis_workers import AnalysisWorkers
    from lapilli.store import Store


@dataclass(frozen=True, kw_only=True)
class Site:
    """Everything that the requests of one process share. Only `lapilli.site.app` creates the site and its parts.

    Attributes:
        store: the database with matches, bots and accounts.
        public: settings of a public site; None for a private site.
        accounts: accounts and sign-in of a public site; None for a private site.
        buckets: rate limits of requests.
        metrics: counters for monitoring.
        pulse: health check of the store.
        tables: live tables.
        compilation: compiles kernels that are not compiled yet.
        engines: worker processes of built-in opponents.
        bot_pool: worker processes of the site's bots.
        analysis: worker processes for analyses, mistakes and puzzles.
        showcase: films on the first page.
        lobby: people who look for opponents.
        mailer: sends mails; None on a site that sends none.
        tournaments: runs the tournaments.
        workshop: builds, compares and rates the bots of the site's users.
        analysis_threads: number of threads of each analysis; None for the cores that are free when it begins.
    """

    store: Store
    public: Public | None
    accounts: Accounts | None
    buckets: Buckets
    metrics: Metrics
    pulse: Pulse
    tables: Tables
    compilation: Compilation
    engines: Engines
    bot_pool: BotPool
    analysis: AnalysisWorkers
    showcase: Showcase
    lobby: Lobby
    tournaments: TournamentDirector
    workshop: Workshop
    mailer: Mailer | None = None
    analysis_threads: int | None = None

    def free_threads(self) -> int:
        """Returns the number of threads for a new analysis: the cores that no match, bot or other analysis uses."""
        if self.analysis_threads is not None:
            return self.analysis_threads
        return free_threads(self.engines.queued + self.workshop.running + self.analysis.running)

    async def start(self) -> None:
        """Starts the background work of the site's parts. Raises StoreError if the store fails."""
        await asyncio.to_thread(log_missing, self.store)
        self.compilation.start()
        await self.tables.start()
        self.lobby.start()
        if self.mailer is not None:
            self.mailer.start()
        if self.public is not None:
            self.tournaments.start()
        self.workshop.start()

    def stop_thinking(self) -> None:
        """Stops tables, engines, analyses and the compiler, so that all requests that wait for them end."""
        self.lobby.close()
        if self.mailer is not None:
            self.mailer.close()
        self.tournaments.close()
        self.tables.close()
        self.engines.close()
        self.analysis.close()
        self.compilation.stop()

    async def close(self) -> None:
        """Ends all worker processes, and releases this process's tables for other processes."""
        self.stop_thinking()
        await asyncio.to_thread(self.compilation.close)
        await asyncio.to_thread(self.bot_pool.close)
        await asyncio.to_thread(self.workshop.close)
        await self.tables.leave()


def site_of(connection: HTTPConnection) -> Site:
    """Returns the site that a request or WebSocket belongs to."""
    site: Site = connection.app.state.site
    return site


CurrentSite = Annotated[Site, Depends(site_of)]
"""Type of a route's parameter that receives the request's site."""
