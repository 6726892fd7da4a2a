"""The web server of the live page."""

from __future__ import annotations

import socket
from collections.abc import Callable

from lapilli.site.arena.app import create_arena_app, hosts_of
from lapilli.site.http.serving import HOST, Server, config, listen
from lapilli.site.http.timeouts import Timeouts
from lapilli.store import Store

__all__ = ["HOST", "listen", "serve_arena"]


def serve_arena(store: Store, listening: socket.socket, host: str, ready: Callable[[], object]) -> None:
    """Serves the pages of a store's events until it is stopped (Ctrl-C).

    Args:
        store: the store.
        listening: the socket from `listen`.
        host: the address at which the socket listens.
        ready: called once the pages can be requested.
    """
    app = create_arena_app(store, hosts_of(host, socket.gethostname()))
    app.state.reader.warm()
    Server(config(app, Timeouts()), ready, app.state.reader.close).run(sockets=[listening])
