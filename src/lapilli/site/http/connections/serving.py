"""Parts that all web servers of this program share: the socket, limits of connections, and uvicorn's server."""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn

from lapilli.core.errors import LapilliError
from lapilli.site.http.connections.timeouts import MAX_HEAD, Timeouts, protocols
from lapilli.site.runtime.garbage import Garbage

HOST = "127.0.0.1"
_DESCRIPTORS = 8192
"""Number of file descriptors (open files and connections) that the process requests from the operating system."""
_LAST_S = 2
"""Time for which the server waits for open requests when it shuts down, in seconds."""


def listen(port: int, host: str = HOST) -> socket.socket:
    """Returns a socket bound to a port and an address of this machine.

    Args:
        port: the port; 0 for any free port.
        host: the address.

    Raises:
        LapilliError: the port cannot be used.
    """
    opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
    except (OSError, UnicodeError) as error:
        opened.close()
        at = "" if host == HOST else f" of {host}"
        reason = (isinstance(error, OSError) and error.strerror) or "no such address"
        raise LapilliError(f"cannot listen on port {port}{at} ({reason}): choose another one with --port") from None
    opened.set_inheritable(False)
    return opened


def config(app: Any, timeouts: Timeouts, **more: Any) -> uvicorn.Config:
    """Returns the settings of a server: with these time limits, and without uvicorn's own log of requests.

    Args:
        app: the web application to serve.
        timeouts: time limits for receiving requests.
        more: further arguments of `uvicorn.Config`.
    """
    http, sockets = protocols(timeouts)
    logging.getLogger("uvicorn.error").addFilter(_is_trouble)
    return uvicorn.Config(
        app,
        http=http,
        ws=sockets,
        log_level="warning",
        log_config=None,
        access_log=False,
        h11_max_incomplete_event_size=MAX_HEAD,
        limit_concurrency=_connections(),
        timeout_graceful_shutdown=_LAST_S,
        server_header=False,
        **more,
    )


def _is_trouble(record: logging.LogRecord) -> bool:
    """Returns whether to log a record of uvicorn's log.

    The traceback for a WebSocket message that is not UTF-8 is not logged: anybody can send such a message, and the
    message ends only the sender's own connection. When the server shuts down, it cancels requests that take too long,
    for example because they wait for the compiler. This is not logged, either.
    """
    is_cancelled = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not (is_cancelled or str(record.msg).startswith(("Invalid UTF-8", "Cancel %s running task(s)")))


def _connections() -> int:
    """Returns the largest number of open connections. Requests on further connections receive status 503.

    The result is three quarters of the number of file descriptors that the process may open. The function first raises
    this number to `_DESCRIPTORS`, if the operating system allows it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return (wanted if soft == resource.RLIM_INFINITY else min(soft, _DESCRIPTORS)) * 3 // 4


_SWITCH_S = 0.001
"""Time after which a Python thread lets another one run, in seconds. Python's default is 0.005: a thread that reads the
store waits for so long after each answer of the database while another thread computes.
"""


class Server(uvicorn.Server):
    """Uvicorn's server, which also calls `ready` after startup, and `stop_thinking` before shutdown.

    Between the two, it collects garbage without long pauses, and lets its threads take turns more often than Python
    does by default.

    Args:
        config: the settings.
        ready: function that is called once the server accepts requests; None for none.
        stop_thinking: function that ends searches of engines, so that requests that wait for them end soon.
    """

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], object] | None, stop_thinking: Callable[[], object]
    ) -> None:
        super().__init__(config)
        self._ready, self._stop_thinking = ready, stop_thinking
        self._garbage = Garbage()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._garbage.start()
            sys.setswitchinterval(_SWITCH_S)
            if self._ready is not None:
                self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begins the shutdown at the first signal, and ignores further ones.

        At a second Ctrl-C, uvicorn would end without closing the site, and print a traceback.
        """
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._garbage.stop()
        self._stop_thinking()  # otherwise shutdown would wait for requests that wait for an engine
        await super().shutdown(sockets)
