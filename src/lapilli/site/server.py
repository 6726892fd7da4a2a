"""The web server: serves a private site on this machine, or a public site."""

from __future__ import annotations

import socket
from collections.abc import Callable

from lapilli.site.app import create_app
from lapilli.site.bots.workshop.places import Places
from lapilli.site.bots.workshop.worker import check_cluster
from lapilli.site.http.connections.serving import HOST, Server, config, listen
from lapilli.site.http.connections.timeouts import Timeouts
from lapilli.site.live.messages.from_page import MAX_MESSAGE
from lapilli.site.runtime.settings import Public
from lapilli.store import Store

__all__ = ["HOST", "listen", "serve"]


def serve(
    store: Store,
    listening: socket.socket,
    ready: Callable[[], object] | None = None,
    public: Public | None = None,
    ray: str | None = None,
    timeouts: Timeouts | None = None,
    analysis_threads: int | None = None,
    has_chat: bool = True,
) -> None:
    """Serves the site until the user stops the server (Ctrl-C).

    Args:
        store: the database.
        listening: the socket that `listen` returned.
        ready: function that is called once the site accepts requests; None for none.
        public: settings of a public site with accounts; None for a private site.
        ray: address of a Ray cluster that plays the matches of comparisons and leagues; None for this machine.
        timeouts: time limits for receiving requests; None for the default limits.
        analysis_threads: number of threads of each analysis; None for the cores that are free.
        has_chat: whether people may write to each other at tables.

    Raises:
        LapilliError: the Ray cluster cannot be joined, or another site serves the same SQLite file.
    """
    if ray is not None:
        check_cluster(Places.of(store, ray))
    with store.locked_for_site():
        _serve(store, listening, ready, public, ray, timeouts or Timeouts(), analysis_threads, has_chat)


def _serve(
    store: Store,
    listening: socket.socket,
    ready: Callable[[], object] | None,
    public: Public | None,
    ray: str | None,
    timeouts: Timeouts,
    analysis_threads: int | None,
    has_chat: bool,
) -> None:
    app = create_app(store, public, ray, timeouts, analysis_threads, has_chat)
    settings = config(
        app,
        timeouts,
        ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=False,  # compression takes memory for each page, and repeats its work for each page
        proxy_headers=public is not None and bool(public.proxies),
        forwarded_allow_ips=list(public.proxies) if public is not None else [],
    )
    Server(settings, ready, lambda: app.state.site.stop_thinking()).run(sockets=[listening])
