"""Error messages for visitors. Those for errors of the store never name its file or address."""

from __future__ import annotations

import logging
import time

from lapilli.core.errors import LapilliError, StoreError, StoreTrouble

_LOG = logging.getLogger("lapilli.site")
UNAVAILABLE = "The site cannot reach what it stores at the moment. Nothing is lost: try again in a minute."
RETRY_S = 10
"""Value of Retry-After when the store cannot be reached, in seconds."""


class _Log:
    """Logs the errors that visitors do not see: at most one line a second, however many requests fail."""

    def __init__(self) -> None:
        self._free_at = 0.0

    def write(self, error: StoreTrouble) -> None:
        if time.monotonic() >= self._free_at:
            self._free_at = time.monotonic() + 1
            _LOG.warning("%s", error)


_log = _Log()


def told(error: LapilliError) -> str:
    """Returns the message of an error for visitors. Details for the site's owner alone are logged instead."""
    if not isinstance(error, StoreTrouble):
        return str(error)
    _log.write(error)
    return UNAVAILABLE


def headers_of(error: LapilliError) -> dict[str, str]:
    """Returns the headers of a response that reports this error."""
    return {"Retry-After": str(RETRY_S)} if isinstance(error, StoreTrouble) else {}


def status_of(error: LapilliError, usual: int = 400) -> int:
    """Returns the HTTP status of a response that reports this error: 503 for errors of the store, else `usual`."""
    return 503 if isinstance(error, StoreError) else usual
