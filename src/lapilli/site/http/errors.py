"""What visitors read of what went wrong. Where the store has trouble, they do not learn where it is."""

from __future__ import annotations

import logging
import time

from lapilli.core.errors import LapilliError, StoreError, StoreTrouble

_LOG = logging.getLogger("lapilli.site")
UNAVAILABLE = "The site cannot reach what it stores at the moment. Nothing is lost: try again in a minute."
RETRY_S = 10
"""When whoever reads that may ask again."""


class _Log:
    """Writes down what visitors are not told: a line a second, however many of them ask meanwhile."""

    def __init__(self) -> None:
        self._free_at = 0.0

    def write(self, error: StoreTrouble) -> None:
        if time.monotonic() >= self._free_at:
            self._free_at = time.monotonic() + 1
            _LOG.warning("%s", error)


_log = _Log()


def told(error: LapilliError) -> str:
    """A line for visitors. What only the site's owner may know goes into the log."""
    if not isinstance(error, StoreTrouble):
        return str(error)
    _log.write(error)
    return UNAVAILABLE


def headers_of(error: LapilliError) -> dict[str, str]:
    """Headers of an answer that says so."""
    return {"Retry-After": str(RETRY_S)} if isinstance(error, StoreTrouble) else {}


def status_of(error: LapilliError, usual: int = 400) -> int:
    """The status of an answer that says so; `usual` where the store is not to blame."""
    return 503 if isinstance(error, StoreError) else usual
