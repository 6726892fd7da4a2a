"""Error messages for visitors. The message for a failure of the store does not reveal the store's file or address."""

from __future__ import annotations

import logging
import time

from lapilli.core.errors import LapilliError, StoreError, StoreTrouble

_LOG = logging.getLogger("lapilli.site")
UNAVAILABLE = "The site cannot reach its database at the moment. Nothing is lost: try again in a minute."
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
    """Returns the HTTP status of the response that reports an error: 503 if the store failed, otherwise `usual`."""
    return 503 if isinstance(error, StoreError) else usual
