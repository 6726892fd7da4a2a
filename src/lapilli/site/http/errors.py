"""Error messages for visitors. If the store fails, the message does not contain the store's file or address."""

from __future__ import annotations

import logging
import time

from lapilli.core.errors import LapilliError, StoreError, StoreTrouble

_LOG = logging.getLogger("lapilli.site")
UNAVAILABLE = "The site cannot reach its database at the moment. Nothing is lost: try again in a minute."
RETRY_S = 10
"""Value of the header Retry-After in a response if the store cannot be reached, in seconds."""


class _Log:
    """Logs errors that visitors do not see; at most one line a second, even if many requests fail."""

    def __init__(self) -> None:
        self._free_at = 0.0

    def write(self, error: StoreTrouble) -> None:
        if time.monotonic() >= self._free_at:
            self._free_at = time.monotonic() + 1
            _LOG.warning("%s", error)


_log = _Log()


def message_for_visitors(error: LapilliError) -> str:
    """Returns an error's message for visitors. Errors of the store are logged, and a general message is returned."""
    if not isinstance(error, StoreTrouble):
        return str(error)
    _log.write(error)
    return UNAVAILABLE


def headers_of(error: LapilliError) -> dict[str, str]:
    """Returns additional headers for the response that reports an error: Retry-After if the store cannot be reached."""
    return {"Retry-After": str(RETRY_S)} if isinstance(error, StoreTrouble) else {}


def status_of(error: LapilliError, usual: int = 400) -> int:
    """Returns the HTTP status of the response that reports an error: 503 if the store failed, otherwise `usual`."""
    return 503 if isinstance(error, StoreError) else usual
