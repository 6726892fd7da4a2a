"""Error messages for visitors. The message for a failure of the store does not reveal the store's file or address."""

from __future__ import annotations

import logging
import time
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from lapilli.core.errors import LapilliError, StoreTrouble
from lapilli.site.runtime.installed import NotInstalled

_LOG = logging.getLogger("lapilli.site")
UNAVAILABLE = "The site cannot reach its database at the moment. Nothing is lost: try again in a minute."
NO_ANSWER = "The site's database does not answer at the moment. Nothing is lost: the match goes on when it does."
GONE, LATER = 4404, 1013
"""Close codes of WebSockets. `GONE`: the table or trial does not exist, so the page does not connect again. `LATER`:
the page may connect again later.
"""
_MAX_REASON = 120
"""Length limit of the reason with which a WebSocket is closed, in characters. The protocol allows 123 bytes."""
RETRY_S = 10
"""Value of the header Retry-After in the response to a request that failed because of the store, in seconds."""


class _Log:
    """Logs failures of the store, at most one each second. Visitors see only a general message."""

    def __init__(self) -> None:
        self._free_at = 0.0

    def write(self, error: StoreTrouble) -> None:
        if time.monotonic() >= self._free_at:
            self._free_at = time.monotonic() + 1
            _LOG.warning("%s", error)


_log = _Log()


def message_for_visitors(error: LapilliError) -> str:
    """Returns the message that visitors see for an error.

    If the store failed, logs the error, and returns a general message.
    """
    if not isinstance(error, StoreTrouble):
        return str(error)
    _log.write(error)
    return UNAVAILABLE


def headers_of(error: LapilliError) -> dict[str, str]:
    """Returns additional headers for the response that reports an error: Retry-After if the store failed."""
    return {"Retry-After": str(RETRY_S)} if isinstance(error, StoreTrouble) else {}


def status_of(error: LapilliError, usual: int = 400) -> int:
    """Returns the HTTP status of the response that reports an error.

    The status is 503 if the store failed, 404 if a game is not installed, otherwise `usual`.
    """
    if isinstance(error, NotInstalled):
        return 404
    return 503 if isinstance(error, StoreTrouble) else usual


async def close_socket(socket: WebSocket, status: int, message: str) -> None:
    """Closes a WebSocket in which an error occurred. Does nothing if the page has closed it already.

    If the connection is not accepted yet, the page only sees that it was refused.

    Args:
        socket: the connection.
        status: HTTP status with which a page would report the error.
        message: the error message, one line.
    """
    code = {404: GONE, 503: LATER}.get(status, 1008)
    with suppress(WebSocketDisconnect, RuntimeError):
        await socket.close(code, message[:_MAX_REASON])
