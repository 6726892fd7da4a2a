"""The web server of the live pages."""

from __future__ import annotations

import socket
from collections.abc import Callable

from lapilli.site.arena.app import create_arena_app, hosts_of
from lapilli.site.http.connections.serving import HOST, Server, config, listen
from lapilli.site.http.connections.timeouts import Timeouts
from lapilli.store import Store

__all__ = ["HOST", "listen", "serve_arena"]


def serve_arena(store: Store, listening: socket.socket, host: str, ready: Callable[[], object]) -> None:
    """Serves the live pages of a store's events until the user stops the server (Ctrl-C).

    Args:
        store: the store.
        listening: the socket that `listen` returned.
        host: the address at which the socket listens.
        ready: function that is called once the pages can be requested.
    """
    app = create_arena_app(store, hosts_of(host, socket.gethostname()))
    app.state.reader.warm()
    Server(config(app, Timeouts()), ready, app.state.reader.close).run(sockets=[listening])
