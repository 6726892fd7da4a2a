"""Serves the site on this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from lapilli.arena.store import Store
from lapilli.games.errors import LapilliError
from lapilli.web.app import create_app
from lapilli.web.wire import MAX_MESSAGE

HOST = "127.0.0.1"
_LAST_S = 2
"""How long pages are waited for at the end."""


def listen(port: int) -> socket.socket:
    """A socket that listens at that port of this machine, 0 for any that is free. Raises LapilliError."""
    made = socket.socket()
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((HOST, port))
    except OSError as error:
        made.close()
        raise LapilliError(f"port {port} cannot be had ({error.strerror}): choose another one with --port") from None
    made.set_inheritable(False)
    return made


def serve(store: Store, listening: socket.socket, ready: Callable[[], object] | None = None) -> None:
    """Serves the site until somebody stops it (Ctrl-C).

    Args:
        ready: is called once pages can be asked for.
    """
    app = create_app(store)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE,
        h11_max_incomplete_event_size=16_384,
        timeout_graceful_shutdown=_LAST_S,
        server_header=False,
    )
    _Server(config, ready, lambda: app.state.hall.close()).run(sockets=[listening])


class _Server(uvicorn.Server):
    """Tells when it serves, and stops thinking before it waits for pages."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], object] | None, stop_thinking: Callable[[], object]
    ) -> None:
        super().__init__(config)
        self._ready, self._stop_thinking = ready, stop_thinking

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._ready is not None:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stop_thinking()  # else those who wait for an engine would be waited for
        await super().shutdown(sockets)
